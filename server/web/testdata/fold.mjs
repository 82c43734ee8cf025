// Folds a log of events from standard input as the page does, and prints what the page then knows of the session.
import { createInterface } from 'node:readline';
import { create, apply, settle, tookInput } from '../page/js/state.js';

const state = create(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
	if (line.trim() && !apply(state, JSON.parse(line))) throw new Error('a gap before ' + line.slice(0, 80));
}
const f = settle(state);
const done = new Set(f.items.flatMap((x) => x.parts ?? []).filter((p) => p.kind === 'call').map((p) => p.call.key).filter((key) => f.calls.get(key)?.result));
const took = [];
for (let pos = 1; pos <= 200; pos++) if (tookInput(state, pos)) took.push(pos);
console.log(JSON.stringify({
	seq: state.seq,
	open: f.open,
	steps: f.steps,
	total: f.total,
	usage: f.usage,
	state: f.state,
	setup: f.setup,
	asks: [...f.asks.keys()].sort(),
	messages: f.items.filter((x) => ['user', 'note', 'assistant'].includes(x.type) && !x.out).length,
	results: [...f.calls.values()].filter((c) => c.result && done.has(c.key) && !c.item.out).length,
	took,
}));
