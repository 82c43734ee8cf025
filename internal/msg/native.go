package msg

// What is said about requests to the engine's own interface.
const (
	NativeStopping    Key = "服务器正在停止；稍后再试" + or + "the server is stopping; try again in a moment"
	NativeTooLarge    Key = "请求体超过了上限 %s" + or + "the body is larger than the limit of %s"
	NativeBody        Key = "请求体没有完整到达：%v" + or + "the body did not arrive whole: %v"
	NativeLimit       Key = "limit=%s 不对：应该是 1 到 %d 的整数" + or + "limit=%s: give a whole number from 1 to %d"
	NativeNotUploaded Key = "第 %d 部分：服务器没有 sha256 为 %q 的附件；先用 POST /blobs 上传" + or + "part %d: there is no attachment with sha256 %q here; upload it with POST /blobs first"
	NativeUpload      Key = "请求体不是 {\"name\", \"mime\", \"data\"}，其中 data 是 base64：%v" + or + "the body is not {\"name\", \"mime\", \"data\"} with the bytes in base64 as data: %v"
	NativeNoData      Key = "data 是空的：没有可以保存的内容" + or + "data is empty: there is nothing to keep"
	NativeNoBlob      Key = "没有 sha256 为 %q 的附件" + or + "there is no attachment with sha256 %q"
	NativeNoName      Key = "附件" + or + "the attachment"
	NativeNotServed   Key = "这个服务器不提供 %s" + or + "this server does not offer %s"
)
