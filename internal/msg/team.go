package msg

// What the person reads about sub-agents.
const (
	TeamQueued Key = "等待：已有 %d 个子智能体在运行" + or + "waits for its turn: %d {sub-agent is|sub-agents are} at work"
	TeamLoop   Key = "子智能体被拒绝或原地打转已有 %d 次，运行结束" + or + "sub-agents were refused or went in circles %d {time|times}, the run ends"

	EngineFault Key = "程序内部错误，运行已停止" + or + "a fault in the program has stopped the run"

	HelpAgents   Key = "列出子智能体；stop 名称 停止一个" + or + "list sub-agents; stop NAME stops one"
	AgentUnknown Key = "没有正在运行的子智能体 %s（/agents 列出全部）" + or + "there is no sub-agent %s that has not ended; /agents lists them"
	AgentStopped Key = "已要求停止：%s" + or + "told to stop: %s"
	NoAgents     Key = "没有子智能体" + or + "there are no sub-agents"
	AgentSteps   Key = "%d 步" + or + "%d {step|steps}"
	AgentStep    Key = "1 步" + or + "1 step"
	AgentBehind  Key = "后台" + or + "background"

	AgentWaiting   Key = "等待中" + or + "waiting"
	AgentRunning   Key = "运行中" + or + "running"
	AgentDone      Key = "已完成" + or + "done"
	AgentFailed    Key = "失败" + or + "failed"
	AgentCancelled Key = "已取消" + or + "cancelled"
	AgentTimedOut  Key = "超时" + or + "timed out"
	AgentOrphaned  Key = "无人等待" + or + "orphaned"
	AgentIdle      Key = "未在运行，随会话继续" + or + "not at work, goes on with its session"
)

// What is wrong with an agent's file, and what to do about it.
const (
	AgentSkipped     Key = "跳过智能体文件 %s：%s" + or + "agent left out: %s: %s"
	AgentSkippedMore Key = "还有 %d 个智能体文件被跳过；react-agent doctor 会全部列出" + or + "%d more agent {file was|files were} left out; react-agent doctor lists them all"

	AgentUnreadable    Key = "无法读取：%v" + or + "it cannot be read: %v"
	AgentNoFile        Key = "不是普通文件" + or + "this is not an ordinary file"
	AgentTooLong       Key = "文件超过 %d KiB" + or + "the file is longer than %d KiB"
	AgentTooMany       Key = "只读取了前 %d 个文件" + or + "only the first %d {file was|files were} read"
	AgentOutside       Key = "链接指向项目之外的 %s" + or + "a link leads out of the project, to %s"
	AgentNoText        Key = "文件不是 UTF-8 文本" + or + "the file is not UTF-8 text"
	AgentNoHeader      Key = "没有以 --- 开始的头部" + or + "there is no header between lines of ---"
	AgentUnclosed      Key = "头部没有以 --- 结束" + or + "the header is not closed by a line of ---"
	AgentYAML          Key = "头部无法读取：%v" + or + "the header cannot be read: %v"
	AgentNoFields      Key = "头部不是“键: 值”的列表" + or + "the header is not a list of keys and values"
	AgentName          Key = "名称 %q 只能有字母、数字、连字符和下划线，最多 64 个" + or + "the name %q must be 1 to 64 letters, digits, hyphens and underscores"
	AgentNoDescription Key = "没有 description，模型无法知道什么时候用它" + or + "no description, so a model cannot know when to use it"
	AgentEmpty         Key = "头部之后没有内容，而那是它的系统提示" + or + "nothing stands behind the header, where its system prompt belongs"
	AgentShadowed      Key = "已有同名的智能体：%s" + or + "an agent of the same name was found first: %s"
	AgentPrimary       Key = "它是主智能体，不能作为子智能体" + or + "it is a primary agent and no sub-agent"
	AgentDisabled      Key = "已停用" + or + "it is switched off"
	AgentField         Key = "%s 的值 %q 无法理解，已忽略" + or + "the value %[2]q of %[1]s is not understood and ignored"
	AgentMode          Key = "permissionMode: %s 不起作用：子智能体沿用会话的模式" + or + "permissionMode: %s has no effect: a sub-agent has the session's mode"
	AgentUnused        Key = "这里不使用 %s" + or + "%s is not used here"
	AgentRule          Key = "%s 不是工具名，已略去；规则请写在设置的 permissions 里" + or + "%s is no name of a tool and left out; rules belong into permissions in the settings"
	AgentTool          Key = "没有工具 %s，已略去" + or + "there is no tool %s, it is left out"
	AgentModel         Key = "没有模型 %s，用会话的模型" + or + "there is no model %s, the session's is used"

	AgentFixHeader      Key = "文件开头写 ---、name、description、---，之后写系统提示" + or + "begin the file with ---, name, description and ---, then write the system prompt"
	AgentFixYAML        Key = "把值放进双引号，用空格而不是制表符缩进" + or + "put the value into double quotes, and indent with blanks, not tabs"
	AgentFixName        Key = "在头部改 name" + or + "change name in the header"
	AgentFixDescription Key = "在头部写 description：它做什么，什么时候用" + or + "write a description in the header: what it does and when to use it"
	AgentFixEmpty       Key = "在头部之后写系统提示" + or + "write its system prompt behind the header"
	AgentFixWithout     Key = "写出工具的名字，或删除这一项" + or + "write the tool's name, or take the entry out"
	AgentFixShadowed    Key = "改名，或删除其中一个" + or + "rename one of them, or remove it"
)
