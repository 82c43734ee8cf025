package msg

// Questions of http_request, web_fetch and run_script. The kinds of address stand in them and, in English, in what the
// model is told.
const (
	WebPrivate     Key = "允许访问 %s 吗？它通向 %s" + or + "Go to %s? It leads to %s"
	WebBehindProxy Key = "由代理查找的内部名字" + or + "an internal name that the proxy looks up"
	WebLoopback    Key = "本机" + or + "this machine"
	WebLan         Key = "内网地址" + or + "a private network"
	WebLink        Key = "本地链路，云主机的元数据和密钥在这里" + or + "the local link, where clouds keep metadata and keys"
	WebMetadata    Key = "云平台的内部服务" + or + "an internal service of a cloud"
	WebCarrier     Key = "运营商内网地址" + or + "a carrier's private network"
	WebMulticast   Key = "组播地址" + or + "multicast"
	WebReserved    Key = "不属于公网的保留地址" + or + "reserved, not on the public internet"
	ScriptOutside  Key = "要运行 %s 吗？它在工作目录 %s 之外" + or + "Run %s? It is outside the work directory %s"
)
