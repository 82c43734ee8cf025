// Tests of page/js/stream.js with a clock of their own: run by TestModules, or with node --test.

import { test, mock } from 'node:test';
import { deepEqual, equal } from 'node:assert/strict';
import { follow } from './page/js/stream.js';

/** turn lets everything run that waits for nothing but its turn. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** pass lets time pass, a second at a time. */
async function pass(seconds) {
	for (let i = 0; i < seconds; i++) {
		mock.timers.tick(1000);
		await turn();
	}
}

/** server answers each request with what answer(n) gives; until then, and for ever if that is nothing, it keeps quiet. */
function server(t, answer) {
	mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'], now: 1e12 });
	const asked = [];
	const old = globalThis.fetch;
	globalThis.fetch = (url, { signal }) => {
		const n = asked.push(Date.now());
		return new Promise((resolve, reject) => {
			signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
			answer(n, resolve, signal);
		});
	};
	t.after(() => {
		globalThis.fetch = old;
		mock.timers.reset();
	});
	return asked;
}

const open = (signal) => new Response(new ReadableStream({ start: (c) => signal.addEventListener('abort', () => c.error(new Error('aborted'))) }));
const watch = (shown) => follow({ session: 's', seq: () => 0, begin() {}, take: () => true, show: (what) => shown.push(what) });

test('a server that takes its time is reached after a long silence', async (t) => {
	const shown = [];
	const asked = server(t, (n, resolve, signal) => {
		if (n === 1) resolve(open(signal)); // and then nothing: the laptop sleeps
		else setTimeout(() => resolve(open(signal)), 20_000);
	});
	const stream = watch(shown);
	await pass(1);
	equal(shown.at(-1), 'live');
	await pass(60);
	equal(asked.length, 2, 'a dead connection is given up once');
	equal(shown.at(-1), 'connecting');
	await pass(20);
	equal(shown.at(-1), 'live');
	equal(asked.length, 2);
	stream.stop();
});

test('a server that never answers is asked again', async (t) => {
	const asked = server(t, () => {});
	const stream = watch([]);
	await pass(120);
	equal(asked.length, 3);
	stream.stop();
});

test('who comes back says which session it was', async (t) => {
	const urls = [];
	server(t, () => {});
	const fake = globalThis.fetch;
	globalThis.fetch = (url, more) => (urls.push(url), fake(url, more));
	const stream = follow({ session: 's', born: '2026-01-02T03:04:05Z', seq: () => 7, begin() {}, take: () => true, show() {} });
	stream.stop();
	deepEqual(urls, ['/sessions/s/events?after=7&born=2026-01-02T03%3A04%3A05Z']);
});

test('who is refused watches no longer', async (t) => {
	const shown = [];
	server(t, (n, resolve) => resolve(new Response('{"error":"no"}', { status: 404 })));
	const cleared = mock.method(globalThis, 'clearInterval');
	watch(shown);
	await pass(1);
	deepEqual(shown, ['connecting', 'gone']);
	equal(cleared.mock.callCount(), 1);
	cleared.mock.restore();
});
