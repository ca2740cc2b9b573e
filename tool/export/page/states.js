// SPDX-License-Identifier: MIT
//
// The states of threads: run, ready and waits by cause, as colours, as sums and
// as a legend. The code of a state is 0: run, 1: ready, 2 and more: wait, by
// the number of its cause. The last code is a time on the path without a
// reason.

const RUN = 0, READY = 1, WAIT = 2;

function stateName(d, code) {
	return code === RUN ? 'run' : code === READY ? 'no CPU' :
		code - WAIT < d.causes.length ? 'wait ' +
			d.causes[code - WAIT][0].replace('unknown', '?') : '';
}

// by: the number of a name; object: the number of a text; 0: none.
function reasonText(d, code, by, object) {
	const name = stateName(d, code & ~INFERRED) +
		(object ? ' (' + d.strings[object] + ')' : '');
	const sign = code & INFERRED ? '~' : '';

	return !by ? name : name + ((code & ~INFERRED) === READY ? ': ' :
		', ended by ') + sign + d.strings[by];
}

function readStateColours(d, get) {
	theme.states = ['run', 'ready', ...d.causes.map(([name]) => name),
		'unknown'].map((name) => get('--state-' + name) ||
		get('--state-other'));
	// '#rrggbb' as a pixel: alpha, blue, green, red.
	theme.pixels = theme.states.map((colour) => {
		const [r, g, b] = [1, 3, 5].map((at) =>
			parseInt(colour.slice(at, at + 2), 16));

		return (0xff000000 | b << 16 | g << 8 | r) >>> 0;
	});
}

// Return the first state of a task that ends after `time`.
function stateAfter(d, task, time) {
	const { start, dur } = d.states;
	let low = task.first, high = task.last;

	while (low < high) {
		const middle = (low + high) >> 1;

		if (start[middle] + dur[middle] > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

// Return the state of a task at a time as text, for how long, and who ended it
// or has the CPU.
function stateText(d, task, time) {
	const { start, dur, code, other } = d.states;
	const k = stateAfter(d, task, time);

	if (k >= task.last || start[k] > time)
		return '';
	return 'now ' + reasonText(d, code[k], other[k] < 0 ? -other[k] :
		other[k] > 0 ? d.items.name[d.tasks[other[k] - 1].item] : 0,
		task.objects.get(start[k]) || 0) + ', ' + showTime(dur[k]);
}

// Return for each code how many nanoseconds these tasks were in it, from t0 to
// t1.
function sumStates(d, tasks, t0, t1) {
	const { start, dur, code } = d.states;
	const sums = new Float64Array(WAIT + d.causes.length + 1);

	for (const task of tasks) {
		if (task.start >= t1 || task.end <= t0)
			continue;
		for (let k = stateAfter(d, task, t0);
			k < task.last && start[k] < t1; k++)
			sums[code[k] & ~INFERRED] += Math.min(t1, start[k] + dur[k]) -
				Math.max(t0, start[k]);
	}
	return sums;
}

// Return the tasks whose states belong to an item: all tasks of a process, or
// the one of a thread, a region or a point.
function tasksOfItem(d, i) {
	const { kind, thread, process } = d.items;

	if (i < 0)
		return d.tasks;
	if (kind[i] === KIND.span)
		return [];
	if (kind[i] === KIND.process || kind[i] === KIND.step)
		return d.tasksOf[process[i]];
	const task = d.taskOfItem.get(thread[i]) ||
		d.taskOfItem.get(process[i]);
	return task ? [task] : [];
}

// ---- drawing ----------------------------------------------------------------

// Sums of time by column of pixels and by code: a state that is smaller than a
// pixel counts with its time.
function makeColumns(d) {
	const codes = WAIT + d.causes.length + 1;
	const scratch = document.createElement('canvas').getContext('2d',
		{ willReadFrequently: true });
	let sums = new Float64Array(0), low = 0, high = 0, left = 0;
	let image = null, pixels = null;

	function clear(width) {
		if (sums.length < (width + 1) * codes)
			sums = new Float64Array((width + 1) * codes);
		sums.fill(0, low * codes, (high + 1) * codes);
		low = width;
		high = 0;
	}

	// x0 and x1 are inside the picture.
	function add(x0, x1, code) {
		const a = x0 - left, b = x1 - left;
		const first = Math.floor(a), last = Math.floor(b);

		low = Math.min(low, first);
		high = Math.max(high, last);
		if (first === last) {
			sums[first * codes + code] += b - a;
			return;
		}
		sums[first * codes + code] += first + 1 - a;
		for (let x = first + 1; x < last; x++)
			sums[x * codes + code] += 1;
		sums[last * codes + code] += b - last;
	}

	// Add list[at + code], which is time, to a column; scale: the time of a
	// pixel.
	function addSums(x, list, at, scale) {
		for (let code = 0; code < codes; code++)
			sums[x * codes + code] += list[at + code] / scale;
		low = Math.min(low, x);
		high = Math.max(high, x);
	}

	// Return the shares of run, ready and waits in a column, and the
	// longest wait.
	function column(x) {
		const at = x * codes;
		let wait = 0, longest = WAIT;

		for (let code = WAIT; code < codes; code++) {
			wait += sums[at + code];
			if (sums[at + code] > sums[at + longest])
				longest = code;
		}
		const run = Math.min(1, sums[at + RUN]);
		const ready = Math.min(1 - run, sums[at + READY]);
		return [run, ready, Math.min(1 - run - ready, wait), longest];
	}

	// Begin a picture of all strips. Drawing those of a screen as
	// rectangles would take longer than a frame.
	function begin(width, height, x) {
		if (!image || image.width !== width || image.height !== height) {
			scratch.canvas.width = width;
			scratch.canvas.height = height;
			image = new ImageData(width, height);
			pixels = new Uint32Array(image.data.buffer);
		}
		pixels.fill(0);
		left = x;
	}

	function end(ctx) {
		scratch.putImageData(image, 0, 0);
		ctx.imageSmoothingEnabled = false;
		ctx.drawImage(scratch.canvas, left, 0);
	}

	// Fill a part of a column, from the line `bottom` upwards.
	function fill(x, bottom, from, to, code) {
		for (let row = from; row < to; row++)
			if (row <= bottom && bottom < image.height + row)
				pixels[(bottom - row) * image.width + x] =
					theme.pixels[code];
	}

	// Add the columns to the picture. A wait is as high as waitHeight, other
	// states are as high as `height`.
	function paint(y, height, waitHeight) {
		const bottom = y + height - 1;

		for (let x = low; x <= high && x < image.width; x++) {
			const [run, ready, wait, longest] = column(x);
			const first = Math.round(run * height);
			const second = Math.round((run + ready) * height);
			const third = second + Math.round(wait * waitHeight);

			fill(x, bottom, 0, first, RUN);
			fill(x, bottom, first, second, READY);
			fill(x, bottom, second, third, longest);
			if (!third && run + ready + wait > 0)
				fill(x, bottom, 0, 1, run >= Math.max(ready, wait) ? RUN :
					ready >= wait ? READY : longest);
		}
	}

	return { begin, end, clear, add, addSums, paint };
}

// Add the states of a task with many of them, pixel by pixel.
function addManyStates(d, columns, task, view) {
	const { start, code } = d.states, sums = new Float64Array(
		WAIT + d.causes.length + 1);
	const end = Math.min(task.end, view.t1);
	let from = Math.max(task.start, view.t0), k = stateAfter(d, task, from);
	let x = Math.floor((from - view.t0) / view.scale);

	for (; from < end && k < task.last; x++) {
		const to = Math.min(end, view.t0 + (x + 1) * view.scale);
		const next = stateAfter(d, { first: k, last: task.last }, to);

		sums.fill(0);
		d.sumOfStates(sums, k, next, 0);
		// The states at both ends are partly in the pixels beside this
		// one.
		sums[code[k] & ~INFERRED] -= from - start[k];
		if (next < task.last && start[next] < to)
			sums[code[next] & ~INFERRED] += to - start[next];
		columns.addSums(x, sums, 0, view.scale);
		from = to;
		k = next;
	}
}

// Add the states of a task to columns. view: as for marks.
function addStates(d, columns, task, view) {
	const { start, dur, code } = d.states;

	if (task.start >= view.t1 || task.end <= view.t0)
		return;
	const pixels = (Math.min(task.end, view.t1) -
		Math.max(task.start, view.t0)) / view.scale;
	if (task.last - task.first > 100 + 4 * pixels &&
	    stateAfter(d, task, view.t1) - stateAfter(d, task, view.t0) >
	    100 + 4 * pixels) {
		addManyStates(d, columns, task, view);
		return;
	}
	for (let k = stateAfter(d, task, view.t0);
		k < task.last && start[k] < view.t1; k++)
		columns.add(Math.max(view.left, view.toX(start[k])),
			Math.min(view.width, view.toX(start[k] + dur[k])),
			code[k] & ~INFERRED);
}

// ---- the legend -------------------------------------------------------------

// Show the colours of the states in this recording, with their sums.
function makeLegend(d) {
	const list = byId('legend'), note = byId('legend-of');
	const all = sumStates(d, d.tasks, -Infinity, Infinity);
	const rows = [];

	all.forEach((sum, code) => {
		if (!sum)
			return;
		const value = el('b', {});
		const swatch = el('i', { class: code < WAIT ? 'full' : 'half' });

		const item = el('li', { title: code < WAIT ? '' :
			'waiting for ' + d.causes[code - WAIT][1] }, swatch,
		stateName(d, code) + ' ', value);

		list.append(item);
		rows.push({ code, value, swatch, item });
	});
	byId('states').hidden = !rows.length;
	if (d.grain)
		byId('grain').textContent = ' Of ' + showNumber(d.recordedStates) +
			' recorded states, those shorter than ' + showTime(d.grain) +
			' are merged: sums are exact, their order is not.';
	if (d.pathGrain)
		byId('grain').append(' Parts of the critical path shorter than ' +
			showTime(d.pathGrain) + ' are merged' +
			(d.grain ? ', too.' : ' in the same way: sums are exact.'));

	return (selected, t0, t1) => {
		// A span of the program has no states of its own: take its
		// process's.
		const i = selected >= 0 && d.items.kind[selected] === KIND.span ?
			d.items.process[selected] : selected;
		const sums = i < 0 && t0 <= d.t0 && t1 >= d.t1 ? all :
			sumStates(d, tasksOfItem(d, i), t0, t1);

		note.textContent = (i < 0 ? 'All threads' : itemName(d, i)) + ':';
		for (const { code, value, swatch, item } of rows) {
			item.hidden = !sums[code];
			value.textContent = showTime(sums[code]);
			swatch.style.background = theme.states[code];
		}
	};
}
