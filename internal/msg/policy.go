package msg

// Questions of the policy.
const (
	PolicyCommand Key = "要运行这条命令吗？\n%s" + or + "Run this command?\n%s"
	PolicyWrite   Key = "允许 %s 修改 %s 吗？" + or + "Let %s change %s?"
	PolicyTool    Key = "允许调用 %s 吗？\n%s" + or + "Allow a call of %s?\n%s"
)
