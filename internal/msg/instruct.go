package msg

// Texts about files of instructions: AGENTS.md and its like.
const (
	InstructNoFile    Key = "不是普通文件" + or + "it is not an ordinary file"
	InstructNoText    Key = "不是文本" + or + "it is no text"
	InstructEmpty     Key = "没有内容" + or + "it is empty"
	InstructOut       Key = "链接指向项目之外（%s）" + or + "it is a link out of the project, to %s"
	InstructOutHome   Key = "不在主目录之内" + or + "it is not in the home directory"
	InstructOutImport Key = "项目的文件不能引入项目之外的文件" + or + "a file of the project cannot import one from outside of it"
	InstructSame      Key = "内容已经有了，来自 %s" + or + "its text is there already, from %s"
	InstructOnly      Key = "只引入了 %s" + or + "it only imports %s"
	InstructOverride  Key = "由 %s 代替" + or + "%s stands in its place"
	InstructDeep      Key = "引入超过 %d 层" + or + "imported more than %d deep"
	InstructMany      Key = "文件太多，最多 %d 个" + or + "there are too many files, at most %d are taken"
	InstructMissing   Key = "没有这个文件" + or + "there is no such file"
	InstructCut       Key = "太长：用了 %d 字节，共 %d 字节" + or + "too long: %d of %d {byte|bytes} are used"
	InstructNoTrust   Key = "项目尚未信任" + or + "the project is not trusted"
	InstructNotNow    Key = "读写到相配的文件时才使用" + or + "used when a file that fits is read or changed"
	InstructNested    Key = "没有使用 %s：项目尚未信任（--trust 使用）" + or + "%s is not used: the project is not trusted (--trust uses it)"
	InstructForeign   Key = "没有使用 %s：%v（需要时可以用 @ 提到它）" + or + "%s is not used: %v (name it with an at-sign where it should be read)"
	InstructVendored  Key = "%s 里是别人的代码" + or + "%s holds code of others"
	InstructRepo      Key = "%s 是另一个仓库" + or + "%s is another repository"
	InstructIgnored   Key = "git 忽略它所在的文件夹" + or + "git ignores its folder"
	InstructFixCut    Key = "缩短文件，或把一部分移到只在需要时读取的文件里" + or + "make it shorter, or move parts into files that are read when needed"
)
