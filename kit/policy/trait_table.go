package policy

import "strings"

// traits lists the commands that people allow and that can do more than they look like.
func traits() map[string]trait {
	f := strings.Fields
	return map[string]trait{
		// They search and show, but for these.
		"fd":   {long: f("exec exec-batch"), short: "xX"},
		"rg":   {long: f("pre hostname-bin search-zip"), short: "z", value: f("-e -g"), flags: f("-n -i -l -w -c -v -F -S -o -H -U -P -x -s -u -uu -N --hidden")},
		"sort": {long: f("compress-program output temporary-directory files0-from"), short: "oT"},
		"man":  {long: f("pager html gxditview preprocessor config-file recode"), short: "PHXCp"},
		"tree": {short: "oR"},
		"jq":   {long: f("in-place inplace from-file library-path"), short: "ifLs", value: f("--arg"), flags: f("-r -e -c -n -S -M")},
		"sed":  {long: f("in-place file"), short: "if", code: true},
		"awk": {
			long: f("file exec load include source debug profile dump-variables pretty-print"), short: "fElieDpdo", code: true,
		},
		"less": {
			long:  f("cmd eval log-file lesskey command init file execute load"),
			short: "cSsukoOelf", plain: "+!", code: true,
		},
		// They pack, copy and fetch.
		"tar": {
			long: f(`to-command checkpoint-action use-compress-program rsh-command rmt-command info-script new-volume-script
				absolute-names remove-files files-from overwrite unlink-first recursive-unlink`),
			short: "IFPTUC", plain: ":IF",
		},
		"zip":   {long: f("unzip-command test"), short: "TOm"},
		"cpio":  {long: f("rsh-command to-command"), short: "IOF"},
		"rsync": {long: f("rsh rsync-path remove-source-files delete log-file write-batch"), short: "eM", plain: ":"},
		"split": {long: f("filter")},
		"patch": {long: f("ed output input reject-file directory"), short: "eoirdBzp"},
		"ssh":   {short: "oFESDJw"},
		"curl": {
			long: f(`output config use-askpass execute remote-name output-document upload-file input-file output-file
				directory-prefix engine proto dump-header cookie-jar trace stderr`),
			short: "oOKTeiPDcU",
		},
		// They build and test.
		"go": {
			dash:  f("exec toolexec vettool ldflags gcflags asmflags overlay modfile o C w pkgdir gccgoflags compiler"),
			value: f("-run -bench -tags -skip"),
			flags: f("-v -race -short -x -n -a -cover -json"),
		},
		"make": {long: f("file makefile directory eval include-dir justfile shell"), short: "fCEI", plain: "="},
		"npm": {
			long: f(`script-shell node-options prefix dir cwd userconfig globalconfig shell git call config use-yarnrc require
				preload`),
			short: "Ccr",
		},
		"cargo":   {long: f("config manifest-path target-dir out-dir"), short: "ZC"},
		"gcc":     {dash: f("wrapper o specs fplugin load T"), short: "B", plain: "@"},
		"pytest":  {long: f("rootdir confcutdir override-ini import-mode basetemp"), short: "pco"},
		"docker":  {long: f("config host context"), short: "Hc"},
		"kubectl": {long: f("kubeconfig server post-renderer"), short: "s"},
	}
}

// likeOther gives the command whose traits a command has.
func likeOther(name string) string {
	for like, names := range map[string]string{
		"fd": " fdfind ", "awk": " gawk mawk nawk ", "jq": " yq ", "tar": " gtar bsdtar ", "ssh": " scp sftp ", "curl": " wget ",
		"less": " more most vim vi view nvim ex ed emacs nano bc dc gdb sqlite3 psql mysql ", "make": " gmake just ninja ",
		"npm": " pnpm yarn bun ", "gcc": " g++ cc c++ clang clang++ ", "docker": " podman ", "kubectl": " helm ",
	} {
		if strings.Contains(names, " "+name+" ") {
			return like
		}
	}
	return name
}
