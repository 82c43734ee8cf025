package msg

// What the person reads about sub-agents.
const (
	TeamLoop Key = "启动子代理已被拒绝 %d 次，运行结束" + or + "starting a sub-agent was refused %d times, the run ends"
)
