package msg

// States of background jobs, and why they were stopped.
const (
	JobRunning   Key = "运行中" + or + "running"
	JobWaiting   Key = "需要人工输入" + or + "needs a human"
	JobCompleted Key = "已完成" + or + "completed"
	JobFailed    Key = "出错" + or + "error"
	JobOrphaned  Key = "结果不明" + or + "orphaned"
	JobType      Key = "它在等待密码或确认，用 /jobs type %s 文字 输入" + or + "it asks for a password or a confirmation: /jobs type %s TEXT answers it"
	JobTimeout   Key = "超时" + or + "time limit"
	JobKilled    Key = "已终止" + or + "killed"
)
