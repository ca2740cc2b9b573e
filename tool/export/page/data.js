// SPDX-License-Identifier: MIT
//
// Decode the data of the page, whose rows are those of
// tool/export/page/page.def. Everything with a beginning and a duration is an
// item.
//
// Items are numbered: first the processes, then the threads, then the spans of
// each thread, then the points (data, errors, messages), then the threads that
// only the kernel knows, then the parts of the critical path. The properties of
// items are arrays of numbers by item, so that 100,000 items need little
// memory.
'use strict';

const KIND = { region: 0, child: 1, exec: 2, span: 3, process: 5, thread: 6, data: 7,
	error: 8, message: 9, signal: 10, step: 11 };
const KIND_NAMES = ['region', 'child process', 'exec', 'span', '', 'process',
	'thread', 'data point', 'error', 'message', 'signal',
	'part of the critical path'];
const OPEN = 4;
// The kinds of points, by their number in the data.
const POINT_KINDS = { 0: KIND.data, 1: KIND.data, 2: KIND.error,
	3: KIND.message, 6: KIND.signal };

// Return the number of values in a row of a list.
const sizeOf = (places) => Object.keys(places).length;
const SPAN_FIELDS = sizeOf(SPAN), STATE_FIELDS = sizeOf(STATE),
	OBJECT_FIELDS = sizeOf(OBJECT), STEP_FIELDS = sizeOf(STEP),
	FRAME_FIELDS = sizeOf(FRAME), STACK_FIELDS = sizeOf(STACK);
const INFERRED = 32; // in the code of a state

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
		// For a child: the process that it became, or -1.
		became: new Int32Array(n).fill(-1),
		row: new Int32Array(n).fill(-1), // row in the timeline
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
		at += spans[k + SPAN.after];
		items.start[i] = at;
		items.dur[i] = spans[k + SPAN.dur];
		items.self[i] = Math.max(0, spans[k + SPAN.dur] - spans[k + SPAN.inner]);
		items.name[i] = spans[k + SPAN.name];
		items.up[i] = spans[k + SPAN.up] ? i - spans[k + SPAN.up] : thread;
		items.kind[i] = spans[k + SPAN.kind] & 3;
		items.open[i] = spans[k + SPAN.kind] & OPEN ? 1 : 0;
		items.detail[i] = spans[k + SPAN.detail];
		items.place[i] = spans[k + SPAN.place];
		items.became[i] = spans[k + SPAN.became] - 1;
		items.thread[i] = thread;
		items.process[i] = items.process[thread];
	}
}

// Add the points. They have no duration, and are in the row of the item around
// them.
function addPoints(d, items, firstSpan, first) {
	d.firstPoint = first;
	d.firstTask = first + d.points.length;
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
	return i >= d.firstPoint && i < d.firstTask;
}

// Is it a task without a thread of a session on the page?
function isOwnTask(row) {
	return !row[TASK.thread] && !row[TASK.leader];
}

// Add a task. It belongs to the item of its thread; the task of a process
// belongs to the process.
function addTask(d, row, item) {
	const { states, items } = d, list = row[TASK.states];
	const task = { item, process: row[TASK.process] - 1, tid: row[TASK.tid],
		start: row[TASK.start], end: row[TASK.start],
		first: states.n, last: states.n, objects: new Map() };

	for (let k = 0; k < list.length; k += STATE_FIELDS) {
		states.start[states.n] = task.end;
		states.dur[states.n] = list[k + STATE.dur];
		states.code[states.n] = list[k + STATE.code];
		states.other[states.n++] = list[k + STATE.other];
		task.end += list[k + STATE.dur];
	}
	task.last = states.n;
	for (let k = 0; k < row[TASK.objects].length; k += OBJECT_FIELDS)
		task.objects.set(row[TASK.objects][k + OBJECT.at],
			row[TASK.objects][k + OBJECT.name]);
	if (isOwnTask(row)) {
		items.kind[item] = KIND.thread;
		items.start[item] = task.start;
		items.dur[item] = items.self[item] = task.end - task.start;
		items.name[item] = row[TASK.name];
		items.process[item] = items.up[item] = task.process;
		items.thread[item] = item;
	}
	return task;
}

// Set d.tasks, d.states, d.tasksOf by process, and d.taskOfItem by thread.
function addTasks(d, next) {
	const n = d.tasks.reduce((sum, row) => sum + row[TASK.states].length,
		0) / STATE_FIELDS;

	d.states = { n: 0, start: new Float64Array(n), dur: new Float64Array(n),
		code: new Uint8Array(n), other: new Int32Array(n) };
	d.tasks = d.tasks.map((row) => addTask(d, row, isOwnTask(row) ? next++ :
		row[TASK.leader] ? row[TASK.process] - 1 :
			d.threadInfo[row[TASK.thread] - 1].item));
	d.tasksOf = d.processes.map(() => []);
	d.taskOfItem = new Map();
	for (const task of d.tasks) {
		d.tasksOf[task.process].push(task);
		d.taskOfItem.set(task.item, task);
	}
}

// Add the parts of the path. The reason of a part is its detail.
function addPath(d, first) {
	const { items, path } = d, numbers = new Map();
	let at = 0;

	d.pathCode = new Uint8Array(path.length / STEP_FIELDS);
	for (let k = 0, i = first; k < path.length; k += STEP_FIELDS, i++) {
		const code = path[k + STEP.code], by = path[k + STEP.by];
		// by: negative for parts of several processes
		const reason = reasonText(d, code, Math.max(0, by),
			path[k + STEP.object]) +
			(by < 0 ? ', in several processes' : '');

		if (!numbers.has(reason))
			numbers.set(reason, d.strings.push(reason) - 1);
		d.pathCode[i - first] = code;
		at += path[k + STEP.after];
		items.start[i] = at;
		at += items.dur[i] = path[k + STEP.dur];
		items.kind[i] = KIND.step;
		items.process[i] = path[k + STEP.process] - 1;
		items.name[i] = items.name[items.process[i]];
		items.detail[i] = numbers.get(reason);
		items.up[i] = path[k + STEP.span] ? d.firstSpan + path[k + STEP.span] - 1 :
			path[k + STEP.process] - 1;
	}
	d.path = path.length;
}

// Join the parts of strings: a text, or [number, first, length] for a stretch of
// an earlier string (tool/export/page/html_strings.c).
function joinStrings(strings) {
	strings.forEach((parts, i) => {
		if (typeof parts === 'string')
			return;
		strings[i] = parts.map((part) => typeof part === 'string' ? part :
			strings[part[0]].slice(part[1], part[1] + part[2])).join('');
	});
}

// Return the data of the page: d.items, d.strings, d.threadInfo, d.t0 and d.t1.
function decode(text) {
	const d = JSON.parse(text);
	joinStrings(d.strings);
	const np = d.processes.length;
	let n = np + d.threads.length + d.points.length +
		d.tasks.filter(isOwnTask).length + d.path.length / STEP_FIELDS;

	for (const t of d.threads)
		n += t[THREAD.spans].length / SPAN_FIELDS;
	const items = d.items = makeItems(n);
	addProcesses(d, items);
	d.firstSpan = np + d.threads.length;
	let next = d.firstSpan;
	d.threadInfo = d.threads.map((row, k) => {
		const i = np + k, spans = row[THREAD.spans];

		items.kind[i] = KIND.thread;
		items.start[i] = row[THREAD.start];
		items.dur[i] = items.self[i] = row[THREAD.dur];
		items.name[i] = row[THREAD.name];
		items.process[i] = items.up[i] = row[THREAD.process] - 1;
		items.thread[i] = i;
		addSpans(items, i, spans, next);
		// The program's spans are in lanes of their own, not below a
		// bar of a thread.
		const info = { item: i, main: row[THREAD.main] > 0, first: next,
			lanes: row[THREAD.main] > 1,
			end: next + spans.length / SPAN_FIELDS };
		next = info.end;
		return info;
	});
	d.threads = null;
	addPoints(d, items, d.firstSpan, next);
	addTasks(d, d.firstTask);
	d.firstStep = n - d.path.length / STEP_FIELDS;
	addPath(d, d.firstStep);
	d.t0 = 0;
	d.t1 = 1;
	for (let i = 0; i < n; i++) {
		d.t0 = Math.min(d.t0, items.start[i]);
		d.t1 = Math.max(d.t1, items.start[i] + items.dur[i]);
	}
	d.nodes = processTree(d);
	d.memory = decodeMemory(d);
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
	for (let i = d.firstTask; i < d.firstStep; i++)
		nodes[d.items.process[i]].threads.push({ item: i, main: false,
			first: 0, end: 0 });
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

// Return the items whose name, detail or place contains a text. A main thread
// is in the row of its process.
function search(d, query) {
	const wanted = query.toLowerCase();
	const hits = d.strings.map((s) => s.toLowerCase().includes(wanted));
	const { name, detail, place } = d.items;
	const main = new Set(d.threadInfo.filter((info) => info.main)
		.map((info) => info.item));
	const found = [];

	hits[0] = false;
	for (let i = 0; i < d.firstStep; i++)
		if (!main.has(i) &&
		    (hits[name[i]] || hits[detail[i]] || hits[place[i]]))
			found.push(i);
	return found;
}
