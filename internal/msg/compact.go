package msg

// Texts about compactions.
const (
	CompactFailed   Key = "无法压缩对话：总结请求失败：%v" + or + "the conversation could not be compacted: the call for a summary failed: %v"
	CompactCalled   Key = "无法压缩对话：模型没有给出总结，而是调用了工具" + or + "the conversation could not be compacted: instead of a summary the model called a tool"
	CompactEmpty    Key = "无法压缩对话：模型给出的总结是空的" + or + "the conversation could not be compacted: the model answered nothing instead of a summary"
	CompactLength   Key = "无法压缩对话：总结达到输出上限，被截断" + or + "the conversation could not be compacted: the summary was cut at the output limit"
	CompactDeclined Key = "无法压缩对话：模型拒绝总结" + or + "the conversation could not be compacted: the model refused to write a summary"
	CompactCut      Key = "无法压缩对话：总结没有写完" + or + "the conversation could not be compacted: the summary came to no end"
	CompactLong     Key = "无法压缩对话：总结请求本身也超出上下文窗口" + or + "the conversation could not be compacted: the request for a summary does not fit the window itself"
	CompactBare     Key = "这次没有请求总结" + or + "no summary was asked for this time"
	CompactRefused  Key = "没有压缩对话：%v" + or + "the conversation was not compacted: %v"

	CompactNoTranscript Key = "较早的消息未能另存为文件：%v" + or + "the older messages could not be kept in a file: %v"
	CompactNoUse        Key = "压缩已经腾不出多少空间，不再自动压缩。占用上下文窗口的是：%s" + or +
		"compacting frees too little by now and is not done any more. What fills the context window: %s"
	CompactFull Key = "上下文窗口已满，压缩也无法腾出足够空间。占用窗口的是：%s。可以缩短说明文件、减少工具或技能、用 /model 换更大的窗口、用 /rewind 1 收回最后一条消息，或用 /clear 重新开始" + or +
		"the context window is full and compacting does not free enough. What fills it: %s. Shorten the instruction files, use fewer tools or skills, take a model with a larger window (/model), take the last message back (/rewind 1), or begin anew (/clear)"
	CompactSizes Key = "系统提示与工具约 %d 个 token，最新消息约 %d 个，其余对话约 %d 个" + or +
		"system prompt and tools about %d tokens, the newest message about %d, the rest of the conversation about %d"
)
