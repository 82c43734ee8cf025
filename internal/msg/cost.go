package msg

// Texts about what model calls cost.
const (
	CostOver       Key = "已花费 %s，上限为 %s。要继续，请提高 max_cost（--max-cost）" + or + "%s of %s are spent; to go on, raise max_cost (--max-cost)"
	CostOverTokens Key = "已使用 %d 个 token，上限为 %d（%s）。要继续，请提高 max_total_tokens" + or + "%d {token|tokens} of %d are used (%s); to go on, raise max_total_tokens"
	CostWait       Key = "%s：达到速率限制，等待 %s" + or + "%s: rate limit, waiting %s"
	CostBuiltIn    Key = "随程序附带的价目表的日期" + or + "date of the list of prices that comes with the program"
	CostPrice      Key = "每百万 token 输入 %s，输出 %s" + or + "%s for a million tokens of input, %s of output"
	CostNoPrice    Key = "价格未知，只统计 token" + or + "the price is unknown: only tokens are counted"
	CostSetPrice   Key = "在 config.yaml 里写 models: {%s: {price: {input: N, output: N}}}" + or + "write models: {%s: {price: {input: N, output: N}}} in config.yaml"
	CostUnknown    Key = "不知道 %[1]s 的价格：max_cost 管不到它（在 models: {%[1]s: {price: {input: N, output: N}}} 里写上价格）" + or +
		"the price of %[1]s is unknown, so max_cost does not count it (set it in models: {%[1]s: {price: {input: N, output: N}}})"

	ConfigWantAmount Key = "0 或更大的数" + or + "a number, 0 or more"
	FlagMaxCost      Key = "一个会话（含子智能体）最多花费的美元" + or + "most US dollars that a conversation may cost, its sub-agents included"
)
