package msg

// Texts about checkpoints and going back.
const (
	RewindTooMany Key = "工作目录里的文件超过 %d 个：只为编辑工具要写的文件保留检查点，命令所做的修改无法撤回" + or +
		"more than %d {file|files} in the work directory: only files that the file tools write are kept, what commands change cannot be taken back"
	RewindTooSlow Key = "工作目录太大，搜索耗时过长：目前只为编辑工具要写的文件保留检查点，命令所做的修改无法撤回" + or +
		"going through the work directory takes too long: for now only files that the file tools write are kept, what commands change cannot be taken back"
	RewindLater Key = "首次保留检查点耗时过长，以下文件稍后再保留，在此之前命令对它们的修改无法撤回：%s" + or +
		"keeping everything at once takes too long: these files are kept later, until then what commands do to them cannot be taken back: %s"
	RewindMuch Key = "一次最多复制 %d MiB，以下文件未保留，命令对它们的修改无法撤回（rewind 的 max_mb 更大则保留更多）：%s" + or +
		"no more than %d MiB are copied at once: these files are not kept, what commands do to them cannot be taken back (a larger max_mb of rewind keeps more): %s"
	RewindTooLarge Key = "超过 %d MiB 的文件不保留，命令对它们的修改无法撤回：%s" + or +
		"files over %d MiB are not kept, what commands do to them cannot be taken back: %s"
	RewindNoRoom Key = "检查点已达到 %d MiB 的上限，以下文件未保留：%s" + or +
		"checkpoints have reached their bound of %d MiB, these files are not kept: %s"
	RewindUnreadable Key = "以下文件无法读取，未保留：%s" + or + "these files cannot be read and are not kept: %s"
	RewindBlocked    Key = "目录 %s 无法读取，其中的文件未保留" + or + "the directory %s cannot be read, what is in it is not kept"
	RewindAndMore    Key = "，以及另外 %d 个" + or + ", and %d more"
	RewindDropped    Key = "检查点超过 %d MiB 的上限，最早的 %d 个已删除" + or +
		"checkpoints were over their bound of %d MiB: the oldest %d were dropped"
	RewindNoRules  Key = "git 没有回答哪些文件被忽略：检查点也会保留它们" + or + "git did not say which files it ignores: checkpoints keep those too"
	RewindNoEnd    Key = "命令所做的修改未能记录，无法撤回：%v" + or + "what the call changed could not be recorded and cannot be taken back: %v"
	RewindFinished Key = "上次被中断的恢复现已完成：%d 个文件" + or + "a restore that had been cut off was finished; files: %d"
	RewindCutOff   Key = "上次被中断的恢复：以下文件之后又被改动，未恢复：%s" + or +
		"a restore had been cut off, and these files were changed since and stay as they are: %s"

	RewindByOthers  Key = "之后被他人或后台任务改动过" + or + "changed since by somebody else or a background job"
	RewindByCall    Key = "之后被会话 %s 改动过" + or + "changed since by session %s"
	RewindUnsure    Key = "执行中断的命令或之后的他人改动过" + or + "changed by a command that was cut off, or by somebody after it"
	RewindByJob     Key = "可能被后台任务 %s 改动过" + or + "changed, perhaps by job %s"
	RewindNotEmpty  Key = "目录里有别人的文件" + or + "the directory holds files of others"
	RewindNotKept   Key = "当时的内容没有保留" + or + "what it held then was not kept"
	RewindSpecial   Key = "是 FIFO、套接字或设备" + or + "it is a FIFO, a socket or a device"
	RewindLostNow   Key = "保留的内容已丢失或损坏" + or + "what was kept of it is gone or damaged"
	RewindJustNow   Key = "刚刚又被改动" + or + "changed just now"
	RewindMoreFiles Key = "  ……以及另外 %d 个" + or + "  ... and %d more"
	RewindInTheWay  Key = "路径上有别的东西：%s" + or + "something is in the way: %s"
)

// Texts of the commands that go back.
const (
	HelpRewind Key = "回到之前的某一轮：对话和文件一起（/rewind 列出各轮，/rewind N 预览，/rewind N yes 执行）" + or +
		"go back to an earlier turn, chat and files together (/rewind lists turns, /rewind N shows what would change, /rewind N yes does it)"
	HelpRedo          Key = "撤销上一次 /rewind" + or + "take back the last /rewind"
	HelpSessionRewind Key = "把会话和文件恢复到某个事件之前" + or + "bring a session's chat and files back to before an event"
	FlagDryRun        Key = "只显示会改变什么" + or + "only show what would change"
	FlagYes           Key = "不再询问" + or + "do not ask"
	FlagForce         Key = "冲突的文件也覆盖" + or + "overwrite conflicts too"

	RewindOff       Key = "检查点没有启用" + or + "checkpoints are not on"
	RewindNoTurns   Key = "还没有可以回到的轮次" + or + "there are no turns to go back to"
	RewindBehind    Key = "更早的轮次已被压缩：先用 /compact undo 撤回压缩" + or + "earlier turns stand behind a compaction: /compact undo brings them back first"
	RewindFewTurns  Key = "只有 %d 轮" + or + "that far back there is no turn; turns in all: %d"
	RewindTurnGone  Key = "（检查点已删除）" + or + "(checkpoints dropped)"
	RewindTurnFiles Key = "[%d 个文件：%s]" + or + "[files: %d: %s]"
	RewindHowTo     Key = "/rewind N 显示撤回最后 N 轮会改变什么" + or + "/rewind N shows what taking back the last N turns would change"

	RewindHead         Key = "回到事件 %d 之前：" + or + "back to before event %d:"
	RedoHead           Key = "撤销上一次回退：" + or + "taking back the last rewind:"
	RewindRestore      Key = "恢复" + or + "restore"
	RewindCreate       Key = "重建" + or + "create "
	RewindRemove       Key = "删除" + or + "remove "
	RewindNot          Key = "：保持不动，%s" + or + ": left alone, %s"
	RewindNoFiles      Key = "  没有文件会改变" + or + "  no file changes"
	RewindOthers       Key = "  他人改动的文件保持不动：%s" + or + "  changed by others only, left alone: %s"
	RewindStays        Key = "  .git 不在其中：命令做的提交会保留" + or + "  .git is not part of it: commits made by commands stay"
	RewindConfirm      Key = "执行：%s yes" + or + "to do it: %s yes"
	RewindConfirmForce Key = "执行：%[1]s yes；连同冲突一起覆盖：%[1]s force" + or + "to do it: %[1]s yes; to overwrite conflicts as well: %[1]s force"
	RewindDone         Key = "已完成：%d 个文件，%d 个保持不动（事件 %d，/redo 可撤销）" + or + "done; files: %d, left alone: %d (event %d; /redo takes it back)"
	RedoDone           Key = "已完成：%d 个文件，%d 个保持不动（事件 %d）" + or + "done; files: %d, left alone: %d (event %d)"
	RewindNoRedo       Key = "没有可以重做的：没有回退过，或之后又说了话" + or + "nothing to redo: nothing was taken back, or something was said since"
	RewindNoEvent      Key = "会话 %s 里没有事件 %s：这里的事件编号是 1 到 %d（对话里的 /rewind 列出各轮）" + or + "session %s has no event %s: its events are 1 to %d (/rewind in a conversation lists turns)"
	RewindNoTurn       Key = "事件 %d 不是可以回到的一轮：/rewind 列出各轮" + or + "event %d is no turn that can be gone back to: /rewind lists turns"
	RewindStale        Key = "预览之后文件或对话有变化，请再看一次" + or + "files or chat changed since the preview: look at it again"
	RewindGone         Key = "这一段的部分检查点已因空间上限删除：加 force 恢复还有的部分" + or +
		"some checkpoints of this range were dropped to stay within the bound: force brings back what there is"
	RewindQuestion Key = "执行吗？" + or + "Do it?"
	RewindSayYes   Key = "没有人可以确认：请加 --yes，或用 --dry-run 只看预览" + or + "nobody can be asked: add --yes, or look only with --dry-run"
	RewindRefused  Key = "没有执行" + or + "nothing was done"
)
