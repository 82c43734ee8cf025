package msg

// Texts about what model calls cost.
const (
	CostOver       Key = "已花费 %s（含子智能体和队友），上限为 %s。要继续，请提高 max_cost（--max-cost）" + or + "%s of %s are spent, sub-agents and teammates included; to go on, raise max_cost (--max-cost)"
	CostOverTokens Key = "已使用 %d 个 token（含子智能体和队友），上限为 %d（%s）。要继续，请提高 max_total_tokens" + or + "%d {token|tokens} of %d are used (%s), sub-agents and teammates included; to go on, raise max_total_tokens"
	CostWait       Key = "%s：达到速率限制，等待 %s" + or + "%s: rate limit, waiting %s"
	CostBuiltIn    Key = "随程序附带的价目表的日期" + or + "date of the list of prices that comes with the program"
	CostPrice      Key = "每百万 token 输入 %s，输出 %s" + or + "%s for a million tokens of input, %s of output"
	CostNoPrice    Key = "价格未知，只统计 token" + or + "the price is unknown: only tokens are counted"
	CostSetPrice   Key = "在 config.yaml 里写 models: {%s: {price: {input: N, output: N}}}" + or + "write models: {%s: {price: {input: N, output: N}}} in config.yaml"
	CostUnknown    Key = "不知道 %[1]s 的价格：max_cost 管不到它（在 models: {%[1]s: {price: {input: N, output: N}}} 里写上价格）" + or +
		"the price of %[1]s is unknown, so max_cost does not count it (set it in models: {%[1]s: {price: {input: N, output: N}}})"

	ConfigWantAmount Key = "0 或更大的数" + or + "a number, 0 or more"
	FlagMaxCost      Key = "一个会话（含子智能体）最多花费的美元" + or + "most US dollars that a conversation may cost, its sub-agents included"

	HelpCost        Key = "显示花费：各模型的调用、token 和金额；prices 列出价目" + or + "show what was spent by model: calls, tokens, money; prices lists the prices"
	FlagBy          Key = "按 model、session、day 或 vendor 汇总" + or + "add up by model, session, day or vendor"
	CostBy          Key = "只能按 model、session、day 或 vendor 汇总，不能是 %q" + or + "the heading is model, session, day or vendor, not %q"
	CostNone        Key = "还没有调用过模型" + or + "no model was called yet"
	CostNoModel     Key = "价目表里没有 %q" + or + "the list of prices has nothing like %q"
	CostTotal       Key = "合计" + or + "total"
	CostHeadKey     Key = " " + or + " "
	CostHeadCalls   Key = "调用" + or + "calls"
	CostHeadInput   Key = "输入" + or + "input"
	CostHeadCached  Key = "命中缓存" + or + "cached"
	CostHeadWritten Key = "写入缓存" + or + "written"
	CostHeadOutput  Key = "输出" + or + "output"
	CostHeadThought Key = "思考" + or + "thinking"
	CostHeadUSD     Key = "金额" + or + "cost"
	CostHeadAbove   Key = "输入超过" + or + "input above"
	CostHeadWindow  Key = "上下文" + or + "window"
	CostUnknownSum  Key = "未知" + or + "unknown"
	CostFailed      Key = "其中 %d 次失败或被取消；用掉的部分已计入" + or + "%d of these calls failed or {was|were} cancelled; what was used is counted"
	CostEstimated   Key = "~ 有 %d 次调用厂商没有报告 token，为估计值" + or + "~ of %d {call|calls} the vendor reported no tokens: they are estimated"
	CostUnpriced    Key = "有 %d 次调用价格未知，金额里没有它们" + or + "the price of %d {call|calls} is unknown: the money is without"
	CostLimit       Key = "上限：已花费 %s，共 %s（%d %%）" + or + "limit: %s of %s (%d %%)"
	CostLimitTokens Key = "上限：已用 %s，共 %s 个 token" + or + "limit: %s of %s tokens"
	CostAsOf        Key = "价目日期：%s" + or + "prices as of %s"
	CostPer         Key = "美元，每百万 token；- 表示未知，或缓存按普通输入计价" + or + "US dollars for a million tokens; - is unknown, or for a cache the price of plain input"
	CostRun         Key = "输入 %s，输出 %s 个 token" + or + "tokens: %s in, %s out"
	CostRunCached   Key = "输入 %s（命中缓存 %s），输出 %s 个 token" + or + "tokens: %s in (%s cached), %s out"
)
