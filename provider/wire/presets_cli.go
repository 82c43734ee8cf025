package wire

import "react-agent/agent"

// CLI says how a program answers a prompt: a model that is a command.
type CLI struct {
	// Command is the program and its arguments. {prompt} stands for the prompt, which goes to standard input when it is too
	// long for an argument or when no {prompt} stands here; {system} for the system prompt, which stands before the prompt
	// when no {system} stands here; {model} for the model. An argument that has nothing to stand for goes, with the option
	// before it.
	Command []string
	// Aliases are other names of the program.
	Aliases []string
	// Install is what a person types to get the program.
	Install string
	// Exits says what the program means by an exit status, where it has a meaning of its own.
	Exits map[int]agent.ErrorKind
}

// commands are programs that answer a prompt. They are asked for text and nothing else: what they can do by themselves is
// switched off as far as they have a switch for it, and none is ever told to go ahead without asking.
func commands() []Preset {
	exits := map[int]agent.ErrorKind{
		41: agent.ErrAuth, 42: agent.ErrBadRequest, 52: agent.ErrConfig, 53: agent.ErrInvalidResponse, 54: agent.ErrInvalidResponse,
	}
	return []Preset{
		{
			Name: "claude-code", API: APICommand, DefaultModel: "default", KeyEnv: []string{"ANTHROPIC_API_KEY"},
			CLI: &CLI{
				Command: []string{
					"claude", "-p", "--tools", "", "--max-turns", "1", "--output-format", "stream-json", "--verbose",
					"--include-partial-messages", "--system-prompt", "{system}", "--model", "{model}",
				},
				Install: "npm install -g @anthropic-ai/claude-code",
			},
		},
		{
			Name: "codebuddy", API: APICommand, KeyEnv: []string{"CODEBUDDY_API_KEY"}, DefaultModel: "deepseek-v3-2-volc",
			CLI: &CLI{
				// --tools takes a list: whatever follows it directly must be an option, or the prompt would be taken for a tool.
				Command: []string{"codebuddy", "-p", "--tools", "", "--max-turns", "1", "--output-format", "json", "--model", "{model}", "{prompt}"},
				Aliases: []string{"cbc"},
				Install: "npm install -g @tencent-ai/codebuddy-code",
			},
		},
		{
			Name: "gemini-cli", API: APICommand, DefaultModel: "default", KeyEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
			CLI: &CLI{
				Command: []string{"gemini", "--approval-mode", "default", "--output-format", "stream-json", "-m", "{model}", "-p", "{prompt}"},
				Install: "npm install -g @google/gemini-cli",
				Exits:   exits,
			},
		},
		{
			Name: "qwen-code", API: APICommand, DefaultModel: "default", KeyEnv: []string{"DASHSCOPE_API_KEY", "QWEN_API_KEY", "OPENAI_API_KEY"},
			CLI: &CLI{
				Command: []string{
					"qwen", "--output-format", "stream-json", "--include-partial-messages", "-m", "{model}", "-p", "{prompt}",
				},
				Install: "npm install -g @qwen-code/qwen-code",
				Exits:   exits,
			},
		},
	}
}
