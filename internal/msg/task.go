package msg

// What is wrong with a change of the tasks. The English texts stand behind "Error: " for the model; the first two are the
// source system's.
const (
	TaskNone      Key = "没有任务 %d" + or + "Task %d not found"
	TaskStatus    Key = "状态 '%s' 无效" + or + "Invalid status '%s'"
	TaskSubject   Key = "任务需要一个标题" + or + "A task needs a subject"
	TaskCycle     Key = "任务 %[1]d 不能等待任务 %[2]d：那样就成了循环 %[3]s" + or + "Task %[1]d cannot wait for task %[2]d: that would be a circle, %[3]s"
	TaskOwned     Key = "任务 %[1]d 已由 %[2]s 领取" + or + "Task %[1]d is owned by %[2]s"
	TaskBlocked   Key = "任务 %[1]d 被任务 %[2]s 阻塞：先完成它们" + or + "Task %[1]d is blocked by %[2]s: complete that first"
	TaskCompleted Key = "任务 %d 已完成" + or + "Task %d is completed already"
	TaskOwner     Key = "领取任务的名字不能为空" + or + "Whoever claims a task needs a name"
	TaskTooLong   Key = "任务太长：写成文件有 %[1]d KiB，最多 %[2]d KiB" + or + "The task is too long: its file would have %[1]d KiB, at most %[2]d are kept"
	TaskBroken    Key = "任务 %[1]d 的文件不能用（%[2]v）：请修好或删除 .tasks/task_%[1]d.json" + or + "The file of task %[1]d cannot be used (%[2]v): mend or remove .tasks/task_%[1]d.json"
)

// What is wrong with a file of a task.
const (
	TaskFileName   Key = "文件名应为 task_N.json，N 是从 1 起的数字" + or + "its name must be task_N.json with a number from 1 on"
	TaskFileLong   Key = "文件超过 %d KiB" + or + "it is longer than %d KiB"
	TaskFileJSON   Key = "不是一个 JSON 对象：%v" + or + "it is not one JSON object: %v"
	TaskFileField  Key = "字段 %[1]s 不对：应为 %[2]s" + or + "its field %[1]s must be %[2]s"
	TaskFileID     Key = "字段 id 是 %[1]d，与文件名不符" + or + "its id is %[1]d, which is not the one in its name"
	TaskFileBroken Key = "（%[1]s 不能用：%[2]v）" + or + "(%[1]s cannot be used: %[2]v)"
)
