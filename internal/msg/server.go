package msg

// Texts of the HTTP server: why a request is refused.
const (
	ServerHost     Key = "主机名 %q 不是这台服务器的：请用 localhost，或在配置的 server.hosts 里写上它" + or + "the host %q is not this server's: use localhost, or name it in the configuration, server.hosts"
	ServerOrigin   Key = "来自 %s 的网页不能访问这台服务器：请在配置的 server.origins 里写上它" + or + "pages of %s may not ask this server: name that origin in the configuration, server.origins"
	ServerSite     Key = "其他网站的网页不能访问这台服务器" + or + "a page of another site may not ask this server"
	ServerToken    Key = "需要令牌：请求头加 Authorization: Bearer 令牌，或用浏览器打开 /?token=令牌；启动时打印过" + or + "the token is missing or wrong: send `Authorization: Bearer TOKEN`, or open /?token=TOKEN in the browser; the server printed it when it started"
	ServerStopping Key = "服务器正在停止：稍后再来" + or + "the server is stopping: come again"
	ServerSession  Key = "会话名不对（应为 1 到 48 个字母、数字、_ 或 -，开头不能是 -）：%s" + or + "no name for a session: %s"
	ServerMethod   Key = "%[2]s 不支持 %[1]s：可用 %[3]s" + or + "%s is not possible at %s: use %s"
	ServerNothing  Key = "%s 处什么也没有：/openapi.json 列出全部地址" + or + "there is nothing at %s: /openapi.json lists what there is"
	ServerFault    Key = "程序出错，详情在日志里" + or + "a fault in the program; the log has more"
	ServerAbsent   Key = "这里没有这项功能：%s" + or + "this server does not have it: %s"

	ServerSessions Key = "正在工作的会话太多：请稍后再来，或先停掉一个" + or + "too many sessions are at work: come again, or stop one first"
	ServerStreams  Key = "打开的事件流太多：请稍后再来，或先关掉一个" + or + "too many event streams are open: come again, or close one first"
	ServerRequests Key = "请求太多：请稍后再来" + or + "too many requests at once: come again"
	ServerEach     Key = "这个会话同时的请求太多：请稍后再来" + or + "too many requests for this session at once: come again"

	ServerNoBody   Key = "%s 请求不能带正文" + or + "a %s request has no body here"
	ServerType     Key = "正文必须是 application/json（UTF-8），现在是 %q" + or + "the body must be application/json in UTF-8; it says it is %q"
	ServerEncoding Key = "正文不能压缩，现在是 %q" + or + "the body must not be compressed; it says it is %q"
	ServerLarge    Key = "正文超过 %d MiB" + or + "the body is larger than %d MiB"
	ServerSlow     Key = "正文没有按时到达" + or + "the body did not arrive in time"
	ServerInvalid  Key = "请求不对（invalid request）：%s" + or + "invalid request: %s"
	ServerEmpty    Key = "正文是空的" + or + "the body is empty"
	ServerUTF8     Key = "第 %d 个字节不是 UTF-8" + or + "byte %d is no UTF-8"
	ServerObject   Key = "正文必须是一个 JSON 对象" + or + "the body must be one JSON object"
	ServerCut      Key = "JSON 没有结束" + or + "the JSON ends too early"
	ServerBehind   Key = "JSON 对象后面（第 %d 字节）还有内容" + or + "something stands behind the object, at byte %d"
	ServerDeep     Key = "嵌套超过 %d 层" + or + "it is nested deeper than %d {level|levels}"
	ServerTwice    Key = "键 %s 出现了两次" + or + "the key %s stands there twice"
	ServerKind     Key = "%s 应该是 %s，现在是 %s" + or + "%s must be %s; it is %s"
	ServerKey      Key = "没有 %s 这个键，可用的有 %s" + or + "there is no key %s; known are %s"
	ServerKeyNear  Key = "没有 %s 这个键，是不是 %s？" + or + "there is no key %s; did you mean %s?"
)

// Texts of the command that serves.
const (
	ServerOpen     Key = "拒绝在 %s 上监听：其他机器可以连接它，但没有令牌" + or + "nothing listens at %s: other machines could come in, and there is no token"
	ServerListens  Key = "正在监听 %s · profile %s · 模型 %s · 模式 %s" + or + "listening at %s · profile %s · model %s · mode %s"
	ServerKept     Key = "令牌存放在 %s" + or + "the token is kept in %s"
	ServerNoToken  Key = "只有本机能访问，不需要" + or + "only this machine can reach it: none is needed"
	ServerOwn      Key = "访问要用配置里的 server.token：在浏览器里打开 /?token=令牌" + or + "whoever comes in needs the server.token of your configuration: open /?token=TOKEN in the browser"
	ServerOwnToken Key = "来自配置" + or + "the configuration has one"
	ServerPlain    Key = "其他机器可以连接，内容不加密：有令牌的人可以用你的身份运行命令。请在前面放 TLS 代理" + or + "other machines can come in, and nothing is encrypted: whoever has the token can run commands as you. Put a proxy with TLS in front"
	ServerNoModel  Key = "现在还不能调用模型：%s" + or + "no model can be called yet: %s"
	ServerStops    Key = "正在停止，等运行中的会话存好（再按一次立刻退出）" + or + "stopping: runs come to what can be stored (again: at once)"
	ServerGoesOn   Key = "%d 个会话继续运行" + or + "%d {session goes|sessions go} on"
	ServerExposed  Key = "其他用户可以读 %s，或它不是普通文件：请删除它，下次启动会生成新的令牌" + or + "others can read %s, or it is no ordinary file: remove it, and the next start makes a new token"
	ServerHalf     Key = "%s 里没有完整的令牌：请删除它，下次启动会生成新的" + or + "%s does not hold a whole token: remove it, and the next start makes a new one"
	ServerTaken    Key = "不能在 %s 上监听：%s。用 --listen 换一个地址，端口 0 任选一个" + or + "nothing can listen at %s: %s. Choose another address with --listen; port 0 takes any"

	HelpServe     Key = "在 HTTP 上提供服务，带网页" + or + "serve over HTTP, with a page for the browser"
	HelpServeLong Key = "在 HTTP 上提供服务：网页在 /，接口见 docs/http.md 和 /openapi.json。\n默认只有本机能访问。监听其他地址时需要令牌，第一次启动时生成。\nCtrl-C 停止：运行中的会话停在能存下的地方，下次启动继续。" + or +
		"Serve over HTTP: the page is at /, the interface is described in docs/http.md and /openapi.json.\nOnly this machine can reach it unless told otherwise. Another address needs a token, which is made at the first start.\nCtrl-C stops it: runs stop where they can be stored, and go on at the next start."
	FlagListen Key = "监听地址，默认 127.0.0.1:8080；端口 0 任选一个" + or + "address to listen at, default 127.0.0.1:8080; port 0 takes any"
)
