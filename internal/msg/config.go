package msg

// Texts about configuration. In most of them the first argument is the place: file and line, a variable or a flag.
const (
	ConfigNoModel Key = "没有密钥，也没有指定服务器：请设置环境变量 %s（或 OPENAI_BASE_URL），或在 %s 里写 api_key，或先运行不需要密钥的 `react-agent demo`" + or +
		"no key and no server named: set %s (or OPENAI_BASE_URL), or write api_key in %s, or try `react-agent demo`, which needs no key"
	ConfigNoKey Key = "没有 %[1]s 的密钥：请设置环境变量 %[2]s，或在 %[3]s 里写 api_key，或先运行不需要密钥的 `react-agent demo`" + or +
		"no key for %[1]s: set %[2]s, or write api_key in %[3]s, or try `react-agent demo`, which needs no key"
	ConfigNoBase       Key = "%s 没有固定的地址：请用 --base-url、OPENAI_BASE_URL 或 api_base 指定" + or + "%s has no fixed address: name it with --base-url, OPENAI_BASE_URL or api_base"
	ConfigNoOtherKey   Key = "没有 %[1]s 的密钥：请设置环境变量 %[2]s" + or + "no key for %[1]s: set %[2]s"
	ConfigNoBaseForm   Key = "%[1]s 没有固定的地址：请用 --base-url 或 api_base 指定，形如 %[2]s" + or + "%[1]s has no fixed address: name it with --base-url or api_base; it looks like %[2]s"
	ConfigNoBaseWire   Key = "%[1]s 在指定的地址上不说 %[2]s：请用 --base-url 或 api_base 指定另一个地址，形如 %[3]s" + or + "%[1]s does not speak %[2]s at the address that was named: name another with --base-url or api_base; it looks like %[3]s"
	ConfigNoWire       Key = "%[1]s 不支持 %[2]s 协议，只支持：%[3]s" + or + "%[1]s does not speak %[2]s; it speaks %[3]s"
	ConfigAt           Key = "%[1]s：%[2]s" + or + "%[1]s: %[2]s"
	ConfigNoVendor     Key = "没有叫 %[1]q 的供应商（/model 列出全部；在 presets 里可以自己添加）" + or + "there is no vendor %[1]q (/model lists them; presets adds your own)"
	ConfigNoVendorNear Key = "没有叫 %[1]q 的供应商，是不是 %[2]q？（/model 列出全部）" + or + "there is no vendor %[1]q; did you mean %[2]q? (/model lists them)"
	ConfigNameModel    Key = "没有为 %s 指定模型：请用 --model、MODEL_ID 或 model 指定" + or + "no model named for %s: use --model, MODEL_ID or the key model"

	ConfigUnknownKey     Key = "%s：不认识的键 %q（可用的键：%s）" + or + "%s: unknown key %q (known: %s)"
	ConfigUnknownKeyNear Key = "%s：不认识的键 %q，是不是 %q？" + or + "%s: unknown key %q, did you mean %q?"
	ConfigOldKey         Key = "%s：这里没有键 %q，请改用：%s" + or + "%s: there is no key %q here, use instead: %s"
	ConfigDuplicate      Key = "%s：键 %q 重复，第一次在 %s" + or + "%s: key %q is there twice, first at %s"
	ConfigWrongType      Key = "%s：%s 的值是 %q，应该是%s" + or + "%s: %s is %q, but must be %s"
	ConfigWrongSecret    Key = "%s：%s 应该是一段文本" + or + "%s: %s must be a text"
	ConfigNotOneOf       Key = "%s：%s 的值是 %q，只能是：%s" + or + "%s: %s is %q, but must be one of: %s"
	ConfigNotOneOfNear   Key = "%s：%s 的值是 %q，只能是：%s；是不是 %q？" + or + "%s: %s is %q, but must be one of: %s; did you mean %q?"

	ConfigWantText     Key = "一段文本" + or + "a text"
	ConfigWantBool     Key = " true 或 false" + or + "true or false"
	ConfigWantInt      Key = "整数" + or + "a whole number"
	ConfigWantPositive Key = "不小于 1 的整数" + or + "a whole number of 1 or more"
	ConfigWantNumber   Key = "大于 0 的数" + or + "a number above 0"
	ConfigWantDuration Key = "时长，例如 10s、2m 或秒数" + or + "a duration such as 10s, 2m or plain seconds"
	ConfigWantList     Key = "文本列表" + or + "a list of texts"
	ConfigWantMap      Key = "键值映射" + or + "a mapping"
	ConfigWantURL      Key = "形如 https://host/v1 的地址" + or + "an address such as https://host/v1"
	ConfigWantListen   Key = "host:port 或端口号" + or + "host:port or a port"

	ConfigSyntax       Key = "%s：不是合法的 YAML：%s" + or + "%s: not valid YAML: %s"
	ConfigTab          Key = "%s：缩进里有制表符，YAML 只能用空格缩进" + or + "%s: a tab in the indentation; YAML is indented with spaces only"
	ConfigNotMapping   Key = "%s：文件内容应该是“键: 值”的映射" + or + "%s: the file must be a mapping of `key: value` lines"
	ConfigTwoDocuments Key = "%s：这里开始了第二个 YAML 文档，只能有一个" + or + "%s: a second YAML document starts here, there may be only one"
	ConfigNoAnchors    Key = "%s：配置里不能用锚点、别名、合并键、标签或复合键" + or + "%s: anchors, aliases, merge keys, tags and complex keys are not allowed in settings"
	ConfigTooLarge     Key = "%s：文件超过 %d KiB，不像配置文件" + or + "%s: larger than %d KiB, which is no settings file"
	ConfigUTF16        Key = "%s：文件是 UTF-16 编码，请另存为 UTF-8" + or + "%s: the file is UTF-16, save it as UTF-8"
	ConfigNotUTF8      Key = "%s：不是 UTF-8 文本" + or + "%s: this is no UTF-8 text"
	ConfigUnreadable   Key = "配置文件无法读取：%s" + or + "cannot read settings: %s"
	ConfigNoFile       Key = "%s：指定的配置文件无法读取：%s" + or + "%s: cannot read the settings file named there: %s"
	ConfigWorkDir      Key = "%s：工作目录不可用：%s" + or + "%s: no usable work directory: %s"
	ConfigNoHome       Key = "找不到主目录：请设置 HOME 或 %s，或使用 --state-dir" + or + "no home directory: set HOME or %s, or use --state-dir"
	ConfigTwoModes     Key = "%s 与 %s 互相矛盾" + or + "%s and %s contradict each other"

	ConfigDotEnvLine     Key = "%s：%s 这一行不是 NAME=VALUE，或引号没有闭合" + or + "%s: the line of %s is no NAME=VALUE, or its quote is never closed"
	ConfigDotEnvSkipped  Key = "这一行不是 NAME=VALUE，已跳过" + or + "this line is no NAME=VALUE and was skipped"
	ConfigProxyInDotEnv  Key = "代理和证书只从真正的环境变量读取" + or + "proxies and certificates are only taken from the real environment"
	ConfigUnknownVar     Key = "没有这个设置" + or + "there is no such setting"
	ConfigUnknownVarNear Key = "没有这个设置，是不是 %s？" + or + "there is no such setting, did you mean %s?"
	ConfigForeign        Key = "文件里没有一个键是 react-agent 的，当作别的程序的文件，未读取" + or + "not one key in it is react-agent's: taken for another program's file and not read"
	ConfigLater          Key = "已读取并保留，但这个版本还没有用到它的功能" + or + "read and kept, but the part that uses it is not in this version"
	ConfigNotTrusted     Key = "来自工作目录里尚未信任的文件，未生效" + or + "from a file in the work directory that is not trusted yet: without effect"
	ConfigOtherKey       Key = "密钥不发往较弱层指定的地址（%s），改用了 %s 的密钥" + or + "a key does not go to an address of a weaker layer (%s); the key of %s is used"
	ConfigHidden         Key = "（无法显示）" + or + "(cannot be shown)"

	ConfigUntrusted Key = "%[1]s：%[2]s 来自工作目录，信任之后才会生效（确认内容后加 --trust）：\n    %[2]s: %[3]s" + or +
		"%[1]s: %[2]s comes from the work directory and takes effect only once you trust it (look at it, then use --trust):\n    %[2]s: %[3]s"
	ConfigMore      Key = "…（还有 %d 个字符，请看文件）" + or + "… (%d more: read the file)"
	ConfigTrustName Key = "文件名里有换行符，无法记录信任：%q" + or + "a file name with a line break cannot be trusted: %q"

	ConfigFromFlag    Key = "命令行 --%s" + or + "flag --%s"
	ConfigFromEnv     Key = "环境变量 %s" + or + "environment variable %s"
	ConfigFromVendor  Key = "厂商 %s 的预设" + or + "preset of %s"
	ConfigFromDefault Key = "默认值" + or + "default"
)
