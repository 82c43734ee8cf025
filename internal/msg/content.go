package msg

// Texts about what a project brings along: instructions, skills, commands, agents, and the programs in them.
const (
	TrustSpecial  Key = "%s 是管道或设备，不能信任" + or + "%s is a pipe or a device and cannot be trusted"
	TrustTooLarge Key = "%s 太大，没有人能看完：最多 %d 个文件、%d MiB" + or + "%s is too large for anybody to look through: at most %d {file|files} and %d MiB"
	TrustLinkOut  Key = "%s 是指向文件夹之外的链接（%s），那里的改动不会被发现" + or + "%s is a link out of the folder, to %s: nobody would notice a change there"

	ContentFound    Key = "项目 %s 带来了以下内容，信任之后智能体才会照做：" + or + "The project %s brings what an agent follows, once you trust it:"
	ContentScripts  Key = "会运行的程序（按现在的内容）" + or + "programs they may run (as they are now)"
	ContentQuestion Key = "使用这些内容吗？y 使用并记住，n 不用并记住，回车只是这次不用：" + or +
		"Use all this? y uses and remembers it, n goes on without and remembers that, Enter goes on without this time: "
	ContentLeftOut    Key = "没有使用项目带来的内容，因为尚未信任：%s（在终端里启动会询问，或加 --trust）" + or + "left out, as this project is not trusted: %s (a start at a terminal asks, --trust uses it)"
	ContentDeclined   Key = "按你的决定没有使用项目带来的内容：%s（--trust 使用；删去 %s 中的那一行则重新询问）" + or + "left out, as you decided: %s (--trust uses it; remove its line from %s to be asked again)"
	ContentMore       Key = "还有 %d 个" + or + "%d more"
	ContentInstr      Key = "说明文件" + or + "instructions"
	ContentSkills     Key = "skill" + or + "skills"
	ContentCommands   Key = "命令" + or + "commands"
	ContentAgents     Key = "子智能体" + or + "agents"
	ContentTrusted    Key = "已信任（%s）" + or + "trusted (%s)"
	ContentByPerson   Key = "你的决定，记在 %s" + or + "your decision, kept in %s"
	ContentNot        Key = "没有使用：尚未信任" + or + "left out: not trusted"
	ContentRefused    Key = "没有使用：你的决定，记在 %s" + or + "left out: your decision, kept in %s"
	ContentFix        Key = "在终端里启动并回答，或加 --trust" + or + "start at a terminal and answer, or use --trust"
	ContentFixRefused Key = "加 --trust，或从那里删去这个项目的行" + or + "use --trust, or remove the project's line there"
	ContentNothing    Key = "没有需要信任的内容" + or + "nothing that needs trust"

	ScriptsAsk     Key = "%s 里的程序还没有得到信任（%s）。运行并记住现在的内容吗？" + or + "The programs in %s are not trusted yet (%s). Run them, and remember them as they are now?"
	ScriptsChanged Key = "%s 在你信任之后有改动（%s）。运行并记住现在的内容吗？" + or + "%s has changed since you trusted it (%s). Run its programs, and remember them as they are now?"
	ScriptsNot     Key = "没有运行：%s 里的程序没有得到信任（%s）；在终端里回答，或加 --trust" + or + "not run: the programs in %s are not trusted (%s); answer at a terminal, or use --trust"
	ScriptsGone    Key = "有文件被删除" + or + "files were removed"
)
