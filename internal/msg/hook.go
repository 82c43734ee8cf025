package msg

// What a person reads about their own commands at hook points.
const (
	HookFailed     Key = "钩子 %s 失败（%s），操作继续：%s" + or + "hook %s failed (%s), the action goes on: %s"
	HookTimeout    Key = "钩子 %s 超过 %s 未结束，已被终止，操作继续" + or + "hook %s did not end within %s and was stopped; the action goes on"
	HookNotStarted Key = "钩子 %s 无法启动，操作继续：%s" + or + "hook %s could not be started, the action goes on: %s"
	HookOutput     Key = "钩子 %s 的输出无法使用，操作继续：%s" + or + "the output of hook %s cannot be used, the action goes on: %s"
	HookPrompt     Key = "钩子 %s 拦下了你的消息：%s" + or + "the hook %s held back your message: %s"
	HookStopped    Key = "钩子 %s 要求停止：%s" + or + "the hook %s asks to stop: %s"
	HookAgain      Key = "Stop 钩子已连续 %d 次要求继续，本次不再理会：%s" + or + "Stop hooks have asked to go on %d {time|times} in a row; this time they are not heeded: %s"
)

// What is wrong with the output of such a command.
const (
	HookTooLong    Key = "内容太长" + or + "it is too long"
	HookNoJSON     Key = "开头像 JSON 对象，但不是：%s" + or + "it begins like a JSON object, but is none: %s"
	HookOtherEvent Key = "hookEventName 是 %q，而这次的事件是 %s" + or + "hookEventName is %q, and the event was %s"
	HookNoObject   Key = "updatedInput 必须是一个对象" + or + "updatedInput must be an object"
	HookInputLate  Key = "PermissionRequest 不能更改参数（updatedInput）：询问时用的是另一组参数" + or + "updatedInput of PermissionRequest is not known here: the question was about other arguments"
	HookDecision   Key = "decision 是 %q，只能是 block" + or + "decision is %q; it may be block"
	HookPermission Key = "permissionDecision 是 %q，只能是 allow、deny、ask 或 defer" + or + "permissionDecision is %q; it may be allow, deny, ask or defer"
)

// What is wrong with their configuration. The first argument is the path of the value.
const (
	HookWantEvents   Key = "%s：应当是从事件（例如 PreToolUse）到列表的映射，而不是%s" + or + "%s: must be a map of events such as PreToolUse, not %s"
	HookNoEvent      Key = "%s：没有这个事件；可用的事件：%s" + or + "%s: there is no such event here; there are %s"
	HookWantGroups   Key = "%s：应当是 {matcher, hooks} 组成的列表，而不是%s" + or + "%s: must be a list of groups {matcher, hooks}, not %s"
	HookWantGroup    Key = "%s：应当是映射 {matcher, hooks}，而不是%s" + or + "%s: must be a map {matcher, hooks}, not %s"
	HookWantCommands Key = "%s：应当是 {type: command, command: …} 组成的列表，而不是%s" + or + "%s: must be a list of {type: command, command: …}, not %s"
	HookWantCommand  Key = "%s：应当是映射 {type: command, command: …}，而不是%s" + or + "%s: must be a map {type: command, command: …}, not %s"
	HookWantText     Key = "%s：应当是一段文本，而不是%s" + or + "%s: must be a text, not %s"
	HookMatcher      Key = "%s：%q 不是正则表达式：%s" + or + "%s: %q is no regular expression: %s"
	HookType         Key = "%s：这里只能运行 command，不能运行 %s" + or + "%s: only command can be run here, not %s"
	HookCondition    Key = "%s：这里不支持；忽略它会运行另一条命令或运行得更多，请改写这个钩子" + or + "%s: is not known here; without it another command would run, or it would run more often: write the hook without it"
	HookAsync        Key = "%s：这里不支持，命令总会等到结束；请去掉它" + or + "%s: is not known here, commands are always waited for: take it out"
	HookEmpty        Key = "%s：命令是空的" + or + "%s: the command is empty"
	HookSeconds      Key = "%s：应当是大于 0 的秒数，而不是 %s" + or + "%s: must be a number of seconds above 0, not %s"
	HookUnknown      Key = "%s：不认识的键；可用的键：%s" + or + "%s: unknown key; known are %s"

	HookIsNothing Key = "空值" + or + "nothing"
	HookIsText    Key = "文本" + or + "a text"
	HookIsBool    Key = "真假值" + or + "true or false"
	HookIsList    Key = "列表" + or + "a list"
	HookIsMap     Key = "映射" + or + "a map"
	HookIsNumber  Key = "数字" + or + "a number"
)
