// asks.js: what waits for the person, as a card above the message box. It never takes the focus away from somebody who
// types; Shift+Tab from the message box reaches it, and it is announced.

import { h, fill } from './dom.js';
import { t } from './text.js';
import { mainArg } from './tools.js';
import { codeBlock, highlight } from './markdown.js';

/** Asks draws into an element. answer(body) sends, and rejects when that fails. */
export class Asks {
	constructor(el, answer) {
		this.el = el;
		this.answer = answer;
		this.clear();
	}

	clear() {
		this.shown = '';
		this.el.hidden = true;
		this.el.replaceChildren();
	}

	/** show draws the first of the open questions. It returns that question when it is a new one. */
	show(asks) {
		const [first] = asks.values();
		const key = first ? first.id + '\n' + asks.size : '';
		if (key === this.shown) return null;
		const fresh = first && first.id !== this.shown.split('\n')[0];
		const had = this.focused || this.el.contains(document.activeElement);
		this.focused = false;
		this.shown = key;
		this.el.hidden = !first;
		if (!first) {
			this.el.replaceChildren();
			if (had) document.getElementById('text').focus();
			return null;
		}
		if (!fresh) {
			this.more.textContent = asks.size > 1 ? t('ask.more', asks.size - 1) : '';
			return null;
		}
		fill(this.el, this.card(first, asks.size - 1));
		if (had) this.el.querySelector('button')?.focus();
		return first;
	}

	card(ask, more) {
		this.more = h('span.hint', more > 0 && t('ask.more', more));
		this.error = h('p.bad', { role: 'alert', hidden: true });
		const approval = !ask.kind && !ask.choices?.length;
		return h(
			'section.card',
			{ 'aria-label': t(approval ? 'ask.title' : 'ask.question') },
			h('header', h('h2', t(approval ? 'ask.title' : 'ask.question')), this.more),
			asked(ask),
			approval ? this.approval(ask) : this.question(ask),
			this.error,
		);
	}

	approval(ask) {
		const reason = h('input', { type: 'text', 'aria-label': t('ask.reason'), placeholder: t('ask.reason') });
		const no = h('button', { type: 'submit' }, t('ask.deny'));
		reason.addEventListener('input', () => (no.textContent = t(reason.value.trim() ? 'ask.denyWith' : 'ask.deny')));
		const rules = (ask.rules ?? []).join(', ');
		const always = rules && h('button', { type: 'button', title: t('ask.alwaysTitle', rules), onclick: () => this.send({ id: ask.id, allow: true, always: true }) }, t('ask.always'));
		return h(
			'form',
			{ onsubmit: (e) => this.submit(e, { id: ask.id, allow: false, text: reason.value.trim() || undefined }) },
			h('div.row', h('button.primary', { type: 'button', onclick: () => this.send({ id: ask.id, allow: true }) }, t('ask.allow')), always, h('span.grow'), reason, no),
			rules && h('p.hint', t('ask.alwaysTitle', ''), h('code', rules)),
		);
	}

	question(ask) {
		const words = h('input', { type: 'text', 'aria-label': t('ask.words'), placeholder: t('ask.words') });
		const list = (ask.choices ?? []).map((c, i) =>
			h('button.choice', { type: 'button', onclick: () => this.send({ id: ask.id, allow: true, text: c }) }, h('kbd', { 'aria-hidden': 'true' }, String(i + 1)), h('span', c)),
		);
		const free = ask.kind !== 'selection';
		const form = h(
			'form',
			{
				onsubmit: (e) => {
					const text = words.value.trim();
					if (text) this.submit(e, { id: ask.id, allow: true, text });
					else e.preventDefault();
				},
			},
			list.length > 0 && h('div.choices', { role: 'group', 'aria-label': ask.text }, list),
			free && h('div.row', words, h('button.primary', { type: 'submit' }, t('ask.send'))),
		);
		form.addEventListener('keydown', (e) => {
			const n = Number(e.key);
			if (e.target !== words && n >= 1 && n <= list.length) list[n - 1].click();
		});
		return form;
	}

	submit(e, answer) {
		e.preventDefault();
		this.send(answer);
	}

	async send(answer) {
		const buttons = [...this.el.querySelectorAll('button')];
		this.focused = this.el.contains(document.activeElement); // a button that is disabled loses it
		for (const b of buttons) b.disabled = true;
		try {
			await this.answer({ answer });
		} catch (err) {
			this.error.textContent = err.status === 0 ? t('error.network') : err.message;
			this.error.hidden = false;
			for (const b of buttons) b.disabled = false;
		}
	}
}

/** asked is the question: its first line stands out, and what would run or change stands as code, once. */
function asked(ask) {
	const text = ask.text.trim();
	const args = ask.call?.args;
	const main = typeof args === 'object' && args ? mainArg(args) : '';
	const command = typeof args?.command === 'string';
	const at = main && (command || main.includes('\n')) ? text.indexOf(main) : -1;
	const before = (at < 0 ? text : text.slice(0, at)).trimEnd();
	const rest = at < 0 ? '' : text.slice(at + main.length).trim();
	const cut = before.indexOf('\n');
	const out = [h('p.asked', cut < 0 ? before : before.slice(0, cut)), cut >= 0 && h('p.why', before.slice(cut + 1))];
	if (at >= 0 || (command && main)) {
		const { el, code } = codeBlock(main, command ? 'bash' : '');
		if (command) highlight(code, 'bash');
		out.push(el);
	}
	return [...out, rest && h('p.why', rest)];
}
