// tools.js: one tool call as a row that opens: what was asked for, what happens, what came of it.

import { api } from './api.js';
import { h, fill, icon } from './dom.js';
import { t, took, bytes } from './text.js';
import { render, codeBlock, highlight } from './markdown.js';
import { reasonOf } from './change.js';

const MAIN = ['command', 'file_path', 'path', 'pattern', 'query', 'url', 'question', 'subject', 'title', 'name', 'prompt', 'description', 'text', 'to', 'task_id', 'id'];
const SPEAKS = new Set(['task', 'spawn_subagent', 'call_agent']); // their results are prose

/** More than this of a text is shown on demand only. */
const LONG_TEXT = 40_000;
const LONG_DIFF = 1500;

export const isRef = (v) => v !== null && typeof v === 'object' && typeof v.$blob === 'string' && /^[0-9a-f]{64}$/.test(v.$blob);

/** parse gives a call's arguments as they can be shown: an object, or text that is none yet. Text refers to nothing. */
function parse(args) {
	if (typeof args !== 'string') return args;
	try {
		const value = JSON.parse(args);
		return isRef(value) ? args : value;
	} catch {
		return args;
	}
}

/** mainArg is the argument that tells most. */
export function mainArg(args) {
	if (typeof args === 'string') return args;
	for (const k of MAIN) if (typeof args?.[k] === 'string' && args[k]) return args[k];
	return '';
}

const oneLine = (s) => s.slice(0, 400).replace(/\s+/g, ' ').trim();

/** statusOf says where a call stands. */
export function statusOf(call, fold) {
	if (!call) return 'writing';
	if (call.result?.error && !call.started && call.asks.some((a) => a.answer && !a.answer.allow)) return 'denied';
	if (call.result) return call.result.error ? 'error' : 'done';
	for (const a of call.asks) if (fold.asks.has(a.ask.id)) return 'asking';
	if (call.over) return 'stopped';
	return call.started ? 'running' : 'waiting';
}

/** Up to this size a text that the log has only a reference to is loaded without being asked for. */
const AT_ONCE = 1 << 20;

/** lazyText shows a text, or a button that loads it where the log has only a reference; what people read is loaded at once. */
export function lazyText(value, show, atOnce) {
	const box = h('div');
	if (!isRef(value)) {
		fill(box, show(String(value ?? '')));
		return box;
	}
	const load = h('button.link', { type: 'button' }, t('blob.load', bytes(value.size ?? 0)));
	load.addEventListener('click', async () => {
		load.disabled = true;
		try {
			fill(box, show(await api.blobText(value.$blob)));
		} catch (err) {
			load.disabled = false;
			fill(box, load, h('p.bad', t('blob.lost', err.message)));
		}
	});
	box.append(load);
	if (atOnce && value.size <= AT_ONCE) load.click();
	return box;
}

function longText(text) {
	const pre = h('pre.out', { tabindex: '0' });
	pre.textContent = text.length > LONG_TEXT ? text.slice(0, LONG_TEXT) + '…' : text;
	if (text.length <= LONG_TEXT) return pre;
	const more = h('button.link', { type: 'button' }, t('blob.load', bytes(text.length)));
	more.addEventListener('click', () => {
		pre.textContent = text;
		more.remove();
	});
	return [pre, more];
}

/** diffStat counts lines that were added and removed. */
export function diffStat(diff) {
	let plus = 0;
	let minus = 0;
	for (const line of diff.split('\n')) {
		if (line.startsWith('+') && !line.startsWith('+++')) plus++;
		else if (line.startsWith('-') && !line.startsWith('---')) minus++;
	}
	return { plus, minus };
}

/** diffView colours a unified diff. Signs stay, so that it does not depend on colours. */
export function diffView(diff) {
	const lines = diff.replace(/\n$/, '').split('\n');
	const pre = h('pre.diff', { tabindex: '0' });
	const put = (list) => {
		for (const line of list) {
			const kind = /^(\+\+\+|---|diff |index |\\ )/.test(line) ? 'file' : line[0] === '+' ? 'plus' : line[0] === '-' ? 'minus' : line.startsWith('@@') ? 'hunk' : '';
			pre.append(h('span' + (kind ? '.' + kind : ''), line || ' '));
		}
	};
	put(lines.slice(0, LONG_DIFF));
	if (lines.length <= LONG_DIFF) return pre;
	const more = h('button.link', { type: 'button' }, t('blob.load', bytes(diff.length)));
	more.addEventListener('click', () => {
		put(lines.slice(LONG_DIFF));
		more.remove();
	});
	return h('div', pre, more);
}

/** attachment shows a blob: a picture as such, anything else by its name. */
export function attachment(b) {
	if (!b) return null;
	const name = b.name || b.mime || 'file';
	if (!b.sha256) return h('span.chip', icon('file'), name);
	const href = api.blob(b.sha256);
	if (/^image\/(png|jpeg|gif|webp)$/.test(b.mime ?? '')) {
		return h('a.picture', { href, target: '_blank', rel: 'noopener' }, h('img', { src: href, alt: name, loading: 'lazy' }));
	}
	return h('a.chip', { href, download: b.name || b.sha256.slice(0, 12) }, icon('file'), name);
}

function argsView(args) {
	const a = parse(args);
	if (a === undefined || a === null || a === '') return null;
	if (isRef(a)) return lazyText(a, (s) => codeBlock(s, 'json').el);
	if (typeof a === 'object' && Object.keys(a).length === 0) return null;
	if (typeof a === 'object' && typeof a.command === 'string' && Object.keys(a).length === 1) {
		const { el, code } = codeBlock(a.command, 'bash');
		highlight(code, 'bash');
		return el;
	}
	if (typeof a === 'object' && !Array.isArray(a)) {
		return h('dl.args', Object.entries(a).map(([k, v]) => [h('dt', k), h('dd', typeof v === 'string' ? v : JSON.stringify(v, null, 1))]));
	}
	return h('div', longText(typeof a === 'string' ? a : JSON.stringify(a, null, 1)));
}

function section(title, ...body) {
	return h('section', h('h4', title), ...body);
}

/** ToolView shows one call, which may still be in the making. */
export class ToolView {
	constructor(hooks) {
		this.hooks = hooks;
		this.glyph = h('span.glyph', { 'aria-hidden': 'true' });
		this.name = h('code.name');
		this.main = h('span.main');
		this.cause = h('span.cause');
		this.stat = h('span.stat');
		this.state = h('span.state');
		this.tail = h('pre.tail', { 'aria-hidden': 'true' });
		this.body = h('div.body');
		this.el = h('details.tool', h('summary', this.glyph, this.name, this.main, this.cause, this.stat, this.state), this.body);
		this.box = h('div.toolbox', this.el, this.tail);
		this.el.addEventListener('toggle', () => this.draw());
		this.el.querySelector('summary').addEventListener('click', () => (this.touched = true));
	}

	/** update shows the call as it is now. call is null while the model still writes it. */
	update(part, call, fold) {
		if (call && call.rev === this.rev && this.call === call) return;
		this.rev = call?.rev;
		this.part = part;
		this.call = call;
		const name = call?.ran?.name || call?.name || part.call.name || '…';
		const args = parse(call?.ran?.args ?? call?.args ?? part.call.args);
		const status = statusOf(call, fold);
		const diff = this.diff();
		this.el.dataset.status = status;
		this.name.textContent = name;
		const line = call?.result?.detail?.line;
		this.main.textContent = oneLine(call ? mainArg(args) || (typeof line === 'string' ? line : '') : mainArg(args).slice(-120));
		this.cause.textContent = status === 'error' ? oneLine(reasonOf(resultText(call.result))) : '';
		const s = diff && !isRef(diff) ? diffStat(diff) : null;
		fill(this.stat, s && [h('span.plus', '+' + s.plus), ' ', h('span.minus', '−' + s.minus)]);
		const ms = call?.at && call?.ended ? new Date(call.ended) - new Date(call.at) : NaN;
		this.state.textContent = [t('tool.' + status), status === 'done' || status === 'error' ? took(ms) : ''].filter(Boolean).join(' · ');
		const tail = status === 'running' ? call.progress.slice(-3).join('\n') : '';
		this.tail.textContent = tail;
		this.tail.hidden = !tail || this.el.open;
		const open = Boolean(diff) || (status === 'error' && call.started);
		if (!this.touched && open !== this.el.open) this.el.open = open; // toggle draws
		this.draw();
	}

	diff() {
		const d = this.call?.result?.detail;
		return d && typeof d === 'object' ? d.diff : undefined;
	}

	draw() {
		this.tail.hidden = this.el.open || !this.tail.textContent;
		if (!this.el.open) {
			if (this.drawn) this.body.replaceChildren();
			this.drawn = null;
			return;
		}
		const mark = this.call ? this.call.rev : this.part.rev;
		if (this.drawn === mark) return;
		this.drawn = mark;
		fill(this.body, this.sections());
	}

	sections() {
		const { call, part } = this;
		const diff = this.diff();
		const out = [];
		const args = argsView(call?.ran?.args ?? call?.args ?? part.call.args);
		if (diff) out.push(lazyText(diff, diffView));
		else if (args) out.push(args.matches('.code') ? args : section(t('tool.args'), args));
		if (!call) return out;
		for (const a of call.asks) out.push(answerLine(a));
		if (call.progress.length) out.push(section(t('tool.progress'), progressView(call.progress)));
		if (call.result && !(diff && !call.result.error)) out.push(section(t('tool.result'), this.result()));
		if (call.cleared !== null) out.push(h('p.hint', t('tool.cleared')));
		const child = this.child();
		if (child) out.push(h('a.link', { href: '#' + child }, t('tool.child')));
		return out;
	}

	result() {
		const r = this.call.result;
		const name = this.call.ran?.name || this.call.name;
		const texts = (r.parts ?? []).map((p) => {
			if (p.kind === 'blob') return attachment(p.blob);
			if (p.kind !== 'text') return null;
			return lazyText(p.text, (s) => (SPEAKS.has(name) && !r.error && s.length < LONG_TEXT ? h('div.prose', render(s)) : longText(s)));
		});
		return h(r.error ? 'div.bad' : 'div', texts.length ? texts : h('p.hint', t('tool.none')));
	}

	/** child finds the name of the session of a sub-agent that this call has started. */
	child() {
		const id = this.hooks.session().replace(/[^\w-]/g, '\\$&');
		const text = JSON.stringify([this.call.progress.slice(-20), this.call.result?.parts ?? []]).slice(0, 20_000);
		return new RegExp(id + '\\.\\d+(?:\\.\\d+)*').exec(text)?.[0];
	}
}

/** resultText is what a result says, as far as it is here. */
function resultText(r) {
	return (r.parts ?? []).map((p) => (p.kind === 'text' && typeof p.text === 'string' ? p.text : '')).join('');
}

/** progressView shows lines of progress; what a sub-agent does stands under its path. */
function progressView(lines) {
	const pre = h('pre.out', { tabindex: '0' });
	for (const line of lines.slice(-200)) {
		const m = /^\[([\w/.-]+)\] ([\s\S]*)$/.exec(line);
		pre.append(m ? h('span.agent', h('b', m[1]), ' ', m[2].replace(/\n$/, '') + '\n') : line + (line.endsWith('\n') ? '' : '\n'));
	}
	return pre;
}

/** answerLine says what the person has decided. */
function answerLine({ ask, answer, nobody }) {
	if (!answer) return null;
	let text = answer.always ? t('answered.always') : answer.allow ? t('answered.yes') : t('answered.no');
	if (nobody) text = t('answered.nobody');
	else if (answer.text && (ask.kind || ask.choices?.length)) text = t('answered.text', '');
	else if (answer.text) text += ': ';
	return h('p.hint.answered', { 'data-allow': String(Boolean(answer.allow)) }, text, isRef(answer.text) ? lazyText(answer.text, (s) => h('span', s)) : !nobody && answer.text);
}
