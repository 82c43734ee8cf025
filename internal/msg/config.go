package msg

// Texts about configuration.
const (
	ConfigNoModel Key = "没有密钥，也没有指定服务器：请设置环境变量 %s，或在 %s 里写 api_key，或先试试 react-agent demo（不需要密钥）" + or +
		"no key and no server named: set %s, or api_key in %s, or try `react-agent demo`, which needs no key"
	ConfigUnknownKey     Key = "%s：不认识的键 %q" + or + "%s: unknown key %q"
	ConfigUnknownKeyNear Key = "%s：不认识的键 %q，是不是 %q？" + or + "%s: unknown key %q, did you mean %q?"

	ConfigFromFlag    Key = "命令行 --%s" + or + "flag --%s"
	ConfigFromEnv     Key = "环境变量 %s" + or + "environment variable %s"
	ConfigFromVendor  Key = "厂商 %s 的预设" + or + "preset of %s"
	ConfigFromDefault Key = "默认值" + or + "default"
)
