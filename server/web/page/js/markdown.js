// markdown.js: Markdown that grows. A block that is complete is rendered once; only the last one is rendered again, and an
// open code block, which may be long, only gets text appended. So a message of 20,000 deltas costs as much as its length.
//
// What a model writes is never trusted: HTML in it is shown as text, the rendered tree is sanitized, no picture is loaded
// from elsewhere, and a link opens in a window of its own that knows nothing of this page.

import { Marked } from '../lib/marked.js';
import hljs from '../lib/hljs/core.js';
import { h, copyButton } from './dom.js';
import { t } from './text.js';

const escapeHTML = (s) => s.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const marked = new Marked({
	gfm: true,
	breaks: false,
	renderer: {
		html: ({ text }) => escapeHTML(text),
		image: ({ href, text, title }) => `<a href="${escapeHTML(href)}"${title ? ` title="${escapeHTML(title)}"` : ''}>${escapeHTML(text || href)}</a>`,
	},
});

const CLEAN = {
	RETURN_DOM_FRAGMENT: true,
	ALLOWED_TAGS: ['a', 'blockquote', 'br', 'code', 'del', 'em', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'input', 'li', 'ol', 'p', 'pre', 'span', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
	ALLOWED_ATTR: ['align', 'checked', 'class', 'disabled', 'href', 'start', 'title', 'type'],
	ADD_URI_SAFE_ATTR: ['align', 'checked', 'disabled', 'start', 'type'],
	ALLOWED_URI_REGEXP: /^(?:https?|mailto):|^#/i,
};

// --- code ----------------------------------------------------------------------------------------------------------

const LANGUAGES = ['bash', 'c', 'cpp', 'csharp', 'css', 'diff', 'dockerfile', 'go', 'ini', 'java', 'javascript', 'json', 'kotlin', 'lua', 'makefile', 'markdown', 'php', 'python', 'ruby', 'rust', 'sql', 'swift', 'typescript', 'xml', 'yaml'];
const ALIASES = { sh: 'bash', shell: 'bash', zsh: 'bash', console: 'bash', 'c++': 'cpp', cc: 'cpp', h: 'c', hpp: 'cpp', cs: 'csharp', docker: 'dockerfile', golang: 'go', toml: 'ini', js: 'javascript', jsx: 'javascript', mjs: 'javascript', jsonc: 'json', jsonl: 'json', kt: 'kotlin', make: 'makefile', md: 'markdown', patch: 'diff', py: 'python', rb: 'ruby', rs: 'rust', ts: 'typescript', tsx: 'typescript', html: 'xml', svg: 'xml', vue: 'xml', yml: 'yaml' };
const LONGEST_CODE = 60_000;
const loading = new Map();

/** highlight colours the code in an element, if its language is known; languages are loaded when they are first met. */
export async function highlight(el, name) {
	const word = String(name ?? '').trim().toLowerCase();
	const lang = ALIASES[word] ?? word;
	const code = el.textContent;
	if (!LANGUAGES.includes(lang) || code.length > LONGEST_CODE) return;
	if (!loading.has(lang)) loading.set(lang, import(`../lib/hljs/${lang}.js`).then((m) => hljs.registerLanguage(lang, m.default)));
	try {
		await loading.get(lang);
	} catch {
		loading.delete(lang); // no colours, until the network is back
		return;
	}
	const html = hljs.highlight(code, { language: lang, ignoreIllegals: true }).value;
	if (el.textContent === code) el.replaceChildren(DOMPurify.sanitize(html, { RETURN_DOM_FRAGMENT: true, ALLOWED_TAGS: ['span'], ALLOWED_ATTR: ['class'] }));
}

/** codeBlock is a block of code with its language and a button to copy it. */
export function codeBlock(text, lang) {
	const code = h('code');
	code.textContent = text;
	const el = h('figure.code', h('figcaption', h('span', lang || ''), copyButton(() => code.textContent, t('copy'), t('copied'))), h('pre', { tabindex: '0' }, code));
	return { el, code };
}

// --- rendering -----------------------------------------------------------------------------------------------------

// A link of a model's leads elsewhere: one click on a route of this server would do what the route does, with the page's rights.
function here(href) {
	try {
		return href[0] !== '#' && new URL(href, document.baseURI).origin === location.origin;
	} catch {
		return true;
	}
}

/** render makes elements of a whole Markdown text. */
export function render(text) {
	const out = DOMPurify.sanitize(marked.parse(text), CLEAN);
	for (const a of out.querySelectorAll('a')) {
		const href = a.getAttribute('href');
		if (!href) continue;
		if (here(href)) {
			a.removeAttribute('href');
			continue;
		}
		a.target = '_blank';
		a.rel = 'noopener noreferrer';
	}
	for (const input of out.querySelectorAll('input')) {
		if (input.type !== 'checkbox') input.remove();
		else {
			input.disabled = true;
			input.setAttribute('aria-label', input.closest('li')?.textContent.trim().slice(0, 100) ?? '');
		}
	}
	for (const table of out.querySelectorAll('table')) {
		const box = h('div.table', { tabindex: '0', role: 'region', 'aria-label': table.querySelector('th')?.textContent ?? '' });
		table.replaceWith(box);
		box.append(table);
	}
	for (const pre of out.querySelectorAll('pre')) {
		const old = pre.querySelector('code');
		const lang = /language-(\S+)/.exec(old?.className ?? '')?.[1] ?? '';
		const { el, code } = codeBlock((old ?? pre).textContent.replace(/\n$/, ''), lang);
		pre.replaceWith(el);
		highlight(code, lang);
	}
	return out;
}

const FENCE = /^( {0,3})(`{3,}|~{3,})([^`]*)$/;
const LIST = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const DEFINITION = /^ {0,3}\[[^\]]+\]:\s*\S+/;

/** From this length on the last block is cut between two items of a list, and rendered less often. */
const LONG = 4000;

/** Growing shows a Markdown text in an element, and follows it as it grows. */
export class Growing {
	constructor(el) {
		this.el = el;
		this.reset();
	}

	reset() {
		this.el.replaceChildren();
		this.text = '';
		this.scan = 0; // lines before it were looked at
		this.from = 0; // where the last block begins
		this.blank = false; // the line before was blank
		this.list = false; // the last block is a list
		this.fence = null;
		this.nodes = []; // of the last block
		this.code = null; // of an open code block
		this.cost = 0;
		this.drawn = 0;
		this.rendered = -1; // length that is on the screen
		this.defined = false;
		this.whole = false;
	}

	/** update shows the text as it is now; done says that it is complete. It returns whether everything is shown. */
	update(text, done) {
		if (this.whole && text === this.text) return true;
		if (this.whole || text.length < this.text.length || !text.startsWith(this.text.slice(this.from), this.from)) this.reset();
		this.text = text;
		this.cut(done);
		const shown = this.drawLast(done);
		if (done) {
			this.whole = true;
			if (this.defined) { // a link may be defined behind its use
				const all = text;
				this.el.replaceChildren(render(all));
			}
		}
		return shown;
	}

	/** cut looks at new lines and takes off what is complete. */
	cut(done) {
		for (;;) {
			let end = this.text.indexOf('\n', this.scan);
			if (end < 0) {
				if (!done || this.scan >= this.text.length) return;
				end = this.text.length;
			}
			const at = this.scan;
			const line = this.text.slice(at, end);
			this.scan = Math.min(end + 1, this.text.length);
			this.line(line, at, end >= this.text.length);
			if (end >= this.text.length) return;
		}
	}

	line(line, at, last) {
		if (this.fence) {
			const close = FENCE.exec(line);
			if (!close || close[2][0] !== this.fence.mark[0] || close[2].length < this.fence.mark.length || close[3].trim()) return;
			const top = this.fence.top;
			this.fence = null;
			if (top) this.freeze(this.scan);
			return;
		}
		const blank = line.trim() === '';
		const item = LIST.test(line);
		const indented = /^(?: {2,}|\t)/.test(line);
		if (!blank && at > this.from) {
			const long = at - this.from > LONG && item && this.list && !/^\s/.test(line);
			if ((this.blank && !indented && !(item && this.list)) || long) this.freeze(at);
		}
		const open = FENCE.exec(line);
		if (open && !(open[2][0] === '`' && open[3].includes('`'))) {
			const top = !this.list || !indented;
			if (top && at > this.from) this.freeze(at);
			this.fence = { mark: open[2], lang: open[3].trim().split(/[\s{,]/)[0], top, body: last ? this.text.length : this.scan, indent: open[1].length };
			if (top) this.list = false;
		} else if (!blank) {
			if (at === this.from || this.fresh) this.list = item;
			this.fresh = false;
			if (DEFINITION.test(line)) this.defined = true;
		}
		this.blank = blank;
	}

	/** freeze draws the block up to a place for good. */
	freeze(to) {
		const src = this.text.slice(this.from, to);
		this.clear();
		if (src.trim()) this.el.append(render(src));
		this.from = to;
		this.fresh = true;
		this.list = false;
		this.rendered = -1;
	}

	clear() {
		for (const n of this.nodes) n.remove();
		this.nodes = [];
		this.code = null;
	}

	drawLast(done) {
		if (this.from >= this.text.length) {
			this.clear();
			return true;
		}
		if (this.fence?.top && !done) {
			this.drawCode();
			return true;
		}
		if (this.rendered === this.text.length && !done) return true;
		const now = performance.now();
		if (!done && now - this.drawn < this.cost * 8) return false; // long blocks are drawn less often
		this.clear();
		const part = render(this.text.slice(this.from));
		this.nodes = [...part.childNodes];
		this.el.append(part);
		this.rendered = this.text.length;
		this.drawn = performance.now();
		this.cost = this.drawn - now;
		return true;
	}

	/** drawCode appends to the code block that is open. */
	drawCode() {
		if (!this.code) {
			this.clear();
			const { el, code } = codeBlock('', this.fence.lang);
			this.nodes = [el];
			this.code = { text: code.appendChild(document.createTextNode('')), shown: this.fence.body };
			this.el.append(el);
		}
		const more = this.text.slice(this.code.shown);
		if (more) this.code.text.appendData(more);
		this.code.shown = this.text.length;
	}
}
