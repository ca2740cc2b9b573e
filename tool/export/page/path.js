// SPDX-License-Identifier: MIT
//
// The critical path, as the first track of the timeline: the process that the
// end waited for at each time, in the colour of its state.

const PATH = 26; // pixels, including the space below

function pathRange(d, t0, t1) {
	const { start, dur, n } = d.items;
	let low = d.firstStep, high = n;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (start[middle] + dur[middle] > t0)
			high = middle;
		else
			low = middle + 1;
	}
	let end = low;
	while (end < n && start[end] < t1)
		end++;
	return [low, end];
}

const DEEPEST = 40; // the most levels of processes whose names are tried

// Return for each pixel the process that has most of it, or -1.
function processesByPixel(d, first, end, view) {
	const { start, dur } = d.items;
	const parts = new Int32Array(Math.max(0, Math.ceil(view.width -
		view.left))).fill(-1);

	for (let i = first; i < end; i++) {
		const from = Math.max(0, Math.floor(view.toX(start[i]) - view.left));
		const to = Math.min(parts.length,
			view.toX(start[i] + dur[i]) - view.left);

		for (let x = from; x < to; x++)
			if (parts[x] < 0 || x > from + 1 || dur[i] > dur[parts[x]])
				parts[x] = i;
	}
	return parts.map((i) => i < 0 ? -1 :
		ancestorAt(d, d.items.process[i], DEEPEST));
}

// Return the process at this depth above `process`, or itself.
function ancestorAt(d, process, depth) {
	while (d.nodes[process].depth > depth)
		process = d.items.up[process];
	return process;
}

// Write names where there is room: of the deepest processes that have a stretch
// for themselves. Return whether any was written.
function drawPathNames(d, processes, from, to, depth, name) {
	let any = false;

	for (let x = from, next; x < to; x = next) {
		const of = (at) => processes[at] < 0 ? -1 :
			ancestorAt(d, processes[at], depth);
		const process = of(x);

		next = x + 1;
		while (next < to && of(next) === process)
			next++;
		if (process < 0 || d.nodes[process].depth < depth || next - x < 30)
			continue;
		any = true;
		if (!drawPathNames(d, processes, x, next, depth + 1, name))
			name(process, x, next);
	}
	return any;
}

function drawPath(ctx, d, columns, y, view) {
	const { start, dur } = d.items;
	const [first, end] = pathRange(d, view.t0, view.t1);

	ctx.fillStyle = theme.panel;
	ctx.fillRect(0, y, view.width, PATH);
	ctx.fillStyle = theme.text;
	barText(ctx, 'Critical path', 15, y + PATH / 2 - 1, view.left - 20);
	columns.begin(Math.ceil(view.width - view.left), y + PATH, view.left);
	columns.clear(Math.ceil(view.width - view.left));
	for (let i = first; i < end; i++)
		columns.add(Math.max(view.left, view.toX(start[i])),
			Math.min(view.width, view.toX(start[i] + dur[i])),
			d.pathCode[i - d.firstStep] & ~INFERRED);
	columns.paint(y + 2, PATH - 5, PATH - 5);
	columns.end(ctx);
	const processes = processesByPixel(d, first, end, view);
	drawPathNames(d, processes, 0, processes.length, 0, (process, from, to) => {
		const width = to - from, time = width > 140 ?
			'  ' + showTime(width * view.scale) : '';

		ctx.fillStyle = theme.bg;
		ctx.fillRect(view.left + to - 0.5, y + 2, 1, PATH - 5);
		// Without states, the whole path has one pale colour.
		ctx.fillStyle = d.states.n ? '#ffffff' : theme['bar-text'];
		barText(ctx, kindText(d, process, width - 9 - time.length * LETTER) +
			time, view.left + from + 5, y + PATH / 2, width - 9,
		d.states.n ? '#000000b0' : '');
	});
}

// Return the longest part of the path that is within a pixel of the time.
function pathAt(d, time, slack) {
	const [first, end] = pathRange(d, time - slack, time + slack);
	let best = -1;

	for (let i = first; i < end; i++)
		if (best < 0 || d.items.dur[i] > d.items.dur[best])
			best = i;
	return best;
}
