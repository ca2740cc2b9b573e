// SPDX-License-Identifier: MIT
//
// The rows of the timeline: a process, below it the spans of its main thread
// by depth, then its other threads, then the processes that it started. No two
// items of a row overlap, so that a place in it is found by halving.

const MAX_ROWS = 200; // of a thread; what is deeper shares the last one

// Spans go one row below the one around them, or further down where that is
// taken (children that ran side by side).
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

// By time, as the items of a row are.
function byTime(d, items) {
	const { start } = d.items;

	return items && Uint32Array.from(items).sort(
		(a, b) => start[a] - start[b] || a - b);
}

// Points lie upon the items of their row. Errors are apart, to be drawn last:
// no other point hides one.
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

// Of some items by row: lists by time, points apart if asked for.
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

// The first item of a row that begins after `time`.
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
