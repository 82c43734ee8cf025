// Runs before anything is drawn, so that no wrong colour or language flashes.
(() => {
	const read = (key) => {
		try {
			return localStorage.getItem('react-agent.' + key);
		} catch {
			return null;
		}
	};
	const theme = read('theme');
	if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
	const lang = read('lang') || (/^zh\b/i.test(navigator.language || '') ? 'zh' : 'en');
	document.documentElement.lang = lang === 'zh' ? 'zh-CN' : 'en';
})();
