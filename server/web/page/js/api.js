// api.js: the server's routes. Every failure is an ApiError with words for the person.

/** ApiError has the HTTP status; 0 is no connection at all. */
export class ApiError extends Error {
	constructor(status, message, retryAfter) {
		super(message);
		this.status = status;
		this.retryAfter = retryAfter;
	}
}

async function request(method, path, body, raw) {
	let res;
	try {
		res = await fetch(path, {
			method,
			headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
			body: body === undefined ? undefined : JSON.stringify(body),
			credentials: 'same-origin',
			cache: 'no-store',
		});
	} catch (err) {
		throw new ApiError(0, String(err?.message ?? err));
	}
	if (!res.ok) throw await failure(res);
	if (raw) return res.text();
	const text = await res.text();
	return text ? JSON.parse(text) : {};
}

/** failure reads what the server says about a refusal. */
export async function failure(res) {
	let message = '';
	try {
		message = (await res.json()).error;
	} catch {
		// not ours: the status has to do
	}
	return new ApiError(res.status, message || `HTTP ${res.status} ${res.statusText}`.trim(), Number(res.headers.get('Retry-After')) || 0);
}

const at = (id) => '/sessions/' + encodeURIComponent(id);

export const api = {
	sessions: (before) => request('GET', '/sessions' + (before ? '?before=' + encodeURIComponent(before) : '')),
	/** children are the newest sessions of sub-agents and teammates of a session. */
	children: async (id) => ((await request('GET', '/sessions?all=1&limit=200')).sessions ?? []).filter((s) => s.id.startsWith(id + '.')),
	/** session is the title of a session and what waits in it. */
	session: (id) => request('GET', at(id) + '?brief=1'),
	remove: (id) => request('DELETE', at(id)),
	input: (id, body) => request('POST', at(id) + '/input', body),
	command: (id, line) => request('POST', at(id) + '/input', { command: line }),
	context: (id) => request('GET', at(id) + '/context'),
	/** enter gives the token; the browser has a cookie then. */
	enter: (token) => request('GET', '/?token=' + encodeURIComponent(token), undefined, true),
	board: () => request('GET', '/board'),
	about: (id) => request('GET', '/about' + (id ? '?session=' + encodeURIComponent(id) : '')),
	events: (id, after, born) => at(id) + '/events?after=' + after + (born ? '&born=' + encodeURIComponent(born) : ''),
	blob: (sha) => '/blobs/' + encodeURIComponent(sha),
	blobText: (sha) => request('GET', '/blobs/' + encodeURIComponent(sha), undefined, true),
	upload: async (file) => request('POST', '/blobs', { name: file.name, mime: file.type || undefined, data: await base64(file) }),
};

function base64(file) {
	return new Promise((resolve, reject) => {
		const r = new FileReader();
		r.onload = () => resolve(String(r.result).replace(/^[^,]*,/, ''));
		r.onerror = () => reject(new ApiError(0, String(r.error?.message ?? 'unreadable')));
		r.readAsDataURL(file);
	});
}

/** newID makes the name of a session as the program itself does: names are ordered by time. */
export function newID() {
	const d = new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
	const abc = 'abcdefghijklmnopqrstuvwxyz234567';
	return d + '-' + [...crypto.getRandomValues(new Uint8Array(5))].map((b) => abc[b % 32]).join('');
}

/** isID says whether a text can be the name of a session. */
export const isID = (id) => /^\w[\w-]{0,47}(\.\d{1,9})*$/.test(id);

/** inputID names one input, so that saying it twice counts once. */
export const inputID = () => 'web-' + [...crypto.getRandomValues(new Uint8Array(9))].map((b) => b.toString(36).padStart(2, '0')).join('');

/** A line that begins like this calls a command; a path or a doubled slash does not. */
export function isCommand(text) {
	const line = text.trim();
	if (!line.startsWith('/') || line.includes('\n')) return false;
	const first = line.slice(1).split(/\s/, 1)[0];
	return /^[\p{L}\p{N}]/u.test(first) && !/[/.]/.test(first);
}
