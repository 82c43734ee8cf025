package msg

// Texts about what is remembered over conversations.
const (
	MemoryCorrupt Key = "记忆文件 %[1]s 已损坏，或不是记忆文件；其中的记忆暂不可用，文件保持原样。要从头开始，运行 react-agent memory aside %[2]s：它会把文件改名保留" + or +
		"the memory file %[1]s is damaged, or no memory file; what it holds is not used, and the file stays as it is. To begin a new one run react-agent memory aside %[2]s: that renames the file and keeps it"
	MemoryNewer Key = "记忆文件 %[1]s 由更新版本的程序写成；请更新 react-agent，或运行 react-agent memory aside %[2]s 把它改名保留并从头开始" + or +
		"the memory file %[1]s was written by a newer version of the program; update react-agent, or run react-agent memory aside %[2]s to rename and keep it and to begin a new one"
	MemoryBusy     Key = "记忆文件 %[1]s 正被另一个进程占用；请稍后再试" + or + "the memory file %[1]s is in use by another process; try again later"
	MemorySlow     Key = "记忆文件 %[1]s 没有及时读完，这一次先不用它" + or + "the memory file %[1]s could not be read in time, and is left out this once"
	MemoryFull     Key = "磁盘已满，记忆没有写入 %[1]s；请腾出空间后再试" + or + "the disk is full: nothing was written to the memory file %[1]s; make room and try again"
	MemoryReadOnly Key = "无法读写记忆文件 %[1]s；请检查文件和目录的权限" + or + "the memory file %[1]s cannot be read or written; check the permissions of the file and of its directory"
	MemoryLink     Key = "记忆文件 %[1]s 是一个符号链接，而它指向的目录不存在；请建好那个目录，或删除这个链接" + or + "the memory file %[1]s is a symbolic link into a directory that does not exist; make that directory, or remove the link"
	MemoryFault    Key = "记忆文件 %s：%v" + or + "memory file %s: %v"
)

// What doctor says.
const (
	MemoryOff    Key = "已关闭" + or + "off"
	MemoryStatus Key = "%d 条记忆，%d KiB；向量 %s" + or + "%d {memory|memories}, %d KiB; vectors %s"
)

// Texts about single memories.
const (
	MemoryNoSuch     Key = "没有这条记忆" + or + "there is no such memory"
	MemoryNone       Key = "%v：%s；用 /memory 或 react-agent memory list 查看编号" + or + "%v: %s; /memory, or react-agent memory list, lists them with their ids"
	MemoryScope      Key = "范围只能是 project 或 user，不能是 %q" + or + "the scope is project or user, not %q"
	MemoryEmpty      Key = "记忆内容为空：请写一两句话" + or + "the memory has no text: write a sentence or two"
	MemoryLong       Key = "记忆有 %d 个字符，最多 %d 个：请写短一些，或拆成几条" + or + "the memory has %d {character|characters}, at most %d are kept: make it shorter, or save it in parts"
	MemoryKind       Key = "种类只能是 preference（偏好）、command（命令）、trick（窍门）或 fact（事实），不能是 %q" + or + "the kind is preference, command, trick or fact, not %q"
	MemoryTags       Key = "有 %d 个标签，最多 %d 个" + or + "%d {tag|tags}: at most %d are kept"
	MemoryTag        Key = "标签 %q 有 %d 个字符，最多 %d 个" + or + "the tag %q has %d {character|characters}, at most %d are kept"
	MemoryMany       Key = "已有 %d 条记忆，不能再多；请先用 /memory forget ID 删除一些" + or + "there are %d {memory|memories}, which is the most; delete some first with /memory forget ID"
	MemoryNoVectors  Key = "向量模型 %[1]s 不可用，先用全文检索和本地 n-gram：%[2]v" + or + "no vectors from %[1]s; words and local n-grams are used meanwhile: %[2]v"
	MemoryRemembered Key = "已记住：[%s] %s" + or + "remembered: [%s] %s"
	MemoryKnown      Key = "已经记着：[%s] %s" + or + "remembered already: [%s] %s"
	MemoryNoKind     Key = "%q 不是种类（preference 偏好、command 命令、trick 窍门、fact 事实），所以它是内容的一部分" + or + "%q is no kind (preference, command, trick or fact), so it is part of the text"
	MemoryChanged    Key = "已更新记忆：[%s] %s" + or + "remembered, in the place of an earlier text: [%s] %s"
	MemoryForgotten  Key = "已忘记：[%s] %s" + or + "forgotten: [%s] %s"
)

// The kinds of memories, in a list.
const (
	KindPreference Key = "偏好" + or + "preference"
	KindCommand    Key = "命令" + or + "command"
	KindTrick      Key = "窍门" + or + "trick"
	KindFact       Key = "事实" + or + "fact"
)
