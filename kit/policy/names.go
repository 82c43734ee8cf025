package policy

import (
	"slices"
	"strings"
)

// shells read a script from their arguments, a file or their input.
func shells() []string {
	return strings.Fields("bash sh dash ash ksh mksh zsh fish csh tcsh rbash yash pwsh powershell cmd")
}

// runners run the command in their arguments, in a way or at a place that makes it another one.
func runners() []string {
	return strings.Fields(`sudo doas su runuser pkexec chroot unshare nsenter setpriv capsh busybox toybox parallel flock script
		entr xvfb-run dbus-run-session systemd-run at batch strace ltrace valgrind perf tmux screen expect unbuffer rlwrap setarch
		linux32 linux64 taskset chrt numactl cpulimit tini dumb-init fakeroot faketime firejail bwrap proot caffeinate run-parts
		start-stop-daemon nix-shell npx bunx pnpx uvx pipx corepack ssh mosh crontab socat nc ncat telnet ip chronic ifne
		exec-once direnv dotenv mise asdf lima wsl winpty cygstart setfacl prlimit ld.so ld-linux-x86-64.so.2 ld-linux.so.2`)
}

// interpreter reports whether a command runs programs in a language of its own.
func interpreter(name string) bool {
	base := strings.TrimRight(name, "0123456789.")
	return slices.Contains(strings.Fields(`python pypy ipython perl ruby irb node nodejs deno ts-node tsx php lua luajit tclsh
		wish expect Rscript julia swipl ghci ocaml elixir iex erl sbcl guile groovy jshell java osascript m4 gnuplot octave`), base)
}

// opaque reports whether what a command does cannot be told from its words at all.
func opaque(name string) bool {
	return slices.Contains(shells(), name) || slices.Contains(runners(), name) || interpreter(name) ||
		slices.Contains([]string{"eval", "source", ".", "exec", "trap", "watch", "xargs"}, name)
}

// exactly reports whether an approval of this command should never cover another one: it destroys, it sends, or it runs
// whatever it is given.
func exactly(name string) bool {
	return opaque(name) || traitOf(name).code || slices.Contains(strings.Fields(`rm rmdir unlink shred dd mkfs fdisk parted
		chmod chown chgrp chattr mv cp ln install truncate tee rsync scp sftp curl wget aria2c kill pkill killall shutdown reboot
		halt poweroff mount umount iptables useradd userdel passwd systemctl service apt apt-get dpkg yum dnf pacman brew
		crontab tar unzip 7z cpio patch split sponge set shopt alias export declare typeset readonly hash enable env printenv
		command builtin psql mysql sqlite3 redis-cli mongo aws gcloud az terraform ansible vagrant osascript open xdg-open`), name)
}

// twoWords are commands whose second word says what they do.
func twoWords() []string {
	return strings.Fields(`git go cargo npm pnpm yarn bun docker podman kubectl helm gh glab pip pip3 uv poetry rustup dotnet
		gradle mvn bundle composer flutter mix make just`)
}

// exactSecond are second words that run whatever they are given, or change what later commands do.
func exactSecond(second string) bool {
	return slices.Contains(strings.Fields(`exec run x dlx config alias extension api auth secret run-script push clean reset
		rm rmi system prune kill delete apply cp login logout publish install uninstall generate filter-branch bisect submodule
		create-hook hook env tool tools generate rebase checkout restore switch`), second)
}

// findTests are the words of find whose next word is a value.
func findTests() []string {
	return strings.Fields(`-name -iname -path -ipath -regex -iregex -wholename -lname -newer -mtime -mmin -atime -ctime -size
		-type -user -group -perm -maxdepth -mindepth -samefile -links -inum -printf`)
}

// findTakesNone reports whether the word behind w is surely no value of it.
func findTakesNone(w word) bool {
	s, known := w.static()
	return known && (!strings.HasPrefix(s, "-") || slices.Contains(strings.Fields(`-not -o -or -a -and -depth -xdev -mount -daystart -print
		-print0 -ls -prune -quit -empty -true -false -readable -writable -executable -L -H -P`), s))
}
