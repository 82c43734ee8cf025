package wire

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"react-agent/agent"
)

// verdictCase is one failure and what it comes to. status 0 = an event in a stream.
type verdictCase struct {
	status int
	from   string // provider
	body   string
	want   string // kind; a trailing ! = may be tried again
	wait   time.Duration
	header string // "Key: value", several parted by |
}

func (c verdictCase) failure() Failure {
	f := Failure{Provider: c.from, Status: c.status, Body: []byte(c.body), Header: http.Header{}}
	if f.Status == 0 {
		f.Status, f.InStream = http.StatusOK, true
	}
	for h := range strings.SplitSeq(c.header, "|") {
		if key, value, ok := strings.Cut(h, ": "); ok {
			f.Header.Set(key, value)
		}
	}
	return f
}

func (c verdictCase) check(t *testing.T) {
	t.Helper()
	f := c.failure()
	e := Classify(f)
	kind, retry := strings.CutSuffix(c.want, "!")
	if string(e.Kind) != kind || e.Retryable != retry || e.RetryAfter != c.wait {
		t.Errorf("%d %s %s [%s]\n got %s retryable %t wait %s\nwant %s retryable %t wait %s\ntext %s",
			c.status, c.from, c.body, c.header, e.Kind, e.Retryable, e.RetryAfter, kind, retry, c.wait, e)
	}
	if e.Provider != f.Provider || e.Status != f.Status || e.Err == nil || e.Err.Error() == "" {
		t.Errorf("%d %s: incomplete error %#v", c.status, c.body, e)
	}
}

func run(t *testing.T, cases []verdictCase) {
	t.Helper()
	for i, c := range cases {
		t.Run(strconv.Itoa(i), func(t *testing.T) { c.check(t) })
	}
}

func TestClassifyOverflow(t *testing.T) {
	const over = "context_length"
	run(t, []verdictCase{
		{400, "lmstudio", `{"error":"Cannot truncate prompt with n_keep (8001) >= n_ctx (4096)"}`, over, 0, ""},
		{500, "llamacpp", `{"error":{"code":500,"message":"context shift is disabled","type":"server_error"}}`, over, 0, ""},
		{400, "litellm", `{"error":{"message":"gateway.ContextWindowExceededError: refused","code":"400"}}`, over, 0, ""},
		{400, "zhipu", `{"error":{"message":"Total tokens of image and text exceed max message tokens"}}`, over, 0, ""},
		{400, "openai", `{"error":{"message":"Your input is larger than what fits.","type":"invalid_request_error","code":"context_length_exceeded"}}`, over, 0, ""},
		{400, "generic", `{"error":{"message":"no","code":"ContextWindowExceededError"}}`, over, 0, ""},
		{400, "generic", `{"error":{"message":"[400] too big","type":"context_window_exceeded","code":400}}`, over, 0, ""},
		{400, "anthropic", `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 300001 tokens > 200000 maximum"}}`, over, 0, ""},
		{400, "anthropic", `{"error":{"message":"input length and ` + "`max_tokens`" + ` exceed context limit: 190000 + 20000 > 200000"}}`, over, 0, ""},
		{400, "bedrock", `{"message":"Input is too long for requested model."}`, over, 0, "x-amzn-errortype: ValidationException:http://x"},
		{400, "bedrock", `{"message":"The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length."}`, over, 0, ""},
		{400, "copilot", `{"error":{"message":"prompt token count of 131000 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}`, over, 0, ""},
		{400, "dashscope", `{"code":"InvalidParameter","message":"Range of input length should be [1, 258048]","request_id":"r"}`, over, 0, ""},
		{400, "dashscope", `{"error":{"code":"invalid_parameter_error","message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]"}}`, over, 0, ""},
		{400, "mistral", `{"object":"error","message":"Prompt contains 140000 tokens, too large for model with 131072 maximum context length","type":"invalid_request_error","code":3051}`, over, 0, ""},
		{400, "moonshot", `{"error":{"type":"invalid_request_error","message":"Input token length too long"}}`, over, 0, ""},
		{400, "moonshot", `{"error":{"type":"invalid_request_error","message":"total message size 2500000 exceeds limit 2097152"}}`, over, 0, ""},
		{400, "together", `{"error":{"message":"The input (70000 tokens) is longer than the model's context length (65536 tokens)."}}`, over, 0, ""},
		{400, "sglang", `{"object":"error","message":"Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens.","code":400}`, over, 0, ""},
		{400, "sglang", `{"message":"The input length (40000) exceeds the model's context-length (32768)."}`, over, 0, ""},
		{400, "vllm", `{"object":"error","message":"max_tokens must be at least 1, got -300.","type":"BadRequestError","code":400}`, over, 0, ""},
		{400, "vllm", `{"message":"'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 4096 tokens and your request has 2104 input tokens.","code":400}`, over, 0, ""},
		{400, "vllm", `{"detail":"The prompt (total length 9001) is too long to fit into the model (context length 8192)."}`, over, 0, ""},
		{500, "ollama", `{"error":"prompt too long; exceeded max context length by 120 tokens"}`, over, 0, ""},
		{500, "ollama", `{"error":"input length exceeds the context length"}`, over, 0, ""},
		{500, "llamacpp", `{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size","type":"server_error"}}`, over, 0, ""},
		{500, "llamacpp", `{"error":{"message":"Context size has been exceeded.","code":500}}`, over, 0, ""},
		{422, "generic", `{"error":"Input validation error: inputs must have less than 4096 tokens. Given: 5000","error_type":"validation"}`, over, 0, ""},
		{422, "generic", `{"detail":[{"loc":["body","messages"],"msg":"Prompt length 9000 exceeds the limit","type":"value_error"}]}`, over, 0, ""},
		{400, "openrouter", `{"error":{"message":"Provider returned error","code":400,"metadata":{"raw":"{\"error\":{\"message\":\"Input length 131393 exceeds the maximum allowed input length of 131040 tokens.\"}}","provider_name":"P"}}}`, over, 0, ""},
		{400, "litellm", `{"error":{"message":"litellm.BadRequestError: VertexAIException - {\"error\":{\"code\":400,\"message\":\"The input token count (2000000) exceeds the maximum number of tokens allowed (1048576).\"}}","type":null,"code":"400"}}`, over, 0, ""},
		{400, "vertex", `{"error":{"code":400,"message":"Unable to submit request because the input token count is 1100000 but model only supports up to 1048576. Reduce the input token count and try again.","status":"INVALID_ARGUMENT"}}`, over, 0, ""},
		{400, "openai", `{"error":{"message":"Invalid 'messages[4].content': string too long. Expected a string with maximum length 10485760.","code":"string_above_max_length"}}`, over, 0, ""},
		{400, "zhipu", `{"error":{"code":"1261","message":"Prompt 超长"}}`, over, 0, ""},
		{400, "generic", `{"error":{"message":"请求的上下文长度超出模型的限制"}}`, over, 0, ""},
		{400, "generic", `{"message":"输入内容过长，请缩短后重试"}`, over, 0, ""},
		{400, "qianfan", `{"error":{"code":"tokens_too_long","message":"the max input tokens is 126976","type":"invalid_request_error"}}`, over, 0, ""},
		{200, "qianfan", `{"error_code":336103,"error_msg":"the total length is over the top"}`, over, 0, ""},
		{413, "generic", ``, over, 0, ""},
		{413, "generic", `<html><head><title>413 Request Entity Too Large</title></head></html>`, over, 0, ""},
		{413, "groq", `{"error":{"message":"Request too large for model m on tokens per minute (TPM): Limit 6000, Requested 9000, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`, over, 0, ""},
		{429, "openai", `{"error":{"message":"Request too large for m on tokens per min (TPM): Limit 30000, Requested 41000. The input or output tokens must be reduced.","type":"tokens","code":"rate_limit_exceeded"}}`, over, 0, ""},
		{400, "cerebras", ``, over, 0, ""},
		{400, "mistral", " \n", over, 0, ""},
		{0, "openai", `{"error":{"message":"Your input exceeds the context window of this model."}}`, over, 0, ""},
		{0, "generic", `{"error":"Context overflow: 5000 tokens"}`, over, 0, ""},
		{0, "lmstudio", `"Trying to keep the first 900 tokens when context the overflows"`, over, 0, ""},
	})
}

func TestClassifyThrottle(t *testing.T) {
	const rate = "rate_limit!"
	run(t, []verdictCase{
		{429, "bedrock", `{"message":"Too many tokens, please wait before trying again."}`, rate, 0, "x-amzn-errortype: ThrottlingException"},
		{400, "bedrock", `{"__type":"com.amazon#ThrottlingException","message":"Too many tokens, please wait before trying again."}`, rate, 0, ""},
		{0, "bedrock", `{"message":"Your request rate is too high."}`, rate, 0, ""},
		{429, "generic", ``, rate, 0, ""},
		{429, "generic", `rate limited, sorry`, rate, 0, ""},
		{429, "generic", `Rate limit reached: reduce the length of the messages or try again in 3 seconds`, rate, 3 * time.Second, ""},
		{429, "openai", `{"error":{"message":"Rate limit reached for m in org on tokens per min (TPM): Limit 10000, Used 9000, Requested 2000. Please try again in 6s. Please add a payment method to raise your rate limit.","code":"rate_limit_exceeded"}}`, rate, 6 * time.Second, ""},
		{429, "moonshot", `{"error":{"message":"Your account org reached organization max RPM: 3, please try again after 1 seconds","type":"rate_limit_reached_error"}}`, rate, time.Second, ""},
		{429, "moonshot", `{"error":{"message":"The engine is currently overloaded, please try again later","type":"engine_overloaded_error"}}`, rate, 0, ""},
		{429, "dashscope", `{"error":{"code":"limit_burst_rate","message":"Request rate increased too quickly."}}`, rate, 0, ""},
		{429, "dashscope", `{"code":"Throttling.AllocationQuota","message":"Allocated quota exceeded, please increase your quota limit."}`, rate, 0, ""},
		{429, "gemini", `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. Please retry in 39.5s.","status":"RESOURCE_EXHAUSTED"}}]`, rate, 39500 * time.Millisecond, ""},
		{429, "gemini", `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"quota exceeded","details":[{"@type":"x/RetryInfo","retryDelay":{"seconds":4,"nanos":500000000}}]}}`, rate, 4500 * time.Millisecond, ""},
		{429, "gemini", `{"error":{"code":429,"message":"Resource has been exhausted (e.g. check quota).","status":"RESOURCE_EXHAUSTED"}}`, rate, 0, ""},
		{429, "zhipu", `{"error":{"code":"1302","message":"您当前使用该 API 的并发数过高"}}`, rate, 0, ""},
		{400, "zhipu", `{"error":{"code":"1312","message":"please choose another model"}}`, rate, 0, ""},
		{200, "minimax", `{"base_resp":{"status_code":1002,"status_msg":"limit"}}`, rate, 0, ""},
		{200, "qianfan", `{"error_code":18,"error_msg":"Open api qps request limit reached"}`, rate, 0, ""},
		{200, "generic", `{"error_code":336502,"error_msg":"limit"}`, rate, 0, ""},
		{429, "qianfan", `{"error":{"code":"tpm_rate_limit_exceeded","message":"x","type":"rate_limit_exceeded"}}`, rate, 0, ""},
		{403, "copilot", `{"message":"You have exceeded a secondary rate limit."}`, rate, 0, ""},
		{413, "generic", `{"error":{"message":"Too many requests at once","type":"rate_limit"}}`, rate, 0, ""},
		{503, "generic", `{"message":"Too many concurrent requests"}`, rate, 0, ""},
		{0, "openrouter", `{"id":"g","choices":[{"delta":{"content":"insufficient balance"}}],"error":{"code":429,"message":"busy"}}`, rate, 0, ""},
		{0, "generic", `{"error":{"message":"{\"error\":{\"message\":\"slow down\",\"code\":\"rate_limit_exceeded\"}}"}}`, rate, 0, ""},
		{429, "azure", `{"error":{"code":"429","message":"Requests have exceeded token rate limit of your current tier. Please retry after 26 seconds. Contact support to increase the default rate limit."}}`, rate, 26 * time.Second, ""},
		{429, "generic", `{"message":"请求过于频繁，请在 5 秒后重试"}`, rate, 5 * time.Second, ""},
		{429, "openai", `{"error":{"message":"limit"}}`, "rate_limit", 9 * time.Second, "x-should-retry: false|retry-after: 9"},
	})
}

func TestClassifyWaits(t *testing.T) {
	const rate, body = "rate_limit!", `{"error":{"message":"limit","type":"rate_limit_error"}}`
	date := "Date: Tue, 01 Dec 2026 08:00:00 GMT|"
	run(t, []verdictCase{
		{429, "generic", body, rate, 250 * time.Millisecond, "retry-after-ms: 250|retry-after: 9"},
		{429, "generic", body, rate, 9 * time.Second, "retry-after-ms: soon|retry-after: 9"},
		{429, "generic", body, rate, 1500 * time.Millisecond, "retry-after: 1.5"},
		{429, "generic", body, rate, 20 * time.Second, "retry-after: 20s"},
		{429, "generic", body, rate, 0, "retry-after: -5"},
		{429, "generic", body, rate, 0, "retry-after: NaN"},
		{429, "generic", body, rate, maxWait, "retry-after: 1e300"},
		{429, "generic", body, rate, time.Minute, date + "retry-after: Tue, 01 Dec 2026 08:01:00 GMT"},
		{429, "generic", body, rate, 0, date + "retry-after: Tue, 01 Dec 2026 07:00:00 GMT"},
		{429, "generic", body, rate, 0, "retry-after: Tue, 01 Dec 2020 07:00:00 GMT"},
		{429, "groq", `{"error":{"message":"Rate limit reached. Please try again in 6m0s."}}`, rate, 6 * time.Minute, ""},
		{429, "groq", `{"error":{"message":"Rate limit reached. Please try again in 1m2.5s."}}`, rate, 62500 * time.Millisecond, ""},
		{429, "groq", `{"error":{"message":"Rate limit reached. Please try again in 430ms."}}`, rate, 430 * time.Millisecond, ""},
		{429, "generic", `rate limit, please wait for about 2 minutes and 3 seconds`, rate, 123 * time.Second, ""},
		{429, "generic", `rate limit, retry after 20`, rate, 20 * time.Second, ""},
		{429, "generic", `rate limit, resets in 2h`, rate, 2 * time.Hour, ""},
		{429, "generic", `rate limit, try again in a while`, rate, 0, ""},
		{429, "generic", `{"error":{"message":"rate limit","retry_after":7}}`, rate, 7 * time.Second, ""},
		{429, "generic", `{"error":{"message":"rate limit"},"retryAfterMs":"700"}`, rate, 700 * time.Millisecond, ""},
		{429, "generic", body, rate, 90 * time.Second, "x-ratelimit-reset-tokens: 1m30s|x-ratelimit-remaining-tokens: 0|x-ratelimit-reset-requests: 6h|x-ratelimit-remaining-requests: 12"},
		{429, "generic", body, rate, 12 * time.Second, "x-ratelimit-reset: 12"},
		{429, "generic", body, rate, 5 * time.Second, date + "x-ratelimit-reset: 1796112005"},
		{429, "generic", body, rate, 5 * time.Second, date + "x-ratelimit-reset: 1796112005000"},
		{429, "anthropic", body, rate, 8 * time.Second, date + "anthropic-ratelimit-requests-reset: 2026-12-01T08:00:08Z|anthropic-ratelimit-requests-remaining: 0"},
		{429, "generic", body, rate, 0, "x-ratelimit-reset: never"},
		{429, "openrouter", `{"error":{"message":"Rate limit exceeded: free-models-per-min. ","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"16","X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1796112005000"}}}}`, rate, 5 * time.Second, strings.TrimSuffix(date, "|")},
		{503, "generic", `{"error":{"message":"down"}}`, "server!", 30 * time.Second, "retry-after: 30"},
		{503, "generic", `{"error":{"message":"down"}}`, "server!", 0, "x-ratelimit-reset: 30"},
		{401, "generic", `{"error":{"message":"no"}}`, "auth", 0, "retry-after: 30"},
	})
}

func TestClassifyQuota(t *testing.T) {
	const quota = "quota"
	run(t, []verdictCase{
		{403, "xai", `{"code":"The caller may not do this","error":"Your new team doesn't have any credits yet."}`, quota, 0, ""},
		{429, "openai", `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`, quota, 0, ""},
		{429, "openai", `{"error":{"message":"You exceeded your current quota, please check your plan."}}`, quota, 0, "retry-after: 1"},
		{429, "openai", `{"error":{"type":"usage_limit_reached","message":"You have hit it","resets_in_seconds":4000}}`, quota, 0, ""},
		{400, "openai", `{"error":{"message":"Billing hard limit has been reached","code":"billing_hard_limit_reached"}}`, quota, 0, ""},
		{429, "moonshot", `{"error":{"message":"Your account is suspended, please recharge","type":"exceeded_current_quota_error"}}`, quota, 0, ""},
		{403, "moonshot", `{"error":{"message":"You've reached your usage limit for this billing cycle"}}`, quota, 0, ""},
		{402, "generic", ``, quota, 0, ""},
		{402, "openrouter", `{"error":{"code":402,"message":"You asked for 9000 tokens but can only afford 200; reduce the prompt, rate limit"}}`, quota, 0, ""},
		{403, "openrouter", `{"error":{"message":"Key limit exceeded (total limit)","code":403}}`, quota, 0, ""},
		{0, "openrouter", `{"error":{"code":402,"message":"no"}}`, quota, 0, ""},
		{429, "xai", `{"code":"Some resource has been exhausted","error":"Your team has either used all available credits or reached its monthly spending limit."}`, quota, 0, ""},
		{403, "xai", `{"code":"x","error":"Your newly created team doesn't have any credits yet. You can purchase more credits."}`, quota, 0, ""},
		{400, "dashscope", `{"code":"Arrearage","message":"Access denied, please make sure your account is in good standing."}`, quota, 0, ""},
		{403, "dashscope", `{"error":{"code":"AllocationQuota.FreeTierOnly","message":"The free tier of the model has been exhausted."}}`, quota, 0, ""},
		{429, "zhipu", `{"error":{"code":"1113","message":"您的账户已欠费，请充值后重试"}}`, quota, 0, ""},
		{429, "generic", `{"error":{"code":"1113","message":"no money"}}`, quota, 0, ""},
		{429, "zhipu", `{"error":{"code":1308,"message":"已达到 5 小时的使用上限"}}`, quota, 0, ""},
		{500, "minimax", `{"error":{"message":"insufficient balance (1008)"}}`, quota, 0, ""},
		{500, "minimax", `{"error":{"message":"something else (1008)"}}`, quota, 0, ""},
		{200, "generic", `{"base_resp":{"status_code":2056,"status_msg":"x"}}`, quota, 0, ""},
		{200, "qianfan", `{"error_code":17,"error_msg":"Open api daily request limit reached"}`, quota, 0, ""},
		{400, "litellm", `{"error":{"message":"Budget has been exceeded! Current cost: 11, Max budget: 10","type":"budget_exceeded"}}`, quota, 0, ""},
		{403, "generic", `{"error":{"message":"用户额度不足","code":"insufficient_user_quota"}}`, quota, 0, ""},
		{400, "anthropic", `{"error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`, quota, 0, ""},
		{429, "anthropic", `{"error":{"type":"rate_limit_error","message":"Workspace has reached its spend limit"}}`, quota, 0, ""},
		{429, "gemini", `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"You exceeded your current quota","details":[{"violations":[{"quotaId":"GenerateRequestsPerDayPerProject"}]},{"retryDelay":"2s"}]}}`, quota, 0, ""},
		{400, "bedrock", `{"message":"over"}`, quota, 0, "x-amzn-errortype: ServiceQuotaExceededException"},
		{429, "generic", `quota exhausted, try again in 9h`, quota, 0, ""},
		{0, "generic", `{"error":{"message":"账户余额不足"}}`, quota, 0, ""},
	})
}

func TestClassifyRest(t *testing.T) {
	run(t, []verdictCase{
		{400, "litellm", `{"error":{"message":"gateway.ContentPolicyViolationError: refused","code":"400"}}`, "content_filter", 0, ""},
		{200, "vllm", `{"detail":"Not authenticated"}`, "auth", 0, ""},
		{400, "azure", `{"error":{"code":"content_filter","message":"The response was filtered","innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, "content_filter", 0, ""},
		{400, "dashscope", `{"code":"DataInspectionFailed","message":"Input data may contain inappropriate content."}`, "content_filter", 0, ""},
		{400, "moonshot", `{"error":{"type":"content_filter","message":"The request was rejected because it was considered high risk"}}`, "content_filter", 0, ""},
		{400, "zhipu", `{"contentFilter":[{"level":1}],"error":{"code":"1301","message":"系统检测到输入可能包含敏感内容"}}`, "content_filter", 0, ""},
		{200, "minimax", `{"base_resp":{"status_code":1026,"status_msg":"x"}}`, "content_filter", 0, ""},
		{403, "openrouter", `{"error":{"code":403,"message":"Your input was flagged","metadata":{"reasons":["violence"]}}}`, "content_filter", 0, ""},
		{403, "xai", `{"error":"Content violates usage guidelines. Team: t"}`, "content_filter", 0, ""},
		{0, "generic", `{"error":{"message":"stopped by the safety system"}}`, "content_filter", 0, ""},

		{401, "generic", ``, "auth", 0, ""},
		{403, "generic", `<html><title>Forbidden</title></html>`, "auth", 0, ""},
		{400, "gemini", `{"error":{"code":400,"message":"bad key","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}`, "auth", 0, ""},
		{400, "xai", `{"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***z."}`, "auth", 0, ""},
		{200, "minimax", `{"base_resp":{"status_code":1004,"status_msg":"login fail"}}`, "auth", 0, ""},
		{429, "zhipu", `{"error":{"code":"1121","message":"账户存违规行为"}}`, "auth", 0, ""},
		{200, "qianfan", `{"error_code":110,"error_msg":"Access token invalid or no longer valid"}`, "auth", 0, ""},
		{0, "anthropic", `{"type":"error","error":{"type":"authentication_error","message":"x"}}`, "auth", 0, ""},
		{407, "generic", `proxy`, "auth", 0, ""},

		{400, "groq", `{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"rate limit"}}`, "invalid_response!", 0, ""},
		{424, "bedrock", `{"message":"Model produced invalid sequence as part of ToolUse."}`, "invalid_response!", 0, "x-amzn-errortype: ModelErrorException"},
		{500, "llamacpp", `{"error":{"message":"Failed to parse tool call arguments as JSON","code":500}}`, "invalid_response!", 0, ""},
		{200, "generic", `<!DOCTYPE html><title>Sign in</title>`, "invalid_response", 0, ""},

		{500, "generic", `{"error":{"type":"invalid_request_error","message":"x"}}`, "server!", 0, ""},
		{502, "generic", `<html><h1>Bad Gateway</h1></html>`, "server!", 0, ""},
		{503, "vllm", ``, "server!", 0, ""},
		{529, "anthropic", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "server!", 0, ""},
		{0, "anthropic", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "server!", 0, ""},
		{0, "generic", `{"error":{"message":"the thing exploded"}}`, "server!", 0, ""},
		{0, "generic", `boom`, "server!", 0, ""},
		{0, "generic", `{"error":{"code":503,"message":"no"}}`, "server!", 0, ""},
		{409, "generic", `{"error":{"message":"conflict"}}`, "server!", 0, ""},
		{200, "minimax", `{"base_resp":{"status_code":1033,"status_msg":"x"}}`, "server!", 0, ""},
		{400, "zhipu", `{"error":{"code":"1234","message":"网络错误"}}`, "server!", 0, ""},
		{408, "generic", ``, "timeout!", 0, ""},
		{200, "minimax", `{"base_resp":{"status_code":1001,"status_msg":"x"}}`, "timeout!", 0, ""},
		{0, "generic", `{"error":{"message":"x","code":"request_timeout"}}`, "timeout!", 0, ""},

		{400, "generic", ``, "bad_request", 0, ""},
		{400, "deepseek", `{"error":{"message":"Invalid max_tokens value, the valid range of max_tokens is [1, 65536]"}}`, "bad_request", 0, ""},
		{400, "anthropic", `{"error":{"type":"invalid_request_error","message":"max_tokens: 90000 > 64000, which is the maximum allowed number of output tokens"}}`, "bad_request", 0, ""},
		{400, "dashscope", `{"error":{"message":"Range of max_tokens should be [1, 8192]"}}`, "bad_request", 0, ""},
		{400, "openai", `{"error":{"message":"max_tokens is too large: 90000. This model supports at most 16384 completion tokens."}}`, "bad_request", 0, ""},
		{400, "openai", `{"error":{"message":"Invalid 'messages[2].tool_calls[0].id': string too long. Expected maximum length 40.","code":"string_above_max_length"}}`, "bad_request", 0, ""},
		{400, "zhipu", `{"error":{"code":"1210","message":"API 调用参数有误"}}`, "bad_request", 0, ""},
		{404, "generic", `{"error":{"message":"The model does not exist or you do not have access to it","code":"model_not_found"}}`, "bad_request", 0, ""},
		{404, "generic", `<html><title>Not Found</title></html>`, "bad_request", 0, ""},
		{422, "generic", `{"detail":[{"loc":["body"],"msg":"field required","type":"missing"}]}`, "bad_request", 0, ""},
		{501, "generic", ``, "bad_request", 0, ""},
		{301, "generic", `moved`, "bad_request", 0, ""},
		{0, "anthropic", `{"type":"error","error":{"type":"invalid_request_error","message":"messages.3: bad block"}}`, "bad_request", 0, ""},
		{0, "generic", `{"error":{"status_code":400,"message":"no"}}`, "bad_request", 0, ""},
		{400, "openai", `{"error":{"message":"no"}}`, "bad_request!", 0, "x-should-retry: true"},
		{401, "openai", `{"error":{"message":"no"}}`, "auth", 0, "x-should-retry: true"},
	})
}

func TestClassifyText(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`{"error":{"message":"Model  not\nloaded","code":"no_weights"}}`, "Model not loaded [no_weights]"},
		{`{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"it hurts\"}}"}}}`, "Provider returned error: it hurts"},
		{`Upstream says {"error":"x marks"} here`, "Upstream says: x marks"},
		{`{"error":"same","message":"same"}`, "same"},
		{`<html><head><title>Oops</title></head></html>`, "a web page: Oops"},
		{`<html></html>`, "a web page"},
		{``, "the server said nothing more than Bad Request"},
		{`{"code":"some_code"}`, "some_code"},
		{`{"a":1}`, `{"a":1}`},
		{"data: {\"error\":{\"message\":\"framed\"}}\n\n", "framed"},
		{"event: error\ndata: in words\n", "in words"},
	} {
		if got := Classify(Failure{Status: 400, Body: []byte(c.body)}).Err.Error(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.body, got, c.want)
		}
	}
	if got := Classify(Failure{}).Err.Error(); got != "the server gave no reason" {
		t.Errorf("nothing at all: %q", got)
	}
	long := Classify(Failure{Status: 500, Body: []byte(`{"error":{"message":"` + strings.Repeat("字", 5000) + `","code":"c"}}`)}).Err.Error()
	if n := utf8.RuneCountInString(long); n > maxMessage || n < 400 {
		t.Errorf("a long message has %d runes", n)
	}
}

func TestClassifyHidesKeys(t *testing.T) {
	for _, secret := range []string{
		"sk-proj-0a1b2c3d4e5f", "gsk_0a1b2c3d4e5f6a7b", "xai-0a1b2c3d4e5f6a7b", "AIzaSyA0123456789abcdefghij", "0123456789abcdef0123456789abcdef",
		"hf_abcdefghijklmnop", "0123456789abcdef0123456789abcdef.AbCdEfGhIjKl", "sk-ant-api03-abcdefghijk", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk",
	} {
		for _, text := range []string{"Incorrect API key provided: " + secret + ".", "bad header Authorization: Bearer " + secret, "api_key=" + secret + " is unknown"} {
			got := Classify(Failure{Status: 401, Body: []byte(`{"error":{"message":"` + text + `"}}`)}).Error()
			if strings.Contains(got, secret) || strings.Contains(got, secret[8:]) {
				t.Errorf("the key is shown: %s", got)
			}
			if !strings.Contains(got, "…") {
				t.Errorf("nothing stands for the key: %s", got)
			}
		}
	}
	const plain = "The model team/some-long-model-name-2026-12-01 needs at least 131072 tokens of tool_use_failed"
	if got := Classify(Failure{Status: 400, Body: []byte(plain)}).Err.Error(); got != plain {
		t.Errorf("words were hidden: %s", got)
	}
}

func TestClassifyBounds(t *testing.T) {
	deep := strings.Repeat(`{"error":`, 3000) + `"x"` + strings.Repeat("}", 3000)
	wide := `{"errors":[` + strings.Repeat(`{"message":"m","code":"c"},`, 3000) + `{}]}`
	for _, body := range []string{deep, wide, strings.Repeat("{", 1<<20), strings.Repeat(`"`, 1<<16), strings.Repeat("请在 ", 40000)} {
		start := time.Now()
		e := Classify(Failure{Status: 500, Body: []byte(body)})
		if e.Kind != agent.ErrServer || time.Since(start) > 5*time.Second {
			t.Errorf("%.20s…: %s after %s", body, e.Kind, time.Since(start))
		}
	}
}

// kinds is the closed set that wires may give.
func kinds() []agent.ErrorKind {
	return []agent.ErrorKind{
		agent.ErrRateLimit, agent.ErrContextLength, agent.ErrAuth, agent.ErrQuota, agent.ErrContentFilter, agent.ErrServer, agent.ErrTimeout, agent.ErrBadRequest, agent.ErrInvalidResponse,
	}
}

func FuzzClassify(f *testing.F) {
	f.Add(429, "groq", "try again in 1m2s", "Retry-After", "7", false)
	f.Add(200, "minimax", `{"base_resp":{"status_code":1008,"status_msg":"x (1008)"}}`, "X-Ratelimit-Reset", "1e12", true)
	f.Add(400, "zhipu", `[{"error":{"code":"1261","message":"{\"error\":\"x\"}"}}]`, "Retry-After", "Tue, 01 Dec 2026 08:01:00 GMT", false)
	f.Add(503, "", "<title></title", "X-Should-Retry", "true", false)
	f.Add(400, "openai", "\xff\xfe{\"error\":\"\xff\"}", "Retry-After-Ms", "-Inf", true)
	f.Add(500, "x", "<TİTLE>İ</TITLE>", "", "", false)
	f.Fuzz(func(t *testing.T, status int, from, body, key, value string, stream bool) {
		failure := Failure{Provider: from, Status: status, Header: http.Header{key: {value}}, Body: []byte(body), InStream: stream}
		e := Classify(failure)
		if !slices.Contains(kinds(), e.Kind) {
			t.Errorf("kind %q", e.Kind)
		}
		if e.RetryAfter < 0 || e.RetryAfter > maxWait {
			t.Errorf("wait %s", e.RetryAfter)
		}
		if e.Err == nil || e.Err.Error() == "" || utf8.RuneCountInString(e.Err.Error()) > maxMessage || !utf8.ValidString(e.Err.Error()) {
			t.Errorf("text %q", e.Err)
		}
		if (e.Kind == agent.ErrContextLength || e.Kind == agent.ErrQuota || e.Kind == agent.ErrAuth || e.Kind == agent.ErrContentFilter) && e.Retryable {
			t.Errorf("%s cannot be retried", e.Kind)
		}
		if again := Classify(failure); again.Kind != e.Kind || again.Err.Error() != e.Err.Error() {
			t.Errorf("two verdicts: %v and %v", e, again)
		}
	})
}
