package msg

// How results of calls that did not run begin. The English is what the model reads, word for word; front ends show the
// person the other column.
const (
	ResultDenied      Key = "你没有允许" + or + "denied by the person"
	ResultNobody      Key = "需要批准，但没有人可以批准" + or + "denied: this needs an approval and nobody can be asked"
	ResultHook        Key = "被钩子拒绝" + or + "refused by the hook"
	ResultHookAsks    Key = "钩子要求询问" + or + "asked by the hook"
	ResultInterrupted Key = "被中断：可能已经运行，也可能仍在运行" + or + "interrupted: may have run, or still be running; check before running it again"
	ResultSkipped     Key = "已跳过：你说了话" + or + "skipped: the person spoke"
	ResultCancelled   Key = "已被你取消" + or + "cancelled by the person"
	ResultStuck       Key = "已取消；工具没有及时停下，可能仍在运行" + or + "cancelled; the tool did not stop in time and may still be running"
	ResultNotRun      Key = "没有运行：本轮已结束" + or + "not run: the run ended"
)
