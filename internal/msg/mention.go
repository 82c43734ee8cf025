package msg

// Texts about files that a person names with an at-sign.
const (
	MentionMissing Key = "@%[1]s 没有找到，按普通文字发送" + or + "@%[1]s: there is no such file, it is sent as text"
	MentionRange   Key = "@%s 没有附上：这个文件没有这样的行（从 1 数起：:10、:10-20、:10-），按普通文字发送" + or + "@%s is not attached: it is there, but has no such lines (they count from 1: :10, :10-20, :10-); it is sent as text"
	MentionRefused Key = "@%s 没有附上：%s" + or + "@%s is not attached: %s"
	MentionMany    Key = "@%s 没有附上：一条消息最多附 %d 个文件" + or + "@%s is not attached: a message takes %d {file|files} at most"
	MentionFull    Key = "@%s 没有附上：前面的文件合起来已经太大" + or + "@%s is not attached: the files before it are too large together"
)
