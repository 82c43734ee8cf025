package msg

// What is wrong with what was asked of a team. The English texts stand behind "Error: " for the model; the first five are
// the source systems'.
const (
	MateStatus    Key = "'%[1]s' 当前状态为 %[2]s" + or + "'%[1]s' is currently %[2]s"
	MateType      Key = "类型 '%[1]s' 无效。可用：%[2]s" + or + "Invalid type '%[1]s'. Valid: %[2]s"
	MatePlanID    Key = "未知的计划 request_id '%s'" + or + "Unknown plan request_id '%s'"
	MateStopID    Key = "未知的停止请求 request_id '%s'" + or + "Unknown shutdown request_id '%s'"
	MateUnknown   Key = "没有名为 '%s' 的队友" + or + "Unknown teammate '%s'"
	MateNobody    Key = "没有名为 '%[1]s' 的收件人。可用：%[2]s" + or + "nobody is called '%[1]s'. Known: %[2]s"
	MateName      Key = "名字 %q 无效：使用 1 到 48 个字母、数字、_ 或 -，且不以 - 开头" + or + "invalid name %q: use 1 to 48 letters, digits, _ or -, not - first"
	MateReserved  Key = "名字 %q 无效：团队自己使用这个名字" + or + "invalid name %q: the team itself uses it"
	MateForeign   Key = "团队由会话 %s 带领，它的队友还没有停止：打开该会话，或用 force 停止它们" + or + "the team is led by session %s, whose teammates are not shut down: open that session, or stop them with force"
	MateGone      Key = "计划 %s 的提出者已结束" + or + "who has submitted plan %s has ended"
	MateTaken     Key = "另一个程序正带领此目录的团队（它持有 %s）" + or + "another program leads the team of this directory (it holds %s)"
	MateElsewhere Key = "'%s' 由另一个进程驱动" + or + "'%s' is driven by another process"
	MateAnswered  Key = "请求 %[1]s 已有答复：%[2]s" + or + "request %[1]s was answered before: %[2]s"
	MateLong      Key = "消息超过 %d KiB：请写入文件并告知文件名" + or + "the message is longer than %d KiB: write it to a file and name that"
	MateBrought   Key = "文件夹自带 %d 条未读的团队消息（.team/inbox），不会进入对话：team inbox NAME 查看，--trust 放行" + or + "%d unread {message|messages} to a team came with the folder (.team/inbox) and {stays|stay} out of the conversation: team inbox NAME shows, --trust lets in"

	MateBroughtTasks Key = "文件夹自带 %d 个可以开始的任务（.tasks），队友不会自动认领：/tasks 查看，--trust 放行" + or + "%d {task|tasks} ready to begin came with the folder (.tasks), and no teammate claims {it|them} by itself: /tasks shows, --trust lets them do so"

	MateLine  Key = "%[1]s：跳过一行 %.80[2]q，它不是消息（%[3]v）" + or + "%[1]s: the line %.80[2]q is no message (%[3]v) and is passed over"
	MateField Key = "字段 %[1]q 应为 %[2]s" + or + "field %[1]q must be %[2]s"

	MateFile Key = "%[1]s 不能用（%[2]v）：请修好或删除它" + or + "%[1]s cannot be used (%[2]v): mend it or remove it"
)

// The commands.
const (
	HelpTeamGroup Key = "查看团队，并与队友通信" + or + "the team, and messages to teammates"
	HelpTeam      Key = "列出队友；给队友发消息，或请其停止" + or + "list the teammates; send one a message, or ask it to stop"
	HelpInbox     Key = "取出并显示发给主智能体的消息" + or + "take out and show the messages for the lead"
	HelpTeamList  Key = "列出队友" + or + "list the teammates"
	HelpTeamInbox Key = "显示一个名字的未读消息（默认 lead）" + or + "show the unread messages of a name (lead, unless one is given)"
	HelpTeamSend  Key = "给队友或 lead 发消息" + or + "send a message to a teammate, or to lead"
	HelpTeamStop  Key = "请队友停止" + or + "ask a teammate to stop"

	FlagTeamDrain Key = "同时标为已读" + or + "and count them as read"
	FlagTeamFrom  Key = "以谁的名义" + or + "in whose name"
	FlagTeamForce Key = "不征求同意" + or + "without asking for its consent"

	TeamNone  Key = "没有队友。" + or + "No teammates."
	TeamSent  Key = "已发送给 %s" + or + "Sent to %s"
	TeamAsked Key = "已向 '%[2]s' 发送停止请求 %[1]s" + or + "Shutdown request %[1]s sent to '%[2]s'"
)
