// dom.js: small helpers. Text always goes in as text, never as markup.

const NAMES = /^(?:aria-[a-z]+|data-[a-z]+|alt|class|datetime|disabled|download|hidden|href|id|loading|placeholder|rel|role|rows|scope|selected|src|tabindex|target|title|type|value)$/;
const HERE = /^(?:#|\/(?!\/))/;

/**
 * h makes an element: h('p.note', {title: 'x', onclick: fn}, 'text', child, [more]). Text never becomes markup. What stands
 * where a text was expected may be an object of somebody else's: so attributes are only those named above, a handler is a
 * function, and an address leads to this page or its server. Anything else is left out.
 */
export function h(tag, ...rest) {
	const [name, ...classes] = tag.split('.');
	const el = document.createElement(name || 'div');
	if (classes.length) el.className = classes.join(' ');
	let attrs = {};
	if (rest.length && isAttrs(rest[0])) attrs = rest.shift();
	for (const [k, v] of Object.entries(attrs)) {
		if (v === undefined || v === null || v === false) continue;
		if (typeof v === 'function') el.addEventListener(k.slice(2), v);
		else if (NAMES.test(k) && !(/^(?:href|src)$/.test(k) && !HERE.test(v))) el.setAttribute(k, v === true ? '' : v);
	}
	put(el, rest);
	return el;
}

function isAttrs(x) {
	return x && typeof x === 'object' && !(x instanceof Node) && !Array.isArray(x);
}

function put(el, children) {
	for (const c of children) {
		if (c === undefined || c === null || c === false || c === '') continue;
		if (Array.isArray(c)) put(el, c);
		else el.append(c);
	}
}

/** fill replaces what is inside an element. */
export function fill(el, ...children) {
	el.replaceChildren();
	put(el, children);
	return el;
}

/** refill is fill that leaves alone what would not change: a click or a focus may be under way in it. */
export function refill(el, ...children) {
	const next = document.createElement(el.tagName);
	put(next, children);
	if (filled.get(el)?.isEqualNode(next)) return false;
	filled.set(el, next.cloneNode(true)); // as it is now: colours of code come later
	el.replaceChildren(...next.childNodes);
	return true;
}

const filled = new WeakMap();

/** $ finds one element by id. */
export const $ = (id) => document.getElementById(id);

const SVG = 'http://www.w3.org/2000/svg';

const PATHS = {
	trash: 'M4 7h16M9 7V4h6v3M6 7l1 13h10l1-13M10 11v6M14 11v6',
	close: 'M6 6l12 12M18 6L6 18',
	copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
	check: 'M5 13l4 4L19 7',
	back: 'M9 14L4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3',
	pen: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
	sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2M12 20v2M4.9 4.9l1.4 1.4M17.7 17.7l1.4 1.4M2 12h2M20 12h2M4.9 19.1l1.4-1.4M17.7 6.3l1.4-1.4',
	moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
	auto: 'M12 3a9 9 0 1 0 0 18zM12 3a9 9 0 0 1 0 18',
	down: 'M12 5v14M6 13l6 6 6-6',
	file: 'M6 3h8l4 4v14H6zM14 3v4h4',
};

/** icon draws one of the page's own pictures; it says nothing to a screen reader. */
export function icon(name) {
	const svg = document.createElementNS(SVG, 'svg');
	for (const [k, v] of Object.entries({ viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true', focusable: 'false' })) svg.setAttribute(k, v);
	const path = document.createElementNS(SVG, 'path');
	path.setAttribute('d', PATHS[name]);
	svg.append(path);
	return svg;
}

/** store remembers a choice of the person in this browser; without a place for it, it lasts as long as the page. */
export const store = {
	get(key) {
		try {
			return localStorage.getItem('react-agent.' + key);
		} catch {
			return null;
		}
	},
	set(key, value) {
		try {
			if (value === null) localStorage.removeItem('react-agent.' + key);
			else localStorage.setItem('react-agent.' + key, value);
		} catch {
			// private windows may have no place
		}
	},
};

/** soon makes a function that runs fn once, ms after the last of many calls. */
export function soon(fn, ms) {
	let timer = 0;
	return (...args) => {
		clearTimeout(timer);
		timer = setTimeout(() => fn(...args), ms);
	};
}

/** copyButton copies a text, and says so. */
export function copyButton(text, label, done) {
	const b = h('button.ghost.copy', { type: 'button', 'aria-label': label, title: label }, icon('copy'));
	b.addEventListener('click', async () => {
		try {
			await navigator.clipboard.writeText(text());
		} catch {
			return;
		}
		fill(b, icon('check'));
		b.setAttribute('aria-label', done);
		setTimeout(() => {
			fill(b, icon('copy'));
			b.setAttribute('aria-label', label);
		}, 1500);
	});
	return b;
}
