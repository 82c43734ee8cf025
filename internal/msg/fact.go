package msg

// factWords are the headings and names of doctor that are words. All others are names of something: a setting, a program, a
// tool. Programs read the English ones.
func factWords() map[string]Key {
	return map[string]Key{
		"program":            "程序" + or + "program",
		"config":             "配置" + or + "config",
		"keys":               "密钥" + or + "keys",
		"model":              "模型" + or + "model",
		"models":             "各模型" + or + "models",
		"local models":       "本机模型" + or + "local models",
		"places":             "位置" + or + "places",
		"agent":              "agent" + or + "agent",
		"agents":             "子智能体" + or + "agents",
		"trust":              "信任" + or + "trust",
		"cost":               "费用" + or + "cost",
		"compact":            "压缩" + or + "compact",
		"instructions":       "项目指令" + or + "instructions",
		"memory":             "记忆" + or + "memory",
		"pipelines":          "流水线" + or + "pipelines",
		"programs":           "外部程序" + or + "programs",
		"reflect":            "反思" + or + "reflect",
		"server":             "服务器" + or + "server",
		"skills":             "skill" + or + "skills",
		"tools":              "工具" + or + "tools",
		"work directory":     "工作目录" + or + "work directory",
		"state directory":    "状态目录" + or + "state directory",
		"project content":    "项目内容" + or + "project content",
		"user namespaces":    "用户命名空间" + or + "user namespaces",
		"network namespaces": "网络命名空间" + or + "network namespaces",
		"reads":              "读" + or + "reads",
		"writes":             "写" + or + "writes",
		"executes":           "执行" + or + "executes",
	}
}

// Fact gives a word of doctor in the reader's language, and a name as it is.
func (c Catalogue) Fact(word string) string {
	if k, ok := factWords()[word]; ok {
		return c.Text(k)
	}
	return word
}
