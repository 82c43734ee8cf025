#!/bin/sh
# Prints the date, time, zone and weekday of this computer on one line.
LC_ALL=C exec date '+%Y-%m-%d %H:%M:%S %Z (%A)'
