// SPDX-License-Identifier: MIT
//
// The rows of the timeline. An unfolded process has a row. Below it are the
// spans of its main thread by depth, its other threads, and its child
// processes. Many child processes of one kind are a group. A folded process has
// the processes that it started in lanes below it. No two items of a row
// overlap, so that an item is found by bisection.

const MAX_ROWS = 200; // per thread; deeper spans share the last one
const FEW = 40; // with at most this many processes, all are unfolded at first
const MANY = 4; // this many processes of a kind below one process are a group

// Put spans one row below the span around them; or further down, if that place
// is taken by children that ran side by side.
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

// Return the set that is unfolded at first: processes by item, groups by name.
function firstUnfolded(d) {
	return new Set(d.nodes.length > FEW ? [] : d.nodes.map((n) => n.item));
}

// Return lists of processes, in the order of their first starts: a group, or
// one process that is in no group.
function groupsOf(d, nodes) {
	const kinds = new Map(), parts = [];

	for (const node of nodes) {
		const kind = node.row[PROCESS.kind];
		let group = nodes.length > FEW ? kinds.get(kind) : null;

		if (!group) {
			kinds.set(kind, group = []);
			parts.push(group);
		}
		group.push(node);
	}
	return parts.flatMap((group) => group.length < MANY ?
		group.map((node) => [node]) : [group])
		.sort((a, b) => a[0].item - b[0].item);
}

function groupKey(d, node) {
	return d.items.up[node.item] + ' ' + node.row[PROCESS.kind];
}

// Return the rows, and set the row of each item that is shown.
function makeRows(d, unfolded) {
	const { items } = d, rows = [];
	// stack of [group, depth], with the next one last: trees may be deep
	const todo = [];

	// more: title, depth, key (what a click on the title unfolds), head
	function add(list, more) {
		const sorted = byTime(d, list);

		for (const i of sorted)
			items.row[i] = rows.length;
		rows.push({ title: '', depth: 0, key: null, head: false,
			points: null, errors: null, ...more, items: sorted });
	}

	function addLanes(nodes, depth, title) {
		lanesOf(d, nodes).forEach((list, k) => add(list, { depth,
			lane: true, title: !k ? title : k < MAX_LANES ? '' :
				plural(list.length, 'process') + ' below' }));
	}

	function addGroup(group, depth) {
		const key = groupKey(d, group[0]);
		const title = d.strings[group[0].row[PROCESS.kind]] + ' × ' +
			showNumber(group.length);

		if (unfolded.has(key)) {
			add([], { depth, key, title, head: true });
			addLater(group.map((node) => [node]), depth + 1);
			return;
		}
		lanesOf(d, group).forEach((list, k) => add(list, { depth,
			lane: true, ...(k ? {} : { key, title, head: true }) }));
	}

	function addLater(groups, depth) {
		for (const group of groups.reverse())
			todo.push([group, depth]);
	}

	function addProcess(node, depth) {
		const inside = node.children.length ||
			node.threads.some((t) => !t.main || t.end > t.first);

		add([node.item], { depth, head: true, title: itemName(d, node.item),
			key: inside ? node.item : null, process: node.item });
		if (!unfolded.has(node.item)) {
			addLanes(node.children, depth + 1, node.lane.count > 1 ?
				plural(node.lane.count, 'process') : '');
			return;
		}
		for (const info of node.threads) {
			if (!info.main)
				add([info.item], { depth: depth + 1,
					title: d.strings[items.name[info.item]] });
			rowsOfThread(d, info).forEach((spans, k) => add(spans,
				{ depth: depth + 1, title: info.lanes && !k ?
					d.strings[items.name[info.item]] : '' }));
		}
		addLater(groupsOf(d, node.children), depth + 1);
	}

	items.row.fill(-1);
	if (d.roots.length > FEW && !unfolded.has('all'))
		lanesOf(d, d.roots).forEach((list, k) => add(list, { lane: true,
			...(k ? {} : { key: 'all', head: true,
				title: plural(d.roots.length, 'command') }) }));
	else
		addLater(groupsOf(d, d.roots), 0);
	while (todo.length) {
		const [group, depth] = todo.pop();

		if (group.length > 1)
			addGroup(group, depth);
		else
			addProcess(group[0], depth);
	}
	addPointsToRows(d, rows);
	return rows;
}

// Unfold the processes around an item, so that it is shown. A process may stay
// in a lane, unless it needs a row of its own. Return whether anything changed.
function unfoldTo(d, unfolded, i, ownRow) {
	const { up, process, row, kind } = d.items, before = unfolded.size;
	let p = process[i];

	if (row[i] >= 0 && !ownRow)
		return false;
	if (kind[i] !== KIND.process || ownRow)
		unfolded.add(p);
	for (; p >= 0; p = up[p]) {
		unfolded.add(groupKey(d, d.nodes[p]));
		if (up[p] >= 0)
			unfolded.add(up[p]);
	}
	unfolded.add('all');
	return unfolded.size > before;
}

// Return the item that is drawn for one without a row: the nearest item around
// it that has a row.
function shownAs(d, i) {
	const { row, up, process, kind } = d.items;

	if (kind[i] === KIND.step)
		return process[i];
	while (row[i] < 0 && up[i] >= 0)
		i = up[i];
	return i;
}

// Sort by time, like the items of a row.
function byTime(d, items) {
	const { start } = d.items;

	return items && Uint32Array.from(items).sort(
		(a, b) => start[a] - start[b] || a - b);
}

// Add points, which are drawn over the items of their row. Errors are listed
// separately and drawn last, so that no other point hides one.
function addPointsToRows(d, rows) {
	const { kind, row, up } = d.items;

	for (let i = d.firstPoint; i < d.firstTask; i++) {
		row[i] = row[shownAs(d, up[i])];

		const its = rows[row[i]];
		const list = kind[i] === KIND.error ? 'errors' : 'points';

		if (its)
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
		const row = d.items.row[shownAs(d, i)];

		if (isPoint(d, i) !== points)
			continue;
		if (!lists.has(row))
			lists.set(row, []);
		lists.get(row).push(points ? i : shownAs(d, i));
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
