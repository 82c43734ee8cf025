// Tests of change.js: what is shown of a call before it runs, and of one that has failed.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { changeOf, approvalOf, reasonOf, gone, blockers } from './page/js/change.js';
import { isID, newID } from './page/js/api.js';

test('a change is shown before it is made', () => {
	assert.equal(changeOf('write_file', { path: 'a', content: 'one\n\ntwo\n' }), '+one\n+\n+two');
	assert.equal(changeOf('edit_file', { old_text: 'x\nkeep\nold\nend\ny', new_text: 'x\nkeep\nnew\nnewer\nend\ny' }), ' keep\n-old\n+new\n+newer\n end');
	assert.equal(changeOf('edit_file', { old_text: 'one\n', new_text: '' }), '-one');
	assert.equal(changeOf('edit_file', { old_text: 'a\na', new_text: 'a\na\na' }), ' a\n+a');
	assert.equal(changeOf('multi_edit', { edits: [{ old_text: '1', new_text: '2' }, { old_text: '3', new_text: '4' }] }), '@@\n-1\n+2\n@@\n-3\n+4');
	assert.equal(changeOf('apply_patch', { patch: '-a\n+b' }), '-a\n+b');
	for (const args of [undefined, null, 'x', [], { content: 7, edits: 'x', patch: [] }]) {
		for (const name of ['write_file', 'edit_file', 'multi_edit', 'apply_patch', 'bash']) assert.equal(changeOf(name, args), '');
	}
});

test('an approval is worded by the page, anything else by the server', () => {
	const of = (name, args, more) => approvalOf({ id: 'x', text: 'Server?', call: { name, args }, ...more });
	assert.deepEqual(of('write_file', { path: 'a' }), ['ask.change', 'write_file', 'a']);
	assert.deepEqual(of('apply_patch', { patch: '*** Begin Patch\n*** Update File: a b\n-x\n*** Add File: c' }), ['ask.change', 'apply_patch', 'a b, c']);
	assert.deepEqual(of('read_file', { path: '/etc' }), ['ask.read', 'read_file', '/etc']);
	assert.deepEqual(of('bash', { command: 'ls' }), ['ask.run']);
	assert.deepEqual(of('mcp__x__y', { path: 'a' }), ['ask.call', 'mcp__x__y']);
	assert.deepEqual(of('write_file', { $blob: 'x' }), ['ask.call', 'write_file']);
	assert.equal(of('ask_user', {}, { kind: 'question' }), null);
	assert.equal(of('x', {}, { choices: ['a'] }), null);
	assert.equal(approvalOf({ id: 'x', text: 'Server?' }), null);
});

test('a call that failed says why', () => {
	for (const [text, want] of [
		['building\nmain.go:3: undefined: x\ndone\n[exit status 1]', 'exit status 1: main.go:3: undefined: x'],
		['one\ntwo\n[exit status 3]', 'exit status 3: one'],
		['one\n[killed by SIGSEGV]\n[2 processes were ended]', 'killed by SIGSEGV: one'],
		['x\n[错误：exit status 1]', 'exit status 1: x'],
		['[exit status 2]', 'exit status 2'],
		['Error: Text not found in a\nlook', 'Error: Text not found in a'],
		['', ''],
	]) assert.equal(reasonOf(text), want);
});

test('who owns a task and has ended is known', () => {
	const members = [{ name: 'bob', status: 'shutdown' }, { name: 'ann', status: 'idle' }];
	const of = (owner, status = 'in_progress') => gone({ owner, status }, members);
	assert.deepEqual([of('bob'), of('ann'), of('lead'), of(''), of('bob', 'completed')], [true, false, false, false, false]);
});

test('a task waits for what is there and not done, and for what cannot be read', () => {
	const tasks = [{ id: 1, status: 'completed' }, { id: 2, status: 'review' }, { id: 3, status: 'pending' }];
	const of = (...blockedBy) => blockers({ blockedBy }, tasks, [{ id: 5, file: 'task_5.json' }, { id: 0, file: 'task_x.json' }]);
	assert.deepEqual([of(1), of(2), of(3, 1), of(4), of(5), blockers({}, tasks, [])], [[], [2], [3], [], [5], []]);
});

test('what can name a session is told from what cannot', () => {
	for (const id of [newID(), 'a', 'A_b-1', 'a.1.22']) assert.ok(isID(id), id);
	for (const id of ['', '-a', 'a b', 'a/b', 'a.', 'a.x', 'ä', '..', 'a'.repeat(49)]) assert.ok(!isID(id), id);
});
