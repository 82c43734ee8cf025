package msg

// What the person is told about model servers on the own machine.
const (
	LocalTooLarge Key = "请求放不进 %[1]s 的上下文窗口（%[2]d 个 token）：大约需要 %[3]d，其中系统提示 %[4]d，工具 %[5]d，历史 %[6]d（最新一条消息 %[7]d）" + or +
		"the request does not fit the window of %[1]s (%[2]d {token|tokens}): about %[3]d are needed, of them %[4]d for the system prompt, %[5]d for tools, %[6]d for the history (its newest message: %[7]d)"
	LocalGrow   Key = "更大的窗口：%s" + or + "for a larger window: %s"
	LocalShrink Key = "更小的请求：/clear 开始新会话，缩短输入，或用工具更少的 profile（react-agent tools 显示每个工具占多少）" + or +
		"for a smaller request: /clear begins anew, a shorter input, a profile with fewer tools (react-agent tools shows what each takes)"
	LocalCut Key = "%[2]d 个工具结果太长，为 %[1]s 的窗口（%[4]d 个 token）各截到约 %[3]d 个 token" + or +
		"%[2]d {result|results} of tools cut to about %[3]d {token|tokens} each: the window of %[1]s has %[4]d"
	LocalTruncated Key = "%[1]s 似乎没有读完整个请求：发送了约 %[2]d 个 token，它只数到 %[3]d 个，最早的内容看来被悄悄丢掉了。更大的窗口：%[4]s" + or +
		"%[1]s seems not to have read the whole request: about %[2]d {token was|tokens were} sent, it counts %[3]d; the oldest is probably gone. For a larger window: %[4]s"
	LocalSilent  Key = "%[1]s（%[2]s）没有说明它的模型，窗口大小未知：%[3]s" + or + "%[1]s at %[2]s says nothing of its models, the window is not known: %[3]s"
	LocalNotYet  Key = "（由服务器决定）" + or + "(what the server has)"
	LocalChosen  Key = "没有指定模型，使用 %[2]s 的 %[1]s（可用 --model 指定）" + or + "no model was named, using %[1]s of %[2]s (name one with --model)"
	LocalSmaller Key = "%[1]s 的窗口是 %[2]d 个 token，不是设置的 %[3]d" + or + "the window of %[1]s has %[2]d {token|tokens}, not %[3]d as configured"

	LocalLoading  Key = "%[1]s 正在加载 %[2]s，请稍候" + or + "%[1]s loads %[2]s, please wait"
	LocalStill    Key = "%[1]s 还在加载 %[2]s（%[3]s）" + or + "%[1]s still loads %[2]s (%[3]s)"
	LocalSlow     Key = "%[1]s 在 %[3]s 内没有加载好 %[2]s" + or + "%[1]s has not loaded %[2]s within %[3]s"
	LocalTheModel Key = "模型" + or + "its model"

	LocalAbsent Key = "%[1]s 上没有服务器（%[2]v）。启动它：%[3]s；或用 --base-url 指定别的地址；react-agent doctor 列出本机正在运行的服务器" + or +
		"no server answers at %[1]s (%[2]v). Start it: %[3]s. Another address: --base-url. react-agent doctor lists the servers that run here"
	LocalAbsentPlain Key = "%[1]s 上没有服务器（%[2]v）。用 --base-url 指定别的地址；react-agent doctor 列出本机正在运行的服务器" + or +
		"no server answers at %[1]s (%[2]v). Another address: --base-url. react-agent doctor lists the servers that run here"
	LocalRefused Key = "%[1]s 要求密钥（%[2]v）：设置 api_key，或 REACT_AGENT_API_KEY" + or +
		"the server at %[1]s wants a key (%[2]v): set api_key, or REACT_AGENT_API_KEY"
	LocalNoModel Key = "%[1]s（%[2]s）没有可用的模型" + or + "%[1]s at %[2]s has no model that answers"
	LocalUnknown Key = "%[1]s（%[2]s）没有模型 %[3]q；它有：%[4]s" + or + "%[1]s at %[2]s has no model %[3]q; it has %[4]s"
	LocalEmbeds  Key = "%[1]s（%[2]s）的模型 %[3]q 只做嵌入，不能对话；能对话的有：%[4]s" + or +
		"the model %[3]q of %[1]s at %[2]s makes embeddings only and answers nothing; it has for that: %[4]s"
	LocalServer Key = "服务器" + or + "the server"
	LocalNear   Key = "最接近的：%s" + or + "Perhaps %s is meant"
	LocalBring  Key = "添加模型：%s" + or + "To bring it one: %s"
	LocalWords  Key = "服务器的回答：%s" + or + "It answered: %s"
	LocalThen   Key = "%[1]s。%[2]s" + or + "%[1]s. %[2]s"

	LocalTags Key = "%[1]s 不支持工具调用（%[2]s）：改用文本标签" + or + "%[1]s knows no tools (%[2]s): it calls them by tags in its text"
	LocalSays Key = "服务器这样声明" + or + "says the server"
)

// What doctor says of local servers and their models.
const (
	LocalNone Key = "没有在常用端口（%s）上找到" + or + "none found on the usual ports (%s)"

	LocalDoctorLoading Key = "正在加载模型" + or + "loads its model"
	LocalDoctorEmpty   Key = "没有模型" + or + "no model"
	LocalDoctorLoaded  Key = "已加载" + or + "loaded"
	LocalDoctorWindow  Key = "窗口 %d" + or + "window %d"
	LocalDoctorTrained Key = "窗口最大 %d" + or + "window at most %d"
	LocalDoctorTools   Key = "工具" + or + "tools"
	LocalDoctorNoTools Key = "无工具" + or + "no tools"
	LocalDoctorVision  Key = "图片" + or + "pictures"
	LocalDoctorThinks  Key = "思考" + or + "thoughts"
	LocalDoctorEmbeds  Key = "只做嵌入" + or + "embeddings only"
)
