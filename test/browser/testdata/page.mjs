// Drives the page through whole sessions. It gets the page's address, the rig's, Chromium's path, and a folder for its
// profile and pictures. It prints one line a step, and ends with 1 at the first that fails.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { deepEqual, equal, match, ok } from 'node:assert/strict';

const [pageURL, rigURL, executablePath, folder, modules] = process.argv.slice(2);
const { chromium } = createRequire(join(modules, 'x.js'))('playwright-core');
const rig = async (path) => {
	const res = await fetch(rigURL + path);
	const text = await res.text();
	if (!res.ok) throw new Error(`${path}: ${text}`);
	return text;
};

const browser = await chromium.launchPersistentContext(join(folder, 'profile'), {
	executablePath,
	headless: true,
	locale: 'en-GB',
	viewport: { width: 1360, height: 860 },
	args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const page = browser.pages()[0] ?? (await browser.newPage());
page.setDefaultTimeout(30_000);

const faults = [];
const hosts = new Set();
let down = false; // the server is meant to be away: what the browser says about that is no fault
page.on('console', (m) => m.type() === 'error' && !(down && /ERR_|Failed to (load|fetch)/.test(m.text())) && faults.push(`console: ${m.text()} ${m.location().url}`));
page.on('pageerror', (e) => faults.push(`error: ${e.stack}`));
page.on('request', (r) => hosts.add(new URL(r.url()).host));
page.on('dialog', (d) => (faults.push(`dialog: ${d.message()}`), d.dismiss()));

const $ = (selector, options) => page.locator(selector, options);
const text = $('#text');
const say = async (words) => {
	await text.fill(words);
	await text.press('Enter');
};
const begin = async (words) => {
	await page.goto(pageURL);
	await say(words);
	await page.waitForURL(/#\d{8}-/);
};
const ended = (n = 1) => page.waitForFunction((n) => document.querySelectorAll('.item.end').length >= n && !document.body.classList.contains('busy'), n);
const holding = () => rig('/holding');
const seen = async (words) => $('#log').getByText(words, { exact: false }).first().waitFor();
// away does something while what is sent does not arrive.
const away = async (run) => {
	down = true;
	await page.route('**/input', (r) => r.abort());
	await run();
	await page.unroute('**/input');
	down = false;
};
const shot = (name) => page.screenshot({ path: join(folder, name + '.png') });

async function step(name, run) {
	const began = Date.now();
	try {
		await run();
		deepEqual(faults, []);
	} catch (err) {
		await shot('failed').catch(() => {});
		console.log(`not ok ${name}\n${err.stack}\n${faults.join('\n')}`);
		await browser.close();
		process.exit(1);
	}
	console.log(`ok ${name} (${Date.now() - began} ms)`);
}

await step('a question is answered with Markdown, and nothing in it is a script', async () => {
	await begin('first of all');
	await ended();
	equal(await $('.prose h1').textContent(), 'Result');
	equal(await $('.prose strong').textContent(), 'bold');
	await $('.prose .code .hljs-keyword').first().waitFor();
	equal(await $('.prose td[align="right"], .prose td').nth(1).textContent(), '2');
	equal(await $('#log img, #log script').count(), 0);
	equal(await $('#log a[href^="javascript"]').count(), 0);
	equal(await $('#log .prose a[href]').evaluateAll((all) => all.map((a) => a.href).join(' ')), 'https://example.org/ https://example.org/x.png');
	match(await $('.prose').last().textContent(), /<script>alert\(1\)<\/script>/);
	equal(await $('.think').first().evaluate((el) => el.open), false);
	await $('.think summary').first().click();
	await $('.thought').getByText('what Markdown looks like').waitFor();
	equal(await $('#meter').textContent(), '1.5k tokens spent');
	match(await $('#meter').getAttribute('title'), /1,200 tokens in, 340 out/);
	match(await $('.end .meter').textContent(), /1 step · 1.2k in · 340 out/);
	await page.waitForFunction(() => /first of all/.test(document.title));
	await $('#sessions a[aria-current="page"]').waitFor();
});

await step('a call waits for a yes; the change is shown as a coloured diff', async () => {
	await say('go on');
	await $('.card').waitFor();
	match(await $('.card').textContent(), /hello\.txt/);
	deepEqual(await $('.card .diff span').allTextContents(), ['+one', '+two', '+three']);
	equal(await $('.card').getByText('hello.txt', { exact: false }).count(), 2); // the question, and the rule of "always"
	await shot('ask');
	await $('.card').getByRole('button', { name: 'Allow', exact: true }).click();
	await $('.card').getByText('Let edit_file change hello.txt').waitFor();
	equal(await rig('/file?name=hello.txt'), 'one\ntwo\nthree\n');
	deepEqual(await $('.card .diff span').allTextContents(), ['-two', '+2', '+2.5']);
	await $('.card').getByRole('button', { name: 'Allow', exact: true }).click();
	await $('.tool .diff .minus').first().waitFor();
	equal(await $('.tool .diff .minus').last().textContent(), '-two');
	match(await $('.tool .stat:not(:empty)').last().textContent(), /\+2 −1/);
});

await step('a call is denied with a reason, which the model reads', async () => {
	await $('.card').getByText('never.txt').first().waitFor();
	await $('.card input').fill('rather not');
	await $('.card').getByRole('button', { name: 'Deny with this reason' }).click();
	await $('.card').getByText('no-such-file').first().waitFor();
	match(await rig('/bodies'), /rather not/);
});

await step('what fails is red, with what it said', async () => {
	await $('.card').getByRole('button', { name: 'Always allow' }).click();
	const bad = $('.tool[data-status="error"]').last();
	await bad.locator('.bad pre').waitFor();
	match(await bad.textContent(), /exit status 3/);
	match(await bad.locator('.cause').textContent(), /^exit status 3: cat: .*No such file/);
});

await step('a question has choices, and a number chooses', async () => {
	await $('.choice').nth(1).waitFor();
	match((await $('.choice').allTextContents()).join('|'), /^1red\|2blue.*like the sky$/);
	await $('.choice').first().focus();
	await page.keyboard.press('2');
	await seen('All of it is done.');
	await ended(2);
	match(await rig('/bodies'), /The person chose: blue/);
	equal(await $('#asks').isHidden(), true);
});

await step('a message steers the run; another waits for its end, is changed, a third is taken back', async () => {
	await begin('steer this');
	await holding();
	await seen('The first half');
	equal(await $('#when').isVisible(), true);
	await say('hurry up');
	await $('#queue li').first().waitFor();
	await $('#when-queue').check();
	await say('then a poem');
	await $('#queue li').nth(1).waitFor();
	await say('and a song');
	await $('#queue li').nth(2).waitFor();
	deepEqual(await $('#queue .badge').allTextContents(), ['next step', 'next turn', 'next turn']);
	await shot('queue');
	await $('#queue').getByRole('button', { name: 'Edit: then a poem' }).click();
	await $('#queue textarea').fill('then a haiku');
	await $('#queue textarea').press('Enter');
	await $('#queue').getByRole('button', { name: 'Remove: and a song' }).click();
	await page.waitForFunction(() => document.querySelectorAll('#queue li').length === 2);
	await rig('/release');
	await seen('The queued one.');
	await ended(2);
	deepEqual(await $('.user .said').allTextContents(), ['steer this', 'hurry up', 'then a haiku']);
	equal(await $('#queue').isHidden(), true);
	await $('#when-steer').evaluate((el) => el.click());
});

await step('a reload in mid-stream goes on where it was', async () => {
	await begin('reload me');
	await holding();
	await seen('Before the reload.');
	await page.reload();
	await seen('Before the reload.');
	await rig('/release');
	await seen('After the reload.');
	await ended();
	equal(await $('.item.assistant .prose').allTextContents().then((x) => x.join('').trim()), 'Before the reload. After the reload.');
});

await step('a server that dies in mid-stream and comes back is taken up again', async () => {
	await begin('restart it');
	await holding();
	await seen('Lost with the server.');
	down = true;
	await rig('/crash');
	await $('#conn[data-state="waiting"]').waitFor();
	await text.fill('kept words');
	await text.press('Enter');
	await $('#flash').getByText('What you wrote is kept').waitFor();
	equal(await text.inputValue(), 'kept words');
	await shot('lost');
	await rig('/restart');
	await $('#conn[data-state="live"]').waitFor();
	equal(await $('#flash').isHidden(), true);
	down = false;
	await seen('Said after the restart.');
	await ended();
	equal((await $('#log').textContent()).includes('Never seen'), false);
	equal((await $('#log').textContent()).includes('Lost with the server'), false);
	equal(await $('.item.user').count(), 1);
	await text.fill('');
});

// Behind the steps that release the model: its reply to a run that was stopped may hold a moment longer.
await step('Esc stops a run', async () => {
	await begin('stop me');
	await holding();
	await seen('This never ends');
	await page.keyboard.press('Escape');
	await $('.end[data-stop="cancelled"]').waitFor();
	equal(await $('#stop').isHidden(), true);
	await say('go on');
	await seen('Stopped, fine.');
	await ended(2);
});

await step('what is in force is what the pickers show', async () => {
	await begin('hold it');
	await holding();
	await page.waitForFunction(() => document.getElementById('mode').disabled && document.getElementById('model').disabled); // the server would refuse it
	await rig('/release');
	await ended();
	const mode = await $('#mode').inputValue();
	await away(async () => {
		await $('#mode').selectOption('yolo');
		await $('#flash').getByText('cannot be reached').waitFor();
		await page.waitForFunction((mode) => document.getElementById('mode').value === mode, mode);
	});
});

await step('what is said again because its answer was lost counts once', async () => {
	await page.goto(pageURL);
	down = true;
	await page.route('**/input', async (r) => (await r.fetch(), await r.abort()), { times: 1 });
	await say('once only');
	await $('#flash').getByText('cannot be reached').waitFor();
	await page.waitForURL(/#\d{8}-/);
	await page.reload(); // the draft is kept, and its name with it
	await ended();
	equal(await text.inputValue(), 'once only');
	down = false;
	await text.press('Enter');
	await page.waitForFunction(() => !document.getElementById('text').value);
	await say('something else');
	await ended(2);
	deepEqual(await $('.user .said').allTextContents(), ['once only', 'something else']);
});

await step('what is typed into the editor of a waiting message stays', async () => {
	await begin('edit what waits');
	await holding();
	await $('#when-queue').check();
	for (const words of ['alpha', 'beta']) await say(words);
	await $('#queue').getByRole('button', { name: 'Edit: beta' }).click();
	await $('#queue textarea').fill('gamma');
	await rig('/release');
	await page.waitForFunction(() => document.querySelectorAll('#queue li').length === 1); // alpha was taken in
	equal(await $('#queue textarea').inputValue(), 'gamma');
	equal(await page.evaluate(() => document.activeElement.closest('#queue') !== null), true);
	await holding();
	await away(async () => {
		await $('#queue textarea').press('Enter');
		await $('#flash').getByText('cannot be reached').waitFor();
		equal(await $('#queue textarea').inputValue(), 'gamma');
	});
	await shot('queue-edit');
	await rig('/release');
	await page.waitForFunction(() => document.getElementById('text').value === 'gamma'); // beta was taken in as it was
	await ended(3);
	deepEqual(await $('.user .said').allTextContents(), ['edit what waits', 'alpha', 'beta']);
	await text.fill('');
	await $('#when-steer').evaluate((el) => el.click());
});

await step('what comes of something said in one session stays out of another', async () => {
	await begin('one of both');
	await ended();
	const one = new URL(page.url()).hash;
	await begin('two of both');
	await ended();
	const two = new URL(page.url()).hash;
	let go;
	await page.route('**/input', async (r) => (await new Promise((resolve) => (go = resolve)), await r.continue()), { times: 1 });
	await say('/mode');
	await page.evaluate((hash) => (location.hash = hash), one);
	await $('.user').getByText('one of both').waitFor();
	await text.fill('meanwhile');
	const answered = page.waitForResponse('**/input');
	go();
	await (await answered).finished();
	await page.waitForFunction((two) => localStorage.getItem('react-agent.draft.' + two.slice(1)) === null, two);
	equal(await $('.local').count(), 0);
	equal(await text.inputValue(), 'meanwhile');
	down = true; // there is no such command
	await say('/new-thing from here'); // is no /new
	await $('.local .bad').waitFor();
	equal(new URL(page.url()).hash, one);
	down = false;
});

await step('a picture is attached, by button, paste and drop, and goes to the model', async () => {
	const png = 'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC';
	await page.goto(pageURL);
	await page.locator('#file').setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: Buffer.from(png, 'base64') });
	await $('#files img').waitFor();
	await page.evaluate((png) => {
		const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
		for (const [type, where] of [['paste', document.getElementById('text')], ['drop', document.body]]) {
			const data = new DataTransfer();
			data.items.add(new File([bytes], type + '.png', { type: 'image/png' }));
			where.dispatchEvent(type === 'paste' ? new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }) : new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
		}
	}, png);
	await page.waitForFunction(() => document.querySelectorAll('#files img').length === 3);
	await $('#files').getByRole('button', { name: 'Remove drop.png' }).click();
	await say('picture this');
	await seen('A nice picture.');
	await page.waitForFunction(() => [...document.querySelectorAll('.bubble img')].filter((x) => x.naturalWidth === 10).length === 2);
	match((await rig('/bodies')).split('\n').at(-1), /data:image\/png;base64,/);
	await shot('picture');
});

await step('going back takes a message and what followed, and gives its words back', async () => {
	await begin('back one');
	await ended();
	for (const [i, words] of ['back two', 'back three'].entries()) {
		await say(words);
		await ended(i + 2);
	}
	await $('.item.user').nth(1).hover();
	await $('.item.user').nth(1).getByRole('button', { name: 'Go back' }).click();
	await $('#confirm').getByRole('button', { name: 'Go back' }).click();
	await page.waitForFunction(() => document.querySelectorAll('.item.user').length === 1);
	await page.waitForFunction(() => document.getElementById('text').value === 'back two');
	await $('.mark').getByText('Taken back').waitFor();
	await text.fill('');
});

await step('going back does what was shown, or nothing', async () => {
	await begin('back again');
	await ended();
	const back = async () => {
		await $('.item.user').first().hover();
		await $('.item.user').first().getByRole('button', { name: 'Go back' }).click();
		await $('#confirm').getByRole('button', { name: 'Go back' }).waitFor();
	};
	await back();
	await shot('back');
	down = true; // it is refused
	await page.evaluate(() => fetch(`/sessions/${location.hash.slice(1)}/input`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"message":"from elsewhere"}' }));
	await ended(2);
	await $('#confirm').getByRole('button', { name: 'Go back' }).click();
	await $('#flash').getByText('look at it again').waitFor();
	equal(await $('.item.user').count(), 2);
	equal(await text.inputValue(), '');
	down = false;
	await back();
	await page.evaluate(() => (location.hash = ''));
	await $('#confirm').waitFor({ state: 'hidden' });
});

await step('a command is offered, chosen with the keyboard, and answered', async () => {
	await text.fill('');
	await text.pressSequentially('/mo');
	await $('#menu li').first().waitFor();
	deepEqual(await $('#menu code').allTextContents(), ['/mode', '/model']);
	await page.keyboard.press('ArrowDown');
	equal(await text.getAttribute('aria-activedescendant'), 'cmd-1');
	await page.keyboard.press('ArrowUp');
	await page.keyboard.press('Tab');
	equal(await text.inputValue(), '/mode ');
	await text.pressSequentially('auto');
	await page.keyboard.press('Enter');
	await $('.reply').last().waitFor();
	match(await $('.local').last().textContent(), /\/mode auto.*auto/s);
	await page.waitForFunction(() => document.getElementById('mode').value === 'auto');
	equal(await $('#mode option[value="yolo"]').textContent(), 'yolo');
	await $('#mode').selectOption('ask');
	await page.waitForFunction(() => /mode ask/.test([...document.querySelectorAll('.local .line')].at(-1).textContent));
});

await step('the keyboard alone is enough', async () => {
	await page.goto(pageURL);
	await $('.brand').click(); // from where nothing is focused
	await page.keyboard.press('Shift+Tab');
	equal(await page.evaluate(() => document.activeElement.id), 'skip');
	await page.keyboard.press('Enter');
	equal(await page.evaluate(() => document.activeElement.id), 'text');
	await page.keyboard.type('keys one');
	await page.keyboard.press('Shift+Enter');
	await page.keyboard.type('two');
	equal(await text.inputValue(), 'keys one\ntwo');
	await text.evaluate((el) => el.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })));
	await text.evaluate((el) => el.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true })));
	equal(await $('.item').count(), 0); // Enter belonged to the input method
	await page.keyboard.press('Enter');
	await $('.card').waitFor();
	match(await $('#alert').textContent(), /A question waits for you/);
	await $('.card input').fill('half an answer');
	await $('#lang').click();
	await page.waitForFunction(() => document.querySelector('.card input')?.value === 'half an answer' && /拒绝/.test(document.querySelector('.card').textContent));
	await $('#lang').click();
	await $('.card').getByText('Deny with this reason').waitFor();
	await $('.card input').fill('');
	await text.focus();
	let found = false;
	for (let i = 0; i < 20 && !found; i++) {
		await page.keyboard.press('Shift+Tab');
		found = await page.evaluate(() => document.activeElement.textContent === 'Allow');
	}
	ok(found, 'Allow is reached');
	await page.keyboard.press('Enter');
	await seen('Done with keys.');
	await ended();
	match(await $('#say').textContent(), /The agent is done/);
	equal(await rig('/file?name=keys.txt'), 'keys\n');
	equal(await page.evaluate(() => document.activeElement.id), 'text');
});

await step('everything that can be used has a name', async () => {
	const bare = await page.evaluate(() =>
		[...document.querySelectorAll('button, a[href], input, select, textarea, [role="tab"], [role="listbox"], [tabindex="0"]')]
			.filter((el) => el.getClientRects().length && !(el.ariaLabel || el.textContent.trim() || el.labels?.[0]?.textContent.trim() || el.getAttribute('aria-labelledby')))
			.map((el) => el.outerHTML.slice(0, 120)),
	);
	deepEqual(bare, []);
});

await step('the panel shows todos, window, tasks and team', async () => {
	await begin('todo list');
	await ended();
	deepEqual(await $('.todo .what').allTextContents(), ['Look', 'Building', 'Test']);
	await $('#tab-plan').focus();
	await page.keyboard.press('ArrowRight');
	equal(await page.evaluate(() => document.activeElement.id), 'tab-tasks');
	await $('#pane-tasks .empty, #pane-tasks .board').first().waitFor();
	await page.keyboard.press('ArrowRight');
	await $('#pane-team h3').waitFor();
	await page.keyboard.press('ArrowRight');
	await $('#pane-context .meterbar').waitFor();
	match(await $('#pane-context').textContent(), /Tools/);
	await shot('panel');
	await $('#tab-plan').click();
});

await step('language and colours are switched, and stay', async () => {
	await $('#lang').click();
	equal(await page.evaluate(() => document.documentElement.lang), 'zh-CN');
	equal(await $('#new').textContent(), '新会话');
	match(await $('.end .meter').first().textContent(), /步/);
	await $('#theme').click();
	await $('#theme').click();
	const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
	await page.reload();
	await $('.end').waitFor();
	equal(await $('#new').textContent(), '新会话');
	equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), dark);
	await shot('zh-dark');
	await $('#theme').click();
	ok(dark !== (await page.evaluate(() => getComputedStyle(document.body).backgroundColor)));
	await $('#lang').click();
	equal(await $('#new').textContent(), 'New session');
});

await step('an English server asks in the language of the page', async () => {
	await $('#lang').click();
	await begin('chinese please');
	await $('.card').getByText('允许 write_file 修改 zh.txt 吗？').waitFor();
	match(await $('.card .why').textContent(), /Let write_file change zh.txt/);
	equal(await $('.card .diff .plus').textContent(), '+你好');
	await shot('ask-zh');
	await $('.card').getByRole('button', { name: '允许', exact: true }).click();
	await seen('Written.');
	await ended();
	await $('#tab-team').click();
	await $('#pane-team .badge').getByText('已结束').waitFor();
	await $('#lang').click();
});

await step('the board says who has ended, and the inbox what has come', async () => {
	equal(await $('#pane-team .team li').first().textContent(), 'bobcoderended');
	match(await $('#pane-team .inbox li').first().textContent(), /bob.*message.*half of it is done/);
	await shot('team');
	await $('#tab-tasks').click();
	await $('#pane-tasks li', { hasText: 'Write it' }).waitFor();
	match(await $('#pane-tasks').textContent(), /bobhas ended/);
	equal(await $('#pane-tasks li[data-status="review"]').textContent(), '#2 Look at itreviewafter #1');
	match(await $('#pane-tasks li.bad').textContent(), /^task_3.json./);
	await shot('tasks');
	await $('#tab-plan').click();
});

await step('a session that has not begun has a window, too', async () => {
	await page.goto(pageURL);
	await $('#new').click();
	await $('#tab-context').click();
	await $('#pane-context .meterbar').waitFor();
	await say('/help');
	await $('.local .reply').waitFor();
	await $('#tab-plan').click();
	await $('#tab-context').click();
	await $('#pane-context .meterbar').waitFor();
	await $('#conn[data-state="live"]').waitFor();
	await $('#tab-plan').click();
});

await step('a plan is approved in the panel', async () => {
	await page.goto(pageURL);
	await $('#mode').selectOption('plan');
	await page.waitForFunction(() => document.getElementById('mode').value === 'plan');
	await say('plan it');
	await $('#pane-plan').getByText('look around first').waitFor();
	await shot('plan');
	await $('#pane-plan').getByRole('button', { name: 'Approve' }).click();
	await seen('Done as planned.');
	await $('#title').getByText('plan it').waitFor(); // the session began with a command
	await page.waitForFunction(() => !document.body.classList.contains('busy'));
	equal(await $('#asks').isHidden(), true);
});

await step('a session that is not there is said not to be', async () => {
	for (const id of ['doesnotexist', 'no name']) {
		await page.goto(pageURL + '#' + id);
		await page.reload();
		await $('#welcome').getByText('This session is not there').waitFor();
		equal(await $('#conn').getAttribute('data-state'), 'gone');
	}
	await shot('gone');
	await $('#new').click();
	await $('#welcome').getByText('What shall we do?').waitFor();
});

await step('sessions of one title are told apart', async () => {
	for (let i = 0; i < 2; i++) {
		await begin('twin');
		await ended();
	}
	const rows = $('#sessions a', { hasText: 'twin' });
	await page.waitForFunction(() => [...document.querySelectorAll('#sessions a')].filter((a) => /twin/.test(a.textContent) && a.querySelector('.hint')).length === 2);
	equal(new Set(await rows.allTextContents()).size, 2);
	match(await rows.first().getAttribute('title'), /twin\n\d{8}-/);
});

await step('it fits a phone', async () => {
	await page.setViewportSize({ width: 360, height: 720 });
	const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.querySelector('#log').scrollWidth <= document.querySelector('#log').clientWidth);
	equal(await fits(), true);
	await page.goto(pageURL);
	await $('#show-sessions').click();
	await $('#sessions a', { hasText: 'first of all' }).click();
	await ended(2);
	equal(await $('#side').isVisible(), false);
	equal(await fits(), true);
	await shot('phone');
	await $('#show-panel').click();
	await $('#panel').waitFor();
	equal(await fits(), true);
	for (let i = 0; i < 12; i++) {
		await page.keyboard.press('Tab');
		equal(await page.evaluate(() => document.querySelector('main').contains(document.activeElement)), false); // it lies under the panel
	}
	await page.keyboard.press('Escape');
	equal(await $('#panel').isVisible(), false);
	equal(await text.isVisible(), true);
	await text.focus();
	equal(await page.evaluate(() => document.activeElement.id), 'text');
	await $('#conn').getByText('Connected').waitFor(); // for a screen reader
	down = true;
	await page.goto(pageURL + '#doesnotexist');
	await $('#conn[data-state="gone"]').waitFor();
	ok((await $('#conn-text').evaluate((el) => el.getBoundingClientRect().width)) > 20, 'what is wrong is said in words');
	await shot('phone-gone');
	down = false;
	await page.setViewportSize({ width: 1360, height: 860 });
});

await step('a sub-agent answers in its call, and has a conversation of its own', async () => {
	await begin('helper please');
	await seen('The helper is back.');
	await ended();
	await $('.tool summary').click();
	equal(await $('.tool .prose strong').textContent(), 'two');
	await $('#tab-team').click();
	await $('#pane-team a[href$=".1"]').click();
	await page.waitForURL(/\.1$/);
	await seen('I saw two files.');
	await $('#parent').click();
	await seen('The helper is back.');
	await $('#tab-plan').click();
});

await step('an error says what failed', async () => {
	await begin('broken key');
	await $('.end[data-stop="error"] .trouble.bad').waitFor();
	match(await $('.trouble').textContent(), /not valid/);
	await shot('error');
});

await step('a long answer is drawn once, not again and again', async () => {
	await begin('long answer');
	await ended();
	await page.waitForFunction(() => document.querySelector('.prose')?.textContent.length > 70_000); // it may be loaded
	const all = await $('.prose').first().textContent();
	ok(all.length > 70_000 && all.includes('9000'), `${all.length}`);
	await page.reload(); // the log has only a reference to a text of this size
	await page.waitForFunction((n) => document.querySelector('.prose')?.textContent.length === n, all.length);
	const drawn = await page.evaluate(async () => {
		const { Growing } = await import('/js/markdown.js');
		const count = async (deltas, piece) => {
			const el = document.createElement('div');
			let nodes = 0;
			const watch = new MutationObserver((list) => list.forEach((m) => (nodes += m.addedNodes.length)));
			watch.observe(el, { childList: true, subtree: true, characterData: true });
			const grow = new Growing(el);
			let text = '';
			for (let i = 0; i < deltas; i++) {
				text += piece(i);
				if (i % 10 === 0) grow.update(text, false); // a page draws less often than words come
			}
			grow.update(text, true);
			nodes += watch.takeRecords().reduce((n, m) => n + m.addedNodes.length, 0);
			return { nodes, text: el.textContent.length };
		};
		const paragraphs = (i) => (i % 20 === 19 ? 'end.\n\n' : 'word ');
		const code = (i) => (i === 0 ? '```go\n' : 'x := 1\n');
		return { few: await count(2000, paragraphs), many: await count(20_000, paragraphs), code: await count(20_000, code) };
	});
	ok(drawn.many.nodes < drawn.few.nodes * 14, JSON.stringify(drawn)); // ten times as much text
	ok(drawn.many.text > 90_000 && drawn.code.text > 130_000, JSON.stringify(drawn));
	ok(drawn.code.nodes < 50, JSON.stringify(drawn));
});

await step('what is being read stays where it is while more comes', async () => {
	const moved = await page.evaluate(async () => {
		const [{ Conversation }, { create, apply }] = await Promise.all([import('/js/conversation.js'), import('/js/state.js')]);
		const log = document.createElement('div');
		log.style.cssText = 'position: fixed; inset: 0; height: 300px; overflow-y: auto; overflow-anchor: none';
		const box = document.createElement('div');
		box.append(log);
		document.body.append(box);
		let behind = 0;
		const conversation = new Conversation(log, { session: () => 's', rewind() {}, behind: () => behind++ });
		const s = create('s');
		const more = (n) => {
			for (let i = 0; i < n; i++) apply(s, { seq: s.seq + 1, type: 'message', message: { role: 'user', parts: [{ kind: 'text', text: 'line ' + s.seq }] } });
			conversation.show(s);
		};
		more(200);
		log.scrollTop = 1000;
		conversation.scrolled();
		const at = log.querySelectorAll('.user')[30];
		const before = at.getBoundingClientRect().top;
		more(40);
		const out = [at.isConnected && at.getBoundingClientRect().top - before];
		conversation.bottom.focus();
		conversation.toBottom(); // who stood there goes on behind it
		out.push(behind);
		more(1);
		out.push(log.querySelectorAll('.user').length);
		box.remove();
		return out;
	});
	deepEqual(moved, [0, 1, 150]);
});

await step('a question whose text stands elsewhere is shown', async () => {
	const shown = await page.evaluate(async () => {
		const { Asks, headline } = await import('/js/asks.js');
		const { sha256 } = await (await fetch('/blobs', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ name: 'q.txt', data: btoa('a long question') }) })).json();
		const ask = { id: 'k/1', kind: 'question', text: { $blob: sha256, size: 15 }, choices: ['yes'] };
		const el = document.createElement('div');
		document.body.append(el);
		new Asks(el, async () => {}).show(new Map([[ask.id, ask]]));
		for (let i = 0; i < 100 && !el.querySelector('.why'); i++) await new Promise((r) => requestAnimationFrame(r));
		const out = [headline(ask), el.querySelector('.why')?.textContent, el.querySelectorAll('.choice').length];
		el.remove();
		return out;
	});
	deepEqual(shown, ['The agent asks', 'a long question', 1]);
});

await step('a session is deleted after a question', async () => {
	const before = await $('#sessions a').count();
	const row = $('#sessions li', { hasText: 'broken key' });
	await row.hover();
	await row.getByRole('button').click();
	await $('#confirm').getByRole('button', { name: 'Cancel' }).click();
	equal(await $('#sessions a').count(), before);
	await row.hover();
	await row.getByRole('button').click();
	await $('#confirm').getByRole('button', { name: 'Delete' }).click();
	await page.waitForFunction((n) => document.querySelectorAll('#sessions a').length === n, before - 1);
});

await step('a long session is drawn once, when all of it is there', async () => {
	const line = await browser.newCDPSession(page);
	await line.send('Network.enable');
	await page.goto('about:blank');
	await page.addInitScript(() => {
		window.made = 0;
		const count = (list) => list.forEach((m) => m.addedNodes.forEach((n) => (window.made += Boolean(n.matches?.('.item')))));
		new MutationObserver(count).observe(document, { childList: true, subtree: true });
	});
	await line.send('Network.emulateNetworkConditions', { offline: false, latency: 5, downloadThroughput: 1 << 20, uploadThroughput: 1 << 20 });
	await page.goto(pageURL + '#20250102-030405-longa');
	await seen('from an agent');
	await line.detach();
	equal(await $('#conn').getAttribute('data-state'), 'live');
	equal(await page.evaluate(() => window.made), 150); // of 5000
	match(await $('.earlier').textContent(), /\(485\d\)/);
});

await step('who has written a note is said in words of the page', async () => {
	const names = () => $('.note summary b').allTextContents();
	deepEqual(await names(), ['Goal', 'Memory', 'system', 'scout-7']);
	await $('#lang').click();
	deepEqual(await names(), ['目标', '记忆', '系统', 'scout-7']);
	await $('#tab-team').click();
	await $('#pane-team .inbox').getByText('消息', { exact: true }).waitFor();
	await $('#tab-plan').click();
	await $('#lang').click();
});

await step('nothing runs off the side of a small or enlarged page', async () => {
	// Text that is cut on purpose stands in a box that clips; what is wide scrolls in a box of its own.
	const off = () =>
		page.evaluate(() => {
			const inside = (el) => el.getBoundingClientRect().left > -1 && el.getBoundingClientRect().right < innerWidth + 1;
			const held = (el) => {
				for (let a = el.parentElement; a !== document.body; a = a.parentElement) if (a.id !== 'log' && getComputedStyle(a).overflowX !== 'visible' && inside(a)) return true;
				return false;
			};
			const out = [...document.querySelectorAll('body *')].filter((el) => el.getClientRects().length && !inside(el) && !el.matches('.sr, .sr *, .skip, svg *') && !held(el));
			const log = document.getElementById('log');
			return [...out.map((el) => el.outerHTML.slice(0, 100)), log.scrollWidth > log.clientWidth && 'the log scrolls', document.documentElement.scrollWidth > innerWidth && 'the page scrolls'].filter(Boolean);
		});
	await begin('wide things');
	await $('.card').waitFor();
	for (const size of [{ width: 320, height: 640 }, { width: 680, height: 430 }, { width: 900, height: 700 }]) {
		await page.setViewportSize(size);
		deepEqual(await off(), []);
		const allow = $('.card').getByRole('button', { name: 'Allow', exact: true });
		equal(await allow.evaluate((el) => el.contains(document.elementFromPoint(el.getBoundingClientRect().left + 9, el.getBoundingClientRect().top + 9))), true);
		await page.evaluate(() => document.querySelectorAll('details').forEach((d) => (d.open = true)));
		deepEqual(await off(), []);
		await shot('wide-' + size.width);
		await $('#show-panel').click();
		for (const tab of ['tasks', 'team', 'context', 'plan']) {
			await $('#tab-' + tab).click();
			await $(`#pane-${tab} > *`).first().waitFor();
			deepEqual(await off(), []);
		}
		await page.keyboard.press('Escape');
	}
	await page.setViewportSize({ width: 1360, height: 860 });
	await $('.card').getByRole('button', { name: 'Deny' }).click();
	await ended();
});

await step('a hidden tab draws nothing, and has missed nothing', async () => {
	const hide = (hidden) =>
		page.evaluate((hidden) => {
			for (const [name, value] of [['hidden', hidden], ['visibilityState', hidden ? 'hidden' : 'visible']]) Object.defineProperty(document, name, { value, configurable: true });
			document.dispatchEvent(new Event('visibilitychange'));
		}, hidden);
	await begin('unseen');
	await holding();
	await seen('Begun');
	await page.evaluate(async () => {
		for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame); // what was under way is drawn
		window.drawn = 0;
		new MutationObserver((list) => (window.drawn += list.length)).observe(document.getElementById('log'), { childList: true, subtree: true, characterData: true });
	});
	await hide(true);
	await rig('/release');
	await page.waitForFunction(() => /^●/.test(document.title)); // it has heard of the end
	equal(await page.evaluate(() => window.drawn), 0);
	equal(await $('.end').count(), 0);
	await hide(false);
	await seen('Ended unseen.');
	await ended();
	ok(!(await page.title()).startsWith('●'));
});

await step('a screen reader hears of messages, not of pieces', async () => {
	await page.goto(pageURL);
	await page.evaluate(() => {
		window.heard = [];
		const say = (list) => window.heard.push(...list.map((m) => (m.target.id || m.target.parentElement?.id || '') + ': ' + m.target.textContent.slice(0, 40)));
		for (const el of document.querySelectorAll('[aria-live]:not([aria-live="off"]), [role="status"], [role="alert"]')) new MutationObserver(say).observe(el, { childList: true, subtree: true, characterData: true });
	});
	await say('spoken');
	await ended();
	const heard = (await page.evaluate(() => window.heard)).filter((x) => /^(say|alert): /.test(x));
	ok(heard.length >= 2 && heard.length <= 4, heard.join('\n'));
	match(heard.at(-1), /The agent is done/);
	match(await page.locator('main').ariaSnapshot(), /- log "Conversation":[^]*heading "You"[^]*heading "Agent"[^]*textbox "Message"[^]*button "Attach files"[^]*button "Send"/);
	match(await page.locator('#panel').ariaSnapshot(), /tab "Plan" \[selected\][^]*tabpanel "Plan"/);
});

await step('all that can be used is reached with the keyboard, and seen when it is', async () => {
	await page.evaluate(() => document.activeElement.blur());
	await $('.brand').click();
	const dim = [];
	const met = new Set();
	let last = '';
	const key = (el) => el.id || el.getAttribute('href') || el.ariaLabel || el.value || el.textContent.slice(0, 60);
	await page.evaluate(`window.key = ${key}`);
	await $('#sessions li.now time').waitFor(); // the list is as it stays
	for (let i = 0; i < 300; i++) {
		await page.keyboard.press(i ? 'Tab' : 'Shift+Tab'); // the first of all stands before it
		const at = await page.evaluate(async () => {
			const el = document.activeElement;
			if (el === document.body) return null;
			const box = el.closest('.tools') ?? el;
			await Promise.all(box.getAnimations().map((a) => a.finished)); // it fades in
			const shown = el.id === 'text' ? getComputedStyle(el.closest('form')).boxShadow : el.type === 'radio' ? getComputedStyle(el.nextSibling).outlineStyle : getComputedStyle(el).outlineStyle;
			return { what: el.outerHTML.slice(0, 80), key: key(el), seen: shown !== 'none' && getComputedStyle(box).opacity !== '0' };
		});
		if (!at) break;
		last = at.what;
		if (!at.seen) dim.push(at.what);
		met.add(at.key);
	}
	deepEqual(dim, []);
	ok(met.size > 20, `${met.size}`);
	const missed = await page.evaluate((met) =>
		[...document.querySelectorAll('button, a[href], input, select, textarea, summary')]
			.filter((el) => el.getClientRects().length && !el.disabled && !met.includes(key(el)) && el.tabIndex >= 0 && getComputedStyle(el).visibility !== 'hidden')
			.map((el) => el.outerHTML.slice(0, 100)),
		[...met],
	);
	deepEqual(missed, [], `the last one met is ${last}`);
	await $('#sessions a').first().focus();
	await page.keyboard.press('Tab');
	await page.keyboard.press('Enter');
	await $('#confirm[open]').waitFor();
	await page.keyboard.press('Escape');
	await $('#confirm').waitFor({ state: 'hidden' });
	equal(await page.evaluate(() => document.activeElement.closest('#sessions li') !== null), true);
});

await step('an object where a text was expected becomes no markup', async () => {
	const made = await page.evaluate(async () => {
		const { h } = await import('/js/dom.js');
		const hostile = JSON.parse('{"innerHTML":["<img src=x>"],"onclick":"alert(1)","srcdoc":"x","style":"x","href":"javascript:alert(1)","src":"//example.org/x"}');
		const fine = h('a', { href: '#x', 'aria-label': 'l', 'data-id': 1, onclick: () => {}, hidden: true, title: undefined }, '<b>');
		return [h('a', hostile).outerHTML, h('img', { src: 'https://example.org/x' }).outerHTML, fine.outerHTML];
	});
	deepEqual(made, ['<a></a>', '<img>', '<a href="#x" aria-label="l" data-id="1" hidden="">&lt;b&gt;</a>']);
});

await step('no other host was asked for anything', async () => {
	deepEqual([...hosts], [new URL(pageURL).host]);
});

await step('who comes without the token is asked for it', async () => {
	down = true; // 401 is what is wanted here
	const locked = (await rig('/locked')).trim();
	await page.goto(locked + '#doesnotexist');
	await page.getByLabel('Token').fill('wrong');
	await page.keyboard.press('Enter');
	await page.getByText('This token is not right').waitFor();
	await shot('token');
	await page.setViewportSize({ width: 360, height: 720 });
	await page.emulateMedia({ colorScheme: 'dark' });
	await shot('token-phone');
	await page.setViewportSize({ width: 1360, height: 860 });
	await page.emulateMedia({ colorScheme: null });
	await page.getByLabel('Token').fill('a-token-made-up-for-the-test');
	await page.getByRole('button', { name: 'Enter' }).click();
	await $('#conn[data-state="gone"]').waitFor();
	equal(page.url(), locked + '#doesnotexist');

	await page.evaluate(() => (location.hash = ''));
	await $('#conn[data-state="idle"]').waitFor();
	await browser.clearCookies(); // the server has another token by now, say
	await say('a long thought');
	await page.locator('#token-text').fill('wrong');
	await page.keyboard.press('Enter');
	await page.locator('#token-error').getByText('not right').waitFor();
	await shot('token-dialog');
	await page.locator('#token-text').fill('a-token-made-up-for-the-test');
	await page.keyboard.press('Enter');
	await page.locator('#token').waitFor({ state: 'hidden' });
	equal(await text.inputValue(), 'a long thought');
	equal(page.url().includes('made-up'), false);
	await text.press('Enter');
	await ended();

	await browser.clearCookies();
	await page.goto(locked + '?token=a-token-made-up-for-the-test#doesnotexist');
	await page.waitForURL(locked + '#doesnotexist');
	await $('#conn[data-state="gone"]').waitFor();
});

await step('who is refused for another reason is not asked for a token', async () => {
	await begin('twin');
	await ended();
	await page.route('**/events*', (r) => r.fulfill({ status: 403, contentType: 'application/json', body: '{"error":"not under this name"}' }));
	await page.reload();
	await $('#flash').getByText('not under this name').waitFor();
	equal(await $('#conn').getAttribute('data-state'), 'refused');
	equal(await $('#token').isHidden(), true);
	await page.unroute('**/events*');
});

await browser.close();
