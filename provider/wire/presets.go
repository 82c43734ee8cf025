package wire

import (
	"slices"
	"strings"
)

// How thoughts go back, by the names of the message's field.
const (
	inContent = "reasoning_content"
	inPlain   = "reasoning"
	inDetails = "reasoning_details"
)

// How a message without text is written.
const emptyText = `""`

const million = 1_000_000

// Presets lists the vendors known by name, sorted. Each call gives a fresh copy. Vendors whose own protocol is not Chat
// Completions stand here with their compatible endpoint.
func Presets() []Preset {
	all := slices.Concat(makers(), hosts(), gateways(), local(), commands())
	for i := range all {
		if all[i].API == "" {
			all[i].API = "chat"
		}
	}
	slices.SortFunc(all, func(a, b Preset) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// makers are vendors that serve models of their own.
func makers() []Preset {
	return []Preset{
		{
			Name: "anthropic", BaseURL: "https://api.anthropic.com/v1", KeyEnv: []string{"ANTHROPIC_API_KEY"},
			DefaultModel: "claude-sonnet-5-5", Context: million, MaxOutput: 128000, IDs: IDAnthropic,
		},
		{
			Name: "dashscope", BaseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1", KeyEnv: []string{"DASHSCOPE_API_KEY", "QWEN_API_KEY"},
			DefaultModel: "qwen3.7-max", Context: million, MaxOutput: 64000, EmptyContent: emptyText,
		},
		{
			// Every message of a history with tools needs its thoughts, or the next request is refused.
			Name: "deepseek", BaseURL: "https://api.deepseek.com/v1", KeyEnv: []string{"DEEPSEEK_API_KEY"},
			DefaultModel: "deepseek-v4-pro", Context: million, MaxOutput: 384000, ReasoningField: inContent, ReasoningAlways: true, EmptyContent: emptyText,
		},
		{
			Name: "gemini", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
			DefaultModel: "gemini-3.8-flash", Context: 1048576, MaxOutput: 65536, ThoughtsInTotal: true,
		},
		{
			Name: "gemini-openai", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
			DefaultModel: "gemini-3.8-flash", Context: 1048576, MaxOutput: 65536, ThoughtsInTotal: true,
		},
		{
			Name: "minimax", BaseURL: "https://api.minimax.io/v1", KeyEnv: []string{"MINIMAX_API_KEY"},
			DefaultModel: "MiniMax-M3", Context: million, MaxOutput: 524288, ReasoningField: inDetails, ThinkInContent: true, EmptyContent: emptyText, Numbers: "minimax",
		},
		{
			Name: "mistral", BaseURL: "https://api.mistral.ai/v1", KeyEnv: []string{"MISTRAL_API_KEY"},
			DefaultModel: "mistral-large-latest", Context: 1048576, MaxOutput: 262144, EmptyContent: emptyText, IDs: IDMistral, BareOverflow: true,
		},
		{
			Name: "moonshot", BaseURL: "https://api.moonshot.ai/v1", KeyEnv: []string{"MOONSHOT_API_KEY", "KIMI_API_KEY"},
			DefaultModel: "kimi-k3", Context: 1048576, MaxOutput: 1048576, ReasoningField: inContent,
		},
		{
			Name: "openai", BaseURL: "https://api.openai.com/v1", KeyEnv: []string{"OPENAI_API_KEY"},
			DefaultModel: "gpt-6.2-sol", Context: 272000, MaxOutput: 128000, MaxTokensField: "max_completion_tokens", IDs: IDOpenAI,
		},
		{
			Name: "qianfan", BaseURL: "https://qianfan.baidubce.com/v2", KeyEnv: []string{"QIANFAN_API_KEY", "QIANFAN_BEARER_TOKEN"},
			DefaultModel: "ernie-5.0-thinking-latest", EmptyContent: emptyText, Numbers: "qianfan",
		},
		{
			Name: "xai", BaseURL: "https://api.x.ai/v1", KeyEnv: []string{"XAI_API_KEY", "GROK_API_KEY"},
			DefaultModel: "grok-4.7", Context: 500000, MaxOutput: 500000,
		},
		{
			Name: "zai", BaseURL: "https://api.z.ai/api/paas/v4", KeyEnv: []string{"ZAI_API_KEY"},
			DefaultModel: "glm-5.3", Context: million, MaxOutput: 131072, ReasoningField: inContent, EmptyContent: emptyText, Numbers: "zhipu",
		},
		{
			Name: "zhipu", BaseURL: "https://open.bigmodel.cn/api/paas/v4", KeyEnv: []string{"ZHIPU_API_KEY", "ZHIPUAI_API_KEY", "BIGMODEL_API_KEY"},
			DefaultModel: "glm-5.3", Context: million, MaxOutput: 131072, ReasoningField: inContent, EmptyContent: emptyText, Numbers: "zhipu",
		},
	}
}

// hosts are vendors that serve others' models.
func hosts() []Preset {
	return []Preset{
		{ // the address names the resource, the model its deployment
			Name: "azure", KeyEnv: []string{"AZURE_OPENAI_API_KEY", "AZURE_API_KEY"}, KeyHeader: "api-key",
			MaxTokensField: "max_completion_tokens", IDs: IDOpenAI,
		},
		{
			Name: "baseten", BaseURL: "https://inference.baseten.co/v1", KeyEnv: []string{"BASETEN_API_KEY"},
			DefaultModel: "zai-org/GLM-5.3", Context: 1048576, MaxOutput: 262144, ReasoningField: inContent,
		},
		{
			Name: "bedrock", BaseURL: "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", KeyEnv: []string{"AWS_BEARER_TOKEN_BEDROCK"},
			DefaultModel: "openai.gpt-oss-120b-1:0", Context: 128000, MaxTokensField: "max_completion_tokens",
		},
		{
			Name: "cerebras", BaseURL: "https://api.cerebras.ai/v1", KeyEnv: []string{"CEREBRAS_API_KEY"},
			DefaultModel: "gpt-oss-120b", Context: 131072, MaxOutput: 40960, ReasoningField: inPlain, MaxTokensField: "max_completion_tokens",
			EmptyContent: emptyText, BareOverflow: true,
		},
		{
			Name: "fireworks", BaseURL: "https://api.fireworks.ai/inference/v1", KeyEnv: []string{"FIREWORKS_API_KEY"},
			DefaultModel: "accounts/fireworks/models/glm-5p3", Context: 1048573, MaxOutput: 262144, ReasoningField: inContent,
		},
		{
			Name: "groq", BaseURL: "https://api.groq.com/openai/v1", KeyEnv: []string{"GROQ_API_KEY"},
			DefaultModel: "openai/gpt-oss-120b", Context: 131072, MaxOutput: 65536, ReasoningField: inPlain, MaxTokensField: "max_completion_tokens",
		},
		{
			Name: "nebius", BaseURL: "https://api.tokenfactory.nebius.com/v1", KeyEnv: []string{"NEBIUS_API_KEY"},
			DefaultModel: "openai/gpt-oss-120b", Context: 131072,
		},
		{
			Name: "together", BaseURL: "https://api.together.xyz/v1", KeyEnv: []string{"TOGETHER_API_KEY"},
			DefaultModel: "zai-org/GLM-5.3", Context: 1048575, MaxOutput: 262144, ReasoningField: inPlain,
		},
	}
}

// gateways pass requests on to many vendors.
func gateways() []Preset {
	return []Preset{
		{
			Name: "copilot", BaseURL: "https://api.githubcopilot.com", KeyEnv: []string{"GITHUB_COPILOT_TOKEN", "COPILOT_API_KEY"},
			DefaultModel: "claude-sonnet-5", Context: 264000, MaxOutput: 64000, IDs: IDAnthropic,
		},
		{ // any server that speaks Chat Completions
			Name: "generic", KeyEnv: []string{"OPENAI_API_KEY"},
		},
		{
			Name: "litellm", BaseURL: "http://localhost:4000/v1", KeyEnv: []string{"LITELLM_API_KEY", "LITELLM_MASTER_KEY"}, ReasoningField: inContent,
		},
		{
			Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: []string{"OPENROUTER_API_KEY"},
			DefaultModel: "anthropic/claude-sonnet-5.5", Context: million, MaxOutput: 128000, ReasoningField: inDetails,
		},
	}
}

// local are servers on one's own machine. They need no key, and serve what was loaded into them.
func local() []Preset {
	return []Preset{
		{Name: "llamacpp", BaseURL: "http://localhost:8080/v1", ReasoningField: inContent, EmptyContent: emptyText},
		{Name: "lmstudio", BaseURL: "http://localhost:1234/v1", EmptyContent: emptyText},
		{Name: "ollama", BaseURL: "http://localhost:11434/v1", ReasoningField: inPlain, EmptyContent: emptyText},
		{Name: "sglang", BaseURL: "http://localhost:30000/v1", ReasoningField: inContent, EmptyContent: emptyText},
		{Name: "vllm", BaseURL: "http://localhost:8000/v1", ReasoningField: inPlain},
	}
}
