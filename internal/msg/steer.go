package msg

// Questions that the model has for the person.
const (
	AskNoChoice Key = "“%s” 不是其中的选项，请选一个编号。" + or + "\"%s\" is none of the choices: pick one by its number."
	AskChose    Key = "已选择：%s" + or + "chosen: %s"
	AskSaid     Key = "已回答：%s" + or + "answered: %s"
)

// What waits to be taken in.
const (
	HelpQueue Key = "排队：说给当前运行结束之后；不带参数时列出等待中的消息" + or + "say something for when this run has ended; alone: list what waits"
	HelpSteer Key = "说给正在进行的运行（有问题待答时，也不算作回答）" + or + "say something to the run that goes on, also while a question waits"

	QueueEmpty   Key = "没有等待中的消息" + or + "nothing waits"
	QueueSteers  Key = "  %d  %s（等当前工具结束）" + or + "  %d  %s (goes in behind the running tools)"
	QueueWaits   Key = "  %d  %s（等这次运行结束）" + or + "  %d  %s (goes in when this run has ended)"
	QueueNoSuch  Key = "没有第 %d 条等待中的消息：已转达或已撤回；/queue 列出等待中的消息" + or + "nothing waits under %d: it was taken in or taken back; /queue lists what waits"
	QueueChanged Key = "第 %d 条改为：%s" + or + "%d is now: %s"
	QueueGone    Key = "第 %d 条已撤回：%s" + or + "%d is taken back: %s"
	QueueCommand Key = "%s 是命令，不能排队或转达：直接输入即可" + or + "%s is a command: it cannot wait, type it by itself"

	SteerWaits   Key = "… %d 等当前工具结束后转达（/queue 可修改）：%s" + or + "… %d: it waits for the running tools (/queue changes it): %s"
	SteerQueued  Key = "… %d 等这次运行结束（/queue 可修改）：%s" + or + "… %d: it waits for the end of this run (/queue changes it): %s"
	SteerTaken   Key = "→ 已转达：%s" + or + "→ taken in: %s"
	SteerOther   Key = "→ 来自别处的消息：%s" + or + "→ said elsewhere: %s"
	SteerBack    Key = "← 未转达，随运行一起取消：%s" + or + "← not sent, taken back with the run: %s"
	SteerTooLate Key = "修改来得太晚：消息已按原样转达（%s）" + or + "the change came too late: the message went in as it stood (%s)"
)

// Questions, and lines that came with them.
const (
	AskWords     Key = "  直接写下回答（只按回车：不回答）" + or + "  write your answer (Enter alone: no answer)"
	AskSelect    Key = "  输入编号" + or + "  type a number"
	AskHasty     Key = "问题出现时你正在输入。“%s” 是它的回答吗？\n  y 是 · n 不是，转达给运行" + or + "you were typing when the question came. Is \"%s\" its answer?\n  y yes · n no, it is for the run"
	AskNone      Key = "没有等待回答的问题 %s" + or + "no question %s waits for an answer"
	AskOthers    Key = "没有等待回答的问题 %s；等待中的：%s" + or + "no question %s waits for an answer; those that wait: %s"
	QueueTooLate Key = "那条消息已转达或已撤回" + or + "that message waits no more: it was taken in or taken back"

	UsageInputFault Key = "标准输入第 %d 行：%v" + or + "line %d of standard input: %v"
)

// What can be wrong with an input.
const (
	InputFrom  Key = "消息里不能有 %s：只有程序自己才写它" + or + "a message from outside has no %s: only the program itself writes that"
	InputParts Key = "消息有 %d 部分，最多 %d 部分" + or + "the message has %d {part|parts}, at most %d"
	InputBlank Key = "消息是空白的" + or + "the message is blank"

	FaultCount      Key = "message、answer、cancel、quiet、command 要恰好给一个（现在有 %d 个）" + or + "set exactly one of message, answer, cancel, quiet and command (there are %d)"
	FaultEdit       Key = "edit %d：应该是等待中消息的位置" + or + "edit %d: use the position of a queued message"
	FaultID         Key = "id 有 %d 字节，最多 200 字节" + or + "the id is too long (%d, at most 200 bytes)"
	FaultAnswer     Key = "answer 缺少问题的 id" + or + "the answer needs the id of the question"
	FaultRole       Key = "发给会话的消息的 role 应该是 user，不是 %q" + or + "a message to a session has role user, not %q"
	FaultEmpty      Key = "消息没有内容（parts 是空的）" + or + "the message has no parts"
	FaultPart       Key = "第 %d 部分既不是文本也不是附件，而是 %q" + or + "part %d is no text and no blob, but %q"
	FaultNoCommands Key = "这里不接受命令" + or + "this engine knows no commands"
)

// Side questions.
const (
	HelpBtw   Key = "顺便问一句：模型根据目前的对话回答，对话和正在进行的运行都不受影响" + or + "ask about the conversation on the side: it stays as it is, and a run goes on"
	BtwSpent  Key = "（%s；不进入对话）" + or + "(%s; not part of the conversation)"
	BtwEmpty  Key = "模型没有回答" + or + "the model answered nothing"
	BtwCalls  Key = "模型没有用文字回答，两次都要调用 %s；需要用工具的问题请直接发送" + or + "twice the model called %s in place of an answer; a question that takes tools is for the conversation itself: send it without /btw"
	BtwFailed Key = "顺便问的问题没有得到回答：%v（%s）" + or + "the side question has no answer: %v (%s)"
)
