package msg

// Texts of a front end whose engine is on a server elsewhere.
const (
	FlagServer    Key = "在这个地址的服务器上进行（http://主机:端口；令牌用环境变量 REACT_AGENT_TOKEN 或 ?token=）" + or + "work on the server at this address (http://HOST:PORT; its token in REACT_AGENT_TOKEN or as ?token=)"
	RemoteNoURL   Key = "--server 需要服务器的地址，如 http://127.0.0.1:8080" + or + "--server wants the address of a server, such as http://127.0.0.1:8080"
	RemoteFlag    Key = "%[1]s 不能和 --server 一起用：这由服务器的设置决定；对话里可以用 /model、/mode 等命令" + or + "%[1]s cannot be used with --server: the server has settings of its own; in a conversation there are /model, /mode and the like"
	RemoteCommand Key = "%s 只能在本机进行，不能和 --server 一起用；可以用的有 run、session list、session show、session export 和 session rm" + or + "%s works on this machine only, not with --server; run, session list, session show, session export and session rm do"
	RemoteHello   Key = "%s · 模型 %s · profile %s%s" + or + "%s · model %s · profile %s%s"
	RemoteWhere   Key = "目录 %s · /help 查看命令，Ctrl-C 取消，exit 离开" + or + "in %s · /help lists commands, Ctrl-C cancels, exit leaves"
)
