package msg

// Words of help and usage.
const (
	HelpUsage          Key = "用法：" + or + "Usage:"
	HelpExamples       Key = "示例：" + or + "Examples:"
	HelpCommands       Key = "命令：" + or + "Available Commands:"
	HelpFlags          Key = "选项：" + or + "Flags:"
	HelpGlobalFlags    Key = "全局选项：" + or + "Global Flags:"
	HelpMore           Key = "用 \"%s\" 查看某个命令的说明。" + or + "Use \"%s\" for more information about a command."
	HelpAny            Key = "显示任一命令的说明" + or + "help about any command"
	HelpCompletion     Key = "生成命令补全脚本" + or + "write the script that completes command lines in a shell"
	HelpCompletionFor  Key = "生成 %s 的补全脚本" + or + "write the script for %s"
	FlagNoDescriptions Key = "补全时不带说明" + or + "complete without descriptions"
	FlagHelp           Key = "显示说明" + or + "show this help"
)

// Mistakes on the command line.
const (
	UsageNoCommand     Key = "没有命令 %q（%s --help 列出全部）" + or + "unknown command %q (%s --help lists them)"
	UsageNoCommandNear Key = "没有命令 %q（%s --help 列出全部），是不是 %q？" + or + "unknown command %q (%s --help lists them), did you mean %q?"
	UsageNoFlag        Key = "不认识的选项：%s（--help 列出全部）" + or + "unknown flag: %s (--help lists them)"
	UsageFlagValue     Key = "选项 %s 后面缺少值" + or + "flag needs an argument: %s"
	UsageFlagWrong     Key = "选项 %s 的值 %q 不对，应该是 %s" + or + "invalid argument for flag %s: %q is no %s"
)
