package msg

// Texts about models and their vendors.
const (
	ModelStandIn Key = "%[1]s；改用 %[2]s（%[3]s）继续" + or + "%[1]s; going on with %[2]s (%[3]s)"

	ModelKept Key = "本会话使用 %[1]s：%[2]s。用 --model 或 /model 换一个" + or + "this session uses %[1]s: %[2]s; choose another with --model or /model"

	ModelContext      Key = "上下文 %s" + or + "window %s"
	ModelOutput       Key = "输出 %s" + or + "output %s"
	ModelPrice        Key = "每百万 token %s / %s" + or + "%s in and %s out for a million tokens"
	ModelFromSettings Key = "来自配置" + or + "from the settings"
	ModelFromSession  Key = "本会话选择的" + or + "chosen in this session"
	ModelFallback     Key = "失败时依次改用 %s" + or + "when it fails: %s"
	ModelsOf          Key = "%s 的已知模型：" + or + "known models of %s:"
	ModelVendors      Key = "其他可用的厂商及其默认模型：" + or + "other vendors that can be used, with their usual models:"
	ModelLocal        Key = "本机服务器（不需要密钥）：%s" + or + "servers on this machine, without a key: %s"
	ModelPrograms     Key = "可以直接使用的命令行程序：%s" + or + "programs that can be asked at once: %s"
	ModelNoProgram    Key = "没有安装的命令行程序：%s" + or + "programs that are not there: %s"
	ModelNoKey        Key = "没有密钥：%s" + or + "without a key: %s"
	ModelNoBase       Key = "没有地址（用 --base-url 或 presets 指定）：%s" + or + "without an address (name one with --base-url or in presets): %s"
	ModelHow          Key = "/model 名称、/model 厂商/名称 或 /model 厂商/ 从下一轮起换用，--api 选择协议" + or +
		"/model NAME, /model VENDOR/NAME or /model VENDOR/ changes it from the next run on; --api chooses the wire"
	ModelFlag      Key = "/model 没有 %s：只有 --provider、--api、--model" + or + "/model has no %s, only --provider, --api and --model"
	ModelFlagValue Key = "%s 后面要有值" + or + "%s wants a value"
	ModelOne       Key = "只能选一个模型，而不是：%s" + or + "only one model can be chosen, not: %s"
)
