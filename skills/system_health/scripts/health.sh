#!/bin/sh
# Prints facts about the state of this computer, one a line: NAME VALUE. What the system does not tell is left out.
LC_ALL=C
export LC_ALL

system=$(uname -s 2>/dev/null || echo unknown)

cpus=$(getconf _NPROCESSORS_ONLN 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo "")
if [ -r /proc/loadavg ]; then
	load=$(cut -d' ' -f1-3 /proc/loadavg)
else
	load=$(uptime 2>/dev/null | sed -n 's/.*load average[s]*: *//p' | tr -d ',')
fi
[ -n "$load" ] && echo "load $load"
[ -n "$cpus" ] && echo "cpus $cpus"

if [ -r /proc/meminfo ]; then
	awk '
		/^MemTotal:/ { total = $2 } /^MemAvailable:/ { free = $2 }
		/^SwapTotal:/ { swap = $2 } /^SwapFree:/ { swapfree = $2 }
		END {
			if (total) printf "memory %d%% in use, %.1f of %.1f GiB free\n", (total - free) * 100 / total, free / 1048576, total / 1048576
			if (swap) printf "swap %d%% in use of %.1f GiB\n", (swap - swapfree) * 100 / swap, swap / 1048576
		}' /proc/meminfo
elif [ "$system" = Darwin ]; then
	total=$(sysctl -n hw.memsize)
	vm_stat | awk -v total="$total" '
		/page size of/ { for (i = 1; i <= NF; i++) if ($i == "of") page = $(i + 1) }
		/^Pages (free|inactive|speculative|purgeable)/ { gsub(/[^0-9]/, "", $NF); free += $NF }
		END { if (total && page) printf "memory %d%% in use, %.1f of %.1f GiB free\n", (total - free * page) * 100 / total, free * page / 1073741824, total / 1073741824 }'
fi

df -P -k . 2>/dev/null | awk 'NR == 2 { sub(/%/, "", $5); printf "disk %s%% in use, %.1f GiB free (%s)\n", $5, $4 / 1048576, $6 }'
up=$(uptime 2>/dev/null | sed -e 's/^.* up *//' -e 's/, *[0-9]* user.*//' -e 's/, *load.*//')
[ -n "$up" ] && echo "uptime $up"
ps -A -o pcpu= -o comm= 2>/dev/null | sort -rn | head -n 3 | awk '{ cpu = $1; $1 = ""; sub(/^ /, ""); printf "busy %s%% %s\n", cpu, $0 }'
exit 0
