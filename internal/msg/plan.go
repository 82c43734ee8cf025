package msg

// Texts about todos, plans and goals.
const (
	PlanAsk     Key = "按这个计划执行吗？" + or + "Carry out this plan?"
	PlanApprove Key = "批准" + or + "approve"
	PlanEdit    Key = "修改" + or + "edit"
	PlanReject  Key = "拒绝" + or + "reject"
	PlanChanges Key = "要改什么？" + or + "What should be changed?"
	PlanWaits   Key = "计划在等待批准：react-agent run --resume %[1]s '/plan approve' 执行它，'/plan edit 要改的内容' 修改它" + or +
		"the plan waits for approval: react-agent run --resume %[1]s '/plan approve' carries it out, '/plan edit CHANGES' changes it"

	HelpPlan       Key = "先计划再动手：进入计划模式，或批准、修改、拒绝、查看计划" + or + "plan before anything is changed: enter plan mode; approve, edit, reject or show the plan"
	PlanOn         Key = "计划模式：只读，直到计划被批准" + or + "plan mode: nothing is changed until a plan is approved"
	PlanOff        Key = "已离开计划模式，模式：%s" + or + "plan mode is off, the mode is %s"
	PlanDropped    Key = "已批准的计划不再有效" + or + "the approved plan is no longer in force"
	PlanNone       Key = "没有计划" + or + "there is no plan"
	PlanNothing    Key = "没有等待批准的计划" + or + "no plan is waiting for approval"
	PlanNotOn      Key = "现在不是计划模式" + or + "this is not plan mode"
	PlanEditWhat   Key = "写下要改什么：/plan edit 要改的内容" + or + "say what to change: /plan edit CHANGES"
	PlanProposed   Key = "等待批准的计划：" + or + "waiting for approval:"
	PlanRejected   Key = "被拒绝的计划：" + or + "rejected:"
	PlanApproved   Key = "已批准的计划：" + or + "approved:"
	PlanIsRejected Key = "计划被拒绝；计划模式仍然有效" + or + "the plan is rejected; plan mode stays"
	HeardApproved  Key = "+ 计划已批准，开始执行" + or + "+ the plan is approved and being carried out"
	FlagPlan       Key = "先计划：计划被批准之前只读" + or + "plan first: nothing is changed before the plan is approved"

	HelpTodos Key = "查看待办清单" + or + "show the list of todos"
	TodosNone Key = "没有待办" + or + "there are no todos"
	TodosDone Key = "（完成 %d/%d）" + or + "(%d/%d done)"
	HeardTodo Key = "+ 已提醒模型更新待办" + or + "+ the model was reminded of its todos"

	FlagUntil  Key = "每次回答后运行 CMD，直到它成功为止" + or + "run CMD after each answer and go on until it passes"
	UntilEmpty Key = "--until 需要一条命令" + or + "--until needs a command"
	HelpUntil  Key = "一直做到命令成功：/until CMD、/until off，不带参数则查看" + or + "go on until a command passes: /until CMD, /until off; alone it shows the goal"
	UntilNone  Key = "没有目标" + or + "there is no goal"
	UntilSet   Key = "目标：%s" + or + "the goal: %s"
	UntilOff   Key = "目标已取消" + or + "there is no goal any more"
	UntilShow  Key = "目标：%s（检查了 %d 次，%s）" + or + "the goal: %s (%d {check|checks}, %s)"
	GoalHolds  Key = "目标达成：%s" + or + "the goal holds: %s"
	GoalFails  Key = "目标未达成：%s（第 %d 次检查，%s）" + or + "the goal does not hold yet: %s (check %d, %s)"
	GoalStuck  Key = "目标 %s 未达成，而且最近一轮什么也没有改变" + or + "the goal %s does not hold, and the last round has changed nothing"
	GoalRounds Key = "检查了 %d 次，目标 %s 仍未达成" + or + "after %d {check|checks} the goal %s does not hold"
	GoalCannot Key = "无法检查目标 %s：%v" + or + "the goal %s cannot be checked: %v"

	GoalExit    Key = "退出状态 %s" + or + "exit status %s"
	GoalKilled  Key = "被 %s 终止" + or + "killed by %s"
	GoalTimeout Key = "%s 秒内没有结束" + or + "no end within %s s"
	GoalAsks    Key = "它在等人回答，而没有人能回答" + or + "it asks something that nobody can answer"
)
