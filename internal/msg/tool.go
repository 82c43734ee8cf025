package msg

// Questions of the tools, and the guard's reason.
const (
	ToolWriteOutside Key = "要写入 %s 吗？它在工作目录 %s 之外" + or + "Write to %s? It is outside the work directory %s"
	GuardRepeat      Key = "检测到死循环：提醒之后仍重复了 %d 步" + or + "going round in circles: %d {step|steps} repeated in spite of a reminder"
	GuardFail        Key = "检测到死循环：提醒之后仍连续失败 %d 步" + or + "going nowhere: %d {step|steps} failed in a row in spite of a reminder"
)
