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
