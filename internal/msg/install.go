package msg

// Why a source is not taken.
const (
	InstallSource     Key = "看不懂来源 %q；可以是：./路径、owner/repo、owner/repo/子目录、owner/repo@名称、github:…、gitlab:…、git 地址（可加 #分支）、SKILL.md 或压缩包的网址、发布 skill 的网站" + or + "the source %q is not understood; it may be ./PATH, owner/repo, owner/repo/SUB, owner/repo@SKILL, github:…, gitlab:…, a git URL (with #REF), the URL of a SKILL.md or an archive, or a site that publishes skills"
	InstallDash       Key = "%q 以 - 开头，git 会把它当成选项" + or + "%q begins with a dash, which git would take for an option"
	InstallTransport  Key = "不使用这种方式获取：%s；请用 https、ssh、file 或本地路径" + or + "%s asks for a way of fetching that is not used; give https, ssh, file or a path"
	InstallDotDot     Key = "子目录 %q 里不能有 .." + or + "the folder %q must not contain .."
	InstallRef        Key = "%q 不是分支、标签或提交" + or + "%q is no branch, tag or commit"
	InstallNoRef      Key = "%s 不由 git 获取，没有分支" + or + "%s is not fetched by git, so it has no branches"
	InstallNoPath     Key = "没有这个路径：%s" + or + "there is no %s"
	InstallPathIsFile Key = "%s 是文件，请给出 skill 所在的文件夹" + or + "%s is a file; give the folder that the skill is in"
	InstallNoSub      Key = "来源里没有文件夹 %q" + or + "there is no folder %q in the source"
	InstallPlain      Key = "%s 没有加密；确实需要时加 --insecure" + or + "%s is not encrypted; add --insecure if it has to be"
	InstallPrivate    Key = "%s 通向内网地址 %s，未获允许；确实需要时加 --insecure" + or + "%s leads to the private address %s, which nobody allowed; add --insecure if it has to be"
	InstallAskPrivate Key = "允许访问 %s 吗？它通向内网地址 %s [y/N] " + or + "Go to %s? It leads to the private address %s [y/N] "
	InstallRedirects  Key = "%s：重定向超过 %d 次" + or + "%s: more than %d redirects"
)

// Why fetching failed.
const (
	InstallNoGit       Key = "需要 git，但无法运行：%v" + or + "git is needed and cannot be run: %v"
	InstallGit         Key = "git 无法获取 %s：%s" + or + "git cannot fetch %s: %s"
	InstallNoSuchRef   Key = "%[2]s 没有分支、标签或提交 %[1]q" + or + "no branch, tag or commit %q in %s"
	InstallSlow        Key = "%s：超过 %s 仍未完成" + or + "%s: not done within %s"
	InstallDownloadBig Key = "%s 超过 %d MiB" + or + "%s is larger than %d MiB"
	InstallArchive     Key = "压缩包不能使用：%v" + or + "the archive cannot be used: %v"
	InstallNoArchive   Key = "%s 既不是 SKILL.md，也不是 zip、tar 或 tgz，也没有 skill 索引" + or + "%s is neither a SKILL.md nor a zip, tar or tgz, and publishes no index of skills"
	InstallEncrypted   Key = "%s 已加密" + or + "%s is encrypted"
	InstallDigest      Key = "%s 的内容是 %s，索引里写的是 %s" + or + "%s has the digest %s, but the index says %s"
	InstallIndexName   Key = "索引里的名称 %q 不合规定" + or + "the index has the name %q, which is not allowed"
	InstallIndexField  Key = "索引条目的 %s 缺失或不正确" + or + "the entry in the index lacks a correct %s"
)

// What is wrong with a skill or a source.
const (
	InstallTooDeep     Key = "%s：超过 %d 层文件夹" + or + "%s: more than %d folders deep"
	InstallTooMany     Key = "超过 %d 个文件" + or + "more than %d files"
	InstallTooBig      Key = "超过 %d MiB" + or + "more than %d MiB"
	InstallAtOnce      Key = "一次最多安装 %d MiB，请分几次" + or + "more than %d MiB at once; install fewer skills at a time"
	InstallNotAFile    Key = "%s 不是普通文件（%s），不安装" + or + "%s is not an ordinary file (%s), so it is not installed"
	InstallBadPath     Key = "路径 %s 不安全，或者在别的系统上不能用" + or + "the path %s is not safe, or no path on other systems"
	InstallCollide     Key = "%q 和 %q 在别的系统上是同一个文件" + or + "%q and %q are the same file on other systems"
	InstallSearchBig   Key = "来源超过 %d 个文件夹，请给出子目录" + or + "the source has more than %d folders; name one of them"
	InstallNoSkill     Key = "里面没有可用的 SKILL.md" + or + "there is no usable SKILL.md in it"
	InstallNoName      Key = "头部没有 name" + or + "its header has no name"
	InstallNothing     Key = "%s 里没有 skill（需要带 name 和 description 的 SKILL.md）" + or + "no skills in %s; a skill is a SKILL.md with name and description"
	InstallOnlySkipped Key = "%s 里没有可用的 skill；%s：%v" + or + "no usable skills in %s; %s: %v"
	InstallNotThere    Key = "%s 里没有名为 %q 的 skill；现有：%s" + or + "%s has no skill %q; it has: %s"
	InstallInjects     Key = "正文里有会自动运行的命令；安装的 skill 不会运行它们" + or + "its text holds commands to be run at once; they are never run for an installed skill"
	InstallField       Key = "头部有 %s" + or + "its header has %s"
	InstallNoRename    Key = "头部的 name 不是一行文字，不能改名" + or + "the name in the header is not on one line, so it cannot be changed"
)

// What lies in the way of installing.
const (
	InstallLockBad      Key = "%s 无法读取，请修好或删除：%v" + or + "%s cannot be read; repair it or remove it: %v"
	InstallLockVersion  Key = "版本是 %v，这里只认识 %v" + or + "its version is %v, only %v is known"
	InstallBadName      Key = "名称 %q 不能用；可以用 %q" + or + "the name %q cannot be used; %q can"
	InstallNameOne      Key = "--name 只能用于一个 skill，现在是 %d 个" + or + "--name is for one skill, there are %d"
	InstallSameFolder   Key = "%q 和 %q 会放进同一个文件夹 %s；请分别安装，其中一个用 --name" + or + "%q and %q would be in the same folder %s; install them one by one, one of them with --name"
	InstallOutside      Key = "%s 通向项目之外（%v），不往那里安装" + or + "%s leads out of the project (%v); nothing is installed there"
	InstallWouldLose    Key = "%s 里有无法读取的内容，会丢失（%v）；确实要替换时加 --force" + or + "%s holds what cannot be read and would be lost (%v); add --force to replace it"
	InstallIsLink       Key = "%s 是一个链接，它指向的文件夹由别人管理；要换成文件夹时加 --force" + or + "%s is a link to a folder that somebody else keeps; add --force to put a folder in its place"
	InstallNotOurs      Key = "%s 已经存在，而且不是安装来的；要替换时加 --force" + or + "%s is there already and was not installed; add --force to replace it"
	InstallEdited       Key = "%s 安装后被改过：%s；要丢弃这些改动时加 --force" + or + "%s has been changed since it was installed: %s; add --force to lose these changes"
	InstallEditedSome   Key = "%s 安装后可能被改过（%v）；要丢弃改动时加 --force" + or + "%s may have been changed since it was installed (%v); add --force to lose the changes"
	InstallHashOnly     Key = "与锁文件里的哈希不符；那个哈希也可能包含没有安装的文件，例如 metadata.json" + or + "its files do not have the hash in the lock file, which may cover files that are not installed, such as metadata.json"
	InstallElsewhere    Key = "%s 已经从 %s 安装；要换成 %s 的时加 --force，要并存用 --name" + or + "%s is installed already from %s; add --force to replace it by that of %s, or --name to have both"
	InstallOverlap      Key = "%s 和要安装到的 %s 互相包含" + or + "%s and the place to install it in, %s, lie within one another"
	InstallMeanwhile    Key = "%s 在这期间变了，没有改动；请再来一次" + or + "%s has changed meanwhile and was left alone; try again"
	InstallBusy         Key = "%s 正被另一个进程使用：%v" + or + "another process is working on %s: %v"
	InstallNotInstalled Key = "没有安装名为 %q 的 skill" + or + "no skill %q is installed"
	InstallOtherLevel   Key = "%q 安装在另一级（%s）；个人级用 -g，项目级不用" + or + "%q is installed at the level %s; the user's needs -g, the project's goes without"
	InstallNoSource     Key = "%s：锁文件没有可以再次获取的来源（%s）；请重新安装" + or + "%s: its lock file has no source to fetch again (%s); install it anew"
	InstallGone         Key = "%[2]s 已经没有 %[1]s；本地的保留" + or + "%[2]s has no %[1]s any more; the installed one stays"
	InstallAmbiguous    Key = "%[2]s 里有几个 %[1]s，不知道是哪一个；请重新安装" + or + "%[2]s has several %[1]s; install the right one anew"
)

// Help of the group skill.
const (
	HelpSkillInstall Key = "从别处安装 skill：路径、owner/repo、git 地址、压缩包、网站" + or + "install skills from a path, owner/repo, a git URL, an archive or a site"
	HelpSkillList    Key = "列出这里能用的 skill、来源和状态" + or + "list the skills that load here, where they came from and their state"
	HelpSkillShow    Key = "查看一个 skill" + or + "show one skill"
	HelpSkillUpdate  Key = "更新安装的 skill" + or + "update installed skills"
	HelpSkillRemove  Key = "删除安装的 skill" + or + "remove installed skills"
	FlagGlobal       Key = "个人级（~/.agents/skills），不是这个项目" + or + "your own (~/.agents/skills) instead of this project's"
	FlagSkill        Key = "要安装的 skill，用逗号分开；* 是全部" + or + "skills to install, with commas between; * is all"
	FlagAllSkills    Key = "安装来源里的全部 skill" + or + "install all skills of the source"
	FlagListSkills   Key = "只列出来源里有什么" + or + "only list what the source has"
	FlagRef          Key = "分支、标签或提交" + or + "branch, tag or commit"
	FlagName         Key = "用另一个名称安装" + or + "install it under another name"
	FlagCopy         Key = "为 .claude 放一份复制，而不是链接" + or + "put a copy for .claude instead of a link"
	FlagLose         Key = "丢弃本地改动，替换已有的文件夹" + or + "lose local changes, replace folders that are there"
	FlagInsecure     Key = "允许不加密的地址和内网地址" + or + "allow addresses without encryption and of private networks"
)

// What is said while installing.
const (
	InstallNoHome      Key = "不知道个人目录在哪里（没有 HOME）" + or + "there is no home directory (HOME is not set)"
	InstallSayYes      Key = "没有人可以回答；看过之后加 --yes" + or + "nobody can be asked here; when you have seen what it is, add --yes"
	InstallRefused     Key = "没有改动" + or + "nothing was changed"
	InstallWhich       Key = "来源里有 %d 个 skill，请写出名称，或加 --all" + or + "the source has %d skills; name those you want, or add --all"
	InstallSkipped     Key = "跳过 %s：%v" + or + "skipped %s: %v"
	InstallHead        Key = "%s -> %s（%d 个文件，%d 字节，其中脚本 %d 个）" + or + "%s -> %s (%d files, %d bytes, %d of them scripts)"
	InstallFile        Key = "%s %s（%d 字节）" + or + "%s %s (%d B)"
	InstallScript      Key = "  [脚本]" + or + "  [script]"
	InstallEditedMark  Key = "  [你改过]" + or + "  [changed by you]"
	InstallMoreFiles   Key = "还有 %d 个文件" + or + "and %d more files"
	InstallQuestion    Key = "安装 %d 个 skill，来源 %s？[y/N] " + or + "Install %d of %s? [y/N] "
	InstallDone        Key = "已安装 %s：%s" + or + "installed %s in %s"
	InstallUpdated     Key = "已更新 %s：%s" + or + "updated %s in %s"
	InstallRestored    Key = "已恢复 %s 安装时的内容：%s" + or + "%s is again as it was installed in %s"
	InstallRefusedOne  Key = "不安装 %s：%v" + or + "%s is not installed: %v"
	InstallWouldRefuse Key = "不会安装：%v" + or + "would not be installed: %v"
	InstallNotAll      Key = "%[2]d 个 skill 里有 %[1]d 个没有安装，原因见上" + or + "%d of %d skills were not installed, for the reasons above"
	InstallSameEdited  Key = "%s 没有更新的版本；本地的改动保留：%s（--force 恢复安装时的内容）" + or + "%s has no newer version; your changes stay: %s (--force brings back what was installed)"
	InstallSame        Key = "%s 没有变化：%s" + or + "%s is up to date in %s"
	UpdateNothing      Key = "这里没有安装的 skill（个人级用 -g）" + or + "no skills are installed here (your own: -g)"
	UpdateQuestion     Key = "更新 %d 个 skill？[y/N] " + or + "Update %d skills? [y/N] "
	RemoveQuestion     Key = "删除这 %d 个 skill？[y/N] " + or + "Remove these %d skills? [y/N] "
	RemoveDone         Key = "已删除 %s" + or + "removed %s"
)

// What the list says.
const (
	InstallNone           Key = "没有 skill" + or + "no skills"
	InstallMissing        Key = "锁文件里有，文件夹不在；重新安装或更新" + or + "the lock file names it, but its folder is gone; update it or install it anew"
	InstallDoctorModified Key = "安装后被改过：%s" + or + "changed since it was installed: %s"
	InstallDoctorFix      Key = "react-agent skill update %s（--force 丢弃本地改动）" + or + "react-agent skill update %s (--force loses local changes)"
	InstallChanged        Key = "（改过：%s）" + or + "(changed: %s)"
	InstallNotLoaded      Key = "%s 没有加载（%s）：%s %s" + or + "%s is not loaded (%s): %s %s"
	StateLoaded           Key = "可用" + or + "loaded"
	StateInstalled        Key = "已安装" + or + "installed"
	StateModified         Key = "改过" + or + "modified"
	StateMissing          Key = "不在" + or + "missing"
	StateLinked           Key = "链接" + or + "linked"
	StateShadowed         Key = "被同名遮住" + or + "shadowed"
	StateHeld             Key = "未信任" + or + "not trusted"
	InstallHeld           Key = "项目带来的内容尚未信任；在终端里启动并回答 y，或加 --trust" + or + "what this project brings is not trusted yet: start at a terminal and answer y, or add --trust"
	StateSkipped          Key = "跳过" + or + "skipped"
	ShowPath              Key = "文件" + or + "file"
	ShowState             Key = "状态" + or + "state"
	ShowSource            Key = "来源" + or + "source"
	ShowChanged           Key = "改过的文件" + or + "changed files"
	ShowNotes             Key = "提示" + or + "notes"
	ShowFiles             Key = "文件夹里有" + or + "in its folder"
)
