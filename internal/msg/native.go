package msg

// What is said about requests to the engine's own interface.
const (
	NativeStopping    Key = "服务器正在停止；稍后再试" + or + "the server is stopping; try again in a moment"
	NativeLimit       Key = "limit=%q 不对：应该是 1 到 %d 的整数" + or + "limit=%q: give a whole number from 1 to %d"
	NativeNotUploaded Key = "第 %d 部分：服务器没有 sha256 为 %q 的附件；先用 POST /blobs 上传" + or + "part %d: there is no attachment with sha256 %q here; upload it with POST /blobs first"
	NativeTotal       Key = "一条消息的附件合计最多 %d MB" + or + "the attachments of a message may have %d MB together"
	NativeUpload      Key = "请求体不是 {\"name\", \"mime\", \"data\"}，其中 data 是 base64：%s" + or + "the body is not {\"name\", \"mime\", \"data\"} with the bytes in base64 as data: %s"
	NativeBase64      Key = "data 不是 base64：第 %d 个字符不对" + or + "data is no base64: character %d of it is wrong"
	NativeNoSession   Key = "没有会话 %q：GET /sessions 列出全部（?all=1 连子智能体的）" + or + "there is no session %q: GET /sessions lists them, with ?all=1 those of sub-agents too"
	NativeBefore      Key = "before 是空的：写上一页的 next，或者不写它" + or + "before is empty: give the next of the page before, or leave it out"
	NativeNoData      Key = "data 是空的：没有可以保存的内容" + or + "data is empty: there is nothing to keep"
	NativeNoBlob      Key = "没有 sha256 为 %q 的附件" + or + "there is no attachment with sha256 %q"
	NativeSwitch      Key = "%s 的值 %q 不可用：应该是 0 或 1" + or + "%s cannot be %q: give 0 or 1"
	NativeFull        Key = "服务器的磁盘满了，存不下：腾出空间后再发一次" + or + "the server's disk is full, so nothing can be stored: free some space there and send it again"
	NativeRecord      Key = "内容太大，存不下：一条最多 %d MiB，请把长的内容作为附件上传" + or + "it is too large to be stored: one entry has at most %d MiB; upload what is long as an attachment"
	NativeRemoved     Key = "会话在这期间被删除了" + or + "the session was removed meanwhile"
	NativeFault       Key = "服务器读写会话时出错，详情在它的日志里" + or + "the server could not read or store the session; its log has more"
	NativeMIME        Key = "mime 的值 %q 不是类型：应该像 image/png" + or + "mime is %q, which is no type: write it as image/png"
	NativeNoName      Key = "附件" + or + "the attachment"
	NativeNotServed   Key = "这个服务器不提供 %s" + or + "this server does not offer %s"
)
