package msg

// Questions of the policy, and the reasons in them.
const (
	PolicyCommand Key = "要运行这条命令吗？\n%s" + or + "Run this command?\n%s"
	PolicyWrite   Key = "允许 %s 修改 %s 吗？" + or + "Let %s change %s?"
	PolicyOutside Key = "允许 %s 修改 %s 吗？它实际是 %s，在工作目录之外" + or + "Let %s change %s? It is %s, outside the work directory"
	PolicyTool    Key = "允许调用 %s 吗？\n%s" + or + "Allow a call of %s?\n%s"
	PolicyRead    Key = "允许 %s 读取 %s 吗？" + or + "Let %s read %s?"

	PolicyNoRule      Key = "没有规则允许 %s" + or + "no rule allows %s"
	PolicyNoRuleWhy   Key = "没有规则允许 %s：%s" + or + "no rule allows %s: %s"
	PolicyAsks        Key = "规则 %[2]s 要求先询问：%[1]s" + or + "%[1]s: to be asked by the rule %[2]s"
	PolicyMayBe       Key = "运行前无法确定 %s 是否属于规则 %s 禁止的命令" + or + "%s: whether it is one that the rule %s refuses is only known when it runs"
	PolicyUnsandboxed Key = "它要求在沙箱之外运行" + or + "it wants to run outside the sandbox"
	PolicyWritesTo    Key = "%s（写入 %s，在工作目录之外）" + or + "%s (writes %s, outside the work directory)"
	PolicyMore        Key = "还有 %d 处" + or + "and %d more"

	PolicyWhyParse      Key = "无法按 shell 语法读懂（%s）" + or + "it cannot be read as shell (%s)"
	PolicyWhyShell      Key = "这里不懂 %s 的语法" + or + "the language of %s is not understood here"
	PolicyWhyRune       Key = "其中有字符 %s，不同程序对它的理解不同" + or + "it holds the character %s, which programs read differently"
	PolicyWhyLong       Key = "太长或嵌套太深，无法检查" + or + "it is too long or too deeply nested to be looked through"
	PolicyWhyNothing    Key = "其中没有可以识别的命令" + or + "there is no command in it that can be told"
	PolicyWhyComputed   Key = "运行的是什么，只有运行时才知道" + or + "what it runs is only known when it runs"
	PolicyWhyArithmetic Key = "算式中的变量或下标可能藏有命令" + or + "variables and indexes in arithmetic can hide commands"
	PolicyWhySets       Key = "它设置了 %s，会改变命令的行为" + or + "it sets %s, which can change what commands do"
	PolicyWhyOption     Key = "%s 能运行别的命令或改写文件，规则必须写明它" + or + "%s can make it run other commands or change files, so a rule must spell it"
	PolicyWhyUnknown    Key = "%s 的一个参数运行时才知道，可能是能运行别的命令的选项" + or + "an argument of %s is only known when it runs, and could be an option that runs other commands"
	PolicyWhyOptions    Key = "%s 的选项看不懂" + or + "the options of %s are not understood"
	PolicyWhyRuns       Key = "%s 会运行别的命令" + or + "%s runs another command"
	PolicyWhyCode       Key = "%s 运行的程序无法检查" + or + "what %s runs cannot be looked through"
	PolicyWhyVariables  Key = "%s 的参数可能改变后面的命令，或藏有命令" + or + "the arguments of %s can change later commands, or hide some"
	PolicyWhyGit        Key = "git 的 %s 可能是别名，别名可以是任何命令" + or + "git %s may be an alias, which can be any command"
	PolicyWhyNetwork    Key = "它会打开网络连接" + or + "it opens a connection to the network"
)
