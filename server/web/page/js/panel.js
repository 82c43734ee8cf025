// panel.js: what stands beside a conversation: plan and todos, the board, the team, the window and the cost.

import { api, newID } from './api.js';
import { $, h, refill, soon, store } from './dom.js';
import { t, word, count, short, money, moment } from './text.js';
import { render } from './markdown.js';
import { isRef, lazyText } from './tools.js';
import { gone, blockers } from './change.js';
import { settle } from './state.js';

const TABS = ['plan', 'tasks', 'team', 'context'];

/** The states of a task, in the order in which they are shown. */
const STATES = ['in_progress', 'pending', 'completed'];

/** How often the board is looked at while it is on the screen: others may change it. */
const LOOK = 4000;

/** Panel draws the tabs. hooks: session(), command(line). */
export class Panel {
	constructor(hooks) {
		this.hooks = hooks;
		this.tab = TABS.includes(store.get('tab')) ? store.get('tab') : 'plan';
		for (const name of TABS) $('tab-' + name).addEventListener('click', () => this.choose(name));
		$('tabs').addEventListener('keydown', (e) => this.key(e));
		this.look = soon(() => this.fetch(), 250);
		setInterval(() => this.visible() && !document.hidden && (this.tab === 'tasks' || this.tab === 'team') && this.fetch(), LOOK);
		this.choose(this.tab);
	}

	visible() {
		return $('panel').getClientRects().length > 0;
	}

	choose(name, focus) {
		this.tab = name;
		store.set('tab', name);
		for (const n of TABS) {
			const on = n === name;
			$('tab-' + n).setAttribute('aria-selected', String(on));
			$('tab-' + n).tabIndex = on ? 0 : -1;
			$('pane-' + n).hidden = !on;
		}
		if (focus) $('tab-' + name).focus();
		this.draw();
		this.fetch();
	}

	key(e) {
		const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
		if (!step) return;
		e.preventDefault();
		this.choose(TABS[(TABS.indexOf(this.tab) + step + TABS.length) % TABS.length], true);
	}

	/** clear forgets another session. */
	clear() {
		this.state = null;
		this.filled = null;
		this.own = [];
		this.draw();
	}

	/** show takes a state; the server is asked again when something durable has come. */
	show(s) {
		this.state = s;
		if (this.seq === s.seq && this.of === s.session) return;
		this.seq = s.seq;
		this.of = s.session;
		this.draw();
		this.look();
	}

	async fetch() {
		if (!this.visible()) return;
		const id = this.hooks.session();
		try {
			if (this.tab === 'tasks' || this.tab === 'team') {
				this.board = await api.board();
				const own = this.tab === 'team' && id ? await api.children(id) : [];
				if (id === this.hooks.session()) this.own = own;
			} else if (this.tab === 'context') {
				const got = await api.context(id || (this.blank ??= newID())); // a new session's window is not empty either
				if (id === this.hooks.session()) this.filled = got;
			}
			this.draw();
		} catch {
			// it is asked again with the next event
		}
	}

	draw() {
		const pane = $('pane-' + this.tab);
		const content = { plan: () => this.plan(), tasks: () => this.tasks(), team: () => this.team(), context: () => this.context() }[this.tab]();
		refill(pane, content);
	}

	plan() {
		const f = this.state && settle(this.state);
		const { plan, until } = f?.state ?? {};
		const todo = list(f?.state.todo);
		const out = [];
		if (until?.command) out.push(h('h3', t('plan.goal')), h('p', h('code', until.command), ' ', h('span.badge', t(until.holds ? 'plan.holds' : 'plan.open'))));
		if (todo.length) out.push(h('h3', t('plan.todo'), ' ', h('span.hint', `${todo.filter((x) => x.status === 'completed').length}/${todo.length}`)), h('ul.todo', todo.map(todoRow)));
		if (isRef(plan)) out.push(lazyText(plan, (s) => h('div', this.planView(JSON.parse(s))), true));
		else if (plan) out.push(this.planView(plan));
		return out.flat().length ? out : h('p.empty', t('plan.none'));
	}

	planView(plan) {
		const out = [];
		if (plan.proposed) out.push(h('h3', t(plan.rejected ? 'plan.rejected' : 'plan.proposed')), h('div.prose', render(plan.proposed)), !plan.rejected && this.planButtons());
		if (plan.approved) out.push(h('h3', t('plan.approved')), h('div.prose', render(plan.approved)));
		return out;
	}

	planButtons() {
		return h(
			'div.row',
			h('button.primary', { type: 'button', onclick: () => this.hooks.command('/plan approve') }, t('plan.approve')),
			h('button', { type: 'button', onclick: () => this.hooks.command('/plan reject') }, t('plan.reject')),
		);
	}

	tasks() {
		const tasks = this.board?.tasks ?? [];
		const faults = this.board?.faults ?? [];
		const members = this.board?.team?.members ?? [];
		if (!tasks.length && !faults.length) return h('p.empty', t('tasks.none'));
		const row = (x) => {
			const waits = blockers(x, tasks, faults);
			const state = !STATES.includes(x.status) && h('span.badge', x.status || '?'); // another program's
			const below = [state, x.owner && h('span.badge', x.owner), gone(x, members) && h('span.hint.warn', t('tasks.gone')), waits.length > 0 && h('span.hint', t('tasks.blocked', waits.join(', #')))];
			return h('li', { 'data-status': x.status }, h('p', h('span.hint', '#' + x.id), ' ', x.subject), x.description && h('p.hint', x.description), below.some(Boolean) && h('p', below));
		};
		const group = (name, rows) => rows.length > 0 && [h('h3', t('tasks.' + name), ' ', h('span.hint', String(rows.length))), h('ul.board', rows)];
		return [
			...STATES.map((status) => group(status, tasks.filter((x) => x.status === status).map(row))),
			group('other', tasks.filter((x) => !STATES.includes(x.status)).map(row)),
			group('broken', faults.map((f) => h('li.bad', h('p', f.file), h('p.hint', f.error)))),
		];
	}

	team() {
		const own = this.own ?? [];
		const id = this.hooks.session();
		const members = this.board?.team?.members ?? [];
		const inbox = this.board?.inbox ?? [];
		return [
			members.length
				? h('ul.team', members.map((m) => h('li', h('span.dot', { 'data-status': m.status }), h('b', m.name), h('span.hint', m.role), h('span.badge', word('team.', m.status)))))
				: h('p.empty', t('team.none')),
			own.length > 0 && h('h3', t('team.own')),
			own.length > 0 && h('ul.team', own.map((s) => h('li', h('a', { href: '#' + s.id }, s.title || t('agent') + ' ' + s.id.slice(id.length + 1)), h('time.hint', { datetime: s.updated }, moment(new Date(s.updated))), s.running && h('span.pulse', { role: 'img', 'aria-label': t('sessions.running') })))),
			h('h3', t('team.inbox')),
			inbox.length
				? h(
						'ul.inbox',
						inbox.map((m) => h('li', h('p.row', h('b', word('role.', m.from)), ' ', h('span.hint', word('inbox.', m.type)), ' ', m.brought && h('span.badge', t('team.brought')), ' ', m.timestamp && h('time.hint', moment(new Date(m.timestamp * (m.timestamp < 1e12 ? 1000 : 1))))), h('p.said', typeof m.content === 'string' ? m.content : JSON.stringify(m.content ?? '')))),
					)
				: h('p.empty', t('team.inboxNone')),
		];
	}

	context() {
		const f = this.state && settle(this.state);
		const out = [];
		if (this.filled) out.push(windowView(this.filled, () => this.hooks.command('/compact')));
		if (f && Object.keys(f.total).length) out.push(h('h3', t('context.cost')), usageView(f.total));
		if (f && Object.keys(f.usage).length) out.push(h('h3', t('context.run')), usageView(f.usage));
		return out.length ? out : h('p.empty', t('context.none'));
	}
}

function list(v) {
	if (Array.isArray(v)) return v;
	return Array.isArray(v?.items) ? v.items : [];
}

function todoRow(x) {
	const sign = { completed: '✓', in_progress: '▸' }[x.status] ?? '○';
	return h('li', { 'data-status': x.status }, h('span.sign', { 'aria-hidden': 'true' }, sign), h('span.what', x.status === 'in_progress' ? x.activeForm || x.content : x.content), h('span.sr', t('tasks.' + (x.status || 'pending'))));
}

function windowView(w, compact) {
	const size = w.window || w.compact_at || 0;
	const kinds = new Map();
	for (const it of w.items ?? []) kinds.set(it.kind, (kinds.get(it.kind) ?? 0) + it.tokens);
	const rows = [...kinds].filter(([, n]) => n > 0).sort((a, b) => b[1] - a[1]);
	const share = (n) => (size ? Math.min(100, (n * 100) / size) : 0);
	const bar = h('div.meterbar', { role: 'meter', 'aria-label': t('context.window'), 'aria-valuemin': '0', 'aria-valuemax': String(size || w.tokens), 'aria-valuenow': String(w.tokens), 'aria-valuetext': t('context.of', count(w.tokens), count(size)) });
	rows.forEach(([kind, n]) => {
		const part = h('span', { 'data-kind': kind, title: word('kind.', kind) });
		part.style.width = share(n) + '%';
		bar.append(part);
	});
	if (size && w.compact_at && !w.manual && w.compact_at < size) {
		const line = h('i');
		line.style.left = share(w.compact_at) + '%';
		bar.append(line);
	}
	return [
		h('h3', t('context.window'), ' ', h('span.hint', w.model ?? '')),
		h('p.big', size ? t('context.of', short(w.tokens), short(size)) : t('context.used', short(w.tokens)), size ? h('span.hint', ` ${Math.round(share(w.tokens))} %`) : null),
		bar,
		h('table.kinds', h('tbody', rows.map(([kind, n]) => h('tr', h('th', { scope: 'row' }, h('span.swatch', { 'data-kind': kind }), word('kind.', kind)), h('td', count(n)))))),
		!w.manual && w.compact_at ? h('p.hint', t('context.compactAt', count(w.compact_at))) : null,
		h('p', h('button', { type: 'button', onclick: compact }, t('context.compact'))),
	];
}

function usageView(u) {
	const row = (key, value, sub) => h(sub ? 'tr.sub' : 'tr', h('th', { scope: 'row' }, t('context.' + key)), h('td', value));
	return h(
		'table.kinds',
		h(
			'tbody',
			row('money', money(u.cost_usd)),
			row('input', count(u.input)),
			u.cached !== undefined && row('cached', count(u.cached), true),
			row('output', count(u.output)),
			u.reasoning !== undefined && row('reasoning', count(u.reasoning), true),
		),
		u.estimated && h('caption', t('context.estimated')),
	);
}
