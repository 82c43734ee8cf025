package msg

// The sandbox of commands, and worktrees.
const (
	SandboxWord      Key = "sandbox：不认识 %q；可用的词：%s" + or + "sandbox: unknown word %q; known are: %s"
	SandboxTwoKinds  Key = "sandbox：%q 和 %q 只能选一个" + or + "sandbox: %q and %q exclude each other; keep one"
	SandboxWritePath Key = "sandbox：%q 需要绝对路径或以 ~/ 开头的路径，且不能是 /" + or + "sandbox: %q needs an absolute path or one that begins with ~/, and not / itself"
	SandboxQuote     Key = "sandbox：%q 里的引号没有成对" + or + "sandbox: a double quote is not closed in %q"
)
