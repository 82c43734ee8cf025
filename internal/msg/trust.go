package msg

// Texts of commands about modes, rules and the place of work.
const (
	HelpMode        Key = "显示或更换本会话的模式：ask、auto、readonly、plan、yolo" + or + "show or change this session's mode: ask, auto, readonly, plan, yolo"
	HelpPermissions Key = "列出权限规则；remove 规则 撤销一条“总是允许”" + or + "list the rules of permission; remove RULE takes an \"always\" back"
	HelpJobs        Key = "列出后台任务；tail ID、kill ID、type ID 文字（输入到它的终端）" + or + "list background jobs; tail ID, kill ID, type ID TEXT (into its terminal)"
	HelpDiff        Key = "显示本会话工作树中的全部改动" + or + "show everything this session changed in its worktree"
	HelpMerge       Key = "把本会话工作树的改动合并进主工作目录的分支" + or + "merge what this session did in its worktree into the branch of the main tree"
	HelpDiscard     Key = "丢弃本会话的工作树（会留下可以找回的引用）" + or + "drop this session's worktree (a ref to get it back stays)"

	ModeIs          Key = "模式：%s" + or + "mode: %s"
	ModeBusy        Key = "正在运行：这个命令要等它结束（Ctrl-C 取消）" + or + "a run is going on: this command has to wait for its end (Ctrl-C cancels it)"
	ModeUnknown     Key = "没有模式 %q，只能是 ask、auto、readonly、plan、yolo" + or + "there is no mode %q; it is one of ask, auto, readonly, plan, yolo"
	DoctorRules     Key = "拒绝 %d 条，询问 %d 条，允许 %d 条，总是允许 %d 条" + or + "deny %d, ask %d, allow %d, always %d"
	NoRules         Key = "没有规则：除了只读的调用，其余都会询问" + or + "there are no rules: whatever does not only read asks"
	RuleGone        Key = "已撤销：%s" + or + "taken back: %s"
	RuleUnknown     Key = "“总是允许”里没有这条规则：%s（/permissions 列出全部）" + or + "no \"always\" rule is %s; /permissions lists them"
	RuleBad         Key = "%s：权限规则 %q 有误：%s" + or + "%s: the rule %q is wrong: %s"
	RuleBuiltIn     Key = "内置" + or + "built in"
	RuleNoTool      Key = "没有哪个工具是这条规则所指的" + or + "no tool is meant by this rule"
	RuleAlways      Key = "总是允许" + or + "always"
	NoJobs          Key = "没有后台任务" + or + "there are no background jobs"
	JobsUnknown     Key = "没有后台任务 %s（/jobs 列出全部）" + or + "there is no job %s; /jobs lists them"
	JobsKilled      Key = "已停止：%s" + or + "stopped: %s"
	JobsOver        Key = "后台任务 %s 早已结束，没有什么可停止的" + or + "job %s has ended already, there is nothing to stop"
	NoWorktree      Key = "本会话没有自己的工作树（设置 sandbox: auto worktree 才会有）" + or + "this session has no worktree of its own (the setting `sandbox: auto worktree` gives it one)"
	WorktreeSame    Key = "工作树没有改动" + or + "nothing was changed in the worktree"
	WorktreeDiscard Key = "丢弃工作树 %s 里的改动？用 /discard yes 确认" + or + "Drop what was changed in the worktree %s? /discard yes does it"
	SandboxBad      Key = "%s：设置有误：%s" + or + "%s: wrong setting: %s"
	HooksBad        Key = "%s：设置有误：%s" + or + "%s: wrong setting: %s"
)
