package msg

// What POST /chat and its smaller neighbours say where the source system has no words for it.
const (
	ChatSession   Key = "session_id 不对：%v" + or + "session_id: %v"
	ChatChild     Key = "session_id：%q 是子智能体的会话，不能直接对话" + or + "session_id: %q is the session of a sub-agent, which nobody talks to directly"
	ChatStopping  Key = "服务器正在关闭；本次运行会在它重启后继续，见 GET /sessions/%s/events?after=%d" + or + "the server is stopping; this run goes on when it is back, see GET /sessions/%s/events?after=%d"
	ChatDeleted   Key = "会话在运行中被删除" + or + "the session was deleted while it ran"
	ChatRemoved   Key = "这条消息在排队时被撤回" + or + "the message was taken back while it was waiting"
	ChatCancelled Key = "本次运行已被取消" + or + "the run was cancelled"
)
