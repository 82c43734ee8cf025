// state.js: events in, view model out. It knows nothing of the page or the network, and is tested alone
// (server/web/state_test.mjs): a log that is replayed gives the same as one that was watched.
//
// The rules are those of docs/events.md. Durable events are counted without gaps and kept, so that a void can be followed
// by a fold of what still counts; live ones belong to the durable event before them and go with the next one.
//
// Items are the timeline. Each has an `id`, which stays the same while a message is streamed and when it is stored, and a
// `rev`, which grows when it changes: who draws compares revs. Changes touch one item, however long the conversation is.

const DURABLE = new Set(['message', 'call', 'ask', 'answer', 'compact', 'void', 'setup', 'state', 'end']);

/** How many lines of progress a call keeps. */
const PROGRESS = 400;

/** create makes the state of a session without events. */
export function create(session) {
	return {
		session,
		seq: 0, // of the last durable event
		rev: 1, // grows with every change
		log: [], // durable events, for the fold after a void
		stale: false, // a void came: fold again before looking
		taken: { through: 0, pos: new Set() }, // inputs that were taken in, voided or not
		fold: emptyFold(),
		...freshLive(),
	};
}

function freshLive() {
	return { n: 0, mute: false, live: null, step: '', notice: null };
}

function emptyFold() {
	return {
		items: [],
		calls: new Map(), // by key
		asks: new Map(), // open questions by id
		made: 0, // messages of the model
		run: '',
		open: false, // a run without end
		total: {},
		usage: {}, // of the run
		steps: 0,
		state: {},
		setup: {},
		model: '',
		head: 0,
	};
}

/**
 * apply takes one event in. It returns false for a durable event that leaves a gap: what is missing must be read first.
 * Events that were seen before are passed over.
 */
export function apply(s, e) {
	if (!DURABLE.has(e.type)) {
		applyLive(s, e);
		return true;
	}
	if (e.seq <= s.seq) return true;
	if (e.seq !== s.seq + 1) return false;
	s.seq = e.seq;
	s.rev++;
	s.log.push(e);
	take(s, e.took);
	Object.assign(s, freshLive());
	if (e.type === 'void') s.stale = true;
	if (!s.stale) foldEvent(s, e);
	return true;
}

/** connected forgets what was live: a new stream says it again. */
export function connected(s) {
	Object.assign(s, freshLive(), { rev: s.rev + 1 });
}

/** settle folds again after a void. Whoever looks at the fold calls it first. */
export function settle(s) {
	if (!s.stale) return s.fold;
	s.stale = false;
	s.fold = emptyFold();
	const dead = voided(s.log);
	s.log.forEach((e, i) => {
		if (!dead.has(i)) foldEvent(s, e);
	});
	return s.fold;
}

/** timeline is what there is to see: what is stored, and behind it what is being made. */
export function timeline(s) {
	const f = settle(s);
	return s.live ? [...f.items, liveItem(s)] : f.items;
}

/** tookInput says whether the input at a position of the session's own input log was taken in. */
export function tookInput(s, pos) {
	return pos <= s.taken.through || s.taken.pos.has(pos);
}

// --- what counts ---------------------------------------------------------------------------------------------------

/** voided gives the indexes that no longer count: a void that is not voided itself kills its range. */
function voided(log) {
	const dead = new Set();
	const at = log.length ? log[0].seq : 0;
	for (let i = log.length - 1; i >= 0; i--) {
		const e = log[i];
		if (e.type !== 'void' || dead.has(i)) continue;
		const to = Math.min(e.void.to - at, i - 1);
		for (let k = Math.max(0, e.void.from - at); k <= to; k++) dead.add(k);
	}
	return dead;
}

function take(s, took) {
	for (const t of took ?? []) {
		if (t.log !== 'input/' + s.session) continue;
		if (t.through) s.taken.through = Math.max(s.taken.through, t.pos);
		s.taken.pos.add(t.pos);
	}
}

// --- live ----------------------------------------------------------------------------------------------------------

function applyLive(s, e) {
	if (e.seq !== s.seq && e.seq !== 0) return; // of another place in the log
	const n = e.n ?? 0;
	if (e.type === 'retry') {
		s.mute = false;
		s.live = null;
		s.notice = e.text ? { text: e.text, retry: true } : s.notice;
	} else if (n > s.n + 1) {
		s.mute = true; // something was lost: silent until the message is said again
	}
	s.n = Math.max(s.n, n);
	s.rev++;
	switch (e.type) {
		case 'step':
			s.step = e.text || 'model';
			break;
		case 'chunk':
			if (!s.mute) addChunk(s, e.chunk);
			break;
		case 'progress':
			addProgress(s, e);
			break;
		case 'notice':
			if (!e.receipt) s.notice = { text: e.text ?? '', error: e.error };
			break;
	}
}

function addChunk(s, chunk) {
	if (!chunk?.part || !(chunk.index >= 0) || chunk.index > 4096) return;
	s.live ??= { parts: [] };
	s.notice = null;
	const p = (s.live.parts[chunk.index] ??= { kind: chunk.part.kind, text: '', rev: 0 });
	p.rev = s.rev;
	if (p.kind === 'call') {
		const c = chunk.part.call ?? {};
		p.call ??= { id: '', name: '', args: '' };
		if (c.id) p.call.id = c.id;
		if (c.name) p.call.name = c.name;
		if (c.args !== undefined) p.call.args = JSON.stringify(c.args);
		p.call.args += chunk.part.text ?? '';
		return;
	}
	if (chunk.part.blob) p.blob = chunk.part.blob;
	p.text += chunk.part.text ?? '';
}

function addProgress(s, e) {
	const call = settle(s).calls.get(e.call?.key);
	if (!call || !e.text) return;
	call.progress.push(e.text);
	if (call.progress.length > PROGRESS) call.progress.splice(0, call.progress.length - PROGRESS);
	touch(s, call);
}

function liveItem(s) {
	return {
		id: 'a' + (s.fold.made + 1),
		type: 'assistant',
		live: true,
		rev: s.rev,
		parts: s.live.parts.filter(Boolean),
	};
}

// --- fold ----------------------------------------------------------------------------------------------------------

function foldEvent(s, e) {
	const f = s.fold;
	if (e.run && e.run !== f.run) {
		Object.assign(f, { run: e.run, open: true, usage: {}, steps: 0 });
	}
	if (e.type === 'compact') return foldCompact(s, e);
	mergeState(f, e.state);
	if (e.type !== 'end') {
		spend(f, e.usage);
		f.steps += e.steps ?? 0;
	}
	switch (e.type) {
		case 'message':
			return foldMessage(s, e);
		case 'call':
			return foldCall(s, e);
		case 'ask':
			return foldAsk(s, e);
		case 'answer':
			return foldAnswer(s, e);
		case 'setup':
			f.setup = e.setup ?? {};
			return;
		case 'void':
			close(s);
			if (e.text !== 'redo') add(s, { id: 'v' + e.seq, type: 'void', seq: e.seq, text: e.text ?? '', time: e.time });
			return;
		case 'end':
			close(s);
			add(s, { id: 'e' + e.seq, type: 'end', seq: e.seq, stop: e.stop, usage: e.usage, steps: e.steps, error: e.error, text: e.text ?? '', time: e.time });
	}
}

function add(s, item) {
	item.rev = s.rev;
	item.out = false;
	s.fold.items.push(item);
	return item;
}

function touch(s, x) {
	x.rev = s.rev;
	if (x.item) x.item.rev = s.rev;
}

function foldMessage(s, e) {
	const f = s.fold;
	const m = e.message;
	spend(f, m.usage);
	const base = { seq: e.seq, time: e.time, from: m.from ?? '', parts: m.parts ?? [] };
	switch (m.role) {
		case 'assistant': {
			f.made++;
			if (e.run) f.steps++;
			f.model = m.model || f.model;
			const item = add(s, { ...base, id: 'a' + f.made, type: 'assistant', model: m.model ?? '', stop: m.stop ?? '', usage: m.usage });
			for (const p of item.parts) if (p.kind === 'call') f.calls.set(p.call.key, newCall(p.call, item));
			return;
		}
		case 'tool':
			return foldResult(s, e, m);
		default:
			add(s, { ...base, id: 'm' + e.seq, type: m.role === 'user' && !m.from ? 'user' : 'note', role: m.role });
	}
}

function newCall(c, item) {
	return { key: c.key, name: c.name, args: c.args, ran: null, started: false, over: false, progress: [], asks: [], result: null, cleared: null, item, rev: item.rev };
}

/** callOf finds a call, or makes a place for one that no message has named. */
function callOf(s, c) {
	let call = s.fold.calls.get(c.key);
	if (!call) {
		const item = add(s, { id: 'k' + c.key, type: 'calls', seq: s.seq, parts: [{ kind: 'call', call: c }] });
		call = newCall(c, item);
		s.fold.calls.set(c.key, call);
	}
	return call;
}

function foldCall(s, e) {
	const call = callOf(s, e.call);
	call.started = true;
	call.at = e.time;
	call.ran = { name: e.call.name ?? call.name, args: e.call.args === undefined ? call.args : e.call.args };
	touch(s, call);
}

function foldResult(s, e, m) {
	const f = s.fold;
	const r = (m.parts ?? []).find((p) => p.kind === 'result')?.result;
	if (!r) return;
	spend(f, r.usage);
	f.steps += r.steps ?? 0;
	const call = callOf(s, { key: r.key ?? 'r' + e.seq, name: '' });
	Object.assign(call, { result: r, seq: e.seq, cleared: null, over: true, ended: e.time });
	for (const id of f.asks.keys()) if (id.startsWith(call.key + '/')) f.asks.delete(id);
	touch(s, call);
}

function foldAsk(s, e) {
	const ask = e.ask;
	s.fold.asks.set(ask.id, ask);
	const key = ask.call?.key ?? ask.id.slice(0, Math.max(0, ask.id.lastIndexOf('/')));
	const call = s.fold.calls.get(key);
	if (!call) return;
	call.asks.push({ ask, answer: null });
	touch(s, call);
}

function foldAnswer(s, e) {
	const f = s.fold;
	f.asks.delete(e.answer.id);
	const ask = e.ask;
	const key = ask?.call?.key ?? e.answer.id.slice(0, Math.max(0, e.answer.id.lastIndexOf('/')));
	const call = f.calls.get(key);
	if (!call) return;
	let entry = call.asks.find((a) => a.ask.id === e.answer.id);
	if (!entry) call.asks.push((entry = { ask: ask ?? { id: e.answer.id, text: '' } }));
	entry.answer = e.answer;
	entry.nobody = e.text === 'nobody';
	touch(s, call);
}

/** close ends what was open: a run that is over waits for nobody and runs nothing. */
function close(s) {
	const f = s.fold;
	f.open = false;
	f.asks.clear();
	for (let i = f.items.length - 1; i >= 0; i--) {
		const x = f.items[i];
		if (x.type === 'end') break;
		for (const p of x.type === 'assistant' || x.type === 'calls' ? x.parts : []) {
			const call = p.kind === 'call' && f.calls.get(p.call.key);
			if (call && !call.over) {
				call.over = true;
				touch(s, call);
			}
		}
	}
}

/** foldCompact: the model's history is smaller; the person's is not. What it no longer reads is marked. */
function foldCompact(s, e) {
	const f = s.fold;
	const trim = e.trim ?? {};
	const head = trim.head ?? [];
	for (const x of f.items) {
		if (x.out || !(x.seq < (trim.from ?? 0) || (head.length && x.type === 'compact' && x.seq === f.head))) continue;
		x.out = true;
		x.rev = s.rev;
	}
	const clear = trim.clear ?? {};
	if (Object.keys(clear).length) {
		for (const call of f.calls.values()) {
			if (call.seq === undefined || clear[call.seq] === undefined) continue;
			call.cleared = clear[call.seq];
			touch(s, call);
		}
	}
	if (head.length) f.head = e.seq;
	else if (f.head < (trim.from ?? 0)) f.head = 0;
	f.total = { ...e.carry?.total };
	f.usage = { ...e.usage };
	f.steps = e.steps ?? 0;
	f.state = { ...e.state };
	f.asks = new Map(Object.entries(e.carry?.asks ?? {}));
	if (e.setup) f.setup = e.setup;
	add(s, { id: 'c' + e.seq, type: 'compact', seq: e.seq, head, before: trim.before, after: trim.after, cleared: Object.keys(clear).length, text: e.text ?? '', time: e.time });
}

function mergeState(f, state) {
	for (const [k, v] of Object.entries(state ?? {})) {
		if (v === null) delete f.state[k];
		else f.state[k] = v;
	}
}

function spend(f, u) {
	addUsage(f.usage, u);
	addUsage(f.total, u);
}

/** addUsage adds what is known; absent means unknown, 0 is a value. */
export function addUsage(to, u) {
	if (!u) return;
	for (const k of ['input', 'output', 'cached', 'cache_write', 'reasoning', 'cost_usd']) {
		if (u[k] !== undefined) to[k] = (to[k] ?? 0) + u[k];
	}
	if (to.cost_usd !== undefined) to.cost_usd = Math.round(to.cost_usd * 1e10) / 1e10;
	if (u.estimated) to.estimated = true;
}
