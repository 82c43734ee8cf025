package msg

// Models that are programs.
const (
	ConfigProgramBase Key = "程序没有地址" + or + "a program has no address"

	ProgramAbsent Key = "找不到 %s 的程序" + or + "the program of %s is not there"
	ProgramStarts Key = "可以启动" + or + "it starts"
	ProgramCheck  Key = "先单独测试这个程序：%s" + or + "try the program alone first: %s"

	ProgramNone Key = "%[1]s 不是可以运行的程序；已知的程序有 %[2]s；要用自己的程序，请在 config.yaml 里写 presets: {名称: {api: command, command: [程序, \"{prompt}\"]}}" + or +
		"%[1]s is no program that can be run; programs are %[2]s; for one of your own write presets: {NAME: {api: command, command: [PROGRAM, \"{prompt}\"]}} in config.yaml"
	ProgramInstall Key = "程序 %[1]q 不存在或无法运行；请用 %[2]s 安装，或用 AGENT_CLI=程序 或 --provider 名称 换一个" + or +
		"the program %[1]q is not there or cannot be run; install it with %[2]s, or choose another with AGENT_CLI=PROGRAM or --provider NAME"
	ProgramPath Key = "程序 %q 不存在或无法运行；请把它放进 PATH，或用 AGENT_CLI=程序 或 --provider 名称 换一个" + or +
		"the program %q is not there or cannot be run; put it on the PATH, or choose another with AGENT_CLI=PROGRAM or --provider NAME"
	ProgramBlanks Key = "程序 %[1]q 不存在或无法运行；程序和参数要写成列表：command: [%[2]s]（AGENT_CLI 只写程序本身）" + or +
		"the program %[1]q is not there or cannot be run; a program and its arguments are written as a list: command: [%[2]s] (AGENT_CLI takes the program alone)"
	ProgramInterpreter Key = "程序 %[1]s 无法启动：它第一行指定的解释器 %[2]q 不存在；请安装解释器，或修改这一行" + or +
		"the program %[1]s cannot be started: the interpreter in its first line, %[2]q, is not there; install it, or change that line"

	// ProgramMissing is said when a conversation begins.
	ProgramMissing Key = "! 模型还不能用：%s" + or + "! the model cannot be asked yet: %s"

	ProgramTooMuch Key = "程序打印的内容超过 10 MiB" + or + "the program printed more than 10 MiB"
	ProgramTimeout Key = "程序在 %s 内没有回答，已被结束" + or + "the program did not answer within %s and was ended"
	ProgramCut     Key = "程序的输出在中途断了" + or + "the program's output ends in the middle"
	ProgramOdd     Key = "程序打印的内容里没有回答：%s" + or + "there is no answer in what the program printed: %s"
	ProgramNothing Key = "程序什么也没有回答" + or + "the program answered nothing"
	ProgramSilent  Key = "程序什么也没有说" + or + "the program said nothing"
	ProgramStderr  Key = "%[1]v；标准错误：%[2]v" + or + "%[1]v; stderr: %[2]v"
	ProgramLogin   Key = "%[1]v（设置 %[2]s 或登录；先单独测试这个程序%[3]s）" + or + "%[1]v (set %[2]s or log in; try the program alone%[3]s)"
	ProgramAlone   Key = "%[1]v（先单独测试这个程序%[2]s）" + or + "%[1]v (try the program alone%[2]s)"
)
