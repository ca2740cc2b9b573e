// SPDX-License-Identifier: MIT
//
// The timeline, drawn on a canvas as high as its visible part. Of several items
// within a pixel, one is drawn and the others are skipped, so that the cost of
// drawing depends on the size of the picture, not on the number of spans.

const ROW = 21;
const BAR = 19;
const STRIP = 6; // pixels of a bar's strip of states
const RULER = 24;
const SHORTEST = 50; // ns: the shortest interval that can be shown
const THIN = 1.6; // pixels: the narrowest bar
const TIP_LETTERS = 120; // the panel below has the whole text
// with more items in a pixel, their states are added as sums
const FEW_IN_PIXEL = 4;

function makeTimeline(d, events) {
	const { start, dur, kind, name, row: rowOf, process, open } = d.items;
	const canvas = byId('canvas'), scroller = byId('scroller');
	const unfolded = firstUnfolded(d);
	const colours = d.strings.map(colourOf), kinds = coloursOfKinds(d);
	const columns = makeColumns(d), pathColumns = makeColumns(d);
	const wakes = makeWakes(d);
	const overview = makeOverview(d, show), legend = makeLegend(d);
	const nextMark = makeMarkOrder(d);
	const pathEnd = RULER + (d.path ? PATH : 0);
	const top = pathEnd + (d.memory ? MEMORY : 0); // y of the first row
	let rows = [];
	let t0 = d.t0, t1 = d.t1;
	let selected = -1, found = null, queued = false, range = null;
	let gutter = 0, width = 0, legendTimer = 0;

	// ---- rows ----

	function layRows() {
		rows = makeRows(d, unfolded);
		byId('spacer').style.height = rows.length * ROW + top + 'px';
		placeFound();
		queue();
	}

	function placeFound() {
		const lists = listsByRow(d, found, false);
		const points = listsByRow(d, found, true);

		rows.forEach((row, k) => {
			row.found = lists.get(k) || null;
			row.foundPoints = points.get(k) || null;
		});
	}

	function fold(key) {
		if (!unfolded.delete(key))
			unfolded.add(key);
		layRows();
	}

	// ---- drawing ----

	function toX(time) {
		return gutter + (time - t0) / (t1 - t0) * (width - gutter);
	}

	function toTime(x) {
		return t0 + (x - gutter) / (width - gutter) * (t1 - t0);
	}

	function colourOfKind(name) {
		return theme.hues[kinds.get(name)];
	}

	function colour(i) {
		return kind[i] === KIND.process ? colourOfKind(d.processes[i][PROCESS.kind]) :
			kind[i] === KIND.thread ? theme.process :
				theme.hues[colours[name[i]]];
	}

	// Return the height of a bar; its states are drawn below it.
	function heightOf(i) {
		return kind[i] >= KIND.process && tasksOfRow(i).length ?
			BAR - STRIP : BAR;
	}

	// Return the tasks of a bar: all threads of a process, except threads
	// that have rows of their own.
	function tasksOfRow(i) {
		if (kind[i] !== KIND.process)
			return kind[i] === KIND.thread ? tasksOfItem(d, i) : [];
		const tasks = d.tasksOf[i];

		return unfolded.has(i) && !rows[rowOf[i]].lane ?
			tasks.filter((task) => task.item === i) : tasks;
	}

	function drawBar(ctx, i, y, x0, x1) {
		const left = Math.max(gutter, x0), right = Math.min(width, x1);

		const height = heightOf(i);

		ctx.fillStyle = colour(i);
		ctx.fillRect(left, y, Math.max(1, right - left - 0.5), height);
		if (kind[i] === KIND.process &&
		    endText(d, d.processes[i]) && right - left > 4) {
			ctx.fillStyle = theme.bad;
			ctx.fillRect(right - 3.5, y, 3, BAR);
		}
		if (right - left < 24)
			return;
		const time = right - left > 180 ? '  ' + showTime(dur[i]) : '';
		let text = d.strings[name[i]];
		if (kind[i] === KIND.process)
			text = commandText(d, i,
				right - left - 8 - time.length * LETTER);
		ctx.fillStyle = theme['bar-text'];
		barText(ctx, text + time, left + 4, y + height / 2 + 0.5, right - left - 8);
	}

	// Return the next item to draw after the items that begin until `time`:
	// the last of these, if it is long.
	function skip(items, time, step) {
		const next = firstAfter(start, items, time);

		return dur[items[next - 1]] < step ? next : next - 1;
	}

	// Draw items. One that is narrower than THIN stands for all that begin
	// within it.
	function drawItems(ctx, items, y, mark, paint) {
		const step = THIN * (t1 - t0) / (width - gutter);
		let k = Math.max(0, firstAfter(start, items, t0) - 1);

		while (k < items.length && start[items[k]] < t1) {
			const i = items[k], x0 = toX(start[i]);
			const x1 = toX(start[i] + dur[i]);

			k++;
			if (x1 < gutter)
				continue;
			if (x1 - x0 >= THIN) {
				if (!mark)
					drawBar(ctx, i, y, x0, x1);
				else
					ctx.fillRect(Math.max(gutter, x0), y,
						Math.min(width, x1) - Math.max(gutter, x0), 3);
				continue;
			}
			if (!mark)
				ctx.fillStyle = paint || colour(i);
			ctx.fillRect(Math.max(gutter, x0), y, THIN,
				mark ? BAR : heightOf(i));
			k = Math.max(k, skip(items, start[i] + step, step));
		}
	}

	// Add the states of many items that begin in a column of pixels.
	function addRowSums(row, from, to, x, view) {
		const sums = row.sums ??= makeRowSums(d, row.items, tasksOfRow);
		const codes = sums.length / (row.items.length + 1);
		const own = sums.slice(to * codes, (to + 1) * codes);

		for (let code = 0; code < codes; code++)
			own[code] -= sums[from * codes + code];
		columns.addSums(Math.max(0, x), own, 0, view.scale);
	}

	function drawStates(row, y, view) {
		const { items } = row;

		columns.clear(Math.ceil(width - gutter));
		for (let k = Math.max(0, firstAfter(start, items, t0) - 1), next;
			k < items.length && start[items[k]] < t1; k = next) {
			const x = Math.floor((start[items[k]] - t0) / view.scale);

			next = Math.max(k + 1, skip(items, t0 + (x + 1) * view.scale,
				view.scale));
			if (next - k > FEW_IN_PIXEL) {
				addRowSums(row, k, next, x, view);
				continue;
			}
			for (; k < next; k++)
				for (const task of tasksOfRow(items[k]))
					addStates(d, columns, task, view);
		}
		columns.paint(y + BAR - STRIP, STRIP, STRIP / 2);
	}

	function drawRow(ctx, row, y, view) {
		ctx.globalAlpha = found && found.length ? 0.45 : 1;
		drawItems(ctx, row.items, y, false);
		ctx.globalAlpha = 1;
		if (row.found)
			drawItems(ctx, row.found, y, false);
		if (row.items.length && kind[row.items[0]] >= KIND.process)
			drawStates(row, y, view);
		drawGutter(ctx, row, y);
	}

	// Draw the parts that are above the states.
	function drawRowTop(ctx, row, y, view) {
		ctx.fillStyle = theme.found;
		if (row.found)
			drawItems(ctx, row.found, y, true);
		if (row.foundPoints)
			drawItems(ctx, row.foundPoints, y, false, theme.found);
		drawRowMarks(ctx, d, row, y, view);
	}

	// Return an arrow to the bars of a row, if none of them is in the shown
	// time.
	function beyond(row) {
		const next = firstAfter(start, row.items, t1);
		const last = row.items[next - 1];

		if (!row.items.length || (next && start[last] + dur[last] >= t0))
			return '';
		return next ? '◂' : '▸';
	}

	function drawGutter(ctx, row, y) {
		const where = beyond(row);

		ctx.fillStyle = theme.dim;
		if (where)
			ctx.fillText(where, where === '◂' ? gutter + 3 : width - 13,
				y + BAR / 2);
		if (!row.title)
			return;
		const indent = 4 + Math.min(row.depth, 8) * 9;

		ctx.fillStyle = row.head && !where ? theme.text : theme.dim;
		if (row.key !== null)
			ctx.fillText(unfolded.has(row.key) ? '▾' : '▸', indent,
				y + BAR / 2);
		barText(ctx, row.title, indent + 11, y + BAR / 2,
			gutter - indent - 15);
	}

	function drawGrid(ctx, height) {
		ctx.fillStyle = theme.bg;
		ctx.fillRect(0, 0, width, height);
		ctx.fillStyle = theme.grid;
		ctx.fillRect(gutter - 1, 0, 1, height);
	}

	// scrolled: pixels
	function drawSelected(ctx, scrolled) {
		const step = selected >= 0 && kind[selected] === KIND.step;
		const at = selected >= 0 ? rowOf[selected] : -1;

		if (at < 0 && !step)
			return;
		const x0 = Math.max(gutter, toX(start[selected]));
		const x1 = Math.min(width, toX(start[selected] + dur[selected]));
		if (x1 < gutter || x0 > width)
			return;
		const point = isPoint(d, selected);
		ctx.strokeStyle = theme.text;
		ctx.lineWidth = 2;
		ctx.strokeRect(point ? x0 - 7 : x0 - 1,
			step ? RULER + 1 : at * ROW + top - scrolled,
			point ? 14 : Math.max(3, x1 - x0 + 1), step ? PATH - 4 : BAR);
	}

	function drawRows(ctx, scrolled, height, view) {
		const visible = rows.slice(Math.floor(scrolled / ROW),
			Math.ceil((scrolled + height - top) / ROW));
		const first = Math.floor(scrolled / ROW) * ROW + top + 1 - scrolled;

		columns.begin(Math.ceil(width - gutter), height, gutter);
		visible.forEach((row, k) => drawRow(ctx, row, first + k * ROW, view));
		columns.end(ctx);
		visible.forEach((row, k) =>
			drawRowTop(ctx, row, first + k * ROW, view));
		if (selected >= 0)
			drawWakes(ctx, d, wakes, selected, view, (i) => rowOf[i] < 0 ?
				-1 : rowOf[i] * ROW + top + BAR - STRIP / 2 - scrolled);
	}

	function draw() {
		queued = false;
		if (!canvas.clientWidth)
			return;
		const whole = rows.length * ROW + top;
		const height = Math.max(80, Math.min(whole,
			Math.round(innerHeight * 0.62) - 2));
		const { ctx, width: w } = fitCanvas(canvas, height);
		const scrolled = Math.round(Math.max(0, Math.min(scroller.scrollTop,
			whole - height)));

		width = w;
		gutter = Math.round(Math.min(230, w * 0.24));
		drawGrid(ctx, height);
		const view = { toX, t0, t1, left: gutter, width,
			scale: (t1 - t0) / (width - gutter) };
		drawRows(ctx, scrolled, height, view);
		drawSelected(ctx, scrolled);
		drawRuler(ctx, view, range);
		if (d.path)
			drawPath(ctx, d, pathColumns, RULER, view);
		if (d.memory)
			drawMemory(ctx, d.memory, pathEnd, view, colourOfKind);
		if (selected >= 0 && kind[selected] === KIND.step)
			drawSelected(ctx, scrolled);
		overview(t0, t1, found);
		showRange();
	}

	// Show the range. The sums follow when the picture rests.
	function showRange() {
		byId('range').textContent = showTime(t0) + ' – ' + showTime(t1) +
			(t1 - t0 < (d.t1 - d.t0) * 0.999 ?
				' (' + showTime(t1 - t0) + ')' : '');
		clearTimeout(legendTimer);
		legendTimer = setTimeout(() => legend(selected, t0, t1),
			legendTimer ? 60 : 0);
	}

	function queue() {
		if (queued)
			return;
		queued = true;
		requestAnimationFrame(draw);
	}

	// ---- zoom and pan ----

	function show(from, to) {
		const whole = d.t1 - d.t0;
		const length = Math.max(Math.min(SHORTEST, whole),
			Math.min(to - from, whole));

		t0 = Math.max(d.t0, Math.min(from, d.t1 - length));
		t1 = t0 + length;
		queue();
	}

	function zoom(factor, time) {
		const at = time ?? (selected >= 0 && start[selected] < t1 &&
			start[selected] + dur[selected] > t0 ?
			Math.max(t0, Math.min(t1, start[selected] + dur[selected] / 2)) :
			(t0 + t1) / 2);

		show(at - (at - t0) * factor, at + (t1 - at) * factor);
	}

	function pan(share) {
		show(t0 + (t1 - t0) * share, t1 + (t1 - t0) * share);
	}

	function zoomTo(i) {
		if (isPoint(d, i)) {
			const near = Math.max(dur[d.items.up[i]] / 20, SHORTEST);

			show(start[i] - near, start[i] + near);
			return;
		}
		const margin = Math.max(dur[i] * 0.04, SHORTEST);

		show(start[i] - margin, start[i] + dur[i] + margin);
	}

	// ---- selection ----

	function rowAt(y) {
		return y < top ? undefined :
			rows[Math.floor((y - top + scroller.scrollTop) / ROW)];
	}

	function itemAt(x, y) {
		const row = rowAt(y);
		const slack = (t1 - t0) / (width - gutter) * 2;
		const time = toTime(x);

		if (d.path && y >= RULER && y < pathEnd && x >= gutter)
			return pathAt(d, time, slack / 4);
		if (!row || x < gutter)
			return -1;
		const mark = markAt(d, row, time, slack * 2);
		if (mark >= 0)
			return mark;
		for (let k = firstAfter(start, row.items, time + slack) - 1, tries = 0;
			k >= 0 && tries < 3; k--, tries++) {
			const i = row.items[k];

			if (start[i] + dur[i] + slack >= time)
				return i;
		}
		return -1;
	}

	function unfold(i, ownRow) {
		if (unfoldTo(d, unfolded, i, ownRow))
			layRows();
	}

	function scrollTo(i) {
		const y = rowOf[i] * ROW;
		const height = canvas.clientHeight - top - ROW;

		if (y < scroller.scrollTop)
			scroller.scrollTop = y;
		else if (y > scroller.scrollTop + height)
			scroller.scrollTop = y - height;
	}

	function select(i, how) {
		selected = i;
		if (i < 0) {
			queue();
			return;
		}
		if (kind[i] !== KIND.step) {
			unfold(i, how === 'own row');
			scrollTo(i);
		}
		if (how === 'zoom')
			zoomTo(i);
		else if (start[i] > t1 || start[i] + dur[i] < t0)
			show(start[i] + dur[i] / 2 - (t1 - t0) / 2,
				start[i] + dur[i] / 2 + (t1 - t0) / 2);
		queue();
	}

	// Return the item nearest to the selected one in the next row with
	// items, above or below.
	function neighbour(direction) {
		const time = Math.max(t0, Math.min(t1,
			start[selected] + Math.min(dur[selected], t1 - t0) / 2));

		for (let k = rowOf[selected] + direction;
			k >= 0 && k < rows.length; k += direction) {
			const items = rows[k].items;

			if (items.length)
				return items[Math.max(0, firstAfter(start, items, time) - 1)];
		}
		const step = direction < 0 && d.path ? pathAt(d, time, 0.5) : -1;
		return step < 0 ? selected : step;
	}

	function beside(direction) {
		if (kind[selected] === KIND.step)
			return Math.max(d.firstStep,
				Math.min(d.items.n - 1, selected + direction));
		const row = rows[rowOf[selected]];
		const items = [row.items, row.points, row.errors].find(
			(list) => list && list.includes(selected));
		const at = items.indexOf(selected) + direction;

		return items[at] ?? selected;
	}

	// Return the text of a tooltip: the item, and its states.
	function tipText(i, time) {
		const lines = [cutMiddle(itemName(d, i), TIP_LETTERS)];

		lines.push((isPoint(d, i) ? 'at ' + showTime(start[i]) :
			showTime(dur[i])) + (open[i] ? ', no end seen' : ''));
		if (d.items.detail[i] && (d.items.name[i] || kind[i] === KIND.step))
			lines.push(cutMiddle(d.strings[d.items.detail[i]], TIP_LETTERS,
				kind[i] === KIND.process &&
					d.strings[d.processes[i][PROCESS.file]]));
		for (const task of kind[i] === KIND.step ? [] : tasksOfRow(i)) {
			const state = stateText(d, task, time);

			if (state && lines.length < 8)
				lines.push(state);
		}
		return lines.join('\n');
	}

	const KEYS = {
		'+': () => zoom(0.6), '=': () => zoom(0.6), '-': () => zoom(1 / 0.6),
		'w': () => zoom(0.6), 's': () => zoom(1 / 0.6),
		'a': () => pan(-0.2), 'd': () => pan(0.2),
		'0': () => show(d.t0, d.t1), 'Home': () => show(d.t0, d.t1),
		'Escape': () => events.select(-1),
		'Enter': () => selected >= 0 && zoomTo(selected),
		' ': () => selected >= 0 && foldSelected(),
		'ArrowDown': () => move(neighbour, 1),
		'ArrowUp': () => move(neighbour, -1),
		'ArrowRight': () => move(beside, 1), 'ArrowLeft': () => move(beside, -1),
		'm': () => mark(1), 'M': () => mark(-1),
		'PageDown': () => { scroller.scrollTop += 10 * ROW; },
		'PageUp': () => { scroller.scrollTop -= 10 * ROW; },
	};

	function move(way, direction) {
		if (rows.length)
			events.select(selected < 0 || (rowOf[selected] < 0 &&
				kind[selected] !== KIND.step) ? rows[0].items[0] :
				way(direction));
	}

	function mark(direction) {
		const i = nextMark(selected, direction);

		if (i >= 0)
			events.select(i);
	}

	// Fold or unfold the selected process. A process in a lane first gets a
	// row of its own.
	function foldSelected() {
		const i = process[selected];

		events.select(i);
		if (rows[rowOf[i]].lane)
			unfold(i, true);
		else
			fold(i);
		scrollTo(i);
	}

	canvas.addEventListener('keydown', (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (e.shiftKey && e.key.startsWith('Arrow')) {
			const way = { ArrowLeft: -0.2, ArrowRight: 0.2 }[e.key];

			if (way)
				pan(way);
			else
				scroller.scrollTop += e.key === 'ArrowDown' ? ROW : -ROW;
		} else if (KEYS[e.key]) {
			KEYS[e.key]();
		} else {
			return;
		}
		e.preventDefault();
	});

	pointers(canvas, {
		zoom: (factor, x) => zoom(factor, toTime(x)),
		pan: (dx, dy) => {
			const time = dx * (t1 - t0) / (width - gutter);

			scroller.scrollTop -= dy;
			show(t0 - time, t1 - time);
		},
		isRange: (x, y) => y < RULER && x >= gutter,
		range: (from, to, done) => {
			range = done ? null : [from, to];
			if (done && Math.abs(to - from) > 4)
				show(toTime(Math.min(from, to)), toTime(Math.max(from, to)));
			queue();
		},
		click: (x, y, e) => {
			const row = rowAt(y);

			showTip('', e);
			if (x < gutter && row && row.key !== null)
				fold(row.key);
			events.select(x < gutter && row && !row.lane && row.items.length ?
				row.items[0] : itemAt(x, y));
		},
		double: (x, y) => {
			const i = itemAt(x, y);

			if (i >= 0)
				zoomTo(i);
		},
		hover: (x, y, e) => {
			const i = itemAt(x, y);

			canvas.style.cursor = i >= 0 || x < gutter ? 'pointer' :
				y < RULER ? 'col-resize' : 'default';
			showTip(i >= 0 ? tipText(i, toTime(x)) :
				y >= pathEnd && y < top && x >= gutter ?
					memoryText(d, toTime(x),
						(t1 - t0) / (width - gutter)) : '', e);
		},
	});
	scroller.addEventListener('scroll', queue);
	layRows();

	return {
		shown: () => ({ selected, t0, t1 }),
		queue, select, zoom: (factor) => zoom(factor),
		all: () => show(d.t0, d.t1),
		find(items) {
			found = items;
			placeFound();
			queue();
		},
		// Matches are visited in the order of processes, then of time.
		order: (a, b) => process[a] - process[b] || start[a] - start[b] || a - b,
	};
}
