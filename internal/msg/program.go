package msg

// Models that are programs.
const (
	ConfigProgramBase Key = "程序没有地址" + or + "a program has no address"

	ProgramAbsent Key = "找不到 %s 的程序" + or + "the program of %s is not there"
	ProgramStarts Key = "可以启动" + or + "it starts"
	ProgramCheck  Key = "先单独测试这个程序：%s" + or + "try the program alone first: %s"
)
