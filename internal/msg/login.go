package msg

// The page that asks for the token of the HTTP server.
const (
	LoginTitle Key = "此服务器需要令牌" + or + "This server wants its token"
	LoginText  Key = "令牌在服务器启动时打印过；也可以直接用它打印的地址打开页面。" + or + "The server printed it when it started. The address that it printed opens the page without it being asked for."
	LoginWrong Key = "这个令牌不对。" + or + "This token is not right."
	LoginToken Key = "令牌" + or + "Token"
	LoginGo    Key = "进入" + or + "Enter"
)
