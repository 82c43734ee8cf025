package msg

// Texts about lines that begin with a slash.
const (
	SlashUnknownText Key = "没有 %s 这个命令，也没有这样的 skill；/help 列出全部。要原样发送，请写 %s" + or +
		"there is no command %s, nor a skill of that name; /help lists them. To send the text as it stands, write %s"
	SlashUnknownNear Key = "没有 %s 这个命令，也没有这样的 skill；是不是 %s？要原样发送，请写 %s" + or +
		"there is no command %s, nor a skill of that name; did you mean %s? To send the text as it stands, write %s"
	SlashBlank     Key = "%s 的斜杠后面有空格；请写 %s" + or + "there is a blank behind the slash in %s: write %s"
	SlashTooMany   Key = "一行最多调用 %d 个 skill；%s 是多出来的" + or + "a line calls at most %d {skill|skills}; %s is one too many"
	SlashModelOnly Key = "skill %s 只给模型使用：直接说出要做的事" + or + "the skill %s is for the model alone: say what you want done"
	SlashHeld      Key = "%[1]s 是这个项目带来的（%[2]s），而项目尚未得到信任：%[3]v" + or +
		"%[1]s is in this project (%[2]s), which is not trusted yet: %[3]v"
	SlashBroken Key = "%s 没有载入：%s" + or + "%s is there, but it was left out: %s"
	SlashNoTool Key = "%[1]s 要用工具 %[2]s，profile %[3]s 里没有；有它的 profile：%[4]s（用 --profile 选择）" + or +
		"%[1]s needs the tool %[2]s, which the profile %[3]s does not have; these do: %[4]s (choose with --profile)"

	HelpSkills     Key = "列出 skill 和自定义命令" + or + "list skills and your own commands"
	HelpOwn        Key = "skill 和自定义命令：" + or + "skills and your own commands:"
	HelpMoreSkills Key = "……还有 %d 个，/skills 列出全部" + or + "... and %d more: /skills lists them all"

	SkillsTitle   Key = "skill（%d 个）：" + or + "skills (%d):"
	CommandsTitle Key = "自定义命令（%d 个）：" + or + "your own commands (%d):"
	SkillsNone    Key = "没有 skill。放在 skills/名称/SKILL.md 里的会在下一个会话出现" + or +
		"there are no skills. One in skills/NAME/SKILL.md is there in the next session"
	SkillsSkipped Key = "另有 %d 个无法读取，react-agent doctor 说明原因" + or + "%d more cannot be loaded; react-agent doctor says why"
	SkillsHeld    Key = "项目带来的 %d 个没有使用，因为尚未信任（--trust 使用它们）" + or +
		"%d that the project brings are not used, as it is not trusted (--trust uses them)"
	SkillHidden  Key = "（与内置命令 %s 同名）" + or + "(the built-in %s has the same name)"
	SkillByModel Key = "（只有模型能用）" + or + "(only the model may use it)"
	SkillByUser  Key = "（只有你能用）" + or + "(only you may use it)"
	SkillNoTool  Key = "（profile %s 没有它要用的工具；有的：%s）" + or + "(the profile %s lacks its tool; these have it: %s)"
	SkillNobody  Key = "（谁都不能用）" + or + "(nobody may use it)"
)
