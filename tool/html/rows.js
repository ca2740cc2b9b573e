// SPDX-License-Identifier: MIT
//
// The rows of the timeline: a process, below it the spans of its main thread by
// depth, then its other threads, then its child processes. No two items of a
// row overlap, so that an item is found by bisection.

const MAX_ROWS = 200; // per thread; deeper spans share the last one

// Put spans one row below the span around them, or further down if that place
// is taken (children that ran side by side).
function rowsOfThread(d, info) {
	const { start, dur, up, row } = d.items;
	const rows = [], ends = [], depth = new Map();
	let low = 0;

	for (let i = info.first; i < info.end; i++) {
		let r = up[i] === info.item ? 0 : (depth.get(up[i]) ?? -1) + 1;

		while (r < MAX_ROWS - 1 && ends[r] > start[i])
			r++;
		r = Math.min(r, MAX_ROWS - 1);
		while (low <= r) {
			rows.push([]);
			ends.push(-Infinity);
			low++;
		}
		depth.set(i, r);
		rows[r].push(i);
		ends[r] = Math.max(ends[r], start[i] + dur[i]);
	}
	return rows;
}

function makeRows(d) {
	const rows = [];

	function add(items, node, title, head) {
		const sorted = Uint32Array.from(items);

		sorted.sort((a, b) => d.items.start[a] - d.items.start[b] || a - b);
		for (const i of sorted)
			d.items.row[i] = rows.length;
		rows.push({ items: sorted, found: null, node, title, head,
			points: null, errors: null, foundPoints: null });
	}
	// In the order of the tree: parents before their children.
	for (const node of d.nodes) {
		add([node.item], node, itemName(d, node.item), true);
		for (const info of node.threads) {
			if (!info.main)
				add([info.item], node, d.strings[d.items.name[info.item]], false);
			for (const spans of rowsOfThread(d, info))
				add(spans, node, '', false);
		}
	}
	addPointsToRows(d, rows);
	return rows;
}

// Sort by time, like the items of a row.
function byTime(d, items) {
	const { start } = d.items;

	return items && Uint32Array.from(items).sort(
		(a, b) => start[a] - start[b] || a - b);
}

// Points are drawn over the items of their row. Errors are listed separately
// and drawn last, so that no other point hides one.
function addPointsToRows(d, rows) {
	const { n, kind, row, up } = d.items;

	for (let i = d.firstPoint; i < n; i++) {
		const its = rows[row[up[i]]];
		const list = kind[i] === KIND.error ? 'errors' : 'points';

		row[i] = row[up[i]];
		(its[list] ??= []).push(i);
	}
	for (const its of rows) {
		its.points = byTime(d, its.points);
		its.errors = byTime(d, its.errors);
	}
}

// Group items by row: lists by time, with points separate if requested.
function listsByRow(d, items, points) {
	const lists = new Map();

	for (const i of items || []) {
		const row = d.items.row[i];

		if (isPoint(d, i) !== points)
			continue;
		if (!lists.has(row))
			lists.set(row, []);
		lists.get(row).push(i);
	}
	for (const [row, list] of lists)
		lists.set(row, byTime(d, list));
	return lists;
}

// Return the first item of a row that begins after `time`.
function firstAfter(start, items, time) {
	let low = 0, high = items.length;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (start[items[middle]] > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
