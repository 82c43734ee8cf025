// Package sandbox holds the commands of an agent: what they write, read and reach.
package sandbox
