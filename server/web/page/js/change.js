// change.js: what a call would change and why one has failed, told from its arguments and its result alone. It knows nothing
// of the page or the network, and is tested without a browser. The terminal says the same: internal/cli/change.go, failed.go.

const lines = (s) => (typeof s === 'string' && s !== '' ? s.replace(/\n$/, '').split('\n') : []);

/** edit is one place: what goes and what comes; of what stays at both ends only the line next to it. */
function edit(e) {
	const old = lines(e?.old_text);
	const now = lines(e?.new_text);
	const least = Math.min(old.length, now.length);
	let head = 0;
	while (head < least && old[head] === now[head]) head++;
	let tail = 0;
	while (tail < least - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
	return [
		...old.slice(Math.max(0, head - 1), head).map((l) => ' ' + l),
		...old.slice(head, old.length - tail).map((l) => '-' + l),
		...now.slice(head, now.length - tail).map((l) => '+' + l),
		...old.slice(old.length - tail, old.length - tail + 1).map((l) => ' ' + l),
	];
}

/** changeOf is a diff of what a call would make of its files; '' for one that changes none. What they hold now is not known. */
export function changeOf(name, args) {
	switch (name) {
		case 'write_file':
			return lines(args?.content).map((l) => '+' + l).join('\n');
		case 'edit_file':
			return edit(args).join('\n');
		case 'multi_edit':
			return (Array.isArray(args?.edits) ? args.edits : []).map((e) => ['@@', ...edit(e)].join('\n')).join('\n');
		case 'apply_patch':
			return typeof args?.patch === 'string' ? args.patch : '';
	}
	return '';
}

const READS = new Set(['read_file', 'grep', 'glob', 'list_dir', 'view_image']);
const WRITES = new Set(['write_file', 'edit_file', 'multi_edit', 'apply_patch']);

/** approvalOf says what an approval is about: [key of a text, values]; null where only the server can say. */
export function approvalOf(ask) {
	const { name, args } = ask.call ?? {};
	if (ask.kind || ask.choices?.length || !name) return null;
	if (name === 'bash' && typeof args?.command === 'string') return ['ask.run'];
	let path = args?.path ?? args?.file_path;
	if (name === 'apply_patch') path = [...String(args?.patch ?? '').matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map((m) => m[1]).join(', ');
	if (typeof path === 'string' && path && WRITES.has(name)) return ['ask.change', name, path];
	if (typeof path === 'string' && path && READS.has(name)) return ['ask.read', name, path];
	return ['ask.call', name];
}

/** reasonOf says in one line why a call has failed: how a command ended, and the first line that looks like an error. */
export function reasonOf(text) {
	const all = text.trim().split('\n');
	for (let i = all.length - 1; i >= Math.max(0, all.length - 6); i--) {
		const m = /^\[(?:\S+[:：] ?)?((?:exit status \d|killed by |timed out).*)\]$/.exec(all[i].trim());
		if (!m) continue;
		const rest = all.filter((_, k) => k !== i);
		const wrong = rest.find((l) => /\b(error|fatal|fail(ed|ure)?|cannot|can't|no such|not found|denied|refused|panic|exception|undefined)\b|错误|失败/i.test(l));
		return [m[1], wrong ?? rest[0]].filter(Boolean).join(': ');
	}
	return all[0];
}

/** gone says whether the owner of a task that is not done has ended: the team knows that name and it works no more. */
export function gone(task, members) {
	const m = members.find((x) => x.name === task.owner);
	return task.status !== 'completed' && m !== undefined && !['working', 'idle'].includes(m.status);
}

/**
 * blockers are the ids of tasks that keep one from being begun, by the rule of kit/task: an id that is no task any more keeps
 * nobody; a file that cannot be read may be one that is not completed. */
export function blockers(task, tasks, faults) {
	return (task.blockedBy ?? []).filter((id) => tasks.some((o) => o.id === id && o.status !== 'completed') || faults.some((f) => f.id === id));
}
