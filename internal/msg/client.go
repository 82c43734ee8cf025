package msg

// What is said about a server on another machine.
const (
	ClientURL         Key = "服务器地址 %q 不对：应该是 http://主机:端口" + or + "%q is no server's address: write http://HOST:PORT"
	ClientUnreachable Key = "连不上 %s：%v。那里运行着 `react-agent serve` 吗？" + or + "%s cannot be reached: %v. Is `react-agent serve` running there?"
	ClientNoServer    Key = "%s 不是 react-agent 的服务器" + or + "%s is no react-agent server"
	ClientStatus      Key = "%s 回答 %d %s" + or + "%s answers %d %s"
	ClientElsewhere   Key = "%s 转到 %s：请直接用那个地址" + or + "%s leads to %s: use that address"
	ClientToken       Key = "%s 需要令牌，或者令牌不对：把它放进环境变量 REACT_AGENT_TOKEN，或写成 --server URL?token=令牌" + or + "%s wants its token, or another one: put it into the environment as REACT_AGENT_TOKEN, or write --server URL?token=TOKEN"
	ClientLost        Key = "与服务器的连接断了，正在重试" + or + "the connection to the server is lost; trying again"
	ClientBack        Key = "又连上了" + or + "connected again"
)
