package msg

// Texts of the command line: how a run ended, and what goes on meanwhile.
const (
	RunFailed    Key = "失败：%s" + or + "failed: %s"
	RunLoop      Key = "停止：智能体在原地打转。%s" + or + "stopped: the agent was going round in circles. %s"
	RunSteps     Key = "停止：%s" + or + "stopped: %s"
	RunStepLimit Key = "达到 %d 步的上限" + or + "the step limit of %d is reached"
	RunBudget    Key = "停止：预算用完。%s" + or + "stopped: the budget is used up. %s"
	RunDenied    Key = "有操作需要批准，但没有人可以批准（可用 --mode auto、--mode yolo，或在终端里运行）" + or + "something needed approval and nobody could give it (use --mode auto or --mode yolo, or run at a terminal)"
	RunOverflow  Key = "停止：上下文放不下了。%s" + or + "stopped: the context cannot be made to fit. %s"
	RunTimeout   Key = "停止：时间到" + or + "stopped: the time was up"
	RunCancelled Key = "已取消" + or + "cancelled"
	RunLength    Key = "回答在输出上限处被截断" + or + "the answer was cut at the output limit"
	RunRefused   Key = "模型拒绝回答" + or + "the model refused to answer"
	RunEmpty     Key = "模型没有给出任何回答" + or + "the model gave no answer"

	Retrying  Key = "重试：%s" + or + "again: %s"
	Withdrawn Key = "（以上内容作废，重新回答）" + or + "(the text above does not count, the answer begins again)"

	AskYesNo     Key = "  y 允许 · n 不允许 · 或直接写下该怎么做" + or + "  y yes · n no · or say what to do instead"
	AskMoreLines Key = "… 还有 %d 行" + or + "… %d more {line|lines}"
	AskAlways    Key = "  y 允许 · n 不允许 · a 总是允许 %s · 或直接写下该怎么做" + or + "  y yes · n no · a always allow %s · or say what to do instead"
	AskChoices   Key = "  输入编号，或直接写下回答" + or + "  type a number, or your own answer"

	GoingOn         Key = "继续会话 %s 中未完成的运行" + or + "going on with the open run of session %s"
	NoteStdinSilent Key = "标准输入 1 秒内没有内容：不再等待（要等待请加 -）" + or + "nothing came on standard input within a second: going on without it (give - to wait for it)"
	DemoNote        Key = "演示模式：这是一张固定的规则表，不是模型。要接入真正的模型：设置 OPENAI_API_KEY（以及 OPENAI_BASE_URL、MODEL_ID），然后运行 react-agent run" + or +
		"demo: this is a fixed table of rules, not a model. To connect a real one, set OPENAI_API_KEY (and OPENAI_BASE_URL, MODEL_ID), then use `react-agent run`"
	DemoPrompt Key = "现在几点了？" + or + "What time is it?"
	DemoAsks   Key = "没有给出问题，就问这一个：%s" + or + "no question was given, so it answers this one: %s"
	DemoTalk   Key = "要和规则表连续对话：react-agent --api offline" + or + "to converse with the table of rules: react-agent --api offline"
	DemoTry    Key = "  react-agent demo \"现在几点了？\"\n  react-agent demo \"列出当前目录所有 .go 文件\"" + or +
		"  react-agent demo \"What time is it?\"\n  react-agent demo \"list the .go files\""
	RunTry Key = "  react-agent run \"这里有多少个 Go 文件？\"\n  git diff | react-agent run \"审查这些改动\" --output json" + or +
		"  react-agent run \"how many Go files are here?\"\n  git diff | react-agent run \"review this\" --output json"
)

// Texts of the line conversation.
const (
	ReplHello  Key = "react-agent · 模型 %s · profile %s%s · /help 查看命令，Ctrl-C 取消，exit 离开" + or + "react-agent · model %s · profile %s%s · /help lists commands, Ctrl-C cancels, exit leaves"
	ReplMode   Key = " · 模式 %s" + or + " · mode %s"
	ReplListed Key = "（含危险词的命令会被拒绝）" + or + " (commands with dangerous words are refused)"
	ReplCut    Key = "没有发送：终端会截断 4095 字节以上的行，后面的内容已经丢失。请把文本存成文件，用 @文件 提到它，或用管道传入" + or +
		"nothing was sent: a terminal cuts lines of more than 4095 bytes, and the rest is lost. Put the text into a file and name it as @FILE, or pipe it in"
	ReplBusy       Key = "正在运行：先按 Ctrl-C 取消" + or + "a run is going on: cancel it with Ctrl-C first"
	ReplFresh      Key = "新会话（旧会话仍在 /sessions 里）" + or + "a new session (the old one stays in /sessions)"
	ReplAgain      Key = "再按一次 Ctrl-C 离开" + or + "Ctrl-C again leaves"
	ReplCancelling Key = "正在取消……（再按一次 Ctrl-C 离开）" + or + "cancelling... (Ctrl-C again leaves)"

	SlashUnknown       Key = "没有 %s 这个命令，/help 列出全部命令" + or + "there is no command %s; /help lists them"
	SlashArgs          Key = "用法：%s" + or + "use it as: %s"
	RequestPlaceholder Key = "（你的下一条消息）" + or + "(your next message)"
	HelpKeys           Key = "  行尾加 \\ 继续输入下一行；两行 \"\"\" 之间是一条消息；运行中输入的内容会立刻转达；exit、quit、q 离开" + or +
		"  a backslash at the end of a line continues it; what stands between two lines of \"\"\" is one message; what you type while it works steers it; exit, quit and q leave"
)

// Texts of the help.
const (
	HelpProgram     Key = "会推理、会用真实工具的智能体" + or + "an agent that reasons and uses real tools"
	HelpProgramLong Key = "react-agent 和大模型对话，并替它运行真实的工具。\n不带子命令时在终端里开始对话；标准输入是管道时等于 react-agent run -。\n没有密钥也可以先试：react-agent demo" + or +
		"react-agent talks to a large language model and runs real tools for it.\nWithout a subcommand it opens a conversation at the terminal; with standard input piped it is `react-agent run -`.\nTo try it without a key: react-agent demo"
	HelpRun     Key = "运行一轮，然后退出" + or + "run one turn, then exit"
	HelpRunLong Key = "运行一轮，然后退出。提示词来自参数和标准输入（两者合并）。\n答案写到标准输出，其余写到标准错误。\n退出码：0 已回答，1 内部错误，2 用法或配置，3 模型或厂商，4 死循环，5 步数上限，6 预算，7 未获批准，8 上下文过长，9 超时，130 中断，143 终止" + or +
		"Run one turn, then exit. The prompt is what stands in the arguments and on standard input, joined.\nThe answer goes to standard output, everything else to standard error.\nExit codes: 0 answered, 1 internal fault, 2 usage or configuration, 3 model or provider, 4 loop, 5 step limit, 6 budget, 7 denied, 8 context does not fit, 9 timeout, 130 interrupted, 143 terminated"
	HelpDemo     Key = "不用密钥，用内置的规则表试一试" + or + "try it with the built-in table of rules, no key needed"
	HelpDemoLong Key = "用内置的离线规则表运行一轮：不需要密钥、网络和配置，也不提问。它会真正调用工具，但不是模型。" + or +
		"Run one turn with the built-in offline table of rules: no key, no network, no configuration, no question. It really calls tools, but it is no model."
	HelpSession  Key = "列出、查看、导出、分叉、回退、删除会话" + or + "list, show, export, fork, rewind and remove sessions"
	HelpHelp     Key = "列出命令" + or + "list the commands"
	HelpClear    Key = "开始新会话" + or + "begin a new session"
	HelpExit     Key = "离开" + or + "leave"
	HelpModel    Key = "列出模型，或更换本会话的模型" + or + "list models, or change this session's"
	HelpTools    Key = "列出模型看到的工具及其字节数" + or + "list the tools the model sees, with their bytes"
	HelpRequest  Key = "原样显示下一个请求" + or + "show the next request exactly as it would be sent"
	HelpSessions Key = "列出会话" + or + "list the sessions"
	HelpList     Key = "列出会话，最新的在前" + or + "list sessions, newest first"
	HelpShow     Key = "显示一个会话" + or + "show a session"
	HelpExport   Key = "把会话导出为 Markdown、HTML 或 JSONL" + or + "export a session as Markdown, HTML or JSONL"
	HelpRm       Key = "删除会话" + or + "remove sessions"
	HelpFork     Key = "从一个会话分出新会话" + or + "make a new session from the events of another"
	HelpReplay   Key = "重放已存的会话，不调用模型和工具" + or + "play a stored session again, without model or tools"
	HelpDoctor   Key = "检查配置、密钥、目录和外部程序" + or + "check configuration, keys, directories and programs"
	HelpVersion  Key = "显示版本" + or + "print the version"
)

// Texts of the flags.
const (
	FlagProfile  Key = "智能体的 profile：%s" + or + "face of the agent, one of %s"
	FlagProvider Key = "厂商名" + or + "vendor, by name"
	FlagAPI      Key = "协议：chat、responses、anthropic、gemini、command 或 offline" + or + "wire to speak: chat, responses, anthropic, gemini, command or offline"
	FlagBaseURL  Key = "接口地址" + or + "address of the server"
	FlagModel    Key = "模型：名称，或 厂商/名称" + or + "model, as NAME or VENDOR/NAME"
	FlagConfig   Key = "配置文件" + or + "configuration file"
	FlagStateDir Key = "存放会话的目录" + or + "directory for sessions"
	FlagCwd      Key = "工作目录" + or + "work directory"
	FlagMode     Key = "权限模式：ask、auto、readonly、plan 或 yolo" + or + "what may be done unasked: ask, auto, readonly, plan or yolo"
	FlagYolo     Key = "等于 --mode yolo" + or + "the same as --mode yolo"
	FlagMaxSteps Key = "一轮最多调用模型的次数" + or + "most model calls in a run"
	FlagTimeout  Key = "一轮的时间上限，如 90s、5m" + or + "time limit of a run, such as 90s or 5m"
	FlagTrust    Key = "信任工作目录里的配置" + or + "trust the configuration of the work directory"
	FlagOutput   Key = "输出形式：text、json 或 jsonl" + or + "form of the output: text, json or jsonl"
	FlagInput    Key = "jsonl：标准输入每行一条输入" + or + "jsonl: one input a line on standard input"
	FlagRecord   Key = "把与模型的往来记录到文件" + or + "record the exchange with the model in a file"
	FlagPlain    Key = "按行对话，也可从管道读取" + or + "converse by lines, also from a pipe"
	FlagDebug    Key = "把细节写进 logs/agent.log" + or + "write details to logs/agent.log"
	FlagQuiet    Key = "不显示工具的活动" + or + "do not show what tools do"
	FlagLang     Key = "语言：zh 或 en" + or + "language: zh or en"
	FlagContinue Key = "继续最近的会话；没有提示词时接着做完未完成的运行" + or + "go on with the latest session; without a prompt, with its open run"
	FlagResume   Key = "继续这个会话；没有提示词时接着做完未完成的运行" + or + "go on with this session; without a prompt, with its open run"
	FlagSession  Key = "使用这个会话编号，没有就新建" + or + "use this session id, new or not"
	FlagAll      Key = "也列出子会话" + or + "list children too"
	FlagAt       Key = "只取到这个事件编号" + or + "take events up to this number"
	FlagFormat   Key = "格式：md、html 或 jsonl" + or + "format: md, html or jsonl"
	FlagCheck    Key = "检查会话是否完好" + or + "check that the session is sound"
)

// Texts about mistakes on the command line.
const (
	UsageNoPrompt     Key = "没有提示词：写在参数里，或从标准输入传入" + or + "no prompt: give it as an argument or on standard input"
	UsageNothingOpen  Key = "会话 %s 没有未完成的运行：请说明接下来做什么" + or + "session %s has no open run to go on with: say what is to be done next"
	UsageHugePrompt   Key = "提示词超过 %d MiB：请把内容放进文件，让智能体去读" + or + "the prompt is larger than %d MiB: put it into a file and let the agent read it"
	UsageStdin        Key = "读不了标准输入" + or + "standard input cannot be read"
	UsageInputAndDash Key = "--input jsonl 已经占用标准输入，不能再用 -" + or + "standard input is taken by --input jsonl, so - cannot be used"
	UsageInputJSON    Key = "不是完整的 JSON" + or + "this is no whole JSON"
	UsageInputSyntax  Key = "不是一个 JSON 对象（从第 %d 个字节起）" + or + "this is not one JSON object (from byte %d on)"
	UsageInputField   Key = "未知字段 %s" + or + "unknown field %s"
	UsageInputType    Key = "%[2]s 的值类型不对（%[1]s）" + or + "a value of the wrong type for %[2]s (%[1]s)"
	UsageInputEmpty   Key = "没有 message、answer、cancel 或 command" + or + "there is no message, answer, cancel or command"
	UsageOutput       Key = "--output 只能是 text、json 或 jsonl，不能是 %q" + or + "--output is text, json or jsonl, not %q"
	UsageInput        Key = "--input 只能是 jsonl，不能是 %q" + or + "--input is jsonl, not %q"
	UsageOneSession   Key = "--continue、--resume、--session 只能用一个" + or + "use one of --continue, --resume and --session"
	UsageNoSessions   Key = "%s 里还没有会话" + or + "there is no session in %s yet"
	UsageSubcommand   Key = "%s 需要子命令，用 --help 查看" + or + "%s needs a subcommand, see --help"
	NoSuchSession     Key = "没有会话 %q，react-agent session list 列出全部" + or + "there is no session %q; `react-agent session list` lists them"
	BadNumber         Key = "%s 需要一个数字，不能是 %q" + or + "%s wants a number, not %q"
	BadFormat         Key = "格式只能是 md、html 或 jsonl，不能是 %q" + or + "the format is md, html or jsonl, not %q"
)

// Texts of the other commands.
const (
	NoSessions     Key = "没有会话" + or + "no sessions"
	SessionRemoved Key = "已删除会话 %s" + or + "removed session %s"
	SessionHeld    Key = "进程 %[2]d 正在处理会话 %[1]s：先结束它，再删除会话" + or + "session %[1]s is held by process %[2]d: end it first, then remove the session"
	ToolsTotal     Key = "profile %s：%d 个工具，提示词 %d 字节，合计 %d 字节，约 %d 个 token" + or + "profile %s: tools: %d, bytes of the prompt: %d, bytes in all: %d, tokens: about %d"
	CheckPassed    Key = "会话 %s 完好：%d 个事件，%d 个调用，%d 轮" + or + "session %s is sound; events: %d, calls: %d, runs: %d"
	DoctorAbsent   Key = "没有找到" + or + "not found"
	DoctorTotal    Key = "问题（!）：%d，提示（~）：%d" + or + "problems (!): %d, remarks (~): %d"
)

// Texts about what the product met when it was put together, and what the engine says.
const (
	ModelChosen   Key = "没有指定模型，使用 %[2]s 的 %[1]s（可用 --model 指定）" + or + "no model was named, using %[1]s of %[2]s (name one with --model)"
	TrustQuestion Key = "信任这些内容吗？y 信任并记住，n 结束程序：" + or + "Trust this content? y trusts and remembers it, n ends the program: "
	BodyLost      Key = "会话的一部分内容已从存储中丢失，会话将在缺少它们的情况下继续" + or + "parts of this session are missing from the store, and it goes on without them"
	TailRepaired  Key = "会话记录的末尾不完整，已修复：最后一条未写完的记录被丢弃" + or + "the end of the session's log was torn; it was repaired, and the last unfinished record is lost"
	DiskFull      Key = "磁盘已满：本轮停止，之前的内容都已保存" + or + "disk full: the run was stopped, everything before it is stored"
	StoreFailed   Key = "无法保存会话：本轮停止" + or + "the session cannot be stored: the run was stopped"
	LeaseLost     Key = "另一个进程接管了这个会话" + or + "another process has taken this session over"
)

// More texts of doctor and of /model.
const (
	ModelFixed    Key = "离线规则表没有别的模型可换" + or + "the offline table has no other model"
	DoctorOffAuto Key = "off；以 --mode auto 启动时为 auto" + or + "off; auto when started in mode auto"
	DoctorNoLog   Key = "不写日志（--debug 打开）" + or + "none (--debug writes one)"
	DoctorNotYet  Key = "第一次使用时创建" + or + "made at the first use"
	DoctorNoDir   Key = "这里应当是目录：用 --state-dir 另选" + or + "this must be a directory: choose another with --state-dir"
)

// RetryNote says what went wrong with a model call, how long is waited, and which attempt follows.
const RetryNote Key = "%[1]s；等待 %[2]s，然后第 %[3]d 次尝试" + or + "%[1]s; waiting %[2]s, then attempt %[3]d"
