package msg

// Texts about what an agent learns from how it has worked.
const (
	ReflectTooLong    Key = "模型提议的段落有 %d 字节，上限为 %d：没有保存" + or + "the section that the model proposes has %d {byte|bytes}, at most %d are allowed: nothing was kept"
	ReflectCalled     Key = "模型没有回答，而是调用了工具 %q：没有保存" + or + "instead of an answer the model called the tool %q: nothing was kept"
	ReflectNothing    Key = "模型没有回答：没有保存" + or + "the model answered nothing: nothing was kept"
	ReflectNoForm     Key = "模型的回答不是所要求的 JSON：没有保存（%s）" + or + "the model's answer is not the JSON that was asked for: nothing was kept (%s)"
	ReflectUnreadable Key = "文档 %s 无法读取：可能已损坏或来自更新的版本。删除它将丢失全部提议" + or + "the document %s cannot be read: it is damaged or of a newer version. To remove it forgets all proposals"
	ReflectFull       Key = "已有 %d 个提议，且全部已应用：用 /reflect undo 和 /reflect drop 腾出位置" + or + "there {is|are} already %d, and all of them are applied: make room with /reflect undo and /reflect drop"
	ReflectNoSuch     Key = "没有提议 %d（/reflect list 列出全部）" + or + "there is no proposal %d (/reflect list has them)"
	ReflectOtherFace  Key = "提议 %d 是为 profile %s 做的，这里是 %s" + or + "proposal %d was made for the profile %s, this is %s"
	ReflectHolds      Key = "提议 %d 已经生效" + or + "proposal %d is in force already"
	ReflectDoubt      Key = "提议 %d 似乎会放松约束：“%s”。确实要应用：/reflect apply %d yes" + or + "proposal %d may loosen what holds the agent: “%s”. If you want that: /reflect apply %d yes"
	ReflectStale      Key = "提议 %d 之后提示词已经改变。仍要应用：/reflect apply %d yes" + or + "the prompt has changed since proposal %d was made. To apply it all the same: /reflect apply %d yes"
	ReflectNoUndo     Key = "profile %s 没有已应用的提议" + or + "nothing is applied to the profile %s"
	ReflectApplied    Key = "提议 %d 已应用，先用 /reflect undo 撤销" + or + "proposal %d is applied: undo it first (/reflect undo)"
)

// Texts of the command.
const (
	HelpReflect Key = "统计哪些调用被浪费，请模型提议改进系统提示；只有你应用后才生效" + or +
		"count what calls were wasted, and have the model propose a better system prompt; it holds only when you apply it"
	FlagLast         Key = "统计项目最近的 N 个会话" + or + "look at the last N conversations of the project"
	ReflectNotRead   Key = "已批准的提示词段落没有使用：%v" + or + "the approved section of the prompt is not used: %v"
	ReflectFact      Key = "提议 %d 的段落（%d 字节）附在系统提示之后，/reflect undo 撤销" + or + "the section of proposal %d (%d {byte|bytes}) stands behind the prompt; /reflect undo takes it out"
	ReflectOldPrompt Key = "这个 profile 的提示词此后已改变：看看它是否仍然合适" + or + "the profile's prompt has changed since: see whether it still fits"

	ReflectNoCalls Key = "还没有可以统计的内容" + or + "there is nothing to look at yet"
	ReflectLine    Key = "%d 个会话，%d 次运行（%d 次有回答），每个回答 %.1f 步" + or + "conversations: %d, runs: %d (answered: %d), steps per answer: %.1f"
	ReflectMore    Key = "被拒绝的询问 %d · 失败的模型请求 %d · 压缩 %d（清除结果 %d）· 回退 %d" + or +
		"questions refused: %d · failed attempts of model calls: %d · compactions: %d (results cleared: %d) · rewinds: %d"
	ReflectHeadTool   Key = "工具" + or + "tool"
	ReflectHeadCalls  Key = "调用" + or + "calls"
	ReflectHeadFailed Key = "失败" + or + "failed"
	ReflectHeadNotRun Key = "未运行" + or + "not run"
	ReflectHeadAgain  Key = "重复" + or + "repeated"
	ReflectHeadBytes  Key = "结果字节" + or + "result bytes"

	ReflectWasted  Key = "模型认为浪费的：" + or + "wasted, says the model:"
	ReflectNone    Key = "模型没有提议改变：%s" + or + "the model proposes no change: %s"
	ReflectKept    Key = "提议 %d（尚未生效）：" + or + "proposal %d (it does not hold yet):"
	ReflectHowSure Key = "看过之后：/reflect apply %[1]d yes 应用 · /reflect drop %[1]d 丢弃" + or + "once you have looked at it: /reflect apply %[1]d yes · to forget it: /reflect drop %[1]d"
	ReflectHow     Key = "/reflect apply %[1]d 应用 · /reflect drop %[1]d 丢弃" + or + "to make it hold: /reflect apply %[1]d · to forget it: /reflect drop %[1]d"
	ReflectCareful Key = "! 注意，这一行似乎会放松约束：%s" + or + "! careful, this line seems to loosen what holds the agent: %s"
	ReflectWhy     Key = "理由：%s" + or + "why: %s"
	ReflectHead    Key = "提议 %d · %s · profile %s · %s" + or + "proposal %d · %s · profile %s · %s"
	ReflectEmpty   Key = "还没有提议：/reflect 会做一个" + or + "no proposals yet: /reflect makes one"
	ReflectDone    Key = "提议 %d 已生效，从下一次运行开始；/reflect undo 撤销" + or + "proposal %d is in force from the next run on; /reflect undo takes it back"
	ReflectUndone  Key = "提议 %d 已撤销，现在没有段落生效" + or + "proposal %d is undone, and none holds now"
	ReflectBack    Key = "提议 %d 已撤销，现在生效的是提议 %d" + or + "proposal %d is undone, proposal %d is in force now"
	ReflectDropped Key = "提议 %d 已丢弃" + or + "proposal %d is forgotten"
	ReflectNoSteps Key = "还没有应用过提议" + or + "nothing was applied yet"
	ReflectDid     Key = "应用" + or + "applied"
	ReflectUndid   Key = "撤销" + or + "undone"
)
