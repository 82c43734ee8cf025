package msg

// What is wrong with an agent of the configuration: its place, its name.
const (
	PeerName    Key = "%[1]v：agents.%[2]s：名字应由字母、数字、_ 和 - 组成，最多 64 个" + or + "%[1]v: agents.%[2]s: a name has letters, digits, _ and -, 64 at most"
	PeerNothing Key = "%[1]v：agents.%[2]s：需要 url（另一个 react-agent 的地址）或 prompt（本程序的智能体的系统提示）" + or + "%[1]v: agents.%[2]s needs url, the address of another react-agent, or prompt, the system prompt of an agent of this program"
	PeerBoth    Key = "%[1]v：agents.%[2]s：%[3]s 属于本程序的智能体，不能与 url 一起用" + or + "%[1]v: agents.%[2]s: %[3]s is for an agent of this program, and cannot stand beside url"
	PeerToken   Key = "%[1]v：agents.%[2]s：token 只在有 url 时有用" + or + "%[1]v: agents.%[2]s: a token is of use beside a url only"
	PeerQuery   Key = "%[1]v：agents.%[2]s.url 不能带 ? 之后的部分：令牌请写在 agents.%[2]s.token" + or + "%[1]v: agents.%[2]s.url can have nothing behind a ?: the token belongs into agents.%[2]s.token"
	PeerLedger  Key = "会话 %s 调用其他智能体的记录已损坏，已重新开始：被中断过的调用如果再次执行，对方可能做两遍" + or + "what session %s has asked of other agents can no longer be read, and is begun anew: a call that was cut off and is run again may be done twice there"
	PeerModel   Key = "%[1]v：agents.%[2]s：配置里没有模型 %[3]q" + or + "%[1]v: agents.%[2]s: the configuration knows no model %[3]q"
)
