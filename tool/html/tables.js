// SPDX-License-Identifier: MIT
//
// Tables: sorted by the heading that is clicked, filtered by the field above,
// and shown in parts if they are long.

const PIECE = 300; // rows

// columns: { title, value(row), show(row, cell), num, up: ascending first }
function makeTable(panel, caption, columns, rows, sortBy) {
	const head = el('tr', {}), body = el('tbody', {});
	const note = el('caption', {}, caption);
	const more = el('div', { class: 'more' });
	let sorted = sortBy, up = false, wanted = '', limit = PIECE;

	if (!rows.length) {
		panel.append(el('p', { class: 'empty' }, 'There are none.'));
		return () => {};
	}
	// The column with the name comes first: narrow screens show at least
	// that.
	columns = columns.slice().sort((a, b) => (b.class === 'name') -
		(a.class === 'name'));
	columns.forEach((column) => {
		const th = el('th', { scope: 'col', class: column.num ? 'num' : '' });

		th.append(column.value ? action(column.title, () => sort(column)) :
			column.title);
		head.append(th);
	});
	panel.append(el('div', { class: 'wide', tabindex: '0', role: 'region',
		'aria-label': caption },
	el('table', {}, note, el('thead', {}, head), body)), more);

	function sort(column) {
		up = sorted === column ? !up : !column.num;
		sorted = column;
		fill();
	}

	function chosen() {
		const list = wanted ? rows.filter((row) =>
			row.text.toLowerCase().includes(wanted)) : rows.slice();

		if (sorted)
			list.sort((a, b) => {
				const x = sorted.value(a), y = sorted.value(b);

				return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1);
			});
		return list;
	}

	function addRow(row) {
		const tr = el('tr', {});

		for (const column of columns) {
			const cell = el(column.class === 'name' ? 'th' : 'td', {
				class: (column.num ? 'num ' : '') + (column.class || '') });
			const content = column.show(row, cell);

			if (column.class === 'name')
				cell.scope = 'row';
			if (content !== undefined)
				cell.append(content);
			tr.append(cell);
		}
		body.append(tr);
	}

	function fill() {
		const list = chosen();

		columns.forEach((column, k) => head.children[k].setAttribute(
			'aria-sort', column !== sorted ? 'none' :
				up ? 'ascending' : 'descending'));
		body.replaceChildren();
		list.slice(0, limit).forEach(addRow);
		note.textContent = caption + (wanted ? ': ' + showNumber(list.length) +
			' of ' + showNumber(rows.length) + ' match the search' : '');
		more.replaceChildren();
		if (list.length > limit)
			more.append(action(showNumber(limit) + ' of ' +
				showNumber(list.length) + ' rows: show more', () => {
				limit *= 4;
				fill();
			}));
	}

	fill();
	return (query) => {
		wanted = query.toLowerCase();
		fill();
	};
}

// ---- cells ------------------------------------------------------------------

const timeCell = (get) => (row) => get(row) >= 0 ? showTime(get(row)) : '';

function timeColumn(title, get) {
	return { title, num: true, value: get, show: timeCell(get) };
}

function numberColumn(title, get) {
	return { title, num: true, value: get,
		show: (row) => showNumber(get(row)) };
}

function shareColumn(get) {
	return { title: 'Share', num: true, class: 'share', value: get,
		show: (row, cell) => {
			const bar = el('i', {});

			bar.style.width = Math.min(100, Math.max(0, get(row) * 100)) + '%';
			cell.append(showShare(get(row)), bar);
		} };
}

// A name that is a link.
function nameColumn(title, get, go, indent) {
	return { title, class: 'name', value: get, show: (row, cell) => {
		cell.append(action(get(row), () => go(row)));
		if (indent)
			cell.style.paddingLeft = 10 + Math.min(indent(row), 20) * 16 + 'px';
	} };
}

// ---- the tables ---------------------------------------------------------------

function processTable(d, panel, events) {
	const whole = d.roots.reduce((sum, n) => sum + d.items.dur[n.item], 0);
	const rows = [], todo = d.roots.slice().reverse();

	while (todo.length) {
		const node = todo.pop();
		const p = node.row;
		const words = d.strings[p[PROCESS.command]] ||
			d.strings[p[PROCESS.name]];

		rows.push({ node, p, end: endText(d, p),
			text: p[PROCESS.flags] & 1 ? words : '[' + words + ']' });
		todo.push(...node.children.slice().reverse());
	}
	// A tree until it is sorted otherwise.
	return makeTable(panel, 'Processes, as a tree; in brackets: not ' +
		'instrumented' + (rows.some((r) => r.p[PROCESS.flags] & 4) ?
		'; ?: only likely its parent’s child' : ''), [
		timeColumn('Wall', (r) => r.p[PROCESS.dur]),
		timeColumn('Self', (r) => r.p[PROCESS.self]),
		shareColumn((r) => r.p[PROCESS.dur] / whole),
		timeColumn('Spawn', (r) => r.p[PROCESS.spawn]),
		{ title: 'End', value: (r) => r.end, show: (r, cell) => {
			if (r.p[PROCESS.signal] || r.p[PROCESS.code] > 0)
				cell.classList.add('bad');
			return r.end;
		} },
		{ title: 'PID', num: true, value: (r) => r.p[PROCESS.pid],
			show: (r) => r.p[PROCESS.pid] < 0 ? '' : String(r.p[PROCESS.pid]) },
		nameColumn('Process', (r) => (r.p[PROCESS.flags] & 4 ? '? ' : '') +
			r.text, (r) => events.select(r.node.item, 'zoom'),
		(r) => r.node.depth),
	], rows, null);
}

function percentile(sorted, p) {
	return sorted[Math.max(0, Math.ceil(sorted.length * p) - 1)];
}

// Return the time that no span of a process's main thread covers.
function outside(d, info) {
	const { start, dur, up, kind } = d.items;
	let to = start[info.item], own = dur[info.item], alone = own, any = to;
	const end = start[info.item] + dur[info.item];

	for (let i = info.first; i < info.end; i++) {
		const last = Math.min(end, start[i] + dur[i]);

		if (up[i] !== info.item || kind[i] === KIND.exec)
			continue;
		own -= Math.max(0, last - Math.max(any, start[i]));
		any = Math.max(any, last);
		if (kind[i] !== KIND.region)
			continue;
		alone -= Math.max(0, last - Math.max(to, start[i]));
		to = Math.max(to, last);
	}
	return { own: Math.max(0, own), alone: Math.max(0, alone) };
}

function gatherRegions(d) {
	const { start, dur, self, kind, name } = d.items;
	const groups = new Map();
	let whole = 0;

	function add(key, text, total, own, item) {
		let g = groups.get(key);

		if (!g) {
			g = { text, total: 0, self: 0, all: [], item, longest: -1 };
			groups.set(key, g);
		}
		g.total += total;
		g.self += own;
		g.all.push(total);
		if (total > g.longest) {
			g.longest = total;
			g.item = item;
		}
	}
	for (const info of d.threadInfo) {
		if (info.main) {
			const rest = outside(d, info);

			whole += dur[info.item];
			if (!d.filtered)
				add(-1, '(in no region)', rest.alone, rest.own,
					d.items.process[info.item]);
		}
		for (let i = info.first; i < info.end; i++)
			if (kind[i] === KIND.region)
				add(name[i], d.strings[name[i]], dur[i], self[i], i);
	}
	for (const g of groups.values()) {
		g.all = Float64Array.from(g.all).sort();
		g.share = g.self / whole;
	}
	return [...groups.values()].filter((g) => start[g.item] !== undefined);
}

function regionTable(d, panel, events) {
	const self = timeColumn('Self', (g) => g.self);

	return makeTable(panel, 'Regions by name; the name leads to the longest', [
		timeColumn('Total', (g) => g.total), self,
		shareColumn((g) => g.share),
		numberColumn('Calls', (g) => g.all.length),
		timeColumn('P50', (g) => percentile(g.all, 0.5)),
		timeColumn('P90', (g) => percentile(g.all, 0.9)),
		timeColumn('P99', (g) => percentile(g.all, 0.99)),
		timeColumn('Max', (g) => g.longest),
		nameColumn('Region', (g) => g.text,
			(g) => events.select(g.item, 'zoom')),
	], gatherRegions(d), self);
}

function threadTable(d, panel, events) {
	const { dur, start } = d.items;
	const rows = d.threadInfo.map((info) => {
		const t = info.item, p = d.processes[d.items.process[t]];

		return { info, item: info.main ? d.items.process[t] : t,
			wall: dur[t], busy: dur[t] - outside(d, info).alone,
			from: start[t], spans: info.end - info.first,
			name: d.strings[d.items.name[t]], process: d.strings[p[PROCESS.name]],
			text: d.strings[d.items.name[t]] + ' ' + d.strings[p[PROCESS.name]] };
	});

	return makeTable(panel, 'Threads, and how much of each was in regions', [
		timeColumn('Wall', (r) => r.wall),
		timeColumn('In regions', (r) => r.busy),
		shareColumn((r) => r.wall ? r.busy / r.wall : 0),
		numberColumn('Spans', (r) => r.spans),
		timeColumn('From', (r) => r.from),
		nameColumn('Thread', (r) => r.name,
			(r) => events.select(r.item, 'zoom')),
		{ title: 'Process', value: (r) => r.process, show: (r) => r.process },
	], rows, null);
}

// Return the points of some kinds as rows.
function pointRows(d, kinds) {
	const { n, kind, start, name, detail, place, process } = d.items;
	const rows = [];

	for (let i = d.firstPoint; i < n; i++)
		if (kinds.includes(kind[i]))
			rows.push({ i, at: start[i], name: d.strings[name[i]] ||
				KIND_NAMES[kind[i]], value: d.strings[detail[i]],
			process: d.strings[d.items.name[process[i]]],
			place: d.strings[place[i]],
			get text() {
				return this.name + ' ' + this.value;
			} });
	return rows;
}

function errorsOf(d) {
	return pointRows(d, [KIND.error]);
}

const LONG = 400; // the longest value shown in a table

function dataTable(d, panel, events) {
	return makeTable(panel, 'Data, messages and signals by time; the name ' +
		'leads to the mark', [
		timeColumn('Time', (r) => r.at),
		nameColumn('Name', (r) => r.name, (r) => events.select(r.i, 'zoom')),
		// Sort numbers by size, before words.
		{ title: 'Value', class: 'value', show: (r) => r.value.length > LONG ?
			r.value.slice(0, LONG) + '…' : r.value,
		value: (r) => /^\d+$/.test(r.value) ? r.value.padStart(24) : r.value },
		{ title: 'Process', value: (r) => r.process, show: (r) => r.process },
		{ title: 'Where', value: (r) => r.place, show: (r) => r.place },
	], pointRows(d, [KIND.data, KIND.message, KIND.signal]), null);
}

function errorTable(d, panel, events) {
	return makeTable(panel, 'Errors, as they were reported; the message leads ' +
		'to the mark', [
		timeColumn('Time', (r) => r.at),
		nameColumn('Message', (r) => r.value,
			(r) => events.select(r.i, 'zoom')),
		{ title: 'Process', value: (r) => r.process, show: (r) => r.process },
		{ title: 'Where', value: (r) => r.place, show: (r) => r.place },
	], errorsOf(d), null);
}

// A step has the number of the step around it.
function pathTable(d, panel, events) {
	const depth = [];
	const rows = d.path.map(([parent, process, name, ns, at], k) => {
		depth[k] = parent ? depth[parent - 1] + 1 : 0;
		const p = d.processes[process - 1];
		const words = p ? d.strings[p[PROCESS.command]] ||
			d.strings[p[PROCESS.name]] : '?';

		return { depth: depth[k], ns, at, process: process - 1,
			text: d.strings[name] || words };
	});
	const whole = rows.reduce((sum, r) => sum + r.ns, 0);

	return makeTable(panel, 'Critical path: what the end waited for, each ' +
		'with the time that was its own', [
		timeColumn('Time', (r) => r.ns),
		shareColumn((r) => r.ns / whole),
		timeColumn('From', (r) => r.at),
		nameColumn('Step', (r) => r.text,
			(r) => events.select(r.process, 'zoom'), (r) => r.depth),
	], rows, null);
}
