package tool

// Texts are the words of results, one sentence a field, with the verbs of fmt where a value stands. A face of the product
// is a value of this type. An empty field means that the sentence is left out, unless its comment says otherwise.
type Texts struct {
	// Empty stands for a command that printed nothing and succeeded.
	Empty string
	// Exit follows the output of a command that failed: %s is what happened ("exit status 2", "killed by SIGSEGV").
	Exit string
	// ExitEmpty is the whole result of a command that failed and printed nothing: %s as in Exit. Empty: Exit is used.
	ExitEmpty string
	// Timeout follows the output of a command that ran out of time: %d seconds.
	Timeout string
	// TimeoutAlone says that the Timeout text is the whole result.
	TimeoutAlone bool
	// Trim takes white space off both ends of a command's output.
	Trim bool
	// Bare leaves out every remark that the source system did not know: left-over processes, line ends, a moved directory.
	Bare bool

	// Error wraps every failure of a tool: %s is the detail.
	Error string
	// ReadError wraps failures of read_file; empty: Error is used.
	ReadError string
	// More follows a text that was cut by lines: %d lines are left.
	More string
	// Wrote reports a write: %[1]d bytes, %[2]s the path as given.
	Wrote string
	// Edited reports an edit: %s the path as given.
	Edited string
	// NotFound is the failure of an edit whose text is not there: %s the path as given.
	NotFound string
	// Escapes refuses a path outside the work directory when Env.Confine is set: %s the path as given.
	Escapes string
	// Files and Dirs are the two lines of list_dir: %s names joined by ", ". Both empty: one name a line, directories
	// with a slash at the end.
	Files, Dirs string
	// ScriptError wraps failures of run_script; empty: Error is used.
	ScriptError string
	// HTTP are the words of http_request.
	HTTP HTTPTexts
}

// Lean are the words of the default face: whatever happened can be seen.
func Lean() Texts {
	return Texts{
		Empty:    "(no output)",
		Exit:     "[%s]",
		Timeout:  "[timed out after %d s]",
		Error:    "Error: %s",
		More:     "... (%d more)",
		Wrote:    "Wrote %[1]d bytes to %[2]s",
		Edited:   "Edited %s",
		NotFound: "Error: Text not found in %s",
		Escapes:  "Error: Path escapes workspace: %s",
		HTTP:     leanHTTP(),
	}
}

// Server are the words of the server face: the output of a failed command stands alone.
func Server() Texts {
	t := Lean()
	t.Exit = ""
	t.ExitEmpty = "Error: %s"
	t.Timeout = "Error: Timeout (%ds)"
	t.TimeoutAlone = true
	t.Trim = true
	t.Bare = true
	return t
}

// Classic are the words of the classic face.
func Classic() Texts {
	t := Lean()
	t.Exit = "[error: %s]"
	t.Timeout = "[error: timeout after %d s]"
	return t
}

// Mini are the words of the mini face, in Chinese.
func Mini() Texts {
	return Texts{
		Empty:     "（无输出）",
		Exit:      "[错误：%s]",
		Timeout:   "[错误：命令超过 %d 秒，已终止]",
		Error:     "错误：%s",
		ReadError: "读取失败：%s",
		More:      "……（还有 %d 行）",
		Wrote:     "已写入 %[1]d 字节到 %[2]s",
		Edited:    "已修改 %s",
		NotFound:  "错误：在 %s 中没有找到要替换的文本",
		Escapes:   "错误：路径超出工作目录：%s",
		Files:     "文件: %s",
		Dirs:      "目录: %s",
		Trim:      true,
		HTTP:      miniHTTP(),
	}
}

// Skills are the words of the skills face.
func Skills() Texts {
	t := Lean()
	t.ReadError = "读取失败: %s"
	t.ScriptError = "执行失败: %s"
	return t
}

// Named finds a set by the name that profiles use: lean, server, classic, mini, skills.
func Named(name string) (Texts, bool) {
	switch name {
	case "lean", "full", "":
		return Lean(), true
	case "server":
		return Server(), true
	case "classic":
		return Classic(), true
	case "mini":
		return Mini(), true
	case "skills":
		return Skills(), true
	}
	return Texts{}, false
}
