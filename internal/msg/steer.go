package msg

// Questions that the model has for the person.
const (
	AskNoChoice Key = "“%s” 不是其中的选项，请选一个编号。" + or + "\"%s\" is none of the choices: pick one by its number."
	AskChose    Key = "已选择：%s" + or + "chosen: %s"
	AskSaid     Key = "已回答：%s" + or + "answered: %s"
)
