package texttag

import (
	"fmt"
	"strings"
)

// How lines of a history begin.
const (
	userPrefix      = "User: "
	assistantPrefix = "Assistant: "
	resultPrefix    = "[工具结果]: "
)

// words are what the model is told, in one language.
type words struct {
	tools, noArgs, optional       string
	how, several, noRepeat, plain string
	thought, final, schema        string
	required, named               string
	example                       string
	broken, fix                   string
	attachment                    string
}

func wordsFor(lang string) words {
	if strings.HasPrefix(lang, "zh") {
		return words{
			tools: "你可以使用下面这些工具：", noArgs: "参数: {}", optional: "可选",
			how:     "需要使用工具时，回复里只写工具调用，不写别的内容，格式如下：",
			several: "一次可以写多个 <tool_call>，它们会按顺序执行。每个工具的结果会以 [工具结果] 开头出现在对话里。",
			noRepeat: "重要：如果对话历史里已经有与当前问题相关的 [工具结果]，就不要再次调用同一个工具，" +
				"请直接根据这个结果回答。",
			plain:    "不需要工具时，直接写出回答，不要写任何标签。",
			thought:  "调用工具或回答之前，可以先把思考过程写在 <thought>…</thought> 里。",
			final:    "最终回答写在 <final_answer>…</final_answer> 里。",
			schema:   "最终回答必须是一个符合下面 JSON Schema 的 JSON，不要写其他文字：",
			required: "这一次必须调用一个工具。", named: "这一次必须调用工具 %s。",
			example:    "示例：",
			broken:     "错误：<tool_call> 里的内容无法解析：%s",
			fix:        `请重新回复，只写 <tool_call>{"name":"工具名","args":{…}}</tool_call>，或者直接回答。`,
			attachment: "[附件：%s]",
		}
	}
	return words{
		tools: "You can use these tools:", noArgs: "args: {}", optional: "optional",
		how:      "To use a tool, reply with the call and nothing else, in this form:",
		several:  "Several <tool_call> tags in one reply run in order. What a tool answers stands in the conversation behind [工具结果].",
		noRepeat: "Important: when the conversation already has a [工具结果] that the question needs, do not call the same tool again; answer from it.",
		plain:    "When no tool is needed, write the answer as plain text, without any tag.",
		thought:  "Before a call or an answer you may think in <thought>…</thought>.",
		final:    "Put the final answer in <final_answer>…</final_answer>.",
		schema:   "The final answer must be one JSON value of this JSON Schema, and nothing else:",
		required: "This time you must call a tool.", named: "This time you must call the tool %s.",
		example:    "Examples:",
		broken:     "Error: what stands in <tool_call> cannot be read: %s",
		fix:        `Reply again with nothing but <tool_call>{"name":"TOOL","args":{…}}</tool_call>, or with the answer.`,
		attachment: "[attachment: %s]",
	}
}

func (w *words) say(format string, args ...any) string { return fmt.Sprintf(format, args...) }
