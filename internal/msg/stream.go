package msg

// What is said about a request for an event stream.
const (
	StreamSession Key = "会话名不可用：%v" + or + "the session's name cannot be used: %v"
	StreamAfter   Key = "%s 的值 %q 不是事件编号：请给出最后看到的 seq（0 表示从头开始）" + or + "%s is %q, which is no event's number: give the seq that was seen last (0 = from the beginning)"
	StreamOther   Key = "会话 %s 只有 %d 个事件，和你读过的不是同一个：它可能被删除后重新开始了，请从头读（after=0，不带 born）" + or + "session %s has only %d {event|events}, or is not the one that you have read: it may have been removed and begun anew; read it from the beginning (after=0, without born)"
	StreamBorn    Key = "born 的值 %q 不是时间：请用应答头 Session-Born 的值" + or + "born is %q, which is no time: give the value of the header Session-Born"
)
