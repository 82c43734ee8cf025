package msg

// What a person reads about their own commands at hook points.
const (
	HookFailed     Key = "钩子 %s 失败（%s），操作继续：%s" + or + "hook %s failed (%s), the action goes on: %s"
	HookTimeout    Key = "钩子 %s 超过 %s 未结束，已被终止，操作继续" + or + "hook %s did not end within %s and was stopped; the action goes on"
	HookNotStarted Key = "钩子 %s 无法启动，操作继续：%s" + or + "hook %s could not be started, the action goes on: %s"
	HookOutput     Key = "钩子 %s 的输出无法使用，操作继续：%s" + or + "the output of hook %s cannot be used, the action goes on: %s"
	HookPrompt     Key = "钩子拦下了你的消息：%s" + or + "a hook held back your message: %s"
	HookStopped    Key = "钩子要求停止：%s" + or + "a hook asks to stop: %s"
	HookAgain      Key = "Stop 钩子已连续 %d 次要求继续，本次不再理会：%s" + or + "Stop hooks have asked to go on %d times in a row; this time they are not heeded: %s"
)
