package msg

// What a person sees of messages that are meant for the model.
const (
	HeardRouted     Key = "+ %s（与你说的相符）" + or + "+ %s (it fits what you said)"
	HeardAnswer     Key = "+ /%s · 子智能体完成：%s" + or + "+ /%s · a sub-agent has done it: %s"
	HeardFault      Key = "+ /%s · 子智能体失败：%s" + or + "+ /%s · a sub-agent has failed: %s"
	HeardNot        Key = "+ /%s · 无法使用：%s" + or + "+ /%s · cannot be used: %s"
	HeardBackground Key = "+ 后台有结果：%s" + or + "+ from the background: %s"
	HeardInstr      Key = "+ 说明文件：%s" + or + "+ instructions for %s"
	HeardGuard      Key = "+ 已提醒模型：它在原地打转" + or + "+ the model was told that it goes round in circles"
	HeardMemory     Key = "+ 记忆 %s：%s" + or + "+ memory %s: %s"
	SkillDoneWith   Key = "子智能体已完成：%s" + or + "Done: %s"
	HeardHook       Key = "+ 钩子：%s" + or + "+ hook: %s"
)
