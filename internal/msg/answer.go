package msg

// Texts about an answer that has to fit a schema.
const (
	FlagSchema Key = "让最终回答符合文件中的 JSON Schema（用于 run）" + or + "make the final answer fit the JSON Schema in a file (for run)"

	SchemaFile      Key = "--schema 的文件 %s：%v" + or + "--schema %s: %v"
	SchemaNoFile    Key = "--schema 需要一个文件名" + or + "--schema needs the name of a file"
	SchemaLarge     Key = "文件超过 %s" + or + "the file has more than %s"
	SchemaNotJSON   Key = "第 %d 行不是合法的 JSON：%v" + or + "line %d is no valid JSON: %v"
	SchemaNotObject Key = "这不是 JSON Schema：最外层必须是 JSON 对象" + or + "this is no JSON Schema: the file has to hold a JSON object"
	SchemaTop       Key = `最外层必须写明 "type": "object"` + or + `it has to say "type": "object" at its top`
	SchemaOneAnswer Key = "--schema 只用于一次回答：react-agent run --schema FILE 提示词" + or + "--schema is for one answer: react-agent run --schema FILE PROMPT"
	SchemaOffline   Key = "离线演示按规则回答，不能按 --schema 给出 JSON：请选择一个模型" + or + "the offline demo answers by rules and gives no JSON by --schema: choose a model"
	SchemaUnfit     Key = "试了 %d 次，回答仍不符合 --schema：%s" + or + "after %d {try|tries} the answer still does not fit --schema: %s"

	HeardUnfit Key = "+ 回答不符合 --schema，已告诉模型：%s" + or + "+ the answer does not fit --schema, the model was told: %s"
)
