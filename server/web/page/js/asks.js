// asks.js: what waits for the person, as a card above the message box. It never takes the focus away from somebody who
// types; Shift+Tab from the message box reaches it, and it is announced.

import { h, fill } from './dom.js';
import { t } from './text.js';
import { mainArg, isRef, lazyText, diffView } from './tools.js';
import { approvalOf, changeOf } from './change.js';
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

	/** redraw makes the card anew, for another language; what is typed into it stays. */
	redraw() {
		this.kept = this.el.querySelector('input')?.value;
		this.clear();
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
		const field = this.kept && this.el.querySelector('input');
		if (field) {
			field.value = this.kept;
			field.dispatchEvent(new Event('input'));
		}
		this.kept = '';
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
		const form = h(
			'form.approval',
			{ onsubmit: (e) => this.submit(e, { id: ask.id, allow: false, text: reason.value.trim() || undefined }) },
			h('div.row', h('button.primary', { type: 'button', onclick: () => this.send({ id: ask.id, allow: true }) }, t('ask.allow')), always, h('span.grow'), reason, no),
		);
		return [rules && h('p.hint', t('ask.alwaysTitle', ''), h('code', rules)), form];
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
			list.length > 0 && h('div.choices', { role: 'group', 'aria-label': headline(ask) }, list),
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
		const { error } = this; // of this card: another may have come when the answer fails
		this.focused = this.el.contains(document.activeElement); // a button that is disabled loses it
		for (const b of buttons) b.disabled = true;
		try {
			await this.answer({ answer });
		} catch (err) {
			error.textContent = err.status === 0 ? t('error.network') : err.message;
			error.hidden = false;
			for (const b of buttons) b.disabled = false;
		}
	}
}

/** headline is a question in one line: an approval is worded here, in the page's language, anything else by the server. */
export function headline(ask) {
	const own = approvalOf(ask);
	return own ? t(...own) : isRef(ask.text) ? t('ask.question') : ask.text.trim().split('\n', 1)[0];
}

/**
 * asked is the question: its first line stands out, what would run or change stands below it, once, and then what the server
 * says of it. */
function asked(ask) {
	const args = ask.call?.args;
	if (isRef(args)) return [h('p.asked', headline(ask)), lazyText(args, (s) => h('div', shown(ask.call.name, JSON.parse(s)))), why(ask, '')];
	const main = typeof args?.command === 'string' || mainArg(args).includes('\n') ? mainArg(args) : '';
	return [h('p.asked', headline(ask)), shown(ask.call?.name, args), why(ask, main)];
}

/** shown is what a call would run or change. */
function shown(name, args) {
	const diff = changeOf(name, args);
	if (diff) return diffView(diff);
	const command = typeof args?.command === 'string' && args.command;
	if (!command) return null;
	const { el, code } = codeBlock(command, 'bash');
	highlight(code, 'bash');
	return el;
}

/** why is what the server says, without what stands above it already. */
function why(ask, main) {
	if (isRef(ask.text)) return lazyText(ask.text, (s) => h('p.why', s), true);
	let text = ask.text.trim();
	if (main) text = text.replace(main, () => '');
	const top = headline(ask);
	text = text.split('\n').filter((l) => l.trim() !== top && l.trim() !== '').join('\n');
	return text && h('p.why', text);
}
