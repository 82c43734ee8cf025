// text.js: what the page says, in English and Chinese. {0} stands for the first value.

const TEXT = {
	'app.skip': ['Skip to the message box', '跳到输入框'],
	'sessions': ['Sessions', '会话'],
	'sessions.new': ['New session', '新会话'],
	'sessions.open': ['Show sessions', '显示会话'],
	'sessions.more': ['Older sessions', '更早的会话'],
	'sessions.none': ['Nothing here yet. What you say first begins a session.', '还没有会话。说第一句话即开始。'],
	'sessions.delete': ['Delete session “{0}”', '删除会话“{0}”'],
	'sessions.deleteAsk': ['Delete this session?', '删除此会话？'],
	'sessions.deleteText': ['“{0}” and all that was said in it will be gone. Files it has changed stay as they are.', '“{0}”及其全部内容将被删除。它修改过的文件保持原样。'],
	'sessions.untitled': ['Untitled', '未命名'],
	'sessions.running': ['running', '运行中'],
	'today': ['Today', '今天'],
	'yesterday': ['Yesterday', '昨天'],
	'earlier': ['Earlier', '更早'],
	'delete': ['Delete', '删除'],
	'cancel': ['Cancel', '取消'],
	'close': ['Close', '关闭'],
	'save': ['Save', '保存'],
	'remove': ['Remove', '移除'],
	'edit': ['Edit', '编辑'],
	'copy': ['Copy', '复制'],
	'copied': ['Copied', '已复制'],
	'theme': ['Colours: {0}', '配色：{0}'],
	'theme.auto': ['as the system', '跟随系统'],
	'theme.light': ['light', '浅色'],
	'theme.dark': ['dark', '深色'],
	'lang': ['中文', 'English'],
	'lang.label': ['切换到中文', 'Switch to English'],
	'panel': ['Details', '详情'],
	'panel.open': ['Show details', '显示详情'],
	'tab.plan': ['Plan', '计划'],
	'tab.tasks': ['Tasks', '任务'],
	'tab.team': ['Team', '团队'],
	'tab.context': ['Context', '上下文'],
	'conn.connecting': ['Connecting', '连接中'],
	'conn.live': ['Connected', '已连接'],
	'conn.waiting': ['Connection lost, trying again', '连接中断，正在重试'],
	'conn.gone': ['This session is not there', '此会话不存在'],
	'conn.refused': ['Not allowed in', '无权访问'],
	'conn.idle': ['Ready', '就绪'],
	'conn.paused': ['Paused in the background', '后台暂停'],
	'meter': ['{0} tokens spent', '已用 {0} token'],
	'meter.title': ['Spent in this session: {0} tokens in, {1} out', '本会话共用 token：输入 {0}，输出 {1}'],
	'parent': ['Back to the session that started this one', '回到上级会话'],
	'log': ['Conversation', '对话'],
	'log.earlier': ['Show earlier messages ({0})', '显示更早的消息（{0}）'],
	'log.bottom': ['Jump to the newest', '跳到最新'],
	'you': ['You', '你'],
	'agent': ['Agent', '智能体'],
	'welcome': ['What shall we do?', '要做什么？'],
	'gone.text': ['It was deleted, or the address is not right.', '它已被删除，或者地址不对。'],
	'welcome.text': ['Ask, paste a picture, drop a file. Type / for commands.', '提问、粘贴图片或拖入文件。输入 / 查看命令。'],
	'thinking': ['Thinking', '思考中'],
	'thought': ['Thought', '思考'],
	'working': ['Working', '工作中'],
	'compacting': ['Making the history smaller', '正在压缩历史'],
	'retrying': ['Trying again: {0}', '正在重试：{0}'],
	'tool.args': ['Arguments', '参数'],
	'tool.result': ['Result', '结果'],
	'tool.progress': ['Progress', '进度'],
	'tool.running': ['running', '运行中'],
	'tool.waiting': ['waiting', '等待中'],
	'tool.asking': ['waits for you', '等你决定'],
	'tool.done': ['done', '完成'],
	'tool.error': ['failed', '失败'],
	'tool.denied': ['denied', '已拒绝'],
	'tool.stopped': ['not run', '未运行'],
	'tool.writing': ['being written', '生成中'],
	'tool.cleared': ['The model no longer reads this result.', '模型不再读取此结果。'],
	'tool.none': ['No output', '无输出'],
	'tool.child': ['Open the agent’s own conversation', '打开该智能体自己的会话'],
	'blob.load': ['Load the rest ({0})', '加载全文（{0}）'],
	'blob.lost': ['This text cannot be loaded: {0}', '无法加载此文本：{0}'],
	'answered.yes': ['Allowed', '已允许'],
	'answered.always': ['Always allowed', '已始终允许'],
	'answered.no': ['Denied', '已拒绝'],
	'answered.nobody': ['Nobody was there to answer', '无人应答'],
	'answered.text': ['Answered: {0}', '已回答：{0}'],
	'note.compact': ['The model now reads a summary of what stands above', '模型现在只读取以上内容的摘要'],
	'note.cleared': ['{0} older results are left out of what the model reads', '模型不再读取 {0} 个较早的结果'],
	'note.tokens': ['{0} → {1} tokens', '{0} → {1} token'],
	'note.summary': ['Summary', '摘要'],
	'note.rewind': ['Taken back from here', '从此处回退'],
	'note.undo': ['A compaction was undone', '已撤销一次压缩'],
	'from.agent': ['The agent above', '上级智能体'],
	'from.answer': ['Form of the answer', '回答格式'],
	'from.compact': ['What must not be forgotten', '压缩后保留'],
	'from.guard': ['Guard against circles', '循环检测'],
	'from.hook': ['Your own command', '自定义命令'],
	'from.instructions': ['Standing orders', '长期指令'],
	'from.job': ['Background command', '后台命令'],
	'from.memory': ['Memory', '记忆'],
	'from.plan': ['Plan', '计划'],
	'from.skill': ['Skill', '技能'],
	'from.team': ['Team', '团队'],
	'from.todo': ['Todo', '待办'],
	'from.until': ['Goal', '目标'],
	'role.lead': ['lead', '负责人'],
	'role.system': ['system', '系统'],
	'role.tool': ['tool', '工具'],
	'role.user': ['user', '用户'],
	'inbox.message': ['message', '消息'],
	'inbox.broadcast': ['to all', '群发'],
	'inbox.shutdown_request': ['asks to stop', '请求停止'],
	'inbox.shutdown_response': ['answers whether to stop', '答复停止请求'],
	'inbox.plan_approval_response': ['about a plan', '计划审批'],
	'end.end': ['Done', '完成'],
	'end.loop': ['Stopped: it went round in circles', '已停止：陷入循环'],
	'end.steps': ['Stopped: the limit of model calls was reached', '已停止：达到模型调用上限'],
	'end.budget': ['Stopped: the limit of money was reached', '已停止：达到费用上限'],
	'end.denied': ['Stopped: something needed a yes and nobody gave it', '已停止：需要批准而无人批准'],
	'end.overflow': ['Stopped: it does not fit into the model’s window', '已停止：超出模型窗口'],
	'end.timeout': ['Stopped: out of time', '已停止：超时'],
	'end.cancelled': ['Stopped by you', '已被你停止'],
	'end.length': ['The answer was cut at the output limit', '回答因输出上限被截断'],
	'end.refused': ['The model refused', '模型拒绝回答'],
	'end.error': ['Failed', '失败'],
	'end.meter': ['{0} · {1} in · {2} out', '{0} · 输入 {1} · 输出 {2}'],
	'steps': ['{0} steps', '{0} 步'],
	'steps.one': ['1 step', '1 步'],
	'stop.length': ['cut at the output limit', '因输出上限被截断'],
	'stop.aborted': ['stopped in mid-message', '中途停止'],
	'stop.refused': ['refused', '拒绝'],
	'stop.overflow': ['the window was full', '窗口已满'],
	'ask.title': ['The agent needs a decision', '需要你决定'],
	'ask.question': ['The agent asks', '智能体提问'],
	'ask.run': ['Run this command?', '要运行这条命令吗？'],
	'ask.change': ['Let {0} change {1}?', '允许 {0} 修改 {1} 吗？'],
	'ask.read': ['Let {0} read {1}?', '允许 {0} 读取 {1} 吗？'],
	'ask.call': ['Allow a call of {0}?', '允许调用 {0} 吗？'],
	'ask.more': ['{0} more after this', '之后还有 {0} 个'],
	'ask.allow': ['Allow', '允许'],
	'ask.always': ['Always allow', '始终允许'],
	'ask.alwaysTitle': ['“Always allow” asks no more for: {0}', '“始终允许”后不再询问：{0}'],
	'ask.deny': ['Deny', '拒绝'],
	'ask.reason': ['Say why, or what to do instead', '说明原因或替代做法'],
	'ask.words': ['Your answer', '你的回答'],
	'ask.send': ['Answer', '回答'],
	'ask.denyWith': ['Deny with this reason', '以此理由拒绝'],
	'compose': ['Message', '消息'],
	'compose.hint': ['Message the agent', '给智能体发消息'],
	'compose.busy': ['Say something to the run that goes on', '对正在进行的任务说点什么'],
	'compose.send': ['Send', '发送'],
	'compose.stop': ['Stop', '停止'],
	'compose.attach': ['Attach files', '添加附件'],
	'compose.when': ['When is it read?', '何时读取？'],
	'compose.steer': ['Steer now', '立即引导'],
	'compose.steerTitle': ['Read at the end of the running step', '在当前步骤结束时读取'],
	'compose.queue': ['Queue', '排队'],
	'compose.queueTitle': ['Read when this run has ended', '本次运行结束后读取'],
	'compose.drop': ['Drop files to attach them', '松开即可添加附件'],
	'compose.keys': ['Enter sends · Shift+Enter new line · / commands · Esc stops', 'Enter 发送 · Shift+Enter 换行 · / 命令 · Esc 停止'],
	'attach.uploading': ['uploading', '上传中'],
	'attach.failed': ['{0}: {1}', '{0}：{1}'],
	'queue': ['Waiting', '等待中'],
	'queue.steer': ['next step', '下一步'],
	'queue.queue': ['next turn', '下一轮'],
	'model': ['Model', '模型'],
	'mode': ['Mode', '模式'],
	'mode.ask': ['ask first', '先询问'],
	'mode.auto': ['auto', '自动'],
	'mode.readonly': ['read only', '只读'],
	'mode.plan': ['plan', '计划'],
	'mode.yolo': ['yolo', 'yolo（不询问）'],
	'yolo': ['yolo: everything is done without asking', 'yolo：一律执行，不再询问'],
	'commands': ['Commands', '命令'],
	'rewind': ['Go back to before this message', '回退到此消息之前'],
	'rewind.title': ['Go back to before this message?', '回退到此消息之前？'],
	'rewind.do': ['Go back', '回退'],
	'rewind.force': ['Go back, overwrite files', '回退并覆盖文件'],
	'plan.none': ['No plan and no todo list.', '没有计划，也没有待办。'],
	'plan.proposed': ['Proposed plan', '待批准的计划'],
	'plan.approved': ['Approved plan', '已批准的计划'],
	'plan.rejected': ['Rejected plan', '被拒绝的计划'],
	'plan.approve': ['Approve', '批准'],
	'plan.reject': ['Reject', '拒绝'],
	'plan.todo': ['Todo', '待办'],
	'plan.goal': ['Goal', '目标'],
	'plan.holds': ['holds', '已满足'],
	'plan.open': ['does not hold yet', '尚未满足'],
	'tasks.none': ['The board is empty.', '任务板为空。'],
	'tasks.pending': ['Open', '待办'],
	'tasks.in_progress': ['In progress', '进行中'],
	'tasks.completed': ['Done', '已完成'],
	'tasks.other': ['In another state', '其他状态'],
	'tasks.broken': ['Cannot be read', '无法读取'],
	'tasks.gone': ['has ended', '已结束'],
	'tasks.blocked': ['after #{0}', '依赖 #{0}'],
	'team.none': ['No teammates.', '没有队友。'],
	'team.working': ['working', '工作中'],
	'team.idle': ['idle', '空闲'],
	'team.shutdown': ['ended', '已结束'],
	'team.own': ['Conversations of sub-agents and teammates', '子智能体和队友的会话'],
	'team.inbox': ['Inbox', '收件箱'],
	'team.brought': ['came with the folder', '文件夹自带'],
	'team.inboxNone': ['No messages.', '没有消息。'],
	'context.window': ['Window', '窗口'],
	'context.of': ['{0} of {1} tokens', '{0} / {1} token'],
	'context.used': ['{0} tokens', '{0} token'],
	'context.compactAt': ['Made smaller at {0}', '到 {0} 时压缩'],
	'context.compact': ['Make it smaller', '立即压缩'],
	'context.cost': ['Spent in this session', '本会话花费'],
	'context.run': ['Last run', '最近一次运行'],
	'context.input': ['Input', '输入'],
	'context.cached': ['of it cached', '其中缓存'],
	'context.output': ['Output', '输出'],
	'context.reasoning': ['of it reasoning', '其中推理'],
	'context.money': ['Cost', '费用'],
	'context.unknown': ['unknown', '未知'],
	'context.estimated': ['partly estimated', '部分为估算'],
	'context.none': ['Nothing yet.', '暂无内容。'],
	'kind.system': ['System prompt', '系统提示'],
	'kind.tools': ['Tools', '工具'],
	'kind.summary': ['Summary', '摘要'],
	'kind.person': ['Your words', '你的话'],
	'kind.files': ['Files', '文件'],
	'kind.skills': ['Skills', '技能'],
	'kind.memory': ['Memory', '记忆'],
	'kind.notes': ['Notes', '提示'],
	'kind.answers': ['Answers', '回答'],
	'kind.thoughts': ['Thoughts', '思考'],
	'kind.calls': ['Calls', '调用'],
	'kind.results': ['Results', '结果'],
	'error.network': ['The server cannot be reached. What you wrote is kept; try again.', '无法连接服务器。已保留你写的内容，请重试。'],
	'error.token': ['This server wants its token.', '此服务器需要令牌。'],
	'error.tokenText': ['Open the page with the address that the server has printed, or enter the token.', '请用服务器打印的地址打开页面，或输入令牌。'],
	'error.tokenWrong': ['This token is not right.', '这个令牌不对。'],
	'error.token.label': ['Token', '令牌'],
	'error.token.go': ['Enter', '进入'],
	'say.done': ['The agent is done.', '智能体已完成。'],
	'say.failed': ['The run has stopped: {0}', '运行已停止：{0}'],
	'say.ask': ['A question waits for you: {0}', '有问题等你回答：{0}'],
	'say.sent': ['Sent', '已发送'],
	'say.queued': ['Queued', '已排队'],
};

let index = /^zh/.test(document.documentElement.lang) ? 1 : 0;

/** t is a text in the page's language. */
export function t(key, ...values) {
	const text = TEXT[key]?.[index] ?? key;
	return text.replace(/\{(\d)\}/g, (_, n) => values[n] ?? '');
}

/** word is the page's word for a name of the server's, by the family of its key; a name without one stays as it is. */
export const word = (family, name) => (Object.hasOwn(TEXT, family + name) ? t(family + name) : String(name ?? ''));

/** lang is 'en' or 'zh'. */
export const lang = () => (index ? 'zh' : 'en');

/** setLang changes the language. */
export function setLang(to) {
	index = to === 'zh' ? 1 : 0;
	document.documentElement.lang = index ? 'zh-CN' : 'en';
}

/**
 * translate puts texts into the static parts: data-t is the text, data-t-label the name, data-t-hint the placeholder,
 * data-t-title what is said on top of it. */
export function translate(root = document) {
	for (const el of root.querySelectorAll('[data-t]')) el.textContent = t(el.dataset.t);
	for (const el of root.querySelectorAll('[data-t-label]')) {
		el.setAttribute('aria-label', t(el.dataset.tLabel));
		if (el.tagName === 'BUTTON') el.title = t(el.dataset.tLabel);
	}
	for (const el of root.querySelectorAll('[data-t-title]')) el.title = t(el.dataset.tTitle);
	for (const el of root.querySelectorAll('[data-t-hint]')) el.setAttribute('placeholder', t(el.dataset.tHint));
}

const number = () => new Intl.NumberFormat(index ? 'zh-CN' : 'en-US');

/** count writes a number with its groups. */
export const count = (n) => (n === undefined ? t('context.unknown') : number().format(n));

/** short writes a number in a few characters: 950, 12.4k, 1.2M. */
export function short(n) {
	if (n === undefined || n === null) return '?';
	if (n < 1000) return String(n);
	const [v, unit] = n < 1e6 ? [n / 1e3, 'k'] : [n / 1e6, 'M'];
	return (v < 100 ? v.toFixed(1).replace(/\.0$/, '') : Math.round(v)) + unit;
}

/** bytes writes a size. */
export function bytes(n) {
	return n < 1024 ? n + ' B' : n < 1024 * 1024 ? Math.round(n / 1024) + ' kB' : (n / 1048576).toFixed(1) + ' MB';
}

/** money writes an amount in dollars. */
export function money(usd) {
	if (usd === undefined) return t('context.unknown');
	return '$' + (usd === 0 || usd >= 1 ? usd.toFixed(2) : usd >= 0.01 ? usd.toFixed(3) : usd.toFixed(5));
}

/** took writes a duration in ms. */
export function took(ms) {
	if (!(ms >= 0)) return '';
	return ms < 950 ? Math.max(1, Math.round(ms)) + ' ms' : ms < 59_500 ? (ms / 1000).toFixed(1) + ' s' : Math.floor(ms / 60_000) + ' min ' + Math.round((ms % 60_000) / 1000) + ' s';
}

/** day says on which day something was, for headings. */
export function day(date, now = new Date()) {
	const start = (d) => new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime();
	const days = Math.round((start(now) - start(date)) / 86_400_000);
	return days <= 0 ? t('today') : days === 1 ? t('yesterday') : t('earlier');
}

// Making a format costs more than using it hundreds of times.
const formats = ['en-GB', 'zh-CN'].map((locale) => ({
	time: new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }),
	date: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' }),
	year: new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' }),
}));

/** moment is the time of day, or the date of what was not today, with the year if it was another one. */
export function moment(date, now = new Date()) {
	if (Number.isNaN(date.getTime())) return '';
	const kind = date.toDateString() === now.toDateString() ? 'time' : date.getFullYear() === now.getFullYear() ? 'date' : 'year';
	return formats[index][kind].format(date);
}
