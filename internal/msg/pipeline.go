package msg

// What is wrong with the settings of a pipeline.
const (
	PipelineDefaults Key = "整个文件改用默认值" + or + "the defaults are used in the place of the whole file"
	PipelineLeftOut  Key = "这个流水线没有载入" + or + "this pipeline is left out"
	PipelineNoEntry  Key = "没有这个程序文件" + or + "there is no such program"
	PipelineNoFile   Key = "不是普通文件" + or + "this is no ordinary file"
	PipelineTooLarge Key = "超过 %d KiB" + or + "it is larger than %d KiB"
	PipelineYAML     Key = "不是正确的 YAML：%v" + or + "this is not correct YAML: %v"
	PipelineNotMap   Key = "应该是“字段: 值”的列表" + or + "a list of fields and values is expected"
	PipelineUnknown  Key = "未知字段，已忽略；可用的有 %s" + or + "nobody knows this field, it is left out; there are %s"
	PipelineTwice    Key = "出现了两次" + or + "it stands there twice"
	PipelineBool     Key = "应该是 true 或 false" + or + "true or false is expected"
	PipelineNumber   Key = "应该是 1 到 %d 的整数" + or + "a whole number from 1 to %d is expected"
	PipelineText     Key = "应该是一行文字" + or + "one line of text is expected"
	PipelineList     Key = "应该是文字的列表，如 [\"a\", \"b\"]" + or + "a list of texts is expected, such as [\"a\", \"b\"]"
	PipelinePairs    Key = "应该是形如 %s 的列表" + or + "a list of pairs such as %s is expected"
	PipelinePath     Key = "应该是相对路径，并且不离开工作目录或 skill 的文件夹" + or + "a relative path is expected that stays in the work directory or the skill's folder"
	PipelineWord     Key = "%s 不能用在这里；可用的有：%s" + or + "%s cannot stand here; possible are: %s"
	PipelineSlug     Key = "必须含有 %s，否则所有的运行都用同一个文件夹" + or + "it must hold %s, otherwise all runs share one folder"
	PipelineNeeds    Key = "必须含有 %s" + or + "it must hold %s"
	PipelineSlash    Key = "应该是 inline 或 reference" + or + "inline or reference is expected"
	PipelineRegexp   Key = "%q 不是正则表达式：%v" + or + "%q is no regular expression: %v"
	PipelineSameName Key = "工具名 %s 已被另一个 skill 使用" + or + "the name of the tool, %s, is taken by another skill"
	PipelineAnything Key = "%q 匹配空文本，任何状态都会结束运行" + or + "%q fits an empty text, so every state would end the run"
)

// What a person sees of a run.
const (
	PipelineStep       Key = "[%d] %s · %s · %s …" + or + "[%d] %s · %s · %s …"
	PipelineStepDone   Key = "[%d] %s · 完成（%s）%s" + or + "[%d] %s · done (%s) %s"
	PipelineStepFailed Key = "[%d] %s · 失败（%s）%s" + or + "[%d] %s · failed (%s) %s"
	PipelineResumes    Key = "继续 %s，已完成 %d 步" + or + "going on with %s, %d {step is|steps are} done"
	PipelineProblem    Key = "流水线 %s：%s" + or + "pipeline %s: %s"
	PipelineProgram    Key = "需要程序 %s，但 PATH 里没有" + or + "the program %s is needed and is not on PATH"
	PipelineGone       Key = "这个 skill 已经不在了" + or + "this skill is not there any more"
	PipelineFound      Key = "同样的问题有一次没有做完；想重新开始，先删除这个文件夹" + or + "the same was asked before and did not end; to begin anew, remove that folder"
	PipelineEnds       Key = "流水线 %s：%s，用时 %s，文件夹 %s" + or + "pipeline %s: %s, after %s, in %s"
	PipelineStopped    Key = "流水线 %s 停在%s：%s。已完成的都在 %s；再问同样的问题就接着做" + or + "pipeline %s stopped %s: %s. What is done is in %s; ask the same again to go on"
	PipelineAtStep     Key = "第 %d 步“%s”" + or + "at step %d, %s"
	PipelineAfterStep  Key = "第 %d 步之后" + or + "after step %d"
	PipelineAtStart    Key = "第一步之前" + or + "before the first step"

	PipelineSubAgent    Key = "子智能体" + or + "sub-agent"
	PipelineRanWith     Key = "%s（%s）" + or + "%s (%s)"
	PipelineReplied     Key = "回复 %d 字节" + or + "a reply of %d {byte|bytes}"
	PipelineNoReply     Key = "回复为空，没有写 %s" + or + "an empty reply, %s is not written"
	PipelineWrote       Key = "%s，%d 字节" + or + "%s, %d {byte|bytes}"
	PipelineInterrupted Key = "被中断" + or + "it was interrupted"
	PipelineNotRun      Key = "%s 没有运行：%v" + or + "%s did not run: %v"
	PipelineEndedWith   Key = "%s 失败（%s）" + or + "%s failed (%s)"
	PipelineTooSlow     Key = "%s 两次都没有在 %s 内结束" + or + "%s did not end within %s, twice"
	PipelineNextFailed  Key = "%s 没有说出下一步：%v" + or + "%s did not say what is next: %v"
	PipelineAgentFailed Key = "子智能体没有完成：%v" + or + "the sub-agent has not done it: %v"
	PipelineMaxSteps    Key = "已做 %d 步（max_steps），流水线还没有结束" + or + "%d {step is|steps are} done (max_steps), and the pipeline has not ended"
	PipelineRound       Key = "一直在“%s”打转，没有任何变化" + or + "it goes round at %s, and nothing changes"
	PipelineUntrusted   Key = "%s 的脚本没有获得信任：%v" + or + "the scripts of %s are not trusted: %v"
)

// Why a question cannot be worked on, and what helps.
const (
	PipelineTooBroad    Key = "问题太宽，没有可以着手的点" + or + "The question is too broad to begin anywhere"
	PipelineNarrow      Key = "把它收窄到一个领域，再加一个限制（方法、数据、场景）" + or + "Narrow it to one area and one limitation (a method, data, a setting)"
	PipelineNoAnchor    Key = "问题没有落点：没有领域、任务、数据或基线" + or + "The question has no anchor: no domain, task, data or baseline"
	PipelineNameAnchors Key = "写明领域、任务、基线和数据" + or + "Name the domain, the task, the baseline and the data"
)
