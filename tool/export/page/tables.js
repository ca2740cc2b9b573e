// SPDX-License-Identifier: MIT
//
// The tables of `trace2 report`: sorted by a clicked heading, filtered by the
// field above, and shown in parts if they are long. Columns, rows and titles
// come from the report (tool/export/page/html_tables.c). A cell is null, its
// value, or an object: value, item (to which it links), bad, atLeast, kind (if
// it is not the column's). In a tree, the depth follows the cells.

const PIECE = 100; // rows in a part
const LONG = 160; // letters: a longer text is cut; the timeline has the whole

const SHOW = {
	str: (text) => cutMiddle(text, LONG),
	int: String, uint: showNumber, real: showNumber, ns: showTime,
	bytes: showBytes, share: showShare, buckets: showBuckets,
};

function sentence(text) {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

// Return "Critical path" for "critical_path", "In regions" for "IN REGIONS".
function titleOf(name) {
	return sentence(name.toLowerCase().replace(/_/g, ' '))
		.replace(/\b[cp](pu|id)\b/i, (word) => word.toUpperCase());
}

function cellOf(d, row, column) {
	const raw = row[column.index];
	const cell = { kind: column.kind, ...(raw && raw.value !== undefined ?
		raw : { value: raw }) };

	if (cell.kind === 'str' && cell.value !== null)
		cell.value = d.strings[cell.value];
	return cell;
}

// Return the key for sorting a cell, or null for an empty cell. Numbers in
// texts precede words.
function sortKey({ kind, value }) {
	return kind === 'str' && /^\d+$/.test(value) ? value.padStart(24) : value;
}

// Compare two keys. Empty cells come last in both directions.
function compareKeys(x, y, up) {
	if (x === null || y === null)
		return (x === null) - (y === null);
	return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1);
}

// Create a link, not a button: its text can be selected.
function leadTo(text, item, events) {
	const a = el('a', { href: '#canvas', draggable: 'false' }, text);

	a.addEventListener('click', (e) => {
		e.preventDefault();
		events.select(item, 'zoom');
	});
	return a;
}

function contentOf(d, cell, column) {
	const file = d.processes[cell.item]?.[PROCESS.file];

	if (cell.value === null)
		return '';
	return cell.kind === 'str' && file ?
		cutMiddle(cell.value, LONG, d.strings[file]) :
		SHOW[cell.kind](cell.value, column);
}

function makeCell(d, cell, column, isName, depth, events) {
	const e = el(isName ? 'th' : 'td', { class: [cell.kind,
		column.num ? 'num' : '', cell.bad ? 'bad' : ''].join(' ') });
	const content = contentOf(d, cell, column);

	if (isName)
		e.scope = 'row';
	if (isName && depth)
		e.style.paddingLeft = 10 + Math.min(depth, 20) * 16 + 'px';
	e.append(cell.atLeast ? '≥ ' : '', cell.item === undefined ? content :
		leadTo(content || '?', cell.item, events));
	if (cell.kind === 'share') {
		const bar = el('i', {});

		bar.style.width = Math.min(100, Math.max(0, cell.value * 100)) + '%';
		e.append(bar);
	}
	return e;
}

function makeTable(d, table, panel, events) {
	const rows = table.rows, caption = sentence(table.caption);
	const head = el('tr', {}), body = el('tbody', {});
	const note = el('p', { class: 'caption', id: 'of-' + table.name });
	const more = el('div', { class: 'more' });
	const columns = table.columns.map((column, index) => ({ ...column, index,
		num: !column.left && !['str', 'buckets'].includes(column.kind) }))
		.filter((column) => column.kind);
	const name = columns.find((column) => column.name);
	let sorted = columns.find((column) => column.sorted);
	let up = sorted && !sorted.num, wanted = '', limit = PIECE;

	// Put the name first: narrow screens show at least that.
	columns.sort((a, b) => (b === name) - (a === name));
	for (const column of columns) {
		const title = titleOf(column.title);

		head.append(el('th', { scope: 'col', class: column.num ? 'num' : '' },
			title && column.kind !== 'buckets' ?
				action(title, () => sort(column)) : title));
	}
	panel.append(note, el('div', { class: 'wide', tabindex: '0', role: 'region',
		'aria-label': caption }, el('table', { 'aria-labelledby': note.id },
		el('thead', {}, head), body)), more);

	function sort(column) {
		up = sorted === column ? !up : !column.num;
		sorted = column;
		fill();
	}

	function matches(row) {
		return columns.some((column) => column.kind === 'str' &&
			(cellOf(d, row, column).value ?? '').toLowerCase()
				.includes(wanted));
	}

	function chosen() {
		const list = wanted ? rows.filter(matches) : rows;

		if (!sorted)
			return list;
		return list.map((row) => [sortKey(cellOf(d, row, sorted)), row])
			.sort(([x], [y]) => compareKeys(x, y, up))
			.map(([, row]) => row);
	}

	function addRow(row) {
		const depth = row[table.columns.length];

		body.append(el('tr', {}, ...columns.map((column) => makeCell(d,
			cellOf(d, row, column), column, column === name, depth, events))));
	}

	function fill() {
		const list = chosen();

		columns.forEach((column, k) => head.children[k].setAttribute(
			'aria-sort', column !== sorted ? 'none' :
				up ? 'ascending' : 'descending'));
		body.replaceChildren();
		list.slice(0, limit).forEach(addRow);
		note.textContent = caption + (wanted ? ': ' + showNumber(list.length) +
			' of ' + plural(rows.length, 'row') +
			' match the search' : '');
		more.replaceChildren();
		if (list.length > limit)
			more.append(action(showNumber(limit) + ' of ' +
				showNumber(list.length) + ' rows: show more', () => {
				limit *= 4;
				fill();
			}));
		return list.length;
	}

	fill();
	// Return a function that filters, and returns how many rows match.
	return (query) => {
		wanted = query.toLowerCase();
		return fill();
	};
}
