package msg

// What `skill lint` says of a skill that loads, and what to do about it.
const (
	LintTool         Key = "SKILL.md 里出现了本程序的工具名 %s；别的程序没有它，它改名后这里就错了" + or + "SKILL.md names %s, a tool of this program: other programs do not have it, and it may change its name"
	LintFixTool      Key = "写要做的事，而不是用哪个工具；只有本程序需要知道的，写进 REACT_AGENT.md" + or + "say what is to be done, not with which tool; what only this program needs belongs into REACT_AGENT.md"
	LintPipeline     Key = "description 里出现了 %s；它只应说明 skill 能做什么、何时使用" + or + "the description names %s; it should only say what the skill does and when to use it"
	LintFixPipeline  Key = "删去工具名" + or + "leave the tool's name out"
	LintSecret       Key = "这里像是写着密钥（%s）；skill 会被复制和分享" + or + "this looks like a key (%s), and skills are copied and shared"
	LintFixSecret    Key = "改从环境变量读取，并作废已经写出的密钥" + or + "read it from an environment variable, and have a key that was written down replaced"
	LintTracked      Key = "git 记录了这里的运行产物" + or + "git keeps products of runs that are here"
	LintFixTracked   Key = "运行 git rm -r --cached %s，并在 .gitignore 里加上 skill_run/" + or + "run git rm -r --cached %s, and add skill_run/ to .gitignore"
	LintShort        Key = "description 只有 %d 个字符，模型很难由此想到这个 skill" + or + "the description has only %d {character|characters}, so a model will hardly think of the skill"
	LintFixShort     Key = "写清能做什么、何时使用，并列出人们会说的词" + or + "say what it does and when to use it, with the words people say"
	LintNoChinese    Key = "description 里没有中文触发词" + or + "the description has no Chinese words that trigger it"
	LintNoEnglish    Key = "description 里没有英文触发词" + or + "the description has no English words that trigger it"
	LintFixLanguage  Key = "两种语言的触发词都列上" + or + "list triggers in both languages"
	LintEmpty        Key = "头部之后没有内容" + or + "there is nothing behind the header"
	LintFixEmpty     Key = "写下模型该怎么做" + or + "write what the model has to do"
	LintLongLines    Key = "正文有 %d 行，建议不超过 %d 行" + or + "the text has %d {line|lines}; at most %d are advised"
	LintLongTokens   Key = "正文约 %d 个 token，建议不超过 %d" + or + "the text has about %d {token|tokens}; at most %d are advised"
	LintFixLong      Key = "把细节移到单独的文件里，需要时再读" + or + "move details into files of their own, to be read when they are needed"
	LintLink         Key = "链接 %s 指向的文件不存在" + or + "the link %s leads to nothing"
	LintFixLink      Key = "改正路径；它相对于写着链接的文件" + or + "correct the path; it is relative to the file the link stands in"
	LintLinkLeaves   Key = "链接 %s 通向 skill 的文件夹之外，复制后就断了" + or + "the link %s leads out of the skill's folder, so it breaks when the skill is copied"
	LintFixLeaves    Key = "把需要的文件放进 skill 的文件夹" + or + "put what is needed into the skill's folder"
	LintNotExec      Key = "脚本以 #! 开头，但没有执行权限" + or + "the script begins with #!, but may not be executed"
	LintFixExec      Key = "运行 chmod +x" + or + "run chmod +x"
	LintCRLF         Key = "脚本的行尾是 CRLF，解释器会找不到或报错" + or + "the script has line ends of CRLF, which its interpreter does not understand"
	LintFixCRLF      Key = "改用 LF 保存" + or + "save it with LF"
	LintNoRun        Key = "没有 %s，流程无法开始" + or + "there is no %s, so the pipeline cannot begin"
	LintFixNoRun     Key = "加上它，或改正 entry，或删去 pipeline.yaml" + or + "add it, or correct the entry, or remove pipeline.yaml"
	LintFixSettings  Key = "改正这个字段；所有字段都可以省略" + or + "correct the field; each may be left out"
	LintField        Key = "%s：%v" + or + "%s: %v"
	LintUnread       Key = "超过 %d KiB，没有检查" + or + "it is larger than %d KiB and was not looked at"
	LintFixUnread    Key = "检查里面没有密钥；skill 应当小巧" + or + "see to it that there is no key in it; skills should be small"
	LintManyFiles    Key = "文件超过 %d 个，其余的没有检查" + or + "more than %d {file|files}; the others were not looked at"
	LintFixManyFiles Key = "把不属于 skill 的文件移走" + or + "move away what does not belong to the skill"
)

// The command `skill lint`.
const (
	HelpSkillGroup  Key = "skill：安装、列出、检查、新建" + or + "skills: install, list, check, make new ones"
	FlagJSON        Key = "输出 JSON" + or + "print JSON"
	HelpSkillLint   Key = "检查 skill：约定、密钥、链接、脚本、设置；有错误时退出码为 1" + or + "check skills: conventions, keys, links, scripts, settings; exit code 1 when there are errors"
	LintTotal       Key = "检查了 %d 个 skill：%d 个错误，%d 个警告，%d 个提示" + or + "%d {skill|skills} checked: %d {error|errors}, %d {warning|warnings}, %d {hint|hints}"
	LintNone        Key = "这个项目里没有 skill；用 react-agent skill new NAME 新建" + or + "there are no skills in this project; react-agent skill new NAME makes one"
	LintFailed      Key = "有 %d 个错误" + or + "%d {error|errors}"
	LintUnknown     Key = "没有名为 %q 的 skill，也没有这个路径；有的 skill：%s" + or + "there is no skill and no path %q; skills: %s"
	LintNothingHere Key = "%s 里没有 skill" + or + "there is no skill in %s"
	LintInstalled   Key = "略过 %d 个安装来的 skill；给出名称即可检查它们" + or + "%d installed {skill is|skills are} left out; name them to have them checked"
	LintWarn        Key = "（警告）" + or + " (warning)"
	LintHint        Key = "（提示）" + or + " (hint)"
)

// The command `skill new`.
const (
	HelpSkillNew      Key = "新建 skill：一份 SKILL.md，或一条可以运行的流程" + or + "make a new skill: a SKILL.md, or a pipeline that runs"
	FlagPipeline      Key = "多阶段流程：scripts/run.py 逐步告诉程序该做什么" + or + "one of many phases: scripts/run.py tells the program step by step what to do"
	FlagSkillDir      Key = "放在哪个文件夹里（默认是项目的 skills）" + or + "the folder to put it in (the project's skills)"
	NewName           Key = "名称 %q 应由小写英文字母、数字和单个连字符组成，最多 64 个字符；例如 %s" + or + "the name %q must be of the letters a to z, digits and single hyphens, at most 64; such as %s"
	NewExists         Key = "%s 已经存在，没有改动" + or + "%s is there already and was left as it is"
	NewMade           Key = "已新建 %s：" + or + "made %s:"
	NewShadowsShipped Key = "注意：随程序带来的 skill 也叫 %s（%s）；在这里用的是新建的这个" + or + "Note: a skill that comes with the program is called %s, too (%s); here the new one takes its place."
	NewShadows        Key = "注意：已有的 skill 也叫 %s（%s）；现在用的是新建的这个" + or + "Note: another skill is called %s, too (%s); the new one takes its place."
	NewShadowed       Key = "注意：先找到的另一个 skill 也叫 %s（%s），新建的这个用不上" + or + "Note: another skill called %s is found first (%s), so the new one is not used."
	NewNextSingle     Key = "接着写 SKILL.md：description 决定模型会不会想到它。用 react-agent skill lint %s 检查；在对话里用 /%s 试用。" + or + "Now write SKILL.md: by the description a model thinks of the skill. Check it with react-agent skill lint %s, try it with /%s in a conversation."
	NewNextPipeline   Key = "流程已能运行。接着改 scripts/run.py 和 prompts/。用 react-agent skill lint %s 检查；在对话里用 /%s 主题 试用。" + or + "The pipeline runs as it is. Now change scripts/run.py and prompts/. Check it with react-agent skill lint %s, try it with /%s TOPIC in a conversation."
)
