package msg

// What is said about a request for an event stream.
const (
	StreamSession Key = "会话名不可用：%v" + or + "the session's name cannot be used: %v"
	StreamAfter   Key = "%s 的值 %q 不是事件编号：请给出最后看到的 seq（0 表示从头开始）" + or + "%s is %q, which is no event's number: give the seq that was seen last (0 = from the beginning)"
	StreamLive    Key = "live 的值 %q 不可用：0 表示只给已存的事件，1 表示之后继续" + or + "live cannot be %q: 0 gives what is stored, 1 goes on with what comes"
)
