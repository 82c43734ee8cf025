// Tests of the page's modules that need no browser: node --test server/web
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { create, apply, connected, settle, timeline, tookInput, addUsage } from './page/js/state.js';
import { parser, wait } from './page/js/stream.js';
import { isCommand, newID, inputID } from './page/js/api.js';

const here = (name) => new URL(name, import.meta.url);
const durable = (e) => !['step', 'chunk', 'progress', 'notice', 'retry'].includes(e.type);
const logs = readdirSync(here('testdata'))
	.filter((name) => name.endsWith('.jsonl'))
	.map((name) => {
		const events = readFileSync(here('testdata/' + name), 'utf8').trim().split('\n').map((l) => JSON.parse(l));
		return { name, events, session: events[0].session };
	});

/** seen is what is on the screen, without what is only live: the numbers of changes, and progress. */
function seen(s) {
	const fold = settle(s);
	const plain = (k, v) => (['rev', 'item', 'progress'].includes(k) ? undefined : v instanceof Map ? [...v] : v instanceof Set ? [...v] : v);
	return JSON.parse(JSON.stringify({ items: timeline(s), fold, seq: s.seq, took: s.taken }, plain));
}

function fold(session, events) {
	const s = create(session);
	for (const e of events) assert.ok(apply(s, e), `a gap before ${e.seq}`);
	return s;
}

const ev = (seq, type, more) => ({ seq, type, session: 's', agent: 'main', run: '1', ...more });
const said = (seq, text, more) => ev(seq, 'message', { message: { role: 'user', parts: [{ kind: 'text', text }] }, ...more });
const answer = (seq, parts, more) => ev(seq, 'message', { message: { role: 'assistant', parts, ...more } });
const chunk = (seq, n, index, part) => ev(seq, 'chunk', { n, chunk: { index, part } });
const call = (key) => ({ kind: 'call', call: { id: key, key: 's/' + key, name: 'bash', args: { command: 'ls' } } });

for (const { name, events, session } of logs) {
	test(`${name}: a log that is replayed gives what was seen live, after every durable event`, () => {
		const live = create(session);
		const replay = create(session);
		for (const e of events) {
			assert.ok(apply(live, e));
			if (!durable(e)) continue;
			assert.ok(apply(replay, e));
			assert.deepEqual(seen(live), seen(replay), `after event ${e.seq}`);
		}
		assert.deepEqual(seen(fold(session, events.filter(durable))), seen(replay));
	});

	test(`${name}: wherever the connection breaks, it goes on as if it had not`, () => {
		const whole = seen(fold(session, events.filter(durable)));
		for (let cut = 0; cut <= events.length; cut++) {
			const s = fold(session, events.slice(0, cut));
			connected(s);
			assert.equal(s.live, null);
			for (const e of events.filter((e) => durable(e) && e.seq > s.seq)) assert.ok(apply(s, e));
			assert.deepEqual(seen(s), whole, `cut before line ${cut + 1}`);
		}
	});

	test(`${name}: what was seen before is passed over, and a gap is noticed`, () => {
		const list = events.filter(durable);
		const s = create(session);
		for (const e of list) {
			assert.ok(apply(s, e));
			assert.ok(apply(s, e));
		}
		assert.deepEqual(seen(s), seen(fold(session, list)));
		for (let i = 1; i < list.length; i++) {
			const t = fold(session, list.slice(0, i - 1));
			const before = seen(t);
			assert.equal(apply(t, list[i]), false);
			assert.deepEqual(seen(t), before);
		}
	});
}

test('a message is made of its chunks, in the order of their indexes', () => {
	const s = fold('s', [said(1, 'hi'), ev(1, 'step', { n: 1, text: 'model' })]);
	assert.equal(s.step, 'model');
	apply(s, chunk(1, 2, 1, { kind: 'text', text: 'Hel' }));
	apply(s, chunk(1, 3, 0, { kind: 'thinking', text: 'hm' }));
	apply(s, chunk(1, 4, 1, { kind: 'text', text: 'lo' }));
	apply(s, chunk(1, 5, 2, { kind: 'call', call: { id: 'c', name: 'ba' } }));
	apply(s, chunk(1, 6, 2, { kind: 'call', call: { name: 'bash' }, text: '{"command":' }));
	apply(s, chunk(1, 7, 2, { kind: 'call', text: '"ls"}' }));
	const item = timeline(s).at(-1);
	assert.equal(item.live, true);
	assert.deepEqual(item.parts.map((p) => p.text || p.call.args), ['hm', 'Hello', '{"command":"ls"}']);
	assert.equal(item.parts[2].call.name, 'bash');
	apply(s, chunk(1, 8, 2, { kind: 'call', call: { args: { command: 'pwd' } } }));
	assert.equal(timeline(s).at(-1).parts[2].call.args, '{"command":"pwd"}');
	apply(s, answer(2, [{ kind: 'text', text: 'Hello' }]));
	const stored = timeline(s).at(-1);
	assert.equal(stored.id, item.id); // the same place on the screen
	assert.equal(stored.live, undefined);
	assert.equal(s.live, null);
});

test('a retry withdraws all chunks since the last durable event, and says why', () => {
	const s = fold('s', [said(1, 'hi'), chunk(1, 1, 0, { kind: 'text', text: 'wrong' }), ev(1, 'retry', { n: 2, text: 'the connection broke' })]);
	assert.equal(timeline(s).length, 1);
	assert.deepEqual(s.notice, { text: 'the connection broke', retry: true });
	apply(s, chunk(1, 3, 0, { kind: 'text', text: 'right' }));
	assert.equal(timeline(s).at(-1).parts[0].text, 'right');
	assert.equal(s.notice, null);
});

test('after a lost live event nothing is shown of the message, until it is said again or stored', () => {
	const s = fold('s', [said(1, 'hi'), chunk(1, 1, 0, { kind: 'text', text: 'one ' })]);
	apply(s, chunk(1, 3, 0, { kind: 'text', text: 'three ' })); // 2 is lost
	apply(s, chunk(1, 4, 0, { kind: 'text', text: 'four ' }));
	assert.equal(timeline(s).at(-1).parts[0].text, 'one ');
	apply(s, ev(1, 'retry', { n: 9 })); // it may jump: the message follows from its beginning, with the same n
	apply(s, chunk(1, 9, 0, { kind: 'text', text: 'all ' }));
	apply(s, chunk(1, 9, 1, { kind: 'thinking', text: 'x' }));
	apply(s, chunk(1, 10, 0, { kind: 'text', text: 'more' }));
	assert.equal(timeline(s).at(-1).parts[0].text, 'all more');
	apply(s, chunk(1, 12, 0, { kind: 'text', text: 'lost' }));
	apply(s, answer(2, [{ kind: 'text', text: 'stored' }]));
	apply(s, chunk(2, 1, 0, { kind: 'text', text: 'next' }));
	assert.equal(timeline(s).at(-1).parts[0].text, 'next');
});

test('a live event of another place in the log is none of this one', () => {
	const s = fold('s', [said(1, 'hi'), answer(2, [{ kind: 'text', text: 'ok' }])]);
	apply(s, chunk(1, 7, 0, { kind: 'text', text: 'late' }));
	apply(s, chunk(3, 1, 0, { kind: 'text', text: 'early' }));
	assert.equal(timeline(s).length, 2);
	assert.ok(apply(s, ev(2, 'something', { n: 1 }))); // a new type: skipped
});

test('a call goes from written to asked to running to done; what it says stands with it', () => {
	const ask = { id: 's/2.1/0', text: 'Run it?', call: { key: 's/2.1', name: 'bash' } };
	const part = call('2.1');
	const s = fold('s', [said(1, 'hi'), answer(2, [part]), ev(3, 'ask', { ask })]);
	const at = () => settle(s).calls.get('s/2.1');
	assert.deepEqual([...settle(s).asks.keys()], ['s/2.1/0']);
	apply(s, ev(4, 'answer', { ask, answer: { id: ask.id, allow: true, always: true } }));
	assert.equal(settle(s).asks.size, 0);
	assert.equal(at().asks[0].answer.always, true);
	apply(s, ev(5, 'call', { call: { key: 's/2.1', name: 'bash', args: { command: 'ls -l' } } }));
	apply(s, ev(5, 'progress', { n: 1, call: { key: 's/2.1' }, text: 'a file' }));
	assert.deepEqual([at().started, at().over, at().progress, at().ran.args.command], [true, false, ['a file'], 'ls -l']);
	apply(s, ev(6, 'message', { message: { role: 'tool', parts: [{ kind: 'result', result: { key: 's/2.1', parts: [{ kind: 'text', text: 'ok' }], usage: { input: 5 } } }] } }));
	assert.equal(at().over, true);
	assert.equal(settle(s).total.input, 5);
});

test('questions end with their call, with the run, and when somebody else answers', () => {
	const ask = (seq, id) => ev(seq, 'ask', { ask: { id, text: '?' } });
	const result = ev(4, 'message', { message: { role: 'tool', parts: [{ kind: 'result', result: { key: 's/1.1' } }] } });
	const s = fold('s', [answer(1, [call('1.1'), call('1.2')]), ask(2, 's/1.1/0'), ask(3, 's/1.2/0'), result]);
	assert.deepEqual([...settle(s).asks.keys()], ['s/1.2/0']);
	apply(s, ev(5, 'end', { stop: 'cancelled' }));
	assert.equal(settle(s).asks.size, 0);
	assert.equal(settle(s).open, false);
	assert.equal(settle(s).calls.get('s/1.2').over, true);
});

test('a void takes its range out, a void of a void brings it back, and inputs stay used', () => {
	const took = [{ log: 'input/s', pos: 2, through: true }];
	const s = fold('s', [said(1, 'one'), answer(2, []), ev(3, 'end', { stop: 'end' }), said(4, 'two', { took, run: '4' }), answer(5, []), ev(6, 'end', { stop: 'end' })]);
	const before = timeline(s).map((x) => x.id);
	apply(s, ev(7, 'void', { void: { from: 4, to: 6 }, text: 'rewind' }));
	assert.deepEqual(timeline(s).map((x) => x.type), ['user', 'assistant', 'end', 'void']);
	assert.ok(tookInput(s, 2));
	apply(s, ev(8, 'void', { void: { from: 7, to: 7 }, text: 'redo' }));
	assert.deepEqual(timeline(s).map((x) => x.id), before);
	apply(s, ev(9, 'void', { void: { from: 8, to: 8 }, text: 'rewind' })); // the redo is taken back: the first void counts again
	assert.deepEqual(timeline(s).map((x) => x.type), ['user', 'assistant', 'end', 'void', 'void']);
});

test('a compaction marks what the model no longer reads, and can be taken back', () => {
	const result = ev(3, 'message', { message: { role: 'tool', parts: [{ kind: 'result', result: { key: 's/2.1', parts: [{ kind: 'text', text: 'long' }] } }] } });
	const s = fold('s', [said(1, 'one'), answer(2, [call('2.1')]), result, answer(4, [{ kind: 'text', text: 'done' }])]);
	const trim = { head: [{ role: 'user', parts: [{ kind: 'text', text: 'summary' }] }], from: 4, before: 100, after: 10 };
	apply(s, ev(5, 'compact', { trim, carry: { total: { input: 7 } }, state: { todo: [] }, run: undefined }));
	assert.deepEqual(timeline(s).map((x) => x.out), [true, true, false, false]);
	assert.equal(settle(s).total.input, 7);
	apply(s, ev(6, 'compact', { trim: { from: 0, clear: { 3: '[cleared]' } }, carry: {}, run: undefined }));
	assert.equal(settle(s).calls.get('s/2.1').cleared, '[cleared]');
	apply(s, ev(7, 'void', { void: { from: 5, to: 6 }, text: 'undo' }));
	assert.deepEqual(timeline(s).map((x) => x.out), [false, false, false, false]);
	assert.equal(settle(s).calls.get('s/2.1').cleared, null);
});

test('one delta touches one item, however long the conversation is', () => {
	const s = create('s');
	for (let i = 1; i <= 2000; i++) apply(s, i % 2 ? said(i, 'q') : answer(i, [{ kind: 'text', text: 'a' }]));
	const revs = settle(s).items.map((x) => x.rev);
	const items = [...settle(s).items];
	for (let n = 1; n <= 20_000; n++) apply(s, chunk(2000, n, 0, { kind: 'text', text: 'word ' }));
	assert.equal(s.live.parts[0].text.length, 100_000);
	assert.deepEqual(settle(s).items.map((x) => x.rev), revs);
	assert.ok(settle(s).items.every((x, i) => x === items[i]));
});

test('usage: absent is unknown, 0 is a value', () => {
	const u = {};
	addUsage(u, { input: 0, cost_usd: 0.1 });
	addUsage(u, undefined);
	addUsage(u, { input: 3, cost_usd: 0.2, estimated: true });
	assert.deepEqual(u, { input: 3, cost_usd: 0.3, estimated: true });
});

test('a stream is cut into events wherever it is torn', () => {
	const text = ': hello\n\nid: 1\ndata: {"seq":1}\n\nid: 2\r\ndata: {"a":\r\ndata: 2}\r\n\r\n:\n\n';
	const want = [null, '{"seq":1}', '{"a":\n2}', null];
	for (let i = 0; i <= text.length; i++) {
		const p = parser();
		assert.deepEqual([...p(text.slice(0, i)), ...p(text.slice(i))], want, `torn at ${i}`);
	}
});

test('tries in a row wait longer, up to a bound', () => {
	for (let n = 0; n < 50; n++) {
		assert.ok(wait(n, 0) >= 200 && wait(n, 1) <= 15_000);
		assert.ok(wait(n + 1, 0.5) >= wait(n, 0.5));
	}
});

test('what calls a command', () => {
	for (const line of ['/help', '  /mode auto', '/计划', '/2do']) assert.equal(isCommand(line), true, line);
	for (const line of ['', 'help', '//help', '/usr/bin/env', '/a.txt', '/ help', '/', '/one\ntwo']) assert.equal(isCommand(line), false, line);
});

test('names that are made here are names that the server takes', () => {
	for (let i = 0; i < 100; i++) {
		assert.match(newID(), /^\d{8}-\d{6}-[a-z2-7]{5}$/);
		assert.match(inputID(), /^web-\w{18}$/);
	}
});

test('every text is there, in both languages, and every text is used', () => {
	const src = readFileSync(here('page/js/text.js'), 'utf8');
	const texts = new Map([...src.matchAll(/^\t'([\w.]+)': \[(['"])(.*?)\2, (['"])(.*?)\4\],$/gm)].map((m) => [m[1], [m[3], m[5]]]));
	assert.ok(texts.size > 150);
	const files = readdirSync(here('page/js')).map((f) => readFileSync(here('page/js/' + f), 'utf8')).concat(readFileSync(here('page/index.html'), 'utf8'));
	const all = files.join('\n');
	const asked = new Set([...all.matchAll(/\bt\('([\w.]+)'[,)]/g)].map((m) => m[1]).concat([...all.matchAll(/data-t(?:-label|-hint|-title)?="([\w.]+)"/g)].map((m) => m[1])));
	for (const key of asked) assert.ok(texts.has(key), `no text for ${key}`);
	for (const [key, [en, zh]] of texts) {
		const family = key.slice(0, key.lastIndexOf('.') + 1);
		const inPart = all.includes(`'${key}'`) && all.split(`'${key}'`).length > 2; // beside its own line
		assert.ok(asked.has(key) || inPart || (family && all.includes(`'${family}'`)), `nobody uses ${key}`);
		assert.deepEqual([...en.matchAll(/\{\d\}/g)].map(String).sort(), [...zh.matchAll(/\{\d\}/g)].map(String).sort(), `places in ${key}`);
		if (key !== 'lang' && key !== 'lang.label') assert.ok(/[\u4e00-\u9fff]/.test(zh) || /^[\W\d]*(token)?$/.test(zh.replace(/\{\d\}/g, '')), `no Chinese for ${key}`);
	}
});
