// composer.js: the message box with what belongs to it: attachments, commands, steer or queue, what waits.

import { api, inputID, isCommand } from './api.js';
import { $, h, fill, icon, store } from './dom.js';
import { t, bytes, word } from './text.js';
import { attachment } from './tools.js';
import { plain, isPlain } from './conversation.js';

/**
 * Composer owns the form. hooks: current() gives the session's name or '', if it has none yet; busy(); submit(body) and
 * command(line, id) send, and give the name of the session that it went to; stop(); failed(err).
 */
export class Composer {
	constructor(hooks) {
		this.hooks = hooks;
		this.text = $('text');
		this.files = [];
		this.commands = [];
		this.choice = -1;
		this.text.addEventListener('input', () => this.typed());
		this.text.addEventListener('keydown', (e) => this.key(e));
		this.text.addEventListener('paste', (e) => this.pasted(e));
		this.text.addEventListener('blur', () => setTimeout(() => this.closeMenu(), 150));
		$('composer').addEventListener('submit', (e) => {
			e.preventDefault();
			this.send();
		});
		$('stop').addEventListener('click', () => hooks.stop());
		$('attach').addEventListener('click', () => $('file').click());
		$('file').addEventListener('change', (e) => {
			for (const f of e.target.files) this.attach(f);
			e.target.value = '';
		});
		for (const b of $('when').querySelectorAll('input')) b.addEventListener('change', () => store.set('when', this.when()));
		if (store.get('when') === 'queue') $('when-queue').checked = true;
		this.dropping();
	}

	when() {
		return $('when-queue').checked ? 'queue' : 'steer';
	}

	/** open shows the draft of another session. */
	open() {
		this.files = [];
		this.sending = null;
		this.drawFiles();
		this.text.value = store.get('draft.' + this.hooks.current()) ?? '';
		this.grow();
		this.state();
	}

	/** put begins a message with a text. */
	put(text) {
		this.text.value = text;
		this.typed();
		this.text.focus();
	}

	typed() {
		this.changed();
		this.grow();
		this.state();
		this.menu();
		store.set('draft.' + this.hooks.current(), this.text.value || null);
	}

	/** changed is called when something else is being said than what may have arrived. */
	changed() {
		store.set('tried.' + this.hooks.current(), null);
	}

	grow() {
		this.text.style.height = 'auto';
		this.text.style.height = Math.min(this.text.scrollHeight, window.innerHeight * 0.4) + 'px';
	}

	/** state shows which buttons make sense. */
	state() {
		const busy = this.hooks.busy();
		$('stop').hidden = !busy;
		$('when').hidden = !busy;
		$('send').disabled = !(this.text.value.trim() || this.files.length) || this.files.some((f) => f.loading);
		this.text.placeholder = t(busy ? 'compose.busy' : 'compose.hint');
	}

	key(e) {
		if (e.isComposing || e.keyCode === 229) return; // an input method is at work: Enter is its own
		if (!$('menu').hidden && this.menuKey(e)) return;
		if (e.key === 'Enter' && !e.shiftKey && !e.altKey) {
			e.preventDefault();
			this.send();
		}
	}

	async send() {
		if ($('send').disabled || this.sending) return;
		const text = this.text.value;
		const files = this.files;
		const tried = () => 'tried.' + this.hooks.current();
		const mine = (this.sending = { id: store.get(tried()) ?? inputID() });
		this.closeMenu();
		try {
			let of;
			if (isCommand(text) && !files.length) of = await this.hooks.command(text.trim(), mine.id);
			else of = await this.hooks.submit({ id: mine.id, message: message(text, files), queue: (this.hooks.busy() && this.when() === 'queue') || undefined });
			if (this.sending !== mine) return forget(of, text); // another session is on the screen by now
			store.set(tried(), null);
			if (this.text.value === text) this.text.value = '';
			this.files = this.files.filter((f) => !files.includes(f));
			this.drawFiles();
			this.typed();
		} catch (err) {
			if (this.sending !== mine) return;
			store.set(tried(), err.status === 0 ? mine.id : null); // it may have arrived: said again under its name it counts once
			this.hooks.failed(err);
		} finally {
			if (this.sending === mine) this.sending = null;
		}
	}

	// --- attachments -----------------------------------------------------------------------------------------------

	async attach(file) {
		const entry = { name: file.name || 'pasted.' + (file.type.split('/')[1] ?? 'bin'), size: file.size, loading: true };
		this.files.push(entry);
		this.changed();
		this.drawFiles();
		try {
			entry.blob = await api.upload(new File([file], entry.name, { type: file.type }));
			entry.loading = false;
		} catch (err) {
			if (!this.files.includes(entry)) return; // it was taken out, or another session is on the screen
			this.files = this.files.filter((f) => f !== entry);
			this.hooks.failed(Object.assign(err, { message: t('attach.failed', entry.name, err.status === 0 ? t('error.network') : err.message) }));
		}
		this.drawFiles();
		this.text.focus();
	}

	drawFiles() {
		$('files').hidden = !this.files.length;
		fill(
			$('files'),
			this.files.map((f) =>
				h(
					'li',
					f.blob ? attachment(f.blob) : h('span.chip', icon('file'), f.name),
					h('span.hint', f.loading ? t('attach.uploading') : bytes(f.size)),
					h('button.ghost', { type: 'button', 'aria-label': t('remove') + ' ' + f.name, title: t('remove'), onclick: () => ((this.files = this.files.filter((x) => x !== f)), this.changed(), this.drawFiles(), this.text.focus()) }, icon('close')),
				),
			),
		);
		this.state();
	}

	pasted(e) {
		const files = [...(e.clipboardData?.files ?? [])];
		if (!files.length) return;
		e.preventDefault();
		for (const f of files) this.attach(f);
	}

	dropping() {
		let depth = 0;
		const has = (e) => e.dataTransfer?.types?.includes('Files');
		const show = (on) => document.body.classList.toggle('dropping', on);
		addEventListener('dragenter', (e) => has(e) && (e.preventDefault(), show(++depth > 0)));
		addEventListener('dragover', (e) => has(e) && e.preventDefault());
		addEventListener('dragleave', (e) => has(e) && show(--depth > 0));
		addEventListener('drop', (e) => {
			if (!has(e)) return;
			e.preventDefault();
			depth = 0;
			show(false);
			for (const f of e.dataTransfer.files) this.attach(f);
		});
	}

	// --- commands --------------------------------------------------------------------------------------------------

	menu() {
		const m = /^\/(\S*)$/.exec(this.text.value);
		const word = m?.[1].toLowerCase();
		const found = m ? this.commands.filter((c) => c.name.toLowerCase().startsWith(word)).sort((a, b) => (a.name < b.name ? -1 : 1)) : [];
		if (!found.length) return this.closeMenu();
		this.found = found;
		this.choice = 0;
		$('menu').hidden = false;
		this.text.setAttribute('aria-controls', 'menu');
		fill(
			$('menu'),
			found.map((c, i) =>
				h('li', { id: 'cmd-' + i, role: 'option', onmousedown: (e) => (e.preventDefault(), this.pick(i)) }, h('code', '/' + c.name), c.args && h('span.hint', c.args), h('span.help', c.help ?? '')),
			),
		);
		this.mark();
	}

	mark() {
		[...$('menu').children].forEach((li, i) => {
			li.setAttribute('aria-selected', String(i === this.choice));
			if (i === this.choice) li.scrollIntoView({ block: 'nearest' });
		});
		this.text.setAttribute('aria-activedescendant', 'cmd-' + this.choice);
	}

	menuKey(e) {
		const n = this.found.length;
		if (e.key === 'ArrowDown') this.choice = (this.choice + 1) % n;
		else if (e.key === 'ArrowUp') this.choice = (this.choice + n - 1) % n;
		else if (e.key === 'Escape') {
			e.preventDefault();
			e.stopPropagation();
			this.closeMenu();
			return true;
		} else if (e.key === 'Tab' || (e.key === 'Enter' && !e.shiftKey)) {
			const whole = this.text.value.toLowerCase() === '/' + this.found[this.choice].name.toLowerCase();
			if (e.key === 'Enter' && whole) return false; // it is written out: send it
			e.preventDefault();
			this.pick(this.choice);
			return true;
		} else return false;
		e.preventDefault();
		this.mark();
		return true;
	}

	pick(i) {
		const c = this.found[i];
		this.text.value = '/' + c.name + (c.args ? ' ' : '');
		this.typed();
		this.closeMenu();
		this.text.focus();
	}

	closeMenu() {
		$('menu').hidden = true;
		this.text.removeAttribute('aria-activedescendant');
		this.text.removeAttribute('aria-controls');
	}
}

/** forget drops the draft of a session, unless it is another one by now. */
function forget(session, text) {
	if (store.get('draft.' + session) === text) store.set('draft.' + session, null);
}

/** message is what goes out: a plain text is what a person typed; with attachments it has parts. */
function message(text, files) {
	if (!files.length) return text;
	const parts = text.trim() ? [{ kind: 'text', text }] : [];
	for (const { blob } of files) parts.push({ kind: 'blob', blob: { mime: blob.mime, name: blob.name, sha256: blob.sha256 } });
	return { role: 'user', parts };
}

/** Queue shows what was said and not taken in yet. It can be changed and taken back until then. */
export class Queue {
	constructor(el, hooks) {
		this.el = el;
		this.hooks = hooks; // submit(body), failed(err), lost(words) gets what was typed into an editor whose message was read
		this.clear();
	}

	clear() {
		this.list = [];
		this.editing = 0; // position of the message that is being changed
		this.saving = 0; // and of the one whose change is on its way
		this.box = null;
		this.of = {}; // stands for the session
		this.el.hidden = true;
		this.el.replaceChildren();
		this.drawn = '';
	}

	/** add puts in what was just sent; set takes the server's list. */
	add(entry) {
		if (!this.list.some((q) => q.pos === entry.pos)) this.list.push(entry);
	}

	set(list) {
		this.list = list;
	}

	/** show leaves out what was taken in meanwhile. */
	show(taken) {
		this.list = this.list.filter((q) => !taken(q.pos));
		this.rescue();
		const key = JSON.stringify([this.list, this.editing, t('queue')]);
		if (key === this.drawn) return;
		this.drawn = key;
		this.el.hidden = !this.list.length;
		const had = this.el.contains(document.activeElement);
		fill(this.el, this.list.length > 0 && h('h2', t('queue')), h('ul', this.list.map((q) => this.row(q))));
		if (had && !this.el.contains(document.activeElement)) $('text').focus();
	}

	/** rescue keeps what was typed into the editor of a message that waits no more. */
	rescue() {
		if (!this.editing || this.saving === this.editing || this.list.some((q) => q.pos === this.editing)) return;
		const { value, defaultValue } = this.box;
		this.editing = 0;
		if (value.trim() && value !== defaultValue) this.hooks.lost(value);
	}

	row(q) {
		if (this.editing === q.pos) return this.editor(q);
		const when = t(q.queue ? 'queue.queue' : 'queue.steer');
		const text = plain(q.message.parts ?? []);
		return h(
			'li',
			h('span.badge', when),
			h('span.said', text, (q.message.parts ?? []).filter((p) => p.kind === 'blob').map((p) => h('span.chip', icon('file'), p.blob.name || p.blob.mime))),
			h('button.ghost', { type: 'button', 'aria-label': t('edit') + ': ' + text.slice(0, 40), title: t('edit'), onclick: () => this.edit(q.pos) }, icon('pen')),
			h('button.ghost', { type: 'button', 'aria-label': t('remove') + ': ' + text.slice(0, 40), title: t('remove'), onclick: () => this.change(q, null) }, icon('trash')),
		);
	}

	editor(q) {
		const save = () => this.change(q, this.box.value);
		const buttons = [h('button.primary', { type: 'button', onclick: save }, t('save')), h('button', { type: 'button', onclick: () => this.edit(0) }, t('cancel'))];
		const had = !this.box || this.el.contains(document.activeElement);
		if (had) queueMicrotask(() => this.box?.focus());
		if (this.box) return h('li.edit', this.box, buttons); // the rows are drawn anew, what is typed stays
		const box = (this.box = h('textarea', { rows: '2', 'aria-label': t('edit') }));
		box.value = box.defaultValue = plain(q.message.parts ?? []);
		box.addEventListener('keydown', (e) => {
			if (e.isComposing || e.keyCode === 229) return;
			if (e.key === 'Escape') {
				e.preventDefault();
				e.stopPropagation();
				this.edit(0);
			} else if (e.key === 'Enter' && !e.shiftKey) {
				e.preventDefault();
				save();
			}
		});
		return h('li.edit', box, buttons);
	}

	edit(pos) {
		this.editing = pos;
		this.box = null;
		this.show(() => false);
		if (!pos) $('text').focus();
	}

	async change(q, text) {
		const parts = (q.message.parts ?? []).filter((p) => !isPlain(p)).map((p) => (p.kind === 'text' ? { kind: p.kind, text: p.text } : p)); // files stay
		const body = { id: inputID(), edit: q.pos };
		const { of } = this;
		this.saving = q.pos;
		if (text?.trim()) {
			parts.unshift({ kind: 'text', text });
			body.message = { role: 'user', parts };
		}
		try {
			await this.hooks.submit(body);
			if (of !== this.of) return;
			if (body.message) this.list = this.list.map((x) => (x.pos === q.pos ? { ...x, message: body.message } : x));
			else this.list = this.list.filter((x) => x.pos !== q.pos);
			if (this.editing === q.pos) this.editing = 0;
		} catch (err) {
			if (of === this.of) this.hooks.failed(err); // the editor stays, with what was typed
		}
		if (of !== this.of) return;
		this.saving = 0;
		this.show(() => false);
	}
}

/** Pickers are the choices of model and mode: what they do is a command. */
export class Pickers {
	constructor(command) {
		this.command = command; // (line)
		for (const name of ['model', 'mode']) $(name).addEventListener('change', () => this.changed(name));
	}

	changed(name) {
		const line = `/${name} ${$(name).value}`;
		$(name).dataset.key = ''; // what is in force is put back with the next draw, whatever comes of it
		this.command(line);
	}

	/**
	 * show puts in what /about says; the session's own state, which is newer, wins for the mode. While a run goes on neither can
	 * be changed. */
	show(about, mode, busy) {
		for (const name of ['model', 'mode']) $(name).disabled = busy;
		options($('model'), about?.models ?? [], about?.model ?? '');
		const now = mode || about?.mode || '';
		options($('mode'), about?.modes ?? [], now);
		$('mode').title = t(now === 'yolo' ? 'yolo' : 'mode');
	}
}

function options(select, list, now) {
	const all = now && !list.includes(now) ? [now, ...list] : list;
	const key = JSON.stringify([all, now]);
	select.parentElement.hidden = !all.length;
	if (select.dataset.key === key) return;
	select.dataset.key = key;
	fill(select, all.map((v) => h('option', { value: v, selected: v === now, title: v === 'yolo' ? t('yolo') : undefined }, word('mode.', v))));
}
