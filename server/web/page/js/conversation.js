// conversation.js: the timeline on the screen. Only what has changed is touched, and only the last part of a long
// conversation is there at all until somebody asks for more.

import { h, fill, icon, copyButton } from './dom.js';
import { t, word, short, money, moment } from './text.js';
import { Growing, render } from './markdown.js';
import { ToolView, attachment, isRef, lazyText } from './tools.js';
import { timeline, settle } from './state.js';

const WINDOW = 150;

/**
 * Conversation draws into the element log, which scrolls. hooks: session(), rewind(item), and behind(), which focuses what comes
 * behind it.
 */
export class Conversation {
	constructor(log, hooks) {
		this.log = log;
		this.hooks = hooks;
		this.list = h('div.items');
		this.earlier = h('button.link.earlier', { type: 'button', onclick: () => this.more() });
		this.bottom = h('button.round.bottom', { type: 'button', 'aria-label': t('log.bottom'), title: t('log.bottom'), onclick: () => this.toBottom() }, icon('down'));
		fill(log, this.earlier, this.list);
		log.after(this.bottom);
		this.clear();
		log.addEventListener('scroll', () => this.scrolled(), { passive: true });
		new ResizeObserver(() => this.stick && this.toBottom()).observe(log);
	}

	clear() {
		this.views = new Map();
		this.limit = WINDOW;
		this.total = 0; // items at the last look
		this.locals = [];
		this.stick = true;
		this.list.replaceChildren();
		this.offer(false);
		this.earlier.hidden = true;
	}

	/** redraw makes everything anew, for another language. */
	redraw(s) {
		this.views.clear();
		this.list.replaceChildren();
		this.bottom.setAttribute('aria-label', t('log.bottom'));
		this.show(s);
	}

	more() {
		const before = this.log.scrollHeight - this.log.scrollTop;
		this.stick = false;
		this.limit += WINDOW;
		this.show(this.state);
		this.log.scrollTop = this.log.scrollHeight - before;
	}

	scrolled() {
		this.stick = this.log.scrollHeight - this.log.scrollTop - this.log.clientHeight < 48;
		this.offer(!this.stick);
	}

	/** offer shows the way to the end, or hides it: who stands on it must not stand nowhere. */
	offer(shown) {
		if (!shown && document.activeElement === this.bottom) this.hooks.behind();
		this.bottom.hidden = !shown;
	}

	toBottom() {
		this.log.scrollTop = this.log.scrollHeight;
		this.stick = true;
		this.limit = WINDOW;
		this.offer(false);
	}

	/** tell adds something that is in no log: the answer of a command, an error. */
	tell(local) {
		if (this.locals.length >= WINDOW) this.locals.shift();
		this.locals.push({ ...local, id: 'l' + (this.told = (this.told ?? 0) + 1), type: 'local', rev: 1, at: this.state?.seq ?? 0 });
		this.stick = true;
		if (this.state) this.show(this.state);
	}

	/** show draws a state. It returns true when it has to be called again soon. */
	show(s) {
		this.state = s;
		const fold = settle(s);
		const all = timeline(s);
		if (!this.stick) this.limit += Math.max(0, all.length - this.total); // what is being read stays where it is
		this.total = all.length;
		const items = this.merged(all.slice(-this.limit));
		const hidden = Math.max(0, all.length - this.limit);
		this.earlier.hidden = hidden === 0;
		this.earlier.textContent = t('log.earlier', hidden);
		const keep = new Set();
		let busy = false;
		let node = this.list.firstChild;
		for (const item of items) {
			keep.add(item.id);
			let view = this.views.get(item.id);
			if (view && view.type !== item.type) {
				if (node === view.el) node = node.nextSibling;
				view.el.remove();
				view = null;
			}
			if (!view) {
				view = makeView(item, this.hooks);
				this.views.set(item.id, view);
			}
			if (view.rev !== item.rev || view.item !== item || view.again) {
				view.again = view.update(item, fold) === false;
				view.rev = item.rev;
				view.item = item;
				busy ||= view.again;
			}
			if (node === view.el) node = node.nextSibling;
			else this.list.insertBefore(view.el, node);
		}
		for (const [id, view] of this.views) {
			if (keep.has(id)) continue;
			view.el.remove();
			this.views.delete(id);
		}
		if (this.stick) this.toBottom();
		else this.offer(true);
		return busy;
	}

	merged(items) {
		if (!this.locals.length) return items;
		const out = [];
		const locals = [...this.locals];
		for (const item of items) {
			while (locals.length && (item.seq ?? Infinity) > locals[0].at) out.push(locals.shift());
			out.push(item);
		}
		return out.concat(locals);
	}
}

function makeView(item, hooks) {
	const View = { user: UserView, assistant: AssistantView, calls: AssistantView, note: NoteView, compact: CompactView, end: EndView, void: VoidView, local: LocalView }[item.type] ?? NoteView;
	const view = new View(hooks);
	view.type = item.type;
	view.el.dataset.type = item.type;
	return view;
}

class UserView {
	constructor(hooks) {
		this.hooks = hooks;
		this.el = h('article.item.user');
	}

	update(item) {
		this.el.classList.toggle('out', item.out);
		const when = item.time ? new Date(item.time) : null;
		const back = h('button.ghost', { type: 'button', 'aria-label': t('rewind'), title: t('rewind'), onclick: () => this.hooks.rewind(item) }, icon('back'));
		const text = plain(item.parts);
		fill(
			this.el,
			h('h2.sr', t('you')),
			h('div.bubble', item.parts.map(userPart)),
			h('div.tools', when && h('time', { datetime: item.time }, moment(when)), copyButton(() => text, t('copy'), t('copied')), !item.out && back),
		);
	}
}

const ATTACHED = /^\n<attached[-\d]* [^\n]*?path="([^"]*)"/;

function userPart(p) {
	if (p.kind === 'blob') return attachment(p.blob);
	if (p.kind !== 'text') return null;
	const file = typeof p.text === 'string' && ATTACHED.exec(p.text);
	if (file) return h('details.file', h('summary', icon('file'), file[1]), h('pre.out', p.text.trim()));
	return lazyText(p.text, (s) => h('p.said', s), true);
}

/** isPlain tells the words of a message from a file that stands in it, and from a reference. */
export const isPlain = (p) => p.kind === 'text' && typeof p.text === 'string' && !ATTACHED.test(p.text);

/** plain is the text of parts, for copying. */
export const plain = (parts) => parts.filter(isPlain).map((p) => p.text).join('');

class AssistantView {
	constructor(hooks) {
		this.hooks = hooks;
		this.parts = [];
		this.box = h('div.parts');
		this.foot = h('div.tools');
		this.el = h('article.item.assistant', h('h2.sr', t('agent')), this.box, this.foot);
	}

	update(item, fold) {
		this.el.classList.toggle('out', Boolean(item.out));
		this.el.classList.toggle('live', Boolean(item.live));
		let all = true;
		item.parts.forEach((p, i) => {
			let view = this.parts[i];
			if (!view || view.kind !== p.kind) {
				view = partView(p, this.hooks);
				const old = this.parts[i];
				this.parts[i] = view;
				if (old) old.el.replaceWith(view.el);
				else this.box.append(view.el);
			}
			const last = i === item.parts.length - 1;
			if (view.update(p, { live: item.live, last, fold }) === false) all = false;
		});
		for (const old of this.parts.splice(item.parts.length)) old.el.remove();
		this.footer(item);
		return all;
	}

	footer(item) {
		const text = plain(item.parts);
		const stop = ['length', 'aborted', 'refused', 'overflow'].includes(item.stop) ? h('span.warn', t('stop.' + item.stop)) : null;
		if (item.live || item.stop === 'calls' || (!text && !stop)) return this.foot.replaceChildren();
		const when = item.time ? new Date(item.time) : null;
		fill(this.foot, stop, when && h('time', { datetime: item.time }, moment(when)), item.model && h('span.by', item.model), text && copyButton(() => text, t('copy'), t('copied')));
	}
}

function partView(p, hooks) {
	const view = { text: TextPart, thinking: ThinkPart, call: CallPart, blob: BlobPart }[p.kind];
	return view ? new view(hooks) : { el: h('div'), kind: p.kind, update: () => true };
}

class TextPart {
	constructor() {
		this.kind = 'text';
		this.el = h('div.prose');
		this.grow = new Growing(this.el);
	}

	update(p, { live }) {
		if (!isRef(p.text)) return this.grow.update(p.text ?? '', !live);
		if (this.ref === p.text.$blob) return true;
		this.ref = p.text.$blob;
		if (new TextEncoder().encode(this.grow.text).length === p.text.size) return this.grow.update(this.grow.text, true); // it was seen live
		fill(this.el, lazyText(p.text, (s) => h('div', render(s)), true));
		return true;
	}
}

class ThinkPart {
	constructor() {
		this.kind = 'thinking';
		this.label = h('span.label');
		this.peek = h('span.peek', { 'aria-hidden': 'true' });
		this.text = h('div.thought');
		this.el = h('details.think', h('summary', this.label, this.peek), this.text);
		this.el.addEventListener('toggle', () => this.draw());
	}

	update(p, { live, last }) {
		this.p = p;
		const going = Boolean(live && last);
		this.el.classList.toggle('going', going);
		this.label.textContent = t(going ? 'thinking' : 'thought');
		const text = isRef(p.text) ? '' : (p.text ?? '');
		this.peek.textContent = (going ? text.slice(-160) : text.slice(0, 160)).replace(/\s+/g, ' ').trim();
		this.el.hidden = !text && !isRef(p.text) && !going;
		this.draw();
		return true;
	}

	draw() {
		if (!this.el.open || !this.p) return;
		if (isRef(this.p.text)) {
			if (!this.text.firstChild) this.text.append(lazyText(this.p.text, (s) => h('p.said', s)));
			return;
		}
		const text = this.p.text ?? '';
		const node = this.text.firstChild;
		if (node && text.length >= node.length) node.appendData(text.slice(node.length));
		else this.text.textContent = text;
	}
}

class CallPart {
	constructor(hooks) {
		this.kind = 'call';
		this.view = new ToolView(hooks);
		this.el = this.view.box;
	}

	update(p, { fold }) {
		this.view.update(p, p.call.key ? fold.calls.get(p.call.key) : null, fold);
		return true;
	}
}

class BlobPart {
	constructor() {
		this.kind = 'blob';
		this.el = h('div');
	}

	update(p) {
		if (this.sha === p.blob?.sha256 && this.el.firstChild) return true;
		this.sha = p.blob?.sha256;
		fill(this.el, attachment(p.blob));
		return true;
	}
}

class NoteView {
	constructor() {
		this.el = h('details.item.note');
	}

	update(item) {
		this.el.classList.toggle('out', item.out);
		const text = item.parts.map((p) => (p.kind === 'text' ? (isRef(p.text) ? '…' : p.text) : '')).join('').trim();
		fill(
			this.el,
			h('summary', h('b', item.from ? word('from.', item.from) : word('role.', item.role)), ' ', h('span.peek', text.slice(0, 200).replace(/<[^>]{1,80}>/g, ' ').replace(/\s+/g, ' '))),
			item.parts.map((p) => (p.kind === 'text' ? lazyText(p.text, (s) => h('pre.out', { tabindex: '0' }, s)) : attachment(p.blob))),
		);
	}
}

class CompactView {
	constructor() {
		this.el = h('div.item.mark');
	}

	update(item) {
		const head = item.head.flatMap((m) => m.parts ?? []).filter((p) => p.kind === 'text');
		const text = head.length ? t('note.compact') : t('note.cleared', item.cleared);
		const sizes = item.before ? ' · ' + t('note.tokens', short(item.before), short(item.after)) : '';
		fill(
			this.el,
			h('p.rule', h('span', text + sizes)),
			head.length > 0 && h('details.note', h('summary', t('note.summary')), head.map((p) => lazyText(p.text, (s) => h('pre.out', { tabindex: '0' }, s)))),
		);
	}
}

class VoidView {
	constructor() {
		this.el = h('div.item.mark');
	}

	update(item) {
		fill(this.el, h('p.rule', h('span', t(item.text === 'undo' ? 'note.undo' : 'note.rewind'))));
	}
}

class EndView {
	constructor() {
		this.el = h('div.item.end');
	}

	update(item) {
		const u = item.usage ?? {};
		const meter = u.input !== undefined && [t('end.meter', item.steps === 1 ? t('steps.one') : t('steps', item.steps ?? 0), short(u.input), short(u.output)), u.cost_usd !== undefined && money(u.cost_usd)].filter(Boolean).join(' · ');
		const bad = !['end', 'cancelled'].includes(item.stop);
		this.el.dataset.stop = item.stop;
		if (item.stop === 'end') return void fill(this.el, meter && h('p.meter', meter));
		const why = item.error?.message || (item.stop === 'cancelled' ? '' : item.text);
		fill(
			this.el,
			h(bad ? 'div.trouble.bad' : 'div.trouble', { role: 'group' }, h('strong', word('end.', item.stop)), why && h('p', why), item.error?.provider && !why.includes(item.error.provider) && h('p.hint', [item.error.provider, item.error.kind, item.error.status].filter(Boolean).join(' · '))),
			meter && h('p.meter', meter),
		);
	}
}

class LocalView {
	constructor() {
		this.el = h('div.item.local');
	}

	update(item) {
		fill(this.el, item.line && h('code.line', item.line), h(item.bad ? 'pre.reply.bad' : 'pre.reply', { tabindex: '0' }, (item.text || t('tool.done')).replace(/\n+$/, '')));
	}
}
