package msg

// Texts of the commands about what is remembered.
const (
	HelpMemoryGroup  Key = "列出、搜索、添加、删除、导出、导入记忆" + or + "list, search, add, remove, export and import what is remembered"
	HelpMemory       Key = "列出、搜索、添加、忘记、导出记忆" + or + "list, search, add, forget and export what is remembered"
	HelpMemoryList   Key = "列出记忆，最新的在前" + or + "list what is remembered, newest first"
	HelpMemorySearch Key = "搜索记忆" + or + "search what is remembered"
	HelpMemoryAdd    Key = "记住一条" + or + "remember something"
	HelpMemoryRm     Key = "忘记" + or + "forget memories"
	HelpMemoryExport Key = "导出全部记忆" + or + "write down all that is remembered"
	HelpMemoryImport Key = "从导出的 JSON 行读入；FILE 为 - 时读标准输入" + or + "read what export has written as JSON lines; - is standard input"
	HelpMemoryAside  Key = "把用不了的记忆文件改名保留，从头开始；SCOPE 是 project 或 user" + or + "rename a memory file that cannot be used and begin a new one; SCOPE is project or user"

	FlagMemoryKind   Key = "种类：preference、command、trick 或 fact" + or + "preference, command, trick or fact"
	FlagMemoryScope  Key = "范围：project 或 user" + or + "project or user"
	FlagMemoryLimit  Key = "最多几条" + or + "at most so many"
	FlagMemoryTags   Key = "标签，用逗号分隔" + or + "tags, with commas between them"
	FlagMemoryFormat Key = "jsonl 或 md" + or + "jsonl or md"

	MemoryIsOff      Key = "记忆已关闭（memory.enabled，%s）" + or + "the memory is switched off (memory.enabled, %s)"
	MemoryNothing    Key = "还没有记住任何东西" + or + "nothing is remembered yet"
	MemoryNotFound   Key = "没有找到相近的记忆" + or + "nothing of what is remembered resembles that"
	MemoryMore       Key = "以上是 %d 条，共 %d 条" + or + "these are %d of %d"
	MemoryLimit      Key = "--limit 要一个 1 以上的整数，不能是 %q" + or + "--limit wants a number of 1 or more, not %q"
	MemoryFormat     Key = "格式只能是 jsonl 或 md，不能是 %q" + or + "the format is jsonl or md, not %q"
	MemoryImported   Key = "新记住 %d 条，%d 条与已有的相近而更新，%d 条已经记住" + or + "%d new {memory|memories}, %d merged with what was remembered, %d remembered already"
	MemoryNothingNew Key = "没有新的：%d 条都已经记住" + or + "nothing new: %d {memory was|memories were} remembered already"
	MemoryLineFailed Key = "%s 第 %d 行：%v；此前已读入 %d 条，再次导入不会重复" + or + "%s, line %d: %v; %d {memory was|memories were} read in before it, and reading them again does no harm"
	MemoryLineBad    Key = "%s 第 %d 行：%v；什么都没有导入" + or + "%s, line %d: %v; nothing was read in"
	MemoryLineLong   Key = "%s 第 %d 行超过 %d MiB；什么都没有导入" + or + "%s, line %d: it is longer than %d MiB; nothing was read in"

	MemoryWantObject  Key = "每一行应是一个 JSON 对象，如 {\"text\":\"…\"}（即 memory export 的格式）" + or + "each line is a JSON object such as {\"text\":\"…\"}, as memory export writes it"
	MemoryWantString  Key = "%q 应是字符串，不能是 %s" + or + "%q is a string, not %s"
	MemoryWantStrings Key = "%q 应是字符串数组，不能是 %s" + or + "%q is an array of strings, not %s"
	MemoryWantTime    Key = "%q 应是时间，如 \"2026-01-31T08:00:00Z\"，不能是 %s" + or + "%q is a time such as \"2026-01-31T08:00:00Z\", not %s"
	MemoryWantNumber  Key = "%q 应是整数，不能是 %s" + or + "%q is a whole number, not %s"

	MemoryFileLarge  Key = "%s 超过 %d MiB：请拆成几个文件再导入；什么都没有导入" + or + "%s is larger than %d MiB: split it into several files; nothing was read in"
	MemoryFileFailed Key = "%s：%v" + or + "%s: %v"
	MemoryNoInput    Key = "没有标准输入可读" + or + "there is no standard input to read"
	MemoryNoFile     Key = "范围 %s 没有记忆文件" + or + "there is no memory file of the scope %s"
	MemoryAside      Key = "原文件改名为 %s；下次记忆时会建一个新的" + or + "the file is now %s; the next memory begins a new one"
)
