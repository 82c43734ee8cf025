// sessions.js: the list of sessions, newest first.

import { api } from './api.js';
import { $, h, fill, refill, icon, store } from './dom.js';
import { t, day, moment } from './text.js';

/** Sessions draws the list. hooks: current(), busy(), removed(id), failed(err). */
export class Sessions {
	constructor(hooks) {
		this.hooks = hooks;
		this.list = [];
		this.next = '';
		$('sessions-more').addEventListener('click', () => this.load(true));
		$('confirm').addEventListener('close', () => this.confirmed());
	}

	/** load reads the newest sessions, or with more those that follow. */
	async load(more) {
		try {
			const page = await api.sessions(more ? this.next : '');
			const got = page.sessions ?? [];
			const seen = new Set(got.map((s) => s.id));
			this.list = more ? this.list.concat(got) : got.concat(this.list.length > got.length ? this.list.filter((s) => !seen.has(s.id) && got.length && s.updated < got[got.length - 1].updated) : []);
			if (more || !this.next || this.list.length <= got.length) this.next = page.next ?? '';
			this.draw();
		} catch (err) {
			if (err.status === 401) this.hooks.failed(err);
		}
	}

	draw() {
		const now = this.hooks.current();
		const at = document.activeElement?.closest?.('#sessions a, #sessions button');
		const had = at?.parentElement.querySelector('a').dataset.id;
		let heading = '';
		const out = [];
		const named = new Map(); // how many have a title
		for (const s of this.list) named.set(s.title, (named.get(s.title) ?? 0) + 1);
		for (const s of this.list) {
			const when = new Date(s.updated);
			const d = day(when);
			if (d !== heading) out.push(h('li.day', (heading = d)));
			const title = s.title || t('sessions.untitled');
			const running = s.id === now ? this.hooks.busy() : s.running;
			out.push(
				h(
					'li',
					{ class: s.id === now ? 'now' : '' },
					h('a', { href: '#' + s.id, 'data-id': s.id, 'aria-current': s.id === now ? 'page' : undefined, title: `${title}\n${s.id}` }, h('span.title', title), named.get(s.title) > 1 && h('span.hint', s.id.slice(-5)), running ? h('span.pulse', { role: 'img', 'aria-label': t('sessions.running') }) : h('time', { datetime: s.updated }, moment(when))),
					h('button.ghost', { type: 'button', 'aria-label': t('sessions.delete', title), title: t('delete'), onclick: () => this.ask(s) }, icon('trash')),
				),
			);
		}
		const drawn = refill($('sessions'), out);
		$('sessions-none').hidden = this.list.length > 0;
		$('sessions-more').hidden = !this.next;
		if (had && drawn) [...$('sessions').querySelectorAll(at.tagName)].find((el) => el.parentElement.querySelector('a').dataset.id === had)?.focus();
	}

	ask(s) {
		this.doomed = s;
		$('confirm-title').textContent = t('sessions.deleteAsk');
		fill($('confirm-text'), h('p', t('sessions.deleteText', s.title || t('sessions.untitled'))));
		fill($('confirm-do'), h('button.danger', { value: 'delete' }, t('delete')));
		$('confirm').returnValue = '';
		$('confirm').showModal();
	}

	async confirmed() {
		const s = this.doomed;
		this.doomed = null;
		if (!s || $('confirm').returnValue !== 'delete') return;
		try {
			await api.remove(s.id);
			for (const of of ['draft.', 'tried.']) store.set(of + s.id, null);
			this.list = this.list.filter((x) => x.id !== s.id);
			this.draw();
			this.hooks.removed(s.id);
		} catch (err) {
			this.hooks.failed(err);
		}
	}
}
