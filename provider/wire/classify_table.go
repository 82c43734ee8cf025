package wire

import "react-agent/agent"

// rule is one line of the table: what codes or words mean.
type rule struct {
	kind agent.ErrorKind
	// codes are looked for in codes: letters and digits in lower case; a leading = asks for the whole code.
	codes []string
	// words are looked for in the text, as simple leaves it; * stands for what lies between.
	words []string
	// only and not are statuses for which the rule holds, and does not; 0 = none was named.
	only, not []int
	// soft says that the limit is a rate limit after all when the vendor names a short wait.
	soft bool
}

// rules is the table, in the order in which it counts.
func rules() []rule {
	return []rule{
		{kind: agent.ErrQuota, codes: billingCodes(), words: billingWords()},
		tooLargeForLimit(),
		{kind: agent.ErrRateLimit, codes: throttleCodes(), words: throttleWords()},
		{kind: agent.ErrBadRequest, words: outputLimitWords()},
		{kind: agent.ErrContextLength, codes: overflowCodes(), words: overflowWords()},
		{kind: agent.ErrContextLength, words: faintOverflowWords(), not: []int{401, 403, 404, 429, 500, 502, 503, 504, 529}},
		{kind: agent.ErrQuota, codes: quotaCodes(), words: append(quotaWords(), adviceWords()...), soft: true},
		{kind: agent.ErrContentFilter, codes: filterCodes(), words: filterWords()},
		{kind: agent.ErrInvalidResponse, codes: malformedCodes(), words: malformedWords()},
		{kind: agent.ErrAuth, codes: authCodes(), words: authWords(), only: []int{0, 400, 401, 403, 407}},
		{kind: agent.ErrRateLimit, codes: []string{"resourceexhausted", "toomanyrequests"}, only: []int{0, 400, 403, 413, 429, 498}},
	}
}

// faintRules are for failures without a status that says something.
func faintRules() []rule {
	return []rule{
		{kind: agent.ErrTimeout, codes: []string{"=timeout", "requesttimeout", "timeouterror", "deadlineexceeded"}, words: []string{"request timed out", "request timeout", "请求超时"}},
		{kind: agent.ErrServer, codes: serverCodes(), words: serverWords()},
		{kind: agent.ErrBadRequest, codes: badCodes(), words: badWords()},
	}
}

// billingCodes are about money, beyond doubt.
func billingCodes() []string {
	return []string{
		"insufficientquota", "insufficientbalance", "insufficientcredit", "insufficientfund", "insufficientuserquota", "balancenotenough", "notenoughcredit",
		"outofcredit", "nocredit", "creditexhausted", "creditsexhausted", "creditbalance", "billinghardlimit", "billingnotactive", "billinglimit", "billingerror",
		"paymentrequired", "usagelimitreached", "usagelimitexceeded", "usagenotincluded", "usagelimit", "spendinglimit", "spendlimit", "arrear", "accountoverdue", "overduebalance", "freetieronly",
		"freequotaexhausted", "exceededcurrentquota", "budgetexceeded", "exceededbudget", "prepaidbillover", "postpaidbillover", "perday", "consumetokenquotafailed",
		"commoditynotpurchased", "subscriptionexpired", "planexpired", "quotanotenough", "monthlylimit", "weeklylimit",
	}
}

func billingWords() []string {
	return []string{
		"insufficient balance", "insufficient account balance", "insufficient credit", "insufficient fund", "insufficient quota", "insufficient user quota",
		"balance is insufficient", "balance is not enough", "balance not enough", "balance is too low", "balance too low", "not enough balance", "not enough credit", "negative balance",
		"credit balance", "account balance*exhausted", "balance*depleted", "balance has run out", "out of credit", "no credits", "run out of credit", "ran out of credit", "no remaining credit",
		"credits*exhausted", "credits*depleted", "credits*used up", "used all available credits", "used up*credits", "exceeded your*included credits", "exceeded*credit limit",
		"requires more credits", "needs more credits", "have any credits", "has no credits", "have no credits",
		"payment required", "billing hard limit", "billing limit", "hard limit*reached", "billing is not active", "billing*not*enabled", "unpaid",
		"spending limit", "spend limit", "spending cap", "monthly budget", "budget has been exceeded", "budget exceeded", "exceeded*budget", "exceeded token budget", "over budget",
		"monthly quota", "weekly quota",
		"account is in arrears", "in arrears", "arrearage", "overdue", "account is in good standing", "free tier*exhausted", "free quota*exhausted", "free trial*expired", "trial has ended",
		"subscription*expired", "plan has expired",
		"余额不足", "余额已用", "余额耗尽", "额度不足", "额度已用", "额度用完", "额度已耗尽", "额度耗尽", "欠费", "套餐已到期", "套餐已用", "套餐*用完", "配额不足", "账户余额", "资源包*用", "已用尽", "预扣费",
	}
}

// adviceWords are about money, but stand in refusals for a minute, too.
func adviceWords() []string {
	return []string{
		"purchase more credits", "purchase additional credits", "buy credits", "buy more credits", "add more credits", "add credits", "check your billing", "update your payment", "valid payment method",
		"usage limit", "usage cap", "monthly limit", "weekly limit", "limit for this billing", "premium request allowance", "please recharge", "please top up", "top up your", "充值", "使用上限",
	}
}

// outputLimitWords complain about the length that the answer may have: a shorter history does not help.
func outputLimitWords() []string {
	return []string{
		"max tokens*valid range", "range of max tokens", "max tokens*supports at most", "max completion tokens*supports at most", "at most*completion tokens", "at most*output tokens", "maximum allowed number of output tokens",
		"max tokens*exceeds the maximum number of", "max tokens*exceeds the model output", "maxoutputtokens value", "max output tokens value", "max tokens*should be in", "invalid max tokens", "max tokens 参数",
	}
}

// tooLargeForLimit is a request that no wait makes fit: it alone is over the limit of a minute.
func tooLargeForLimit() rule {
	return rule{kind: agent.ErrContextLength, words: []string{
		"request too large*must be reduced", "request too large*reduce your message size", "request too large*reduce the", "request is too large*reduce",
		"request too large*tokens per min", "single request*exceeds*tokens per min", "request*larger than*tokens per minute limit",
	}}
}

func throttleCodes() []string {
	return []string{
		"throttl", "ratelimit", "ratequota", "burstrate", "limitrequests", "limitburst", "requestlimitexceeded", "toomanytokens", "concurrencylimit", "concurrencyexceeded",
		"rpmlimit", "tpmlimit", "rpmexceeded", "tpmexceeded", "perminute", "slowdown", "requestratetoohigh", "maxrpm", "=tpm", "=rpm",
	}
}

func throttleWords() []string {
	return []string{
		"rate limit", "ratelimit", "limit rate", "rate is too high", "request rate", "too many requests", "toomanyrequests", "throttl", "too many tokens*wait", "too many tokens*try again", "too many tokens*later",
		"too many tokens*per", "tokens per min", "requests per min", "requests per day", "tokens per day", "requests per sec", "tokens per sec", "requests per hour", "tokens per hour", "per min ", "/minute", "/min)", "/ min", "(tpm)", "(rpm)", "(rpd)", "(tpd)", " tpm ", " rpm ", "max rpm", "max tpm", "tpm limit", "rpm limit", " qps",
		"concurrency", "concurrent request", "too many concurrent", "simultaneous requests", "slow down", "capacity exceeded", "exceeded*capacity limit", "burst", "request limit reached", "request frequency", "requests too frequent", "too frequent",
		"频率", "频繁", "并发", "限流", "限速", "流量限制", "流控", "访问量过大", "请求过多", "请求数过多", "请求太多", "每分钟", "每秒", "速率",
	}
}

func overflowCodes() []string {
	return []string{
		"contextlength", "contextwindow", "contextoverflow", "contextsize", "contextlimit", "contexttoolong", "prompttoolong", "prompttoolarge", "promptexceeded", "inputtoolong", "inputtoolarge", "inputtokenlimit",
		"maxprompttokens", "prompttokensexceeded", "inputtokensexceeded", "requesttoolarge", "requestentitytoolarge", "requestbodytoolarge", "payloadtoolarge", "contenttoolarge", "badrequesttoolarge",
		"tokenstoolong", "characterstoolong", "messagetoolong", "messagestoolong", "tokenlimitexceeded", "tokenexceeded", "inputlengthexceeded", "maxcontext",
	}
}

func overflowWords() []string {
	return []string{
		"prompt is too long", "prompt*is too long", "prompt too long", "prompt is too large", "prompt too large", "prompt is longer than", "prompt length*exceed", "prompt token*exceed", "prompt exceed", "prompt contains*too large",
		"input is too long", "input*is too long", "input too long", "input length too long", "input token length", "input token count*exceed", "input token count*only supports", "input tokens exceed", "input token*exceed", "input length*exceed", "input length*longer", "input*longer than", "input exceeds", "input is larger than", "input was too long",
		"length of the prompt*exceed", "length of prompt*exceed", "length of the input*exceed", "length of input*exceed", "range of input length", "inputs*must have less than", "inputs tokens + max new tokens", "input length and max tokens exceed",
		"messages too long", "messages are too long", "message size*exceed", "message is too long", "message too long", "conversation is too long", "conversation too long", "history is too long", "request is too long", "context is too long", "context too long", "content: string too long", "messages: array too long", "text is too long",
		"exceed*context window", "exceed*context length", "exceed*context size", "exceed*context limit", "exceed*maximum context", "exceed*max context", "exceed*max model len", "exceed*max seq len", "exceed*model token limit", "exceed*maximum prompt", "exceed*maximum input", "exceed*max input", "exceed*maximum allowed input", "exceed*maximum number of tokens", "exceed*maximum number of input", "exceed*maximum token", "exceed*max tokens allowed", "exceed*max message tokens", "exceed*n ctx", "exceed*sequence length", "exceed*kv cache",
		"context window exceed", "context window*exceeds limit", "context window is full", "context window overflow", "context window limit", "context length exceed", "context length*exceed", "context size*exceed", "context limit*exceed", "context limit reached", "context is full", "context overflow", "context the overflow", "overflow*context", "outside*context window", "not fit*context", "fit in the context", "fit within the context", "fit into the context", "fit into the model", "out of context", "not enough context", "context shift is disabled", "cannot truncate prompt", "n keep*n ctx", "contextwindowexceeded", "contextlengthexceeded", "context size has been exceeded", "max context reached",
		"longer than*context", "longer than*maximum sequence length", "longer than*model len", "greater than*context length", "larger than*context", "larger than*model len", "too large for*context", "too long for*context", "too large for model with", "more than*context length", "more than max tokens allowed", "over the*context limit", "above the*context limit",
		"max tokens must be at least 1", "maximum context length", "max context length", "maximum context window", "maximum prompt length", "maximum sequence length", "maximum model length", "maximum input length", "maximum number of input tokens", "model token limit", "available context size", "context length is only", "context length of only", "tokens in request more than",
		"reduce the length of the messages", "reduce the length of your", "reduce the length of the prompt", "reduce the length of the input", "reduce your prompt", "reduce the prompt", "shorten your prompt", "shorten your input", "shorten the prompt", "shorten the input", "shorten your message", "shorten the conversation",
		"request too large", "request is too large", "request entity too large", "request body too large", "request body is too large", "payload too large", "request exceeds the maximum size", "request*exceeds the maximum allowed size", "content too large", "request size*exceed", "exceed*request size", "body exceeds",
		"max input characters", "input characters*exceed", "prompt tokens*limit is", "input tokens*limit is",
		"上下文*超", "超*上下文", "超出*最大长度", "超过*最大长度", "超过*长度限制", "超出*长度限制", "长度超过", "长度超出", "长度超限", "超长", "输入过长", "内容过长", "文本过长", "消息过长", "请求过长", "对话过长", "上下文过长", "prompt 过长", "prompt过长", "输入*超过*token", "输入*超出*token", "token*超过*限制", "token*超出*限制", "超过*最大*token", "超出*最大*token", "tokens 超", "请求体过大",
	}
}

// faintOverflowWords mean an overflow unless the status says something else.
func faintOverflowWords() []string {
	return []string{"too many tokens", "too many input tokens", "token limit exceeded", "exceeds the token limit", "exceeded the token limit", "exceeds token limit", "over the token limit", "number of tokens*exceed", "token count*exceed", "tokens*exceeds the limit", "tokens > "}
}

func quotaCodes() []string {
	return []string{"quotaexceeded", "quotaexhausted", "quotalimit", "outofquota", "exceedquota", "allocationquota"}
}

func quotaWords() []string {
	return []string{
		"exceeded your current quota", "exceed your current quota", "exceeded*current quota", "quota exceeded", "quota*exceeded", "exceeded*quota", "exceeds*quota", "quota*exhausted", "quota*used up", "quota is used", "quota*has run out", "out of quota", "over quota", "quota reached", "quota*depleted", "no quota", "not enough quota", "daily limit", "limit for today", "key limit exceeded", "plan and billing",
		"配额*用", "配额*超", "超出*配额", "今日*限额", "每日*限额", "已达今日",
	}
}

func filterCodes() []string {
	return []string{
		"contentfilter", "contentpolicy", "policyviolation", "responsibleaipolicy", "datainspection", "contentmoderation", "moderationblocked", "=moderation", "contentblocked", "prohibitedcontent", "promptblocked", "=promptblock", "=safety", "=blocklist",
		"sensitiveword", "sensitivecontent", "inputsensitive", "outputsensitive", "newsensitive", "unsafecontent", "inappropriatecontent", "guardrail", "safetycheck", "contentsafety", "cyberpolicy", "contentunsafe", "usagepolicyviolation", "invalidprompt",
	}
}

func filterWords() []string {
	return []string{
		"content management policy", "content policy", "content policies", "contentpolicyviolation", "content filter", "contentfilter", "content was filtered", "filtered due to", "content moderation", "moderation system", "responsible ai polic", "usage polic", "usage guidelines", "acceptable use", "policy violation", "violat*polic", "violates*terms",
		"was flagged", "been flagged", "flagged as", "flagged by", "safety system", "safety filter", "safety setting", "safety reason", "blocked*safety", "blocked by*guardrail", "guardrail", "harmful content", "inappropriate content", "unsafe content", "unsafe or sensitive", "sensitive content", "sensitive word", "prohibited content", "considered high risk", "data inspection", "risk control", "copyright*blocked",
		"敏感", "违规", "不安全", "不当内容", "内容安全", "安全审核", "内容审核", "风控", "涉敏", "涉黄", "涉政",
	}
}

// malformedCodes are failures of the model's own making: another attempt may do better.
func malformedCodes() []string {
	return []string{"toolusefailed", "toolcallfailed", "toolcallparse", "malformedfunctioncall", "malformedtoolcall", "malformedresponse", "unexpectedtoolcall", "invalidtoolcall", "outputparsefailed", "jsonvalidatefailed", "modelerrorexception", "=modelerror", "modelstreamerror", "emptyresponse", "invalidmodeloutput"}
}

func malformedWords() []string {
	return []string{
		"failed to call a function", "failed to parse tool call", "failed to parse the tool call", "failed to parse function call", "failed to parse tool arguments", "error parsing tool call", "could not parse tool call", "unable to parse tool call", "malformed function call", "malformed tool call", "malformed tool use",
		"failed to generate json", "failed to validate json", "tool call validation failed", "invalid sequence as part of tooluse", "invalid tooluse", "model output*not be parsed", "could not parse*output", "failed generation", "model generated*invalid", "model produced*invalid",
	}
}

func authCodes() []string {
	return []string{
		"invalidapikey", "incorrectapikey", "apikeyinvalid", "apikeymissing", "missingapikey", "noapikey", "badapikey", "apikeyexpired", "expiredapikey", "authentication", "unauthenticated", "unauthorized", "unauthorised", "authfailed", "autherror", "permissiondenied", "permissionerror", "=forbidden", "accessdenied", "accountdeactivated", "accountlocked", "accountdisabled",
		"invalidtoken", "tokenexpired", "expiredtoken", "invalidcredential", "invalidiamtoken", "unrecognizedclient", "invalidsignature", "missingauthentication", "invalidclient", "keyblocked", "invalidorganization", "notauthorized", "unsupportedcountry",
	}
}

func authWords() []string {
	return []string{
		"invalid api key", "incorrect api key", "api key not valid", "api key is not valid", "api key is invalid", "api key not found", "api key*expired", "api key*revoked", "api key*disabled", "api key*missing", "api key*required", "missing api key", "no api key", "invalid x api key", "provide an api key", "provide a valid api key", "invalid api token", "wrong api key", "api key is incorrect",
		"invalid authentication", "authentication fail", "authentication error", "failed to authenticate", "could not authenticate", "unauthorized", "unauthenticated", "authorization header", "invalid authorization", "auth credentials", "invalid credentials", "no cookie auth", "invalid bearer", "bearer token", "invalid access token", "access token*expired", "security token*invalid", "token has expired", "invalid token",
		"permission denied", "access denied", "not authorized", "not authenticated", "account*suspended", "account*locked", "account*deactivated", "account*disabled", "organization*disabled", "user not found", "login fail", "iam certification failed", "get service token failed",
		"鉴权", "身份验证", "令牌无效", "无效的令牌", "令牌已过期", "未授权", "密钥无效", "无效的密钥", "账户*锁定", "账号*锁定", "没有权限", "无权", "权限不足", "认证失败",
	}
}

func serverCodes() []string {
	return []string{"servererror", "internalerror", "internalserver", "=internal", "apierror", "overloaded", "unavailable", "upstream", "providerdisconnected", "badgateway", "gatewaytimeout", "serviceerror", "systemerror", "unknownerror", "enginefail", "notready", "connectionerror", "aborted"}
}

func serverWords() []string {
	return []string{"internal server error", "server error", "internal error", "overloaded", "unavailable", "try again later", "upstream", "bad gateway", "系统错误", "内部错误", "服务不可用", "网络错误", "稍后"}
}

func badCodes() []string {
	return []string{"invalidrequest", "badrequest", "invalidparam", "invalidargument", "invalidinput", "invalidvalue", "invalidmodel", "invaliderror", "notfound", "unsupported", "validation", "missingparam", "missingrequired", "failedprecondition", "notsupported", "unprocessable", "illegal"}
}

func badWords() []string {
	return []string{"invalid request", "bad request", "invalid param", "invalid argument", "not supported", "unsupported", "is required", "does not exist", "not found", "参数", "模型不存在"}
}

// numbers is what vendors' own numbers mean, by the name of the table that a preset gives.
func numbers(family string) map[int64]agent.ErrorKind {
	switch family {
	case "minimax":
		return map[int64]agent.ErrorKind{
			1000: agent.ErrServer, 1001: agent.ErrTimeout, 1002: agent.ErrRateLimit, 1004: agent.ErrAuth, 1008: agent.ErrQuota, 1013: agent.ErrServer, 1024: agent.ErrServer,
			1026: agent.ErrContentFilter, 1027: agent.ErrContentFilter, 1033: agent.ErrServer, 1039: agent.ErrRateLimit, 1041: agent.ErrRateLimit, 1042: agent.ErrBadRequest,
			2013: agent.ErrBadRequest, 2045: agent.ErrRateLimit, 2049: agent.ErrAuth, 2056: agent.ErrQuota, 2061: agent.ErrAuth,
		}
	case "zhipu":
		return map[int64]agent.ErrorKind{
			1000: agent.ErrAuth, 1001: agent.ErrAuth, 1002: agent.ErrAuth, 1003: agent.ErrAuth, 1004: agent.ErrAuth, 1100: agent.ErrAuth, 1110: agent.ErrAuth, 1111: agent.ErrAuth,
			1112: agent.ErrAuth, 1113: agent.ErrQuota, 1120: agent.ErrServer, 1121: agent.ErrAuth, 1200: agent.ErrServer, 1210: agent.ErrBadRequest, 1211: agent.ErrBadRequest, 1212: agent.ErrBadRequest,
			1213: agent.ErrBadRequest, 1214: agent.ErrBadRequest, 1215: agent.ErrBadRequest, 1220: agent.ErrAuth, 1221: agent.ErrBadRequest, 1222: agent.ErrBadRequest, 1230: agent.ErrServer, 1231: agent.ErrBadRequest,
			1234: agent.ErrServer, 1261: agent.ErrContextLength, 1300: agent.ErrContentFilter, 1301: agent.ErrContentFilter, 1302: agent.ErrRateLimit, 1303: agent.ErrRateLimit, 1304: agent.ErrQuota, 1305: agent.ErrRateLimit,
			1308: agent.ErrQuota, 1309: agent.ErrQuota, 1310: agent.ErrQuota, 1311: agent.ErrAuth, 1312: agent.ErrRateLimit, 1313: agent.ErrRateLimit,
		}
	case "qianfan":
		return map[int64]agent.ErrorKind{
			1: agent.ErrServer, 2: agent.ErrServer, 3: agent.ErrBadRequest, 4: agent.ErrRateLimit, 6: agent.ErrAuth, 13: agent.ErrAuth, 14: agent.ErrAuth, 15: agent.ErrAuth, 17: agent.ErrQuota, 18: agent.ErrRateLimit,
			19: agent.ErrQuota, 100: agent.ErrAuth, 110: agent.ErrAuth, 111: agent.ErrAuth, 336000: agent.ErrServer, 336001: agent.ErrBadRequest, 336002: agent.ErrBadRequest, 336003: agent.ErrBadRequest, 336004: agent.ErrBadRequest,
			336005: agent.ErrBadRequest, 336007: agent.ErrContextLength, 336100: agent.ErrServer, 336103: agent.ErrContextLength, 336104: agent.ErrContentFilter, 336200: agent.ErrServer,
			336501: agent.ErrRateLimit, 336502: agent.ErrRateLimit, 336503: agent.ErrRateLimit,
		}
	}
	// These mean the same wherever they come from.
	return map[int64]agent.ErrorKind{
		1008: agent.ErrQuota, 1113: agent.ErrQuota, 1261: agent.ErrContextLength, 1301: agent.ErrContentFilter, 1302: agent.ErrRateLimit, 1303: agent.ErrRateLimit, 1305: agent.ErrRateLimit,
		1308: agent.ErrQuota, 1310: agent.ErrQuota, 1026: agent.ErrContentFilter, 1027: agent.ErrContentFilter, 2056: agent.ErrQuota, 336103: agent.ErrContextLength, 336501: agent.ErrRateLimit, 336502: agent.ErrRateLimit,
	}
}
