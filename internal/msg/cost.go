package msg

// Texts about what model calls cost.
const (
	CostOver       Key = "已花费 %s，上限为 %s。要继续，请提高 max_cost（--max-cost）" + or + "%s of %s are spent; to go on, raise max_cost (--max-cost)"
	CostOverTokens Key = "已使用 %d 个 token，上限为 %d（%s）。要继续，请提高 max_total_tokens" + or + "%d tokens of %d are used (%s); to go on, raise max_total_tokens"
	CostWait       Key = "%s：达到速率限制，等待 %s" + or + "%s: rate limit, waiting %s"
	CostUnknown    Key = "不知道 %[1]s 的价格：max_cost 管不到它（在 models: {%[1]s: {price: {input: N, output: N}}} 里写上价格）" + or +
		"the price of %[1]s is unknown, so max_cost does not count it (set it in models: {%[1]s: {price: {input: N, output: N}}})"
)
