package msg

import "fmt"

// What goes wrong with models, by kind. English keeps the name of the kind as it stands in events and in the documentation;
// Chinese has it behind the words.
const (
	kindRateLimit       Key = "请求过于频繁（rate_limit）" + or + "rate_limit"
	kindQuota           Key = "额度用完（quota）" + or + "quota"
	kindAuth            Key = "身份验证失败（auth）" + or + "auth"
	kindContextLength   Key = "上下文过长（context_length）" + or + "context_length"
	kindContentFilter   Key = "内容被拦截（content_filter）" + or + "content_filter"
	kindServer          Key = "服务端出错（server）" + or + "server"
	kindNetwork         Key = "网络出错（network）" + or + "network"
	kindTruncated       Key = "回复不完整（truncated）" + or + "truncated"
	kindTimeout         Key = "超时（timeout）" + or + "timeout"
	kindBadRequest      Key = "请求被拒绝（bad_request）" + or + "bad_request"
	kindInvalidResponse Key = "回复无法使用（invalid_response）" + or + "invalid_response"
	kindConfig          Key = "配置有误（config）" + or + "config"
	kindInternal        Key = "内部错误（internal）" + or + "internal"
)

// Errors of models in our own words. What a vendor says stays as it is.
const (
	ModelCut       Key = "回复没有写完就断了" + or + "the reply ended before it was finished"
	ModelBroke     Key = "回复中途断开：%v" + or + "the reply broke off: %v"
	ModelNeither   Key = "回复里既没有文字也没有调用" + or + "the reply has neither a text nor a call"
	ModelFinish    Key = "服务端以 %q 结束了回复" + or + "the server ended the reply with finish reason %q"
	ModelTags      Key = "模型不遵守工具调用的格式：它的标签连续四次无法使用" + or + "the model does not keep to the form of tool calls: its tags could not be used four times in a row"
	ModelLimit     Key = "%[1]v（%[2]s）" + or + "%[1]v (%[2]s)"
	ModelLimitOver Key = "已超过请求时限" + or + "the request timeout is over"
	ModelWait      Key = "厂商要求等待 %s；没有等，上限是 %s" + or + "the vendor asks to wait %s; not waited for, the limit is %s"
	ModelWaitSaid  Key = "%[1]v（厂商要求等待 %[2]s；没有等，上限是 %[3]s）" + or + "%[1]v (the vendor asks to wait %[2]s; not waited for, the limit is %[3]s)"
	ModelBefore    Key = "%[1]v（在此之前：%[2]v）" + or + "%[1]v (before that %[2]v)"
	ModelFailed    Key = "失败" + or + "failed"
	ModelIdle      Key = "等待数据超时（%v 内没有收到任何数据）" + or + "no data within the idle timeout (%v)"
	ModelBlocked   Key = "提示词被拦截：%s" + or + "the prompt was blocked: %s"
	ModelLong      Key = "回复超过 %d 字节" + or + "the reply is longer than %d {byte|bytes}"
)

// Why a reply is no message, and the beginning of what came.
const (
	ReplyQuoted    Key = "%[1]v：%[2]q" + or + "%[1]v: %[2]q"
	ReplyPage      Key = "服务端返回的是网页，不是回答" + or + "the server sent a web page instead of an answer"
	ReplyNoJSON    Key = "服务端返回的既不是 JSON，也不是事件流" + or + "the server sent something that is neither JSON nor an event stream"
	ReplyNoStream  Key = "服务端返回的文本不是事件流" + or + "the server sent text that is no event stream"
	ReplyDeep      Key = "事件流里有一个事件嵌套太深" + or + "an event of the stream is nested too deep"
	ReplyLong      Key = "回复太长：超过 %d MiB" + or + "the reply is too long: more than %d MiB"
	ReplyDamaged   Key = "事件流里有一个事件已损坏" + or + "an event of the stream is damaged"
	ReplyPieces    Key = "服务端把一个调用拆成几段发来，而请求并没有要求这样做" + or + "the server sends a call in pieces, which was not asked for"
	ReplyBlob      Key = "回复里有一个附件已损坏" + or + "an attachment of the reply is damaged"
	ReplyOtherWire Key = "服务端用的是另一种接口的格式；把 api 设为 %s" + or + "the server answered in the format of another wire; set api to %s"
	ReplyNotYet    Key = "服务端还没有回答：状态 %s" + or + "the server has not answered yet: status %s"
)

// kinds gives the words for each kind.
func kinds() map[string]Key {
	return map[string]Key{
		"rate_limit": kindRateLimit, "quota": kindQuota, "auth": kindAuth, "context_length": kindContextLength,
		"content_filter": kindContentFilter, "server": kindServer, "network": kindNetwork, "truncated": kindTruncated,
		"timeout": kindTimeout, "bad_request": kindBadRequest, "invalid_response": kindInvalidResponse, "config": kindConfig,
		"internal": kindInternal,
	}
}

// Failure says that a model failed: its vendor and the HTTP status, as far as there are any, the kind of the error, and what
// it says, which is in this language already. The English is what the error itself says.
func (c Catalogue) Failure(vendor, kind string, status int, text string) string {
	name := kind
	if k, ok := kinds()[kind]; ok {
		name = c.Text(k)
	}
	colon := ": "
	if c.zh {
		colon = "："
	}
	if vendor != "" {
		name = vendor + colon + name
	}
	if status != 0 {
		name += fmt.Sprintf(" (HTTP %d)", status)
	}
	if text != "" {
		name += colon + text
	}
	return name
}
