// main.js: the parts put together. The session is named in the address (#ID), so a reload, a bookmark and the back button
// work; everything else is read from the server.

import { api, newID, isID, inputID } from './api.js';
import { $, h, fill, soon, store } from './dom.js';
import { t, word, count, short } from './text.js';
import { look, toggle, cover } from './look.js';
import { create, apply, connected, settle, tookInput } from './state.js';
import { follow } from './stream.js';
import { Conversation, plain } from './conversation.js';
import { Asks, headline } from './asks.js';
import { Composer, Queue, Pickers } from './composer.js';
import { Sessions } from './sessions.js';
import { Panel } from './panel.js';

/** A tab that nobody looks at keeps its stream for so long while nothing runs: browsers have few connections. */
const AWAY = 60_000;

let id = ''; // of the session on the screen; '' is one that has not begun
let state = create('');
let stream = null;
let about = null;
let conn = 'idle';
let goal = 0; // of a stream that is behind: until this event has come nothing is drawn, for nobody would see it
let away = 0;
let drawing = false;
let title = '';
let fresh = false; // this page has made up the name: the server may know nothing of it yet

const failed = (err) => {
	draw(); // what has not happened is not shown as if it had
	if (err.status === 401) return askToken(err.message);
	flash(err.status === 0 ? t('error.network') : err.message);
};

/** flash shows above the message box what went wrong with it, until something goes right. */
function flash(text) {
	$('flash').hidden = !text;
	$('flash-text').textContent = text;
}

const conversation = new Conversation($('log'), { session: () => id, rewind: (item) => rewind(item), behind: () => $('text').focus({ preventScroll: true }) });
const asks = new Asks($('asks'), (body) => input(body));
const queue = new Queue($('queue'), { submit: input, failed, lost: (words) => composer.put([$('text').value, words].filter(Boolean).join('\n')) });
const composer = new Composer({ current: () => id, busy: () => settle(state).open, submit, command, stop, failed });
const pickers = new Pickers((line) => command(line).catch(failed));
const sessions = new Sessions({ current: () => id, busy: () => settle(state).open, failed, removed: (gone) => gone === id && (location.hash = '') });
const panel = new Panel({ session: () => id, command: (line) => command(line).catch(failed) });

// --- what the person does ------------------------------------------------------------------------------------------

/** begin gives the session a name when something is said for the first time. */
function begin() {
	if (id) return;
	const draft = store.get('draft.');
	store.set('draft.', null);
	id = newID();
	fresh = true;
	state = create(id);
	if (draft) store.set('draft.' + id, draft);
	history.replaceState(null, '', '#' + id);
}

function input(body, of = id) {
	return api.input(of, body);
}

/** submit says something in the session on the screen, and gives its name. Nothing of the answer lands in another one. */
async function submit(body) {
	begin();
	const of = id;
	const receipt = await input(body);
	sessions.load();
	if (of !== id) return of;
	flash('');
	const parts = typeof body.message === 'string' ? [{ kind: 'text', text: body.message }] : body.message.parts;
	if (receipt.text) conversation.tell({ text: receipt.text });
	if (receipt.pos) queue.add({ pos: receipt.pos, queue: body.queue, message: { role: 'user', parts } });
	say(t(body.queue ? 'say.queued' : 'say.sent'));
	conversation.stick = true;
	connect();
	setTimeout(draw, 400); // by then it was taken in, or it waits
	return of;
}

async function command(line, as = inputID()) {
	const from = id;
	if (/^\/(new|clear|exit)(\s|$)/.test(line)) {
		location.hash = '';
		return from;
	}
	begin();
	const of = id;
	try {
		const receipt = await input({ id: as, command: line });
		if (of !== id) return of;
		flash('');
		if (receipt.text) {
			conversation.tell({ line, text: receipt.text });
			say(receipt.text.slice(0, 300));
		}
		if (receipt.pos) refreshQueue(of);
	} catch (err) {
		if (of !== id) return of;
		if (err.status === 0 || err.status === 401) throw err;
		conversation.tell({ line, text: err.message, bad: true });
		say(err.message);
	}
	connect();
	refreshAbout();
	draw();
	return of;
}

async function stop() {
	if (!id || !settle(state).open) return;
	try {
		await input({ cancel: true });
	} catch (err) {
		failed(err);
	}
}

/** rewind shows what going back would do, and does it when the person says so. */
async function rewind(item) {
	const of = id;
	const line = `/rewind #${item.seq}`;
	try {
		const plan = JSON.parse((await api.command(of, line + ' json')).text);
		if (of !== id || !(await confirm(t('rewind.title'), h('pre.out', { tabindex: '0' }, plan.text.trim()), t(plan.force ? 'rewind.force' : 'rewind.do')))) return;
		await api.command(of, `${line} ${plan.force ? 'force' : 'yes'} ${plan.sum}`); // what was shown, or nothing
		if (of === id) composer.put(plain(item.parts));
	} catch (err) {
		if (of === id) failed(err);
	}
}

/** confirm asks before something that takes away. */
function confirm(title, body, yes) {
	return new Promise((resolve) => {
		const box = $('confirm');
		$('confirm-title').textContent = title;
		fill($('confirm-text'), body);
		fill($('confirm-do'), h('button.danger', { value: 'yes' }, yes));
		box.returnValue = '';
		box.addEventListener('close', () => resolve(box.returnValue === 'yes'), { once: true });
		box.showModal();
	});
}

function askToken(message) {
	const box = $('token');
	if (box.open) return;
	$('token-error').textContent = message ?? '';
	box.showModal();
}

// --- what comes ----------------------------------------------------------------------------------------------------

// named is the session that an address names; what is no encoded text is taken as it stands, and is no session.
function named(hash) {
	try {
		return decodeURIComponent(hash);
	} catch {
		return hash;
	}
}

function open() {
	stream?.stop();
	stream = null;
	id = named(location.hash.slice(1));
	fresh = false;
	goal = 0;
	about = null; // it was the other session's
	state = create(id);
	conversation.clear();
	asks.clear();
	queue.clear();
	panel.clear();
	flash('');
	$('confirm').close(); // it was about another session
	document.body.classList.remove('show-sessions');
	cover();
	show(id ? 'connecting' : 'idle');
	naming('');
	composer.open();
	sessions.draw();
	arrive();
	draw();
	if (matchMedia('(pointer: fine)').matches) $('text').focus();
}

/** arrive connects to a session that is there; what would be asked of one that is not, the browser would call an error. */
async function arrive() {
	const of = id;
	const named = isID(id);
	await refreshAbout();
	if (of !== id || !id || stream) return;
	if (!named || about?.absent) {
		show('gone');
		return naming();
	}
	const last = about ? await refreshQueue() : 0; // else it may be one that is not there
	if (of !== id || stream) return;
	goal = last;
	connect();
}

function connect() {
	if (stream || !id) return;
	stream = follow({
		session: id,
		born: state.log[0]?.time ?? '',
		seq: () => state.seq,
		begin: async () => {
			connected(state);
			if (!about) await refreshAbout(); // what was asked first may not have got through
			if (about && !about.absent) refreshQueue();
		},
		take,
		show: (what, detail) => {
			show(what === 'live' && goal ? 'connecting' : what);
			if (what === 'refused') failed(detail); // 403 is not about a token
			if (what === 'gone' || what === 'refused') stream = null; // it has ended itself
		},
	});
}

function take(events) {
	for (const e of events) {
		const before = state.seq;
		if (!apply(state, e)) return false;
		if (e.n || e.seq >= goal) goal = 0; // what is live comes behind all that is stored
		if (state.seq !== before && e.time && Date.now() - new Date(e.time) < 30_000) announce(e);
		if (e.type === 'end' || e.type === 'void' || (e.type === 'message' && e.message.role === 'user')) later();
		if (e.took) refreshQueueSoon(id);
	}
	if (conn === 'connecting' && !goal) show('live');
	else draw();
	return true;
}

const later = soon(() => document.hidden || sessions.load(), 300); // who comes back gets the list anyway
const refreshQueueSoon = soon((of) => refreshQueue(of), 200);

/** refreshQueue asks for what waits and for the title. It returns the number of the newest event, 0 if that is not known. */
async function refreshQueue(of = id) {
	if (of !== id) return 0; // another session is open by now
	if (fresh && !state.seq && !queue.list.length) return 0; // a command begins no session
	try {
		const info = await api.session(of);
		if (of !== id) return 0;
		queue.set(info.queue ?? []);
		naming(info.title ?? '');
		draw();
		return info.seq ?? 0;
	} catch {
		return 0; // a session that has not begun
	}
}

/** naming shows the session's title; the language decides what one without is called. */
function naming(to = title) {
	title = to;
	document.title = (title ? title + ' · ' : '') + 'react-agent';
	$('title').textContent = title || t(conn === 'gone' ? 'conn.gone' : 'sessions.new');
	$('parent').hidden = !id.includes('.');
	$('parent').href = '#' + id.slice(0, Math.max(0, id.lastIndexOf('.')));
}

async function refreshAbout() {
	const of = id;
	try {
		const got = await api.about(isID(of) ? of : '');
		if (of !== id) return;
		about = got;
		composer.commands = [...(about.commands ?? []), ...(about.skills ?? [])].map((c) => ({ ...c, name: c.name.replace(/^\//, '') }));
		$('version').textContent = [about.version, about.profile].filter(Boolean).join(' · ');
		draw();
	} catch (err) {
		if (err.status === 401) askToken(err.message);
	}
}

/** announce tells a screen reader what matters, and not each word of it. */
function announce(e) {
	switch (e.type) {
		case 'message':
			if (e.message.role === 'assistant') say(plain(e.message.parts ?? []).slice(0, 500));
			return;
		case 'ask':
			return say(t('say.ask', headline(e.ask)), true);
		case 'end':
			if (document.hidden) document.title = '● ' + document.title.replace(/^● /, '');
			if (e.stop === 'end') return say(t('say.done'));
			return say(t('say.failed', word('end.', e.stop)));
	}
}

function say(text, urgent) {
	if (text) $(urgent ? 'alert' : 'say').textContent = text;
}

// --- drawing -------------------------------------------------------------------------------------------------------

function draw() {
	if (drawing || document.hidden) return; // who comes back to the tab sees all at once
	drawing = true;
	requestAnimationFrame(() => {
		drawing = false;
		if (goal && conn === 'connecting') return;
		const fold = settle(state);
		const again = conversation.show(state);
		asks.show(fold.asks);
		queue.show((pos) => tookInput(state, pos));
		composer.state();
		pickers.show(about, fold.state.mode, fold.open);
		panel.show(state);
		activity(fold);
		$('welcome').hidden = Boolean(fold.items.length || state.live || conversation.locals.length || (id && conn === 'connecting'));
		$('welcome').querySelector('h2').textContent = t(conn === 'gone' ? 'conn.gone' : 'welcome');
		$('welcome').querySelector('p').textContent = t(conn === 'gone' ? 'gone.text' : 'welcome.text');
		$('welcome').querySelector('.hint').hidden = conn === 'gone';
		document.body.classList.toggle('busy', fold.open);
		if (again) setTimeout(draw, 100);
	});
}

/** activity says what goes on while nothing is to be seen. */
function activity(fold) {
	let text = '';
	if (fold.open && !fold.asks.size) {
		if (state.step === 'compact') text = t('compacting');
		else if (!state.live) text = t('working');
	}
	let bad = false;
	if (state.notice) {
		bad = Boolean(state.notice.error);
		text = state.notice.retry ? t('retrying', state.notice.text) : state.notice.text || state.notice.error?.message || text;
	}
	$('activity').hidden = !text;
	$('activity').classList.toggle('bad', bad);
	$('activity-text').textContent = text;
	const u = fold.total;
	const known = u.input !== undefined;
	$('meter').hidden = !known;
	if (known) $('meter').textContent = meter(u);
	$('meter').title = known ? t('meter.title', count(u.input ?? 0), count(u.output ?? 0)) : '';
}

function meter(u) {
	const tokens = (u.input ?? 0) + (u.output ?? 0);
	return t('meter', short(tokens)) + (u.cost_usd === undefined ? '' : ` · $${u.cost_usd.toFixed(u.cost_usd < 1 ? 3 : 2)}`);
}

function show(what) {
	conn = what;
	$('conn').dataset.state = what;
	$('conn-text').textContent = t('conn.' + what);
	if (what === 'live') flash('');
	draw();
}

/** redraw is for another language. */
function redraw() {
	naming();
	show(conn);
	sessions.draw();
	asks.redraw();
	conversation.redraw(state);
	queue.drawn = '';
	for (const name of ['model', 'mode']) $(name).dataset.key = '';
	panel.draw();
	composer.state();
	draw();
}

$('new').addEventListener('click', () => {
	if (location.hash) location.hash = '';
	else open();
	$('text').focus();
});

$('flash-close').addEventListener('click', () => {
	flash('');
	$('text').focus();
});

$('skip').addEventListener('click', (e) => {
	e.preventDefault();
	$('text').focus();
});

// The token goes out in a request of its own: it comes into no address and no history, and all that stands here stays.
$('token-form').addEventListener('submit', async (e) => {
	e.preventDefault();
	try {
		await api.enter($('token-text').value.trim());
		$('token').close();
		$('token-text').value = '';
		sessions.load();
		panel.fetch();
		arrive();
	} catch (err) {
		$('token-error').textContent = err.status === 401 ? t('error.tokenWrong') : err.status === 0 ? t('error.network') : err.message;
	}
});

addEventListener('keydown', (e) => {
	if (e.isComposing || e.keyCode === 229) return;
	const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(e.target.tagName ?? '');
	if (e.key === 'Escape' && !e.defaultPrevented && !document.querySelector('dialog[open]')) {
		const side = ['panel', 'sessions'].find((n) => document.body.classList.contains('show-' + n));
		if (side) toggle(side, false);
		else stop();
	} else if (e.key === '/' && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) {
		e.preventDefault();
		if (!$('text').value) composer.put('/');
		else $('text').focus();
	}
});

// --- sleep, networks, tabs -----------------------------------------------------------------------------------------

/** pause closes the stream of a tab that nobody looks at, once nothing runs. */
function pause() {
	if (!stream) return;
	if (settle(state).open) {
		away = setTimeout(pause, AWAY);
		return;
	}
	stream.stop();
	stream = null;
	show('paused');
}

addEventListener('hashchange', open);
addEventListener('online', () => stream?.poke());
document.addEventListener('visibilitychange', () => {
	clearTimeout(away);
	if (document.hidden) {
		away = setTimeout(pause, AWAY);
		return;
	}
	document.title = document.title.replace(/^● /, '');
	if (stream) stream.poke();
	else if (conn === 'paused') connect();
	sessions.load();
	draw();
});

look({ redraw, opened: (name) => name === 'panel' && panel.fetch() });
sessions.load();
open();
setInterval(() => !document.hidden && sessions.load(), 15_000);
