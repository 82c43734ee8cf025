package msg

// Texts about checkpoints and going back.
const (
	RewindTooMany Key = "工作目录里的文件超过 %d 个：只为编辑工具要写的文件保留检查点，命令所做的修改无法撤回" + or +
		"more than %d files in the work directory: only files that the file tools write are kept, what commands change cannot be taken back"
	RewindTooLarge Key = "超过 %d MiB 的文件不保留，命令对它们的修改无法撤回：%s" + or +
		"files over %d MiB are not kept, what commands do to them cannot be taken back: %s"
	RewindNoRoom Key = "检查点已达到 %d MiB 的上限，以下文件未保留：%s" + or +
		"checkpoints have reached their bound of %d MiB, these files are not kept: %s"
	RewindUnreadable Key = "以下文件无法读取，未保留：%s" + or + "these files cannot be read and are not kept: %s"
	RewindBlocked    Key = "目录 %s 无法读取，其中的文件未保留" + or + "the directory %s cannot be read, what is in it is not kept"
	RewindAndMore    Key = "，以及另外 %d 个" + or + ", and %d more"
	RewindDropped    Key = "检查点超过 %d MiB 的上限，最早的 %d 个已删除" + or +
		"checkpoints were over their bound of %d MiB: the oldest %d were dropped"
	RewindNoEnd Key = "命令所做的修改未能记录，无法撤回：%v" + or + "what the call changed could not be recorded and cannot be taken back: %v"
	RewindFinished Key = "上次被中断的恢复现已完成：%d 个文件" + or + "a restore that had been cut off was finished: %d files"
	RewindCutOff   Key = "上次被中断的恢复：以下文件之后又被改动，未恢复：%s" + or +
		"a restore had been cut off, and these files were changed since and stay as they are: %s"

	RewindByOthers Key = "之后被他人或后台任务改动过" + or + "changed since by somebody else or a background job"
	RewindByCall   Key = "之后被会话 %s 改动过" + or + "changed since by session %s"
	RewindUnsure   Key = "执行中断的命令或之后的他人改动过" + or + "changed by a command that was cut off, or by somebody after it"
	RewindNotEmpty Key = "目录里有别人的文件" + or + "the directory holds files of others"
	RewindNotKept  Key = "当时的内容没有保留" + or + "what it held then was not kept"
	RewindSpecial  Key = "是 FIFO、套接字或设备" + or + "it is a FIFO, a socket or a device"
	RewindLostNow  Key = "保留的内容已丢失或损坏" + or + "what was kept of it is gone or damaged"
	RewindInTheWay Key = "路径上有别的东西：%s" + or + "something is in the way: %s"
)
