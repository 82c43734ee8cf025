package msg

// What is wrong with a skill, and what to do about it.
const (
	SkillNameMissing    Key = "没有 name，改用 %q" + or + "no name; it is called %q"
	SkillNameInvalid    Key = "名称 %q 不是小写字母、数字和单个连字符，有的程序不接受" + or + "the name %q is not just lower-case letters, digits and single hyphens, which some programs refuse"
	SkillNamePath       Key = "名称 %q 像一个路径，改用 %q" + or + "the name %q looks like a path; it is called %q"
	SkillNameTooLong    Key = "名称有 %d 个字符，上限是 %d" + or + "the name has %d {character|characters}, the limit is %d"
	SkillNameMismatch   Key = "名称 %q 和所在文件夹（或文件）的名字 %q 不同" + or + "the name %q differs from that of its folder or file, %q"
	SkillNoDescription  Key = "没有 description，模型无法知道什么时候用它" + or + "no description, so a model cannot know when to use it"
	SkillLongDescr      Key = "description 有 %d 个字符，上限是 %d" + or + "the description has %d {character|characters}, the limit is %d"
	SkillRepaired       Key = "头部不是正确的 YAML（%s），已逐行读取" + or + "the header is not correct YAML (%s); it was read line by line"
	SkillYAML           Key = "头部无法读取：%s" + or + "the header cannot be read: %s"
	SkillNotMap         Key = "头部不是“键: 值”的列表" + or + "the header is not a list of keys and values"
	SkillNoHeader       Key = "没有以 --- 开始的头部" + or + "there is no header between lines of ---"
	SkillUnclosed       Key = "头部没有以 --- 结束" + or + "the header is not closed by a line of ---"
	SkillHeaderTooLong  Key = "头部超过 %d KiB" + or + "the header is longer than %d KiB"
	SkillUTF16          Key = "文件不是 UTF-8 文本（像是 UTF-16 或二进制）" + or + "the file is not UTF-8 text; it looks like UTF-16 or binary"
	SkillNotUTF8        Key = "文件里有不是 UTF-8 的字节，已替换" + or + "the file has bytes that are not UTF-8; they were replaced"
	SkillShadowed       Key = "已有同名的 skill：%s" + or + "a skill of the same name was found first: %s"
	SkillLowercase      Key = "文件名应该是 SKILL.md" + or + "the file should be called SKILL.md"
	SkillField          Key = "%s 的值 %q 无法理解，已忽略" + or + "the value %[2]q of %[1]s is not understood and ignored"
	SkillHooks          Key = "这里不运行 skill 自带的 hooks" + or + "hooks of a skill are not run here"
	SkillLimitTool      Key = "disallowed-tools 里的 %s 不是这里的工具，它不禁止任何东西" + or + "%s in disallowed-tools is no tool here; it takes nothing away"
	SkillLimitRule      Key = "disallowed-tools 里的 %s 无法理解，已忽略：%v" + or + "%s in disallowed-tools is not understood and ignored: %v"
	SkillNotAFile       Key = "不是普通文件" + or + "this is not an ordinary file"
	SkillUnreadable     Key = "无法读取：%v" + or + "it cannot be read: %v"
	SkillLinkEscapes    Key = "链接指向项目之外的 %s" + or + "a link leads out of the project, to %s"
	SkillTooManyEntries Key = "只查看了前 %d 个条目" + or + "only the first %d {entry|entries} were looked at"
	SkillTooManyDirs    Key = "只查看了前 %d 个文件夹" + or + "only the first %d {folder|folders} were looked at"

	SkillFixName        Key = "在头部写 name: %s" + or + "write name: %s in the header"
	SkillFixRename      Key = "让两者相同" + or + "make the two the same"
	SkillFixDescription Key = "在头部写 description：它做什么，什么时候用" + or + "write a description in the header: what it does and when to use it"
	SkillFixShorten     Key = "缩短它" + or + "shorten it"
	SkillFixQuote       Key = "把值放进双引号，用空格而不是制表符缩进" + or + "put the value into double quotes, and indent with blanks, not tabs"
	SkillFixHeader      Key = "文件开头写 ---、name、description、---" + or + "begin the file with ---, name, description and ---"
	SkillFixClose       Key = "在头部之后加一行 ---" + or + "add a line of --- behind the header"
	SkillFixUTF8        Key = "把文件存为 UTF-8" + or + "save the file as UTF-8"
	SkillFixShadowed    Key = "改名，或删除其中一个" + or + "rename one of them, or remove it"
	SkillFixLowercase   Key = "改名为 SKILL.md" + or + "rename it to SKILL.md"
	SkillFixField       Key = "写成 %s" + or + "write %s"
	SkillFixHooks       Key = "把它们写进设置" + or + "put them into the settings"
	SkillFixLimit       Key = "写一个工具名（如 bash、Edit），或 Bash(rm *) 这样的规则" + or + "write the name of a tool, such as bash or Edit, or a rule such as Bash(rm *)"
	SkillFixNotAFile    Key = "在它的位置放一个文本文件" + or + "put a text file in its place"
	SkillFixUnreadable  Key = "检查它的权限" + or + "look at its permissions"
	SkillFixLink        Key = "把 skill 复制进项目，或放进个人的 skills 文件夹" + or + "copy the skill into the project, or put it into your own skills folder"
	SkillFixMove        Key = "把 skill 移到上面的文件夹，或缩小这个文件夹" + or + "move skills further up, or make this folder smaller"
)

// What is not used because the project is not trusted.
const (
	SkillUntrusted    Key = "项目带来的内容尚未信任" + or + "what this project brings is not trusted yet"
	SkillFixUntrusted Key = "在终端里启动并回答 y，或加 --trust" + or + "start at a terminal and answer y, or give --trust"
)

// What is wrong with a command's file.
const (
	CommandTOML     Key = "无法读取：%v" + or + "it cannot be read: %v"
	CommandNoPrompt Key = "没有 prompt" + or + "it has no prompt"

	CommandFixTOML   Key = "改正这一行：键、等号、引号里的文字" + or + "mend the line: a key, an equals sign, a text in quotes"
	CommandFixPrompt Key = "写上 prompt = \"\"\"……\"\"\"" + or + "write prompt = \"\"\"...\"\"\""
)

// What is wrong in a file of TOML.
const (
	TOMLTwice     Key = "%s 出现了两次" + or + "%s is given twice"
	TOMLNotText   Key = "%s 应当是引号里的文字" + or + "%s must be a text in quotes"
	TOMLBehind    Key = "值的后面还有别的内容" + or + "something stands behind the value"
	TOMLBracket   Key = "括号没有结束" + or + "a bracket is not closed"
	TOMLEquals    Key = "%q 后面缺少等号" + or + "an equals sign is missing behind %q"
	TOMLKeyQuotes Key = "键只用一对引号" + or + "a key has one pair of quotes"
	TOMLNoKey     Key = "缺少键" + or + "a key is missing"
	TOMLDeep      Key = "列表嵌套太深" + or + "lists within lists are too deep"
	TOMLNoValue   Key = "缺少值；文字要放在引号里" + or + "a value is missing; a text stands in quotes"
	TOMLQuotes    Key = "文字要放在引号里" + or + "a text stands in quotes"
	TOMLComma     Key = "缺少逗号" + or + "a comma is missing"
	TOMLOpen      Key = "引号没有结束" + or + "quotes are not closed"
	TOMLOpenLine  Key = "引号没有在同一行结束" + or + "quotes are not closed on their line"
	TOMLControl   Key = "文字里有控制字符" + or + "a control character stands in a text"
	TOMLEscape    Key = "反斜杠后面不是已知的字符；写 \\\\ 表示一个反斜杠，或改用单引号" + or +
		"a backslash begins no known character; write \\\\ for one, or use single quotes"
)

// What a person hears about skills.
const (
	SkillLoaded      Key = "已载入 skill" + or + "Successfully loaded skill"
	SkillDone        Key = "子智能体已完成" + or + "Done"
	SkillSkipped     Key = "跳过 skill：%s" + or + "skill left out: %s"
	SkillSkippedMore Key = "还有 %d 个 skill 被跳过；react-agent doctor 会全部列出" + or + "%d more {was|were} left out; react-agent doctor lists {it|them} all"
	SkillUnknownNone Key = "没有名为 %q 的 skill；这里一个也没有" + or + "there is no skill %q; there are none here"
	SkillUnknown     Key = "没有名为 %q 的 skill；现有：%s" + or + "there is no skill %q; there are: %s"
)
