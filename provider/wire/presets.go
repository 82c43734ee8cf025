package wire

import (
	"encoding/json"
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

// APICommand is the wire to a program that answers a prompt.
const APICommand = "command"

// The wires over HTTP, by name.
const (
	apiChat      = "chat"
	apiResponses = "responses"
	apiAnthropic = "anthropic"
	apiGemini    = "gemini"
)

// bearer is the header of a token, for vendors that want one in a wire whose key has a header of its own.
const bearer = "Authorization"

// Presets lists the vendors known by name, sorted. Each call gives a fresh copy.
func Presets() []Preset {
	all := unsorted()
	slices.SortFunc(all, func(a, b Preset) int { return strings.Compare(a.Name, b.Name) })
	return all
}

func unsorted() []Preset {
	all := slices.Concat(makers(), chinese(), hosts(), clouds(), gateways(), local(), commands())
	for i := range all {
		if all[i].API == "" {
			all[i].API = apiChat
		}
	}
	return all
}

// makers are vendors that serve models of their own, chinese those of them whose home is China.
func makers() []Preset {
	return []Preset{
		{
			Name: "anthropic", API: apiAnthropic, BaseURL: "https://api.anthropic.com/v1", KeyEnv: []string{"ANTHROPIC_API_KEY"},
			DefaultModel: "claude-sonnet-5-5", Context: million, MaxOutput: 128000, IDs: IDAnthropic,
			Also: at("https://api.anthropic.com/v1", apiChat),
		},
		{
			Name: "gemini", API: apiGemini, BaseURL: "https://generativelanguage.googleapis.com/v1beta", KeyEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
			DefaultModel: "gemini-3.8-flash", Context: 1048576, MaxOutput: 65536, ThoughtsInTotal: true,
			Also: at("https://generativelanguage.googleapis.com/v1beta/openai", apiChat),
		},
		{
			Name: "gemini-openai", BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", KeyEnv: []string{"GEMINI_API_KEY", "GOOGLE_API_KEY"},
			DefaultModel: "gemini-3.8-flash", Context: 1048576, MaxOutput: 65536, ThoughtsInTotal: true,
		},
		{
			Name: "mistral", BaseURL: "https://api.mistral.ai/v1", KeyEnv: []string{"MISTRAL_API_KEY"},
			DefaultModel: "mistral-large-latest", Context: 1048576, MaxOutput: 262144, EmptyContent: emptyText, IDs: IDMistral, BareOverflow: true,
		},
		{
			Name: "openai", BaseURL: "https://api.openai.com/v1", KeyEnv: []string{"OPENAI_API_KEY"},
			DefaultModel: "gpt-6.2-sol", Context: 272000, MaxOutput: 128000, MaxTokensField: "max_completion_tokens", IDs: IDOpenAI, AssistantLast: true,
			Also: at("https://api.openai.com/v1", apiResponses),
		},
		{
			Name: "xai", BaseURL: "https://api.x.ai/v1", KeyEnv: []string{"XAI_API_KEY", "GROK_API_KEY"},
			DefaultModel: "grok-4.7", Context: 500000, MaxOutput: 500000, AssistantLast: true,
			Also: at("https://api.x.ai/v1", apiResponses),
		},
	}
}

func chinese() []Preset {
	return []Preset{
		{
			Name: "dashscope", BaseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1", KeyEnv: []string{"DASHSCOPE_API_KEY", "QWEN_API_KEY"},
			DefaultModel: "qwen3.7-max", Context: million, MaxOutput: 64000, EmptyContent: emptyText,
			Also: map[string]Variant{
				apiAnthropic: {BaseURL: "https://dashscope.aliyuncs.com/apps/anthropic/v1"}, apiResponses: {BaseURL: "https://dashscope.aliyuncs.com/compatible-mode/v1"},
			},
		},
		{
			// Every message of a history with tools needs its thoughts, or the next request is refused.
			Name: "deepseek", BaseURL: "https://api.deepseek.com/v1", KeyEnv: []string{"DEEPSEEK_API_KEY"},
			DefaultModel: "deepseek-v4-pro", Context: million, MaxOutput: 384000, ReasoningField: inContent, ReasoningAlways: true, EmptyContent: emptyText,
			Also: at("https://api.deepseek.com/anthropic/v1", apiAnthropic),
		},
		{
			Name: "minimax", BaseURL: "https://api.minimax.io/v1", KeyEnv: []string{"MINIMAX_API_KEY"},
			DefaultModel: "MiniMax-M3", Context: million, MaxOutput: 524288, ReasoningField: inDetails, ThinkInContent: true, EmptyContent: emptyText, Numbers: "minimax",
			Also: map[string]Variant{apiAnthropic: {BaseURL: "https://api.minimax.io/anthropic/v1"}, apiResponses: {BaseURL: "https://api.minimax.io/v1"}},
		},
		{
			Name: "moonshot", BaseURL: "https://api.moonshot.ai/v1", KeyEnv: []string{"MOONSHOT_API_KEY", "KIMI_API_KEY"},
			DefaultModel: "kimi-k3", Context: 1048576, MaxOutput: 1048576, ReasoningField: inContent,
			Also: map[string]Variant{apiAnthropic: {BaseURL: "https://api.moonshot.ai/anthropic/v1", KeyHeader: bearer}, apiResponses: {BaseURL: "https://api.moonshot.ai/v1"}},
		},
		{
			Name: "qianfan", BaseURL: "https://qianfan.baidubce.com/v2", KeyEnv: []string{"QIANFAN_API_KEY", "QIANFAN_BEARER_TOKEN"},
			DefaultModel: "ernie-5.0-thinking-latest", EmptyContent: emptyText, Numbers: "qianfan",
		},
		{
			Name: "zai", BaseURL: "https://api.z.ai/api/paas/v4", KeyEnv: []string{"ZAI_API_KEY"},
			DefaultModel: "glm-5.3", Context: million, MaxOutput: 131072, ReasoningField: inContent, EmptyContent: emptyText, Numbers: "zhipu",
			Also: at("https://api.z.ai/api/anthropic/v1", apiAnthropic),
		},
		{
			Name: "zhipu", BaseURL: "https://open.bigmodel.cn/api/paas/v4", KeyEnv: []string{"ZHIPU_API_KEY", "ZHIPUAI_API_KEY", "BIGMODEL_API_KEY"},
			DefaultModel: "glm-5.3", Context: million, MaxOutput: 131072, ReasoningField: inContent, EmptyContent: emptyText, Numbers: "zhipu",
			Also: at("https://open.bigmodel.cn/api/anthropic/v1", apiAnthropic),
		},
	}
}

// hosts are vendors that serve others' models.
func hosts() []Preset {
	return []Preset{
		{
			Name: "baseten", SlashIDs: true, BaseURL: "https://inference.baseten.co/v1", KeyEnv: []string{"BASETEN_API_KEY"},
			DefaultModel: "zai-org/GLM-5.3", Context: 1048576, MaxOutput: 262144, ReasoningField: inContent,
		},
		{
			Name: "cerebras", BaseURL: "https://api.cerebras.ai/v1", KeyEnv: []string{"CEREBRAS_API_KEY"},
			DefaultModel: "gpt-oss-120b", Context: 131072, MaxOutput: 40960, ReasoningField: inPlain, MaxTokensField: "max_completion_tokens",
			EmptyContent: emptyText, BareOverflow: true,
		},
		{
			Name: "fireworks", SlashIDs: true, BaseURL: "https://api.fireworks.ai/inference/v1", KeyEnv: []string{"FIREWORKS_API_KEY"},
			DefaultModel: "accounts/fireworks/models/glm-5p3", Context: 1048573, MaxOutput: 262144, ReasoningField: inContent,
			Also: map[string]Variant{
				apiAnthropic: {BaseURL: "https://api.fireworks.ai/inference/v1", KeyHeader: bearer}, apiResponses: {BaseURL: "https://api.fireworks.ai/inference/v1"},
			},
		},
		{
			Name: "groq", SlashIDs: true, BaseURL: "https://api.groq.com/openai/v1", KeyEnv: []string{"GROQ_API_KEY"},
			DefaultModel: "openai/gpt-oss-120b", Context: 131072, MaxOutput: 65536, ReasoningField: inPlain, MaxTokensField: "max_completion_tokens",
			Also: at("https://api.groq.com/openai/v1", apiResponses),
		},
		{
			Name: "nebius", SlashIDs: true, BaseURL: "https://api.tokenfactory.nebius.com/v1", KeyEnv: []string{"NEBIUS_API_KEY"},
			DefaultModel: "openai/gpt-oss-120b", Context: 131072,
		},
		{
			Name: "together", SlashIDs: true, BaseURL: "https://api.together.xyz/v1", KeyEnv: []string{"TOGETHER_API_KEY"},
			DefaultModel: "zai-org/GLM-5.3", Context: 1048575, MaxOutput: 262144, ReasoningField: inPlain,
		},
	}
}

// clouds are vendors whose address has the customer's own resource or project in it, or whose key is a token that others
// issue. Requests that have to be signed are not built.
func clouds() []Preset {
	const vertex = "https://LOCATION-aiplatform.googleapis.com/v1/projects/PROJECT/locations/LOCATION"
	return []Preset{
		{ // the model is the name of its deployment
			Name: "azure", KeyEnv: []string{"AZURE_OPENAI_API_KEY", "AZURE_API_KEY"}, KeyHeader: "api-key",
			Form: "https://RESOURCE.openai.azure.com/openai/v1", MaxTokensField: "max_completion_tokens", IDs: IDOpenAI, AssistantLast: true,
			Also: map[string]Variant{
				apiResponses: {KeyHeader: "api-key"},
				apiAnthropic: {Form: "https://RESOURCE.services.ai.azure.com/anthropic/v1"},
			},
		},
		{ // with a Bedrock API key; other regions by api_base
			Name: "bedrock", BaseURL: "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", KeyEnv: []string{"AWS_BEARER_TOKEN_BEDROCK"},
			Form:         "https://bedrock-runtime.REGION.amazonaws.com/openai/v1",
			DefaultModel: "openai.gpt-oss-120b-1:0", Context: 128000, MaxTokensField: "max_completion_tokens",
			Also: map[string]Variant{
				apiResponses: {BaseURL: "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1"},
				apiAnthropic: {BaseURL: "https://bedrock-mantle.us-east-1.api.aws/anthropic/v1", Form: "https://bedrock-mantle.REGION.api.aws/anthropic/v1"},
			},
		},
		{ // the key is an access token, as gcloud auth print-access-token gives it
			Name: "vertex", API: apiGemini, KeyEnv: []string{"VERTEX_ACCESS_TOKEN"}, KeyHeader: bearer, Form: vertex,
			Path: "/publishers/google/models/{model}:streamGenerateContent",
			Also: map[string]Variant{
				apiChat: {Path: "/endpoints/openapi/chat/completions"},
				apiAnthropic: {
					KeyHeader: bearer, Path: "/publishers/anthropic/models/{model}:streamRawPredict",
					Body: map[string]json.RawMessage{"anthropic_version": json.RawMessage(`"vertex-2023-10-16"`)},
				},
			},
		},
	}
}

// at is other wires at one address.
func at(base string, wires ...string) map[string]Variant {
	also := map[string]Variant{}
	for _, api := range wires {
		also[api] = Variant{BaseURL: base}
	}
	return also
}

// gateways pass requests on to many vendors.
func gateways() []Preset {
	return []Preset{
		{
			Name: "copilot", BaseURL: "https://api.githubcopilot.com", KeyEnv: []string{"GITHUB_COPILOT_TOKEN", "COPILOT_API_KEY"},
			DefaultModel: "claude-sonnet-5", Context: 264000, MaxOutput: 64000, IDs: IDAnthropic,
			Also: at("https://api.githubcopilot.com", apiResponses),
		},
		{ // any server
			Name: "generic", KeyEnv: []string{"OPENAI_API_KEY"}, Form: "https://HOST/v1", Also: at("", apiResponses, apiAnthropic, apiGemini),
		},
		{
			Name: "litellm", BaseURL: "http://localhost:4000/v1", KeyEnv: []string{"LITELLM_API_KEY", "LITELLM_MASTER_KEY"}, ReasoningField: inContent,
			SlashIDs: true, Also: at("http://localhost:4000/v1", apiResponses, apiAnthropic),
		},
		{
			Name: "openrouter", BaseURL: "https://openrouter.ai/api/v1", KeyEnv: []string{"OPENROUTER_API_KEY"},
			DefaultModel: "anthropic/claude-sonnet-5.5", Context: million, MaxOutput: 128000, ReasoningField: inDetails,
			SlashIDs: true, Also: map[string]Variant{
				apiAnthropic: {BaseURL: "https://openrouter.ai/api/v1", KeyHeader: bearer}, apiResponses: {BaseURL: "https://openrouter.ai/api/v1"},
			},
		},
	}
}

// local are servers on one's own machine. They need no key, and serve what was loaded into them.
func local() []Preset {
	ollama := server("ollama", "http://localhost:11434/v1", inPlain, emptyText)
	ollama.HostEnv = "OLLAMA_HOST"
	return []Preset{
		server("llamacpp", "http://localhost:8080/v1", inContent, emptyText),
		server("lmstudio", "http://localhost:1234/v1", "", emptyText),
		ollama,
		server("sglang", "http://localhost:30000/v1", inContent, emptyText),
		server("vllm", "http://localhost:8000/v1", inPlain, ""),
	}
}

func server(name, base, reasoning, empty string) Preset {
	return Preset{
		Name: name, Local: name, BaseURL: base, ReasoningField: reasoning, EmptyContent: empty, SlashIDs: true, Also: at(base, apiResponses, apiAnthropic),
	}
}
