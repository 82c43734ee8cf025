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

	SandboxOpenUDP    Key = "UDP 通信" + or + "UDP"
	SandboxOpenTCP    Key = "TCP 连接" + or + "TCP"
	SandboxOpenUnix   Key = "文件系统中的 Unix 套接字（例如 docker.sock）" + or + "unix sockets in the file system, docker.sock for one"
	SandboxOpenAbs    Key = "抽象 Unix 套接字" + or + "abstract unix sockets"
	SandboxOpenSignal Key = "向同一用户的其他进程发信号" + or + "signals to other processes of the same user"
	SandboxOpenPolicy Key = "工作目录里的 .git/hooks、.git/config 和配置文件" + or + ".git/hooks, .git/config and settings within the work directory"
	SandboxOpenMode   Key = "已有文件的权限位和时间" + or + "mode bits and times of files that are there"
	SandboxOpenTrunc  Key = "截断已有文件" + or + "truncating files that are there"

	SandboxAbilityWorks   Key = "可用（%s）" + or + "works (%s)"
	SandboxAbilityUsers   Key = "可以创建" + or + "can be made"
	SandboxAbilityRoot    Key = "以 root 运行，不需要" + or + "not needed, this is root"
	SandboxAbilityABI     Key = "接口版本 %d" + or + "ABI %d"
	SandboxAbilityAll     Key = "有命名空间：与 bwrap 相同，只是其他进程的名字可见" + or + "with namespaces: holds like bwrap, but names of other processes can be seen"
	SandboxAbilitySeccomp Key = "不使用：系统调用本身不受限制" + or + "not used: system calls as such are not limited"
	SandboxAbilityLinux   Key = "只在 Linux 上" + or + "on Linux only"
)

// Worktrees of sessions.
const (
	TreeNoGit        Key = "没有找到 git，会话直接在普通文件夹里工作" + or + "git was not found, so the session works in the plain folder"
	TreeNoRepository Key = "%s 没有可用的 git 工作树（%s），会话直接在普通文件夹里工作" + or + "%s has no git work tree to use (%s), so the session works in the plain folder"
	TreeNoCommit     Key = "%s 还没有任何提交，会话直接在普通文件夹里工作" + or + "%s has no commit yet, so the session works in the plain folder"
	TreeUncommitted  Key = "会话在 %s 里从最近的提交开始工作；主工作树里这些未提交的改动不在其中：%s" + or + "the session works in %s and begins at the last commit; these changes of the main tree are not committed, so they are not in it: %s"
	TreeSubmodules   Key = "%s 里的子模块是空的；需要时在那里运行 git submodule update --init" + or + "the submodules in %s are empty; run git submodule update --init there if they are needed"
	TreeInTheWay     Key = "%s 已经存在，但不是这个仓库的工作树；请移走它或换一个会话" + or + "%s is there and is no worktree of this repository; move it away, or use another session"
	TreeGone         Key = "%s 不是这个仓库的完整工作树：%v" + or + "%s is no whole worktree of this repository: %v"
	TreeIndex        Key = "工作树的记录 %s 读不了：%v。请修好或移走这个文件" + or + "the record of worktrees %s cannot be read: %v. Repair the file or move it away"
	TreeNothing      Key = "%s 里没有 %s 还没有的内容" + or + "%s has nothing that %s does not have"
	TreeMerged       Key = "已把 %s 合并到 %s（%s，%d 个文件）：%s" + or + "merged %s into %s (%s; files: %d): %s"
	TreeDetached     Key = "%s 不在任何分支上，没有可以合并到的分支；请先 git switch 到一个分支" + or + "%s is not on a branch, so there is none to merge into; git switch to one first"
	TreeBusy         Key = "%s 正在进行别的操作（%s）；请先完成或放弃它" + or + "%s is in the middle of something (%s); finish or abort that first"
	TreeDirty        Key = "%s 里有未提交的改动，没有合并：%s。请先提交或收起它们" + or + "nothing was merged: %s has changes that are not committed: %s. Commit or stash them first"
	TreeUnmerged     Key = "%s 里有未解决的冲突，没有合并：%s" + or + "nothing was merged: %s has conflicts that are not resolved: %s"
	TreeConflict     Key = "%s 与 %s 在这些文件里冲突，没有合并：%s。可以让 agent 在 %s 里合并该分支并解决冲突，然后再试" + or + "nothing was merged: %s and %s conflict in %s. Let the agent merge that branch in %s and resolve the conflicts, then try again"
	TreeRefused      Key = "%s 没有变：%s" + or + "%s is as it was: %s"
	TreeDiscarded    Key = "已丢弃 %s 及其工作树。要找回：git branch %s %s" + or + "discarded %s and its worktree. To get it back: git branch %s %s"
)
