// SPDX-License-Identifier: MIT
//
// Format numbers for people, and create elements. Text of a recording is passed
// only to textContent and to canvases: it cannot become markup.

function digits(value) {
	return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) :
		value.toFixed(2);
}

function showTime(ns) {
	const v = Math.abs(ns), sign = ns < 0 ? '−' : '';

	if (!v)
		return '0 s';
	if (v < 1e3)
		return sign + v.toFixed(0) + ' ns';
	if (v < 999.5e3)
		return sign + digits(v / 1e3) + ' µs';
	if (v < 999.5e6)
		return sign + digits(v / 1e6) + ' ms';
	if (v < 3600e9)
		return sign + digits(v / 1e9) + ' s';
	return sign + digits(v / 3600e9) + ' h';
}

function showShare(ratio) {
	return Number.isFinite(ratio) ? (ratio * 100).toFixed(1) + '%' : '';
}

function showNumber(n) {
	return n.toLocaleString('en-US').replace(/,/g, ' ');
}

function showBytes(n) {
	const power = Math.min(4, Math.floor(Math.log2(Math.max(1, n)) / 10));

	return power ? digits(n / 1024 ** power) + ' ' + 'KMGT'[power - 1] + 'iB' :
		n + ' B';
}

function plural(n, word) {
	return showNumber(n) + ' ' + word + (n === 1 ? '' :
		/(s|x|ch)$/.test(word) ? 'es' : 's');
}

function byId(id) {
	return document.getElementById(id);
}

// Create an element: el('td', { class: 'num' }, 'text', child…)
function el(name, attributes, ...children) {
	const e = document.createElement(name);

	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	e.append(...children);
	return e;
}

function action(text, run) {
	const b = el('button', { type: 'button' }, text);

	b.addEventListener('click', run);
	return b;
}

// Create tabs, of which one panel is shown. rows: [id, title, panel]. Return a
// function that selects a tab.
function makeTabs(list, rows, chosen) {
	const tabs = rows.map(([id, title, panel]) => {
		const tab = el('button', { type: 'button', role: 'tab',
			id: 'tab-' + id, 'aria-controls': panel.id }, title);

		tab.addEventListener('click', () => choose(id));
		list.append(tab);
		return tab;
	});
	function choose(id) {
		rows.forEach(([own, , panel], k) => {
			tabs[k].setAttribute('aria-selected', String(own === id));
			tabs[k].tabIndex = own === id ? 0 : -1;
			panel.hidden = own !== id;
		});
		chosen(id);
	}
	list.addEventListener('keydown', (e) => {
		const at = tabs.indexOf(document.activeElement);
		const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0,
			End: tabs.length - 1 }[e.key];

		if (to === undefined || at < 0)
			return;
		e.preventDefault();
		const k = (to + tabs.length) % tabs.length;
		choose(rows[k][0]);
		tabs[k].focus();
	});
	if (rows.length)
		choose(rows[0][0]);
	return choose;
}

// ---- canvases ---------------------------------------------------------------

const HUES = [212, 28, 145, 275, 50, 340, 180, 5, 310, 240];
const theme = { hues: [] };

function readTheme(d) {
	const style = getComputedStyle(document.documentElement);
	const get = (name) => style.getPropertyValue(name).trim();

	for (const name of ['bg', 'panel', 'text', 'dim', 'line', 'accent', 'bad',
		'found', 'grid', 'process', 'bar-text'])
		theme[name] = get('--' + name);
	theme.hues = HUES.map((h) =>
		'hsl(' + h + ' ' + get('--bar-s') + ' ' + get('--bar-l') + ')');
	readStateColours(d, get);
	theme.font = '11px system-ui, "DejaVu Sans", sans-serif';
}

// Return the colour of a name, which depends on its category.
function colourOf(name) {
	const slash = name.indexOf('/');
	let hash = 7;

	for (let i = 0; i < name.length && i !== slash; i++)
		hash = (hash * 31 + name.charCodeAt(i)) % 65521;
	return hash % HUES.length;
}

// Return colours for kinds of processes: those that took longest have one of
// their own.
function coloursOfKinds(d) {
	const sums = new Map();

	d.processes.forEach((row, i) => sums.set(row[PROCESS.kind],
		(sums.get(row[PROCESS.kind]) || 0) + d.items.self[i]));
	return new Map([...sums].sort((a, b) => b[1] - a[1])
		.map(([kind], k) => [kind, k % HUES.length]));
}

// Fit a canvas to the screen's resolution; the height is in CSS pixels.
function fitCanvas(canvas, height) {
	const ratio = window.devicePixelRatio || 1;
	const width = canvas.clientWidth;
	const w = Math.round(width * ratio), h = Math.round(height * ratio);

	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
		canvas.style.height = height + 'px';
	}
	const ctx = canvas.getContext('2d');
	ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
	ctx.font = theme.font;
	ctx.textBaseline = 'middle';
	return { ctx, width, height };
}

const LETTER = 6.1; // approximate pixels per letter of theme.font

// outline: a colour, for text over several colours
function barText(ctx, text, x, y, width, outline) {
	const n = Math.floor(width / LETTER);

	if (n < 3)
		return;
	const shown = text.length > n ? text.slice(0, n - 1) + '…' : text;
	if (outline) {
		ctx.strokeStyle = outline;
		ctx.lineWidth = 3;
		ctx.lineJoin = 'round';
		ctx.strokeText(shown, x, y);
	}
	ctx.fillText(shown, x, y);
}

// Return the kind of a process for a bar; of a script, if there is no room for
// more, its own name.
function kindText(d, process, width) {
	const kind = d.strings[d.processes[process][PROCESS.kind]];
	const short = kind.slice(kind.lastIndexOf(' ') + 1);

	return kind.length * LETTER <= width || short.startsWith('-') ? kind :
		short;
}

// Cut a text to a number of letters: keep its beginning and its end; of a
// command, its beginning and the file on which it works.
function cutMiddle(text, n, file) {
	const at = file ? text.lastIndexOf(file) : -1;
	const tail = Math.ceil(n * 0.6);

	if (text.length <= n)
		return text;
	if (at < 0 || at >= text.length - tail)
		return text.slice(0, n - tail) + '…' +
			text.slice(text.length - tail + 1);
	const end = text.slice(0, at + file.length);
	const shown = Math.min(file.length, Math.ceil(n * 0.7));

	const more = text.endsWith(']') ? '…]' : '…';

	return end.length < n ? end + more : end.slice(0, n - shown - 2) + '…' +
		end.slice(end.length - shown) + more;
}

// Return a command line for a bar: the program without its directory, and cut
// if it is too long.
function commandText(d, process, width) {
	const command = d.strings[d.items.detail[process]];
	const path = /^('(?:[^']|'\\'')*'|\S+)/.exec(command);
	const kind = kindText(d, process, width);
	const n = Math.floor(width / LETTER);

	if (!path || n < kind.length + 12)
		return kind;
	const program = path[0].replace(/^'|'$/g, '');
	const text = program.slice(program.lastIndexOf('/') + 1) +
		command.slice(path[0].length);
	return cutMiddle(text, n, d.strings[d.processes[process][PROCESS.file]]);
}

// ---- the tooltip -----------------------------------------------------------

function showTip(text, e) {
	const tip = byId('tip');

	tip.hidden = !text;
	if (!text)
		return;
	tip.textContent = text;
	const x = Math.min(e.clientX + 14, innerWidth - tip.offsetWidth - 8);
	const below = e.clientY + 18;
	tip.style.left = Math.max(4, x) + 'px';
	tip.style.top = (below + tip.offsetHeight > innerHeight ?
		e.clientY - tip.offsetHeight - 10 : below) + 'px';
}
