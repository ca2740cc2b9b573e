// SPDX-License-Identifier: MIT
//
// Build the page: charts above, the selected item, tables below, and the search
// in all of them.

// Return for how long the end waited, and lacked a CPU, if there is one path.
function sumPath(d) {
	let waiting = 0, ready = 0;

	for (let i = d.firstStep; d.roots.length < 2 && i < d.items.n; i++) {
		const code = d.pathCode[i - d.firstStep] & ~INFERRED;

		ready += code === READY ? d.items.dur[i] : 0;
		waiting += code >= WAIT && code < WAIT + d.causes.length ?
			d.items.dur[i] : 0;
	}
	return [waiting, ready];
}

function showSummary(d) {
	const np = d.processes.length, spans = d.firstPoint - d.firstSpan;
	const errors = d.items.kind.reduce((n, kind) => n + (kind === KIND.error),
		0);
	const whole = d.roots.reduce((sum, n) => sum + d.items.dur[n.item], 0);
	const ends = d.roots.map((n) => d.items.start[n.item] +
		d.items.dur[n.item]);
	const span = Math.max(...ends) -
		Math.min(...d.roots.map((n) => d.items.start[n.item]));
	const parts = [d.roots.length < 2 ? showTime(whole) + ' wall' :
		plural(d.roots.length, 'command') + ', ' + showTime(whole) +
		' altogether in a span of ' + showTime(span)];
	const threads = Math.max(d.threadInfo.filter((t) => !t.lanes).length,
		d.tasks.length);

	if (d.cpu !== undefined)
		parts.push(showTime(d.cpu) + ' CPU (' + digits(d.cpu / whole) +
			' CPUs)');
	if (d.memory)
		parts.push('peak memory ' + showBytes(d.memory.most * 1024));
	parts.push(plural(np, 'process'));
	if (threads > np)
		parts.push(plural(threads, 'thread'));
	if (spans)
		parts.push(plural(spans, 'span'));

	const [waiting, ready] = sumPath(d);
	if (waiting)
		parts.push(showTime(waiting) + ' (' +
			showShare(waiting / whole) + ') waiting');
	if (ready)
		parts.push(showTime(ready) + ' (' +
			showShare(ready / whole) + ') without a CPU');
	if (d.spawning)
		parts.push(showTime(d.spawning) + ' (' +
			showShare(d.spawning / whole) + ') spawning');
	if (errors)
		parts.push(plural(errors, 'error'));
	if (d.lost)
		parts.push(plural(d.lost, 'event') + ' lost');
	if (d.filtered)
		parts.push('a part of the recording');
	byId('redacted').hidden = !d.redacted;
	byId('summary').textContent = parts.join(', ');
	byId('origin').textContent = 'Recorded ' + d.start +
		'. Written by trace2 ' + d.version + '; all of it is in this file.';
}

// rows: pairs of a term and its text; pairs with '' are omitted.
function describe(title, pairs, actions) {
	const list = el('dl', {});

	for (const [term, text] of pairs)
		if (text)
			list.append(el('div', {}, el('dt', {}, term), ' ',
				el('dd', {}, text)));
	byId('details').replaceChildren(el('h2', {}, title), list, ...actions);
}

// Return pairs for describe(): the states of an item's threads while it lasted.
function statesOf(d, i) {
	const { start, dur } = d.items;
	const sums = sumStates(d, tasksOfItem(d, i), start[i],
		start[i] + dur[i]);

	return Array.from(sums, (sum, code) => [stateName(d, code),
		sum ? showTime(sum) : '']);
}

function describeItem(d, i, events) {
	const items = d.items;
	const { start, dur, self, kind, process, thread, detail, place, up,
		became, open, row } = items;
	const p = d.processes[process[i]];
	const isProcess = kind[i] === KIND.process, point = isPoint(d, i);
	const step = kind[i] === KIND.step, span = kind[i] === KIND.span;
	const np = d.processes.length;
	const actions = [action('Zoom to it', () => events.select(i, 'zoom'))];

	if (up[i] >= 0)
		actions.push(' ', action('Around it', () => events.select(
			row[up[i]] >= 0 ? up[i] : process[i])));
	if (isProcess)
		actions.push(' ', action('Its threads',
			() => events.select(i, 'own row')));
	if (became[i] >= 0)
		actions.push(' ', action('Its process',
			() => events.select(became[i], 'zoom')));
	describe(itemName(d, i), [
		['is a', KIND_NAMES[kind[i]]],
		['took', point ? '' :
			showTime(dur[i]) + (open[i] ? ' (no end seen)' : '')],
		['of it itself', point || step || span || kind[i] === KIND.thread ? '' :
			showTime(self[i])],
		['reason', step ? d.strings[detail[i]] : ''],
		...(point || step ? [] : statesOf(d, i)),
		[point ? 'when' : 'from', showTime(start[i])],
		['in', (point || step) && up[i] >= np + d.threadInfo.length ?
			itemName(d, up[i]) : ''],
		['in process', isProcess ? '' : d.strings[p[PROCESS.name]]],
		['thread', thread[i] >= 0 && thread[i] !== i && !span ?
			d.strings[d.items.name[thread[i]]] : ''],
		['pid', isProcess && p[PROCESS.pid] > 0 ? String(p[PROCESS.pid]) : ''],
		['end', isProcess ? endText(d, p) : ''],
		['spawn', isProcess && p[PROCESS.spawn] >= 0 ?
			showTime(p[PROCESS.spawn]) : ''],
		[point && items.name[i] ? 'value' : point || kind[i] === KIND.region ?
			'message' : span ? 'attributes' : 'command', step ? '' : d.strings[detail[i]]],
		[span ? 'where' : 'at', d.strings[place[i]]],
		['session', isProcess ? d.strings[p[PROCESS.sid]] : ''],
	], actions);
}

function describeNothing() {
	byId('details').replaceChildren(el('p', { class: 'hint' },
		'Select a bar to see what it is.'));
}

function describeFrame(frame, whole, show) {
	const stack = [];

	for (let f = frame; f.parent; f = f.parent)
		stack.unshift(f.name);
	describe(frame.name, [
		[show === showTime ? 'took' : 'counted',
			show(frame.total) + ', ' + showShare(frame.total / whole)],
		['of it itself', show(frame.self)],
		['stack', stack.join(' › ')],
	], []);
}

// ---- search -----------------------------------------------------------------

function makeSearch(d, { timeline, flame, samples }, tables, events) {
	const query = byId('query'), said = byId('found');
	let found = [], at = -1, timer = 0;

	function find() {
		const text = query.value.trim();

		clearTimeout(timer);
		timer = 0;
		found = text ? search(d, text).sort(timeline.order) : [];
		at = -1;
		timeline.find(text ? found : null);
		flame.find(text);
		samples.find(text);
		tables.forEach((filter) => filter(text));
		said.textContent = !text ? '' : plural(found.length, 'match');
	}

	function go(way) {
		if (timer)
			find();
		if (!found.length)
			return;
		at = (at + way + (at < 0 && way < 0 ? 1 : 0) + found.length) %
			found.length;
		events.select(found[at]);
		said.textContent = showNumber(at + 1) + ' of ' +
			showNumber(found.length);
	}

	query.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(find, 120);
	});
	query.addEventListener('keydown', (e) => {
		if (e.key === 'Escape' && query.value) {
			query.value = '';
			find();
			e.preventDefault();
		} else if (e.key === 'Enter') {
			go(e.shiftKey ? -1 : 1);
			e.preventDefault();
		}
	});
	byId('search').addEventListener('submit', (e) => {
		e.preventDefault();
		go(1);
	});
	byId('previous').addEventListener('click', () => go(-1));
	addEventListener('keydown', (e) => {
		if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey ||
		    e.target === query)
			return;
		e.preventDefault();
		query.focus();
		query.select();
	});
}

// ---- light and dark -----------------------------------------------------------

const THEMES = ['system', 'light', 'dark'];

function makeTheme(d, redraw) {
	const system = matchMedia('(prefers-color-scheme: dark)');
	const button = byId('theme');
	let chosen = 0, printing = false;

	function apply() {
		const name = printing ? 'light' :
			chosen ? THEMES[chosen] : system.matches ? 'dark' : 'light';

		document.documentElement.dataset.theme = name;
		button.textContent = 'Theme: ' + THEMES[chosen];
		readTheme(d);
		redraw();
	}
	button.addEventListener('click', () => {
		chosen = (chosen + 1) % THEMES.length;
		apply();
	});
	system.addEventListener('change', apply);
	addEventListener('beforeprint', () => {
		printing = true;
		apply();
	});
	addEventListener('afterprint', () => {
		printing = false;
		apply();
	});
	apply();
}

// ---- the page --------------------------------------------------------------

// tables that come first
const FIRST = ['critical_path_by_kind', 'critical_path'];

function makeTables(d, events) {
	const rank = (t) => (FIRST.indexOf(t.name) + FIRST.length + 1) %
		(FIRST.length + 1);
	const tables = d.tables.filter((t) => t.rows.length)
		.sort((a, b) => rank(a) - rank(b));
	const panels = tables.map((t) => {
		const panel = el('div', { id: t.name, role: 'tabpanel', class: 'table',
			'aria-labelledby': 'tab-' + t.name });
		const count = t.name === 'errors' ?
			' (' + showNumber(t.rows.length) + ')' : '';

		byId('tables').append(panel);
		return [t.name, titleOf(t.name) + count, panel,
			makeTable(d, t, panel, events)];
	});

	makeTabs(byId('tables-tabs'), panels, () => {});
	// A search shows on each tab how many rows match there.
	return panels.map(([id, title, , filter]) => (text) => {
		const n = filter(text);

		byId('tab-' + id).textContent = !text ? title :
			title.replace(/ \(.*/, '') + ' (' + showNumber(n) + ')';
	});
}

function start() {
	const d = decode(byId('data').textContent);
	let chart = null, charts = {}, choose = () => {};
	function describeSelected(i) {
		if (i < 0)
			describeNothing();
		else
			describeItem(d, i, events);
	}

	const events = {
		// i: an item, or -1.
		select(i, how) {
			// Keep the focus if the button that has it is replaced.
			const focus = how === 'zoom' ||
				byId('details').contains(document.activeElement);

			if (i >= 0 && chart !== charts.timeline)
				choose('timeline');
			charts.timeline.select(i, how);
			describeSelected(i);
			if (focus)
				byId('canvas').focus();
		},
		frame: describeFrame,
	};

	byId('data').remove();
	packProcesses(d);
	d.sumOfStates = makeStateSums(d);
	readTheme(d);
	showSummary(d);
	describeNothing();
	charts.timeline = makeTimeline(d, events);
	charts.flame = makeFlame(byId('flame-canvas'), timeFrames(d), events);
	charts.samples = makeSamples(d, events, charts.timeline.shown);
	const tables = makeTables(d, events);
	choose = makeTabs(byId('charts-tabs'), [
		['timeline', 'Timeline', byId('timeline')],
		['flame', 'Flame graph', byId('flame')],
		...(d.samples.length ?
			[['samples', 'Samples', byId('samples')]] : []),
	], (id) => {
		chart = charts[id];
		if (id === 'samples')
			chart.fill();
		if (id === 'timeline')
			describeSelected(chart.shown().selected);
		else
			describeNothing();
		chart.queue();
	});
	makeSearch(d, charts, tables, events);
	makeTheme(d, () => chart.queue());
	byId('zoom-in').addEventListener('click', () => chart.zoom(0.5));
	byId('zoom-out').addEventListener('click', () => chart.zoom(2));
	byId('zoom-all').addEventListener('click', () => chart.all());
	new ResizeObserver(() => chart.queue()).observe(document.body);
}

start();
