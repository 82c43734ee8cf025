package msg

// Texts about what would be sent next.
const (
	RequestOpen Key = "还有 %d 个工具调用没有结果：下一个请求要等它们的结果才能确定" + or +
		"%d {call has|calls have} no result yet: the next request is made of what they bring"
	RequestCommand Key = "%s 是命令，不会发给模型" + or + "%s is a command: it is not sent to the model"
	RequestNone    Key = "下一次运行不会调用模型：%s" + or + "the next run would end before it calls the model: %s"
	RequestBefore  Key = "（这是在对话自己的请求之前发出的，例如用来做压缩的摘要；对话的请求取决于它的回答）" + or +
		"(this is sent before the conversation's own request, for the summary of a compaction, say; what follows depends on its answer)"
	RequestNotRun Key = "只是查看请求，没有运行" + or + "not run: the request is only looked at"
)

// Texts of /context.
const (
	HelpContext Key = "显示什么占用了模型的窗口：系统提示、工具、skill、记忆、文件、历史" + or +
		"show what fills the model's window: system prompt, tools, skills, memory, files, history"
	ContextHead    Key = "%s · 窗口 %s · 已用 %s（%d %%）· 剩余 %s" + or + "%s · window %s · used %s (%d %%) · free %s"
	ContextUnknown Key = "%s · 窗口大小未知，按 %s 计算 · 已用 %s（%d %%）" + or + "%s · window unknown, %s assumed · used %s (%d %%)"
	ContextNoModel Key = "（没有模型）" + or + "(no model)"
	ContextAt      Key = "超过 %s 时压缩（上图中的 |）" + or + "compacted when over %s (the | above)"
	ContextManual  Key = "只在 /compact 或请求被拒时压缩" + or + "compacted only by /compact, or when a request is refused"
	ContextCounted Key = "厂商统计上一个请求为 %s；此后约 %s（估计）" + or + "counted by the vendor in the last request: %s; since then about %s"
	ContextGuessed Key = "全部为估计：还没有厂商统计过这个请求" + or + "all of it is estimated: no vendor has counted it yet"
	ContextMore    Key = "……另外 %d 项" + or + "… %d more"
	ContextLargest Key = "最大的几项：" + or + "the largest:"
	ContextOther   Key = "其他" + or + "other"

	ContextSystem   Key = "系统提示" + or + "system prompt"
	ContextTools    Key = "工具（%d）" + or + "tools (%d)"
	ContextSummary  Key = "压缩后的摘要" + or + "summary of a compaction"
	ContextPerson   Key = "你说的话" + or + "what you said"
	ContextFiles    Key = "文件" + or + "files"
	ContextSkills   Key = "skill 正文" + or + "texts of skills"
	ContextMemory   Key = "记忆" + or + "memories"
	ContextNotes    Key = "给模型的通知" + or + "notes to the model"
	ContextAnswers  Key = "模型的回答" + or + "the model's answers"
	ContextThoughts Key = "模型的思考" + or + "the model's thoughts"
	ContextCalls    Key = "工具调用" + or + "tool calls"
	ContextResults  Key = "工具结果" + or + "results of tools"

	ContextDoSystem  Key = "缩短说明文件，或换更小的 --profile" + or + "shorten instruction files, or a smaller --profile"
	ContextDoTools   Key = "换工具更少的 --profile（见 react-agent tools）" + or + "a --profile with fewer (see react-agent tools)"
	ContextDoCompact Key = "/compact 压缩历史" + or + "/compact makes the history smaller"
	ContextDoSkill   Key = "/compact 卸下它，需要时再读" + or + "/compact unloads it, until it is needed"
	ContextDoMemory  Key = "/memory 查看和删除" + or + "/memory shows and deletes them"
	ContextDoFile    Key = "/compact 卸下它；@FILE:10-20 只读几行" + or + "/compact unloads it; @FILE:10-20 reads a part"
)
