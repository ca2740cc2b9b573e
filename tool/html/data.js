// SPDX-License-Identifier: MIT
//
// Decode the data of the page, which tool/export/html.c writes: everything with
// a beginning and a duration is an item. Items are numbered: first the
// processes, then the threads, then the spans of each thread, then the points
// (data, errors, messages). The properties of items are in arrays of numbers by
// item, so that 100,000 of them need little memory.
'use strict';

const KIND = { region: 0, child: 1, exec: 2, process: 5, thread: 6, data: 7,
	error: 8, message: 9, signal: 10 };
const KIND_NAMES = ['region', 'child process', 'exec', '', '', 'process',
	'thread', 'data point', 'error', 'message', 'signal'];
const OPEN = 4;
const SPAN_FIELDS = 9;
const PROCESS = {
	parent: 0, name: 1, command: 2, pid: 3, start: 4, dur: 5, self: 6,
	spawn: 7, end: 8, code: 9, signal: 10, instrumented: 11, sid: 12,
};
// The kinds of points, by their number in the data.
const POINT_KINDS = { 0: KIND.data, 1: KIND.data, 2: KIND.error,
	3: KIND.message, 6: KIND.signal };
const POINT = { thread: 0, kind: 1, at: 2, name: 3, value: 4, place: 5, span: 6 };
const THREAD = { process: 0, name: 1, main: 2, start: 3, dur: 4, spans: 5 };

function makeItems(n) {
	return {
		n,
		start: new Float64Array(n), dur: new Float64Array(n),
		self: new Float64Array(n),
		name: new Uint32Array(n), detail: new Uint32Array(n),
		place: new Uint32Array(n),
		kind: new Uint8Array(n), open: new Uint8Array(n),
		// By item: the item around it, or -1; its process; its thread.
		up: new Int32Array(n).fill(-1), process: new Int32Array(n),
		thread: new Int32Array(n).fill(-1),
		// Of a child: the process that it became, or -1.
		became: new Int32Array(n).fill(-1),
		row: new Int32Array(n).fill(-1), // in the timeline
	};
}

function addProcesses(d, items) {
	d.processes.forEach((row, i) => {
		items.kind[i] = KIND.process;
		items.start[i] = row[PROCESS.start];
		items.dur[i] = Math.max(0, row[PROCESS.dur]);
		items.self[i] = Math.max(0, row[PROCESS.self]);
		items.name[i] = row[PROCESS.name];
		items.detail[i] = row[PROCESS.command];
		items.up[i] = row[PROCESS.parent] - 1;
		items.process[i] = i;
		items.open[i] = row[PROCESS.end] === 0 && row[PROCESS.code] < 0 ? 1 : 0;
	});
}

function addSpans(items, thread, spans, first) {
	let at = items.start[thread];

	for (let k = 0, i = first; k < spans.length; k += SPAN_FIELDS, i++) {
		at += spans[k];
		items.start[i] = at;
		items.dur[i] = spans[k + 1];
		items.self[i] = Math.max(0, spans[k + 1] - spans[k + 2]);
		items.name[i] = spans[k + 3];
		items.up[i] = spans[k + 4] ? i - spans[k + 4] : thread;
		items.kind[i] = spans[k + 5] & 3;
		items.open[i] = spans[k + 5] & OPEN ? 1 : 0;
		items.detail[i] = spans[k + 6];
		items.place[i] = spans[k + 7];
		items.became[i] = spans[k + 8] - 1;
		items.thread[i] = thread;
		items.process[i] = items.process[thread];
	}
}

// Points have no duration, and are in the row of the item around them.
function addPoints(d, items, firstSpan, first) {
	d.firstPoint = first;
	d.points.forEach((row, k) => {
		const i = first + k, info = d.threadInfo[row[POINT.thread] - 1];

		items.kind[i] = POINT_KINDS[row[POINT.kind]];
		items.start[i] = row[POINT.at];
		items.name[i] = row[POINT.name];
		items.detail[i] = row[POINT.value];
		items.place[i] = row[POINT.place];
		items.thread[i] = info.item;
		items.process[i] = items.process[info.item];
		items.up[i] = row[POINT.span] ? firstSpan + row[POINT.span] - 1 :
			info.main ? items.process[i] : info.item;
	});
	d.points = null;
}

function isPoint(d, i) {
	return i >= d.firstPoint;
}

// Return the data of the page: d.items, d.strings, d.threadInfo, d.t0 and d.t1.
function decode(text) {
	const d = JSON.parse(text);
	const np = d.processes.length;
	let n = np + d.threads.length + d.points.length;

	for (const t of d.threads)
		n += t[THREAD.spans].length / SPAN_FIELDS;
	const items = d.items = makeItems(n);
	addProcesses(d, items);
	const firstSpan = np + d.threads.length;
	let next = firstSpan;
	d.threadInfo = d.threads.map((row, k) => {
		const i = np + k, spans = row[THREAD.spans];

		items.kind[i] = KIND.thread;
		items.start[i] = row[THREAD.start];
		items.dur[i] = items.self[i] = row[THREAD.dur];
		items.name[i] = row[THREAD.name];
		items.process[i] = items.up[i] = row[THREAD.process] - 1;
		items.thread[i] = i;
		addSpans(items, i, spans, next);
		const info = { item: i, main: row[THREAD.main] === 1, first: next,
			end: next + spans.length / SPAN_FIELDS };
		next = info.end;
		return info;
	});
	d.threads = null;
	addPoints(d, items, firstSpan, next);
	d.t0 = 0;
	d.t1 = 1;
	for (let i = 0; i < n; i++) {
		d.t0 = Math.min(d.t0, items.start[i]);
		d.t1 = Math.max(d.t1, items.start[i] + items.dur[i]);
	}
	d.nodes = processTree(d);
	return d;
}

// Return the processes with their children and threads.
function processTree(d) {
	const nodes = d.processes.map((row, i) => ({
		item: i, row, depth: 0, children: [], threads: [] }));

	d.roots = [];
	for (const node of nodes) {
		const parent = nodes[node.row[PROCESS.parent] - 1];

		if (parent && parent !== node && parent.item < node.item) {
			node.depth = parent.depth + 1;
			parent.children.push(node);
		} else {
			d.roots.push(node);
		}
	}
	for (const info of d.threadInfo)
		nodes[d.items.process[info.item]].threads.push(info);
	return nodes;
}

// Return how a process ended; '' for success.
function endText(d, row) {
	if (row[PROCESS.signal])
		return d.strings[row[PROCESS.signal]];
	if (row[PROCESS.end] === 0 && row[PROCESS.code] < 0)
		return 'no end seen';
	return row[PROCESS.code] > 0 ? 'exit ' + row[PROCESS.code] : '';
}

function itemName(d, i) {
	const kind = d.items.kind[i], name = d.strings[d.items.name[i]];

	if (isPoint(d, i))
		return name || KIND_NAMES[kind] + ': ' + d.strings[d.items.detail[i]];
	return (kind === KIND.thread ? 'thread ' : '') + (name || '?');
}

// Return the items whose name, detail or place contains a text.
function search(d, query) {
	const wanted = query.toLowerCase();
	const hits = d.strings.map((s) => s.toLowerCase().includes(wanted));
	const { n, name, detail, place, row } = d.items;
	const found = [];

	hits[0] = false;
	for (let i = 0; i < n; i++)
		if (row[i] >= 0 && (hits[name[i]] || hits[detail[i]] || hits[place[i]]))
			found.push(i);
	return found;
}
