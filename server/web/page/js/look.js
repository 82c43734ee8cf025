// look.js: colours, language, and the sides: what the person has chosen of them is kept in this browser.

import { $, fill, icon, store } from './dom.js';
import { t, lang, setLang, translate } from './text.js';

const THEMES = ['auto', 'light', 'dark'];
const theme = () => document.documentElement.dataset.theme ?? 'auto';
const roomy = matchMedia('(min-width: 1100px)'); // the panel has a place of its own
const middling = matchMedia('(min-width: 760px)'); // the sessions have one
let hooks = null;

/** look begins. redraw() is called for a language, opened(name) when a side has come. */
export function look(given) {
	hooks = given;
	for (const m of [roomy, middling]) m.addEventListener('change', cover);
	$('theme').addEventListener('click', () => {
		const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
		if (next === 'auto') delete document.documentElement.dataset.theme;
		else document.documentElement.dataset.theme = next;
		store.set('theme', next === 'auto' ? null : next);
		drawTheme();
	});
	$('lang').addEventListener('click', () => {
		const to = lang() === 'zh' ? 'en' : 'zh';
		store.set('lang', to);
		language(to);
	});
	for (const [button, name] of [['show-sessions', 'sessions'], ['show-panel', 'panel']]) {
		$(button).addEventListener('click', () => toggle(name));
	}
	for (const b of document.querySelectorAll('[data-hide]')) b.addEventListener('click', () => toggle(b.dataset.hide, false));
	$('shade').addEventListener('click', () => ['sessions', 'panel'].forEach((n) => toggle(n, false)));
	if (store.get('panel') === 'hidden') document.body.classList.add('hide-panel');
	language(lang());
}

function drawTheme() {
	const now = theme();
	fill($('theme'), icon({ auto: 'auto', light: 'sun', dark: 'moon' }[now]));
	const label = t('theme', t('theme.' + now));
	$('theme').setAttribute('aria-label', label);
	$('theme').title = label;
}

function language(to) {
	setLang(to);
	translate();
	$('lang').textContent = t('lang');
	$('lang').setAttribute('aria-label', t('lang.label'));
	drawTheme();
	hooks.redraw();
}

/** toggle shows and hides a side. Where there is room the panel is there unless hidden, elsewhere it comes over the rest. */
export function toggle(name, to) {
	const wide = (name === 'panel' ? roomy : middling).matches;
	const cls = (wide ? 'hide-' : 'show-') + name;
	const now = document.body.classList.contains(cls);
	const on = to === undefined ? !now : wide ? !to : to;
	document.body.classList.toggle(cls, on);
	const shown = wide ? !on : on;
	cover();
	$('show-' + name).setAttribute('aria-expanded', String(shown));
	if (name === 'panel') store.set('panel', wide ? (shown ? null : 'hidden') : store.get('panel'));
	if (shown && !wide) document.querySelector(`[data-hide="${name}"]`)?.focus();
	if (!shown && !wide) $('show-' + name).focus();
	if (shown) hooks.opened(name);
}

/** cover keeps the keyboard out of what a side lies over. */
export function cover() {
	const has = (name) => document.body.classList.contains('show-' + name);
	const panelOver = has('panel') && !roomy.matches;
	const sideOver = has('sessions') && !middling.matches;
	document.querySelector('main').inert = panelOver || sideOver;
	$('side').inert = panelOver && !sideOver;
	$('panel').inert = sideOver && !panelOver;
}
