package msg

// Texts about compactions.
const (
	CompactFailed   Key = "无法压缩对话：摘要请求失败：%v" + or + "the conversation could not be compacted: the call for a summary failed: %v"
	CompactCalled   Key = "无法压缩对话：模型没有给出摘要，而是调用了工具" + or + "the conversation could not be compacted: instead of a summary the model called a tool"
	CompactEmpty    Key = "无法压缩对话：模型给出的摘要是空的" + or + "the conversation could not be compacted: the model answered nothing instead of a summary"
	CompactLength   Key = "无法压缩对话：摘要达到输出上限，被截断" + or + "the conversation could not be compacted: the summary was cut at the output limit"
	CompactDeclined Key = "无法压缩对话：模型拒绝写摘要" + or + "the conversation could not be compacted: the model refused to write a summary"
	CompactCut      Key = "无法压缩对话：摘要没有写完" + or + "the conversation could not be compacted: the summary came to no end"
	CompactLong     Key = "无法压缩对话：摘要请求本身也超出上下文窗口" + or + "the conversation could not be compacted: the request for a summary does not fit the window itself"
	CompactBare     Key = "这次没有请求摘要" + or + "no summary was asked for this time"
	CompactRefused  Key = "没有压缩对话：%v" + or + "the conversation was not compacted: %v"

	CompactNoTranscript Key = "较早的消息未能另存为文件：%v" + or + "the older messages could not be kept in a file: %v"
	CompactNoUse        Key = "压缩已经腾不出多少空间，不再自动压缩。占用上下文窗口的是：%s" + or +
		"compacting frees too little by now and is not done any more. What fills the context window: %s"
	CompactFull Key = "上下文窗口已满，压缩也无法腾出足够空间。占用窗口的是：%s。可以缩短说明文件、减少工具或 skill、用 /model 换更大的窗口、用 /rewind 1 收回最后一条消息，或用 /clear 重新开始。模型的说法：%s" + or +
		"the context window is full and compacting does not free enough. What fills it: %s. Shorten the instruction files, use fewer tools or skills, take a model with a larger window (/model), take the last message back (/rewind 1), or begin anew (/clear). In the words of the model: %s"
	CompactAll  Key = "整个请求" + or + "the request as a whole"
	CompactSize Key = "%s（约 %d token）" + or + "%s (about %d {token|tokens})"
	CompactAnd  Key = "、" + or + ", "

	CompactNothing   Key = "没有可以压缩的内容" + or + "there is nothing to compact"
	CompactDone      Key = "对话已压缩：%s → %s token，较早的 %d 条消息由摘要代替" + or + "compacted: %s → %s tokens, a summary stands for %d older {message|messages}"
	CompactDoneBare  Key = "对话已压缩：%s → %s token，较早的 %d 条消息已移出，没有摘要（%s）" + or + "compacted: %s → %s tokens, %d older {message|messages} taken out without a summary (%s)"
	CompactCleared   Key = "对话已压缩：%s → %s token，清除了 %d 个旧的工具结果" + or + "compacted: %s → %s tokens, %d old {result|results} cleared"
	CompactHowUndo   Key = "/compact undo 可以撤回" + or + "/compact undo takes it back"
	CompactNoUndo    Key = "没有可以撤回的压缩" + or + "there is no compaction to take back"
	CompactUndoLarge Key = "撤回后对话约有 %s token，超过上限 %s，会立即再次压缩：先用 /model 换更大的窗口" + or +
		"with the compaction taken back the conversation would have about %s tokens, over the limit of %s, and would be compacted again at once: take a model with a larger window first (/model)"
	CompactUndone Key = "已撤回压缩：完整的对话又在窗口中（约 %s token）。/compact redo 可以重做" + or +
		"the compaction is taken back: the whole conversation is in the window again (about %s tokens). /compact redo does it again"
	CompactUndoneOne Key = "已撤回最后一次压缩，更早的一次仍然有效（窗口中约 %s token）。/compact redo 可以重做" + or +
		"the last compaction is taken back, an earlier one still stands (about %s tokens in the window). /compact redo does it again"
	CompactNoRedo Key = "没有可以重做的压缩" + or + "there is no compaction that was taken back"
	CompactRedone Key = "压缩重新生效" + or + "the compaction counts again"
	HelpCompact   Key = "用摘要代替较早的对话，可说明要保留什么；undo 撤回，redo 重做" + or + "put a summary in the place of the older conversation; undo takes it back"

	CompactFact        Key = "请求超过约 %d token 时自动压缩（窗口 %d）" + or + "by itself when a request is over about %d {token|tokens} (window %d)"
	CompactFactUnknown Key = "请求超过约 %d token 时自动压缩（窗口大小未知）" + or + "by itself when a request is over about %d {token|tokens} (the window is unknown)"
	CompactFactOff     Key = "仅在 /compact 或请求被拒时压缩" + or + "only by /compact, or when a request is refused as too long"

	ConfigWantPart    Key = "大于 0、不大于 1 的数" + or + "a number above 0, 1 at most"
	ConfigWantCleared Key = "不超过 %d 个字符的文本，其中只能用 %%s 表示工具名" + or + "a text of at most %d {character|characters}, in which %%s is the tool's name"
)
