package msg

// The page that asks for the token of the HTTP server.
const (
	LoginTitle Key = "此服务器需要口令" + or + "This server wants its token"
	LoginText  Key = "口令在服务器启动时打印过；也可以直接用它打印的地址打开页面。" + or + "The server printed it when it started. The address that it printed opens the page without it being asked for."
	LoginWrong Key = "这个口令不对。" + or + "This token is not right."
	LoginToken Key = "口令" + or + "Token"
	LoginGo    Key = "进入" + or + "Enter"
)
