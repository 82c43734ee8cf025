package msg

// What is wrong with a skill's rules for the offline model, and what to do about it.
const (
	OfflineField   Key = "不认识字段 %s，已忽略" + or + "the field %s is not known and ignored"
	OfflineMissing Key = "缺少 %s" + or + "%s is missing"
	OfflineShape   Key = "%s 的写法不对，应为%s" + or + "%s must be %s"
	OfflinePattern Key = "%s 里的 %q 不是正确的正则表达式：%v" + or + "%[2]q in %[1]s is no regular expression: %[3]v"
	OfflineEvery   Key = "%s 里的 %q 对什么都匹配" + or + "%[2]q in %[1]s fits everything"
	OfflineValue   Key = "%s 里的 {%s} 没有来处：不是正则里的组，也不在 take 里" + or + "{%[2]s} in %[1]s comes from nowhere: it is no group of an expression and not in take"
	OfflineAction  Key = "动作里要写 shell、script、tool 中的一个" + or + "an action has one of shell, script and tool"
	OfflineScript  Key = "skill 的文件夹里没有文件 %s" + or + "there is no file %s in the skill's folder"
	OfflineMany    Key = "超过 %d 条规则，其余已忽略" + or + "more than %d {rule|rules}; the rest is ignored"

	OfflineSkipped     Key = "跳过离线模型的规则：%s" + or + "rule for the offline model left out: %s"
	OfflineSkippedMore Key = "还有 %d 条规则被跳过；react-agent doctor 会全部列出" + or + "%d more {rule was|rules were} left out; react-agent doctor lists them all"
	ShippedNot         Key = "自带的 skill 无法放到 %s，这次没有它们：%v" + or + "the skills that come with the program cannot be put into %s; this time they are missing: %v"

	OfflineMap  Key = "“键: 值”的列表" + or + "a list of keys and values"
	OfflineList Key = "列表" + or + "a list"
	OfflineText Key = "文字" + or + "a text"

	OfflineFix     Key = "写法见 skills/AGENTS.md 里的 offline.yaml 一节" + or + "see offline.yaml in skills/AGENTS.md"
	OfflineFixNear Key = "可用的字段：%s" + or + "known fields are %s"
)
