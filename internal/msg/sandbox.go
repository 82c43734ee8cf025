package msg

// The sandbox of commands.
const (
	SandboxWord      Key = "sandbox：不认识 %q；可用的词：%s" + or + "sandbox: unknown word %q; known are: %s"
	SandboxTwoKinds  Key = "sandbox：%q 和 %q 只能选一个" + or + "sandbox: %q and %q exclude each other; keep one"
	SandboxWritePath Key = "sandbox：%q 需要绝对路径或以 ~/ 开头的路径，且不能是 /" + or + "sandbox: %q needs an absolute path or one that begins with ~/, and not / itself"
	SandboxQuote     Key = "sandbox：%q 里的引号没有成对" + or + "sandbox: a double quote is not closed in %q"
	SandboxRoot      Key = "沙箱需要 / 之下的一个工作目录（绝对路径），而不是 %q" + or + "the sandbox needs a work directory below /, as an absolute path, not %q"

	SandboxNoBwrap    Key = "沙箱 bwrap 在这里不可用：%v。请安装 bubblewrap 并允许用户命名空间，或设 sandbox: auto，或设 sandbox: off" + or + "the sandbox bwrap does not work here: %v. Install bubblewrap and allow user namespaces, or set sandbox: auto, or sandbox: off"
	SandboxNoLandlock Key = "沙箱 landlock 在这里不可用：%v。它需要 Linux 5.13 或更新的内核并启用 Landlock；也可以设 sandbox: auto 或 off" + or + "the sandbox landlock does not work here: %v. It needs Linux 5.13 or later with Landlock switched on; or set sandbox: auto, or off"
	SandboxLinuxOnly  Key = "沙箱 %s 只在 Linux 上可用；请设 sandbox: off" + or + "the sandbox %s works on Linux only; set sandbox: off"
	SandboxNone       Key = "命令不受沙箱限制：bwrap：%v；landlock：%v" + or + "nothing holds commands: bwrap: %v; landlock: %v"
	SandboxNoneHere   Key = "这个系统上没有沙箱：命令不受限制" + or + "there is no sandbox for this system: nothing holds commands"
	SandboxOpen       Key = "沙箱 landlock 没有命名空间（%v）；没有挡住的：%s" + or + "the sandbox landlock has no namespaces (%v); what stays open: %s"

	SandboxOpenUDP    Key = "UDP" + or + "UDP"
	SandboxOpenTCP    Key = "TCP" + or + "TCP"
	SandboxOpenUnix   Key = "文件系统中的 Unix 套接字（例如 docker.sock）" + or + "unix sockets in the file system, docker.sock for one"
	SandboxOpenAbs    Key = "抽象 Unix 套接字" + or + "abstract unix sockets"
	SandboxOpenSignal Key = "向同一用户的其他进程发信号" + or + "signals to other processes of the same user"
	SandboxOpenPolicy Key = "工作目录里的 .git/hooks、.git/config 和配置文件" + or + ".git/hooks, .git/config and settings within the work directory"
	SandboxOpenMode   Key = "已有文件的权限位和时间" + or + "mode bits and times of files that are there"
	SandboxOpenTrunc  Key = "截断已有文件" + or + "truncating files that are there"

	SandboxAbilityWorks   Key = "可用（%s）" + or + "works (%s)"
	SandboxAbilityUsers   Key = "可以创建" + or + "can be made"
	SandboxAbilityRoot    Key = "以 root 运行，不需要" + or + "not needed, this is root"
	SandboxAbilityABI     Key = "ABI %d" + or + "ABI %d"
	SandboxAbilityAll     Key = "有命名空间：与 bwrap 相同，只是其他进程的名字可见" + or + "with namespaces: holds like bwrap, but names of other processes can be seen"
	SandboxAbilitySeccomp Key = "不使用：系统调用本身不受限制" + or + "not used: system calls as such are not limited"
	SandboxAbilityLinux   Key = "只在 Linux 上" + or + "on Linux only"
)
