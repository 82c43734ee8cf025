// stream.js: the event stream of one session. It goes on after the last durable event, whatever happened in between: a
// lost network, a laptop that slept, a server that was started again.
//
// fetch is used and not EventSource: it tells a refusal from a lost connection, and shows the comments by which a dead
// connection is noticed.

import { api, failure } from './api.js';

/** A server that has nothing to say sends a comment every 15 s: after three of them missing the connection is dead. */
const SILENCE = 45_000;
const FIRST = 400;
const LONGEST = 15_000;

/** wait is how long to wait before the n-th try in a row, in ms; half of it is chance, so that many pages do not knock at once. */
export function wait(n, random = Math.random()) {
	const most = Math.min(LONGEST, FIRST * 2 ** Math.min(n, 10));
	return most / 2 + (most / 2) * random;
}

/** parser cuts a stream of text into the data of events; null stands for a comment. Unfinished events are kept. */
export function parser() {
	let rest = '';
	let data = [];
	return (text) => {
		const out = [];
		rest += text;
		for (;;) {
			const end = rest.indexOf('\n');
			if (end < 0) break;
			const line = rest.slice(0, end).replace(/\r$/, '');
			rest = rest.slice(end + 1);
			if (line === '') {
				if (data.length) out.push(data.join('\n'));
				data = [];
			} else if (line.startsWith(':')) out.push(null);
			else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
		}
		return out;
	};
}

/**
 * follow keeps a stream open until stop is called. seq() is the last durable event; begin() is called when a new stream
 * begins, take(events) with what came; take returns false when something is missing, and the stream begins again.
 * born is when its first event was stored, which says which session of this name it is: one that was removed and begun anew is
 * another. show(state, detail) gets 'connecting', 'live', 'waiting' (detail: ms), 'gone' and 'refused' (detail: the error).
 */
export function follow({ session, born = '', seq, begin, take, show }) {
	let stopped = false;
	let tries = 0;
	let abort = null;
	let wake = null;
	let heard = 0;

	async function once() {
		abort = new AbortController();
		const id = String(seq());
		heard = Date.now(); // what was heard before says nothing about this connection; one that never answers is dead, too
		const res = await fetch(api.events(session, id, id === '0' ? '' : born), {
			headers: { Accept: 'text/event-stream', 'Last-Event-ID': id },
			credentials: 'same-origin',
			cache: 'no-store',
			signal: abort.signal,
		});
		if (!res.ok) throw await failure(res);
		born = res.headers.get('Session-Born') ?? '';
		begin();
		show('live');
		const parse = parser();
		const reader = res.body.pipeThrough(new TextDecoderStream()).getReader();
		for (;;) {
			const { value, done } = await reader.read();
			if (done) return;
			heard = Date.now();
			const events = [];
			for (const data of parse(value)) if (data !== null) events.push(JSON.parse(data));
			if (!events.some((e) => e.type === 'notice' && e.error)) tries = 0; // else this is how it failed
			born ||= events.find((e) => e.seq === 1 && !e.n)?.time ?? '';
			if (events.length && !take(events)) return;
		}
	}

	async function loop() {
		while (!stopped) {
			let pause = 0;
			show('connecting');
			try {
				await once();
			} catch (err) {
				if (stopped) return;
				if ([401, 403, 404, 409].includes(err.status)) {
					clearInterval(timer);
					return show(err.status === 404 || err.status === 409 ? 'gone' : 'refused', err);
				}
				pause = (err.retryAfter ?? 0) * 1000;
			} finally {
				abort?.abort();
			}
			if (stopped) return;
			pause = Math.max(pause, wait(tries++));
			show('waiting', pause);
			await new Promise((resolve) => {
				wake = resolve;
				setTimeout(resolve, pause);
			});
			wake = null;
		}
	}

	const look = () => Date.now() - heard > SILENCE && abort?.abort();
	const poke = () => {
		tries = 0;
		if (wake) wake();
		else look();
	};
	const timer = setInterval(look, 5_000);
	loop();
	return {
		poke,
		stop() {
			stopped = true;
			clearInterval(timer);
			abort?.abort();
			wake?.();
		},
	};
}
