package tool

// HTTPTexts are the words of http_request. The faces that do not have the tool may leave them empty: those of [Lean] are
// used then.
type HTTPTexts struct {
	// NoURL is the failure of a call without a url.
	NoURL string
	// BadRequest is the failure of a call that is no request: %s is the detail.
	BadRequest string
	// Failed is the failure of a request that was sent or could not be: %s is the detail.
	Failed string
	// Timeout stands for Failed when the time was up; empty: Failed is used.
	Timeout string
	// Got is the whole result, for a face whose tool takes a url and nothing else, waits 5 s and shows the first 1000
	// characters: %d is the status, %s the body. Empty: the full tool.
	Got string
}

func leanHTTP() HTTPTexts {
	return HTTPTexts{
		NoURL:      "Error: url is required",
		BadRequest: "Error creating request: %s",
		Failed:     "Error: %s",
	}
}

func miniHTTP() HTTPTexts {
	return HTTPTexts{
		NoURL:      "错误：缺少参数 url",
		BadRequest: "工具内部错误：%s",
		Failed:     "请求失败：%s",
		Timeout:    "请求超时",
		Got:        "请求成功（状态码：%d）:\n%s",
	}
}
