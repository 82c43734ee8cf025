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
	TaskNumbers   Key = "没有更大的编号了：请删除或改名 .tasks/task_%d.json" + or + "There is no number left: remove or rename .tasks/task_%d.json"
	TaskBroken    Key = "任务 %[1]d 的文件不能用（%[2]v）：请修好或删除 .tasks/task_%[1]d.json" + or + "The file of task %[1]d cannot be used (%[2]v): mend or remove .tasks/task_%[1]d.json"
)

// What is wrong with a file of a task.
const (
	TaskFileName    Key = "文件名应为 task_N.json，N 是从 1 起的数字" + or + "its name must be task_N.json with a number from 1 on"
	TaskFileLong    Key = "文件超过 %d KiB" + or + "it is longer than %d KiB"
	TaskFileJSON    Key = "不是一个 JSON 对象：%v" + or + "it is not one JSON object: %v"
	TaskFileField   Key = "字段 %[1]s 不对：应为 %[2]s" + or + "its field %[1]s must be %[2]s"
	TaskFileID      Key = "字段 id 是 %[1]d，与文件名不符" + or + "its id is %[1]d, which is not the one in its name"
	TaskFileForeign Key = "这里不是普通文件：既不读也不写；请移走，或换成真正的文件" + or + "it is no regular file, and neither read nor written; move it away, or put a file of its own in its place"
	TaskFileBroken  Key = "（%[1]s 不能用：%[2]v）" + or + "(%[1]s cannot be used: %[2]v)"
)

// The commands.
const (
	HelpTaskGroup  Key = "查看和修改任务板" + or + "the board of tasks, and what is changed on it by hand"
	HelpTasks      Key = "查看任务板，或在上面添加、完成、删除任务" + or + "show the board of tasks; add, complete or remove one"
	HelpTaskList   Key = "列出任务" + or + "list the tasks"
	HelpTaskShow   Key = "以 JSON 显示一个任务" + or + "show one task as JSON"
	HelpTaskAdd    Key = "添加一个任务" + or + "add a task"
	HelpTaskUpdate Key = "修改任务的状态、文字和依赖" + or + "change a task: its status, its texts, what it waits for"
	HelpTaskDone   Key = "完成任务" + or + "complete tasks"
	HelpTaskClaim  Key = "领取一个任务" + or + "claim a task"
	HelpTaskRm     Key = "删除任务" + or + "remove tasks"

	FlagTaskAbout   Key = "说明" + or + "the description"
	FlagTaskSubject Key = "标题" + or + "the subject"
	FlagTaskStatus  Key = "状态：pending、in_progress 或 completed" + or + "pending, in_progress or completed"
	FlagTaskAfter   Key = "须先完成的任务，用逗号分开" + or + "tasks that must be completed before, with commas between"
	FlagTaskBefore  Key = "须等待此任务的任务，用逗号分开" + or + "tasks that wait for this one, with commas between"
	FlagTaskOwner   Key = "以谁的名义" + or + "in whose name"

	TasksNone    Key = "没有任务。" + or + "No tasks."
	TaskAdded    Key = "已添加任务 #%d：%s" + or + "added task #%d: %s"
	TaskGone     Key = "已删除任务 %d" + or + "Task %d deleted"
	TaskClaimed  Key = "%[2]s 已领取任务 #%[1]d" + or + "Claimed task #%[1]d for %[2]s"
	TaskNumber   Key = "%q 不是任务的编号：用 1、2 这样的数字" + or + "%q is not the number of a task: write 1, or 2"
	TaskNothing  Key = "没有要修改的：用 --status、--subject、--description、--blocked-by 或 --blocks" + or + "there is nothing to change: give --status, --subject, --description, --blocked-by or --blocks"
	TaskDeleteRm Key = "要删除任务，请用 task rm" + or + "to remove a task use task rm"
)
