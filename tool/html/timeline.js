// SPDX-License-Identifier: MIT
//
// The timeline, drawn on a canvas as high as its visible part. Of several items
// within a pixel, one is drawn and the others are skipped, so that the cost of
// drawing depends on the size of the picture, not on the number of spans.

const ROW = 19;
const BAR = 17;
const RULER = 24;
const OVERVIEW = 34;
const SHORTEST = 50; // ns: the shortest interval that can be shown
const THIN = 1.6; // pixels of the narrowest bar

function makeTimeline(d, events) {
	const { start, dur, kind, name, row: rowOf, process, open } = d.items;
	const canvas = byId('canvas'), scroller = byId('scroller');
	const overview = byId('overview');
	const rows = makeRows(d);
	const folded = new Set();
	const colours = d.strings.map(colourOf);
	const nextMark = makeMarkOrder(d);
	let shown = [], place = []; // rows that are not folded; their positions
	let t0 = d.t0, t1 = d.t1;
	let selected = -1, found = null, queued = false, range = null;
	let gutter = 0, width = 0;

	// ---- rows ----

	function isHidden(node) {
		for (let up = d.items.up[node.item]; up >= 0; up = d.items.up[up])
			if (folded.has(up))
				return true;
		return false;
	}

	function chooseRows() {
		let node = null, hidden = false;

		shown = [];
		place = new Int32Array(rows.length).fill(-1);
		rows.forEach((row, k) => {
			if (row.node !== node) {
				node = row.node;
				hidden = folded.size > 0 && isHidden(node);
			}
			if (hidden || (!row.head && folded.has(node.item)))
				return;
			place[k] = shown.length;
			shown.push(row);
		});
		byId('spacer').style.height = shown.length * ROW + RULER + 'px';
		queue();
	}

	function fold(node) {
		if (!folded.delete(node.item))
			folded.add(node.item);
		chooseRows();
	}

	// ---- drawing ----

	function toX(time) {
		return gutter + (time - t0) / (t1 - t0) * (width - gutter);
	}

	function toTime(x) {
		return t0 + (x - gutter) / (width - gutter) * (t1 - t0);
	}

	function colour(i) {
		if (kind[i] >= KIND.process)
			return d.processes[process[i]][PROCESS.instrumented] ||
				kind[i] === KIND.thread ? theme.process : theme.silent;
		return theme.hues[colours[name[i]]];
	}

	function drawBar(ctx, i, y, x0, x1) {
		const left = Math.max(gutter, x0), right = Math.min(width, x1);

		ctx.fillStyle = colour(i);
		ctx.fillRect(left, y, Math.max(1, right - left - 0.5), BAR);
		if (kind[i] === KIND.process &&
		    endText(d, d.processes[i]) && right - left > 4) {
			ctx.fillStyle = theme.bad;
			ctx.fillRect(right - 3.5, y, 3, BAR);
		}
		if (right - left < 24)
			return;
		let text = d.strings[name[i]];
		if (kind[i] === KIND.process)
			text = d.strings[d.items.detail[i]] || text;
		ctx.fillStyle = theme['bar-text'];
		barText(ctx, text + (right - left > 180 ? '  ' + showTime(dur[i]) : ''),
			left + 4, y + BAR / 2 + 0.5, right - left - 8);
	}

	// Return the next item to draw after those that begin until `time`: the
	// last of them if it is long.
	function skip(items, time, step) {
		const next = firstAfter(start, items, time);

		return dur[items[next - 1]] < step ? next : next - 1;
	}

	// An item narrower than that represents all that begin within it.
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
					ctx.fillRect(Math.max(gutter, x0), y + BAR - 4,
						Math.min(width, x1) - Math.max(gutter, x0), 4);
				continue;
			}
			if (!mark)
				ctx.fillStyle = paint || colour(i);
			ctx.fillRect(Math.max(gutter, x0), y, THIN, BAR);
			k = Math.max(k, skip(items, start[i] + step, step));
		}
	}

	function drawRow(ctx, row, y) {
		ctx.globalAlpha = found ? 0.45 : 1;
		drawItems(ctx, row.items, y, false);
		ctx.globalAlpha = 1;
		ctx.fillStyle = theme.found;
		if (row.found)
			drawItems(ctx, row.found, y, true);
		if (row.foundPoints)
			drawItems(ctx, row.foundPoints, y, false, theme.found);
	}

	function drawGutter(ctx, row, y) {
		if (!row.title)
			return;
		const indent = 4 + Math.min(row.node.depth, 8) * 9 + (row.head ? 0 : 12);
		const folds = row.head && (row.node.children.length ||
			row.node.threads.some((t) => t.end > t.first));

		ctx.fillStyle = row.head ? theme.text : theme.dim;
		if (folds)
			ctx.fillText(folded.has(row.node.item) ? '▸' : '▾', indent,
				y + BAR / 2);
		barText(ctx, row.title, indent + 11, y + BAR / 2,
			gutter - indent - 15);
	}

	function drawRuler(ctx) {
		const wanted = (t1 - t0) / Math.max(2, (width - gutter) / 95);
		const power = 10 ** Math.floor(Math.log10(wanted));
		const step = power * [1, 2, 5, 10].find((f) => f * power >= wanted);

		ctx.fillStyle = theme.panel;
		ctx.fillRect(0, 0, width, RULER);
		for (let k = Math.ceil(t0 / step); k * step <= t1; k++) {
			const x = toX(k * step);

			ctx.fillStyle = theme.line;
			ctx.fillRect(x, 0, 1, RULER);
			ctx.fillStyle = theme.dim;
			if (x < width - 46)
				ctx.fillText(showTick(k * step, step), x + 4, RULER / 2);
		}
		if (range) {
			ctx.fillStyle = theme.accent;
			ctx.globalAlpha = 0.35;
			ctx.fillRect(Math.min(range[0], range[1]), 0,
				Math.abs(range[1] - range[0]), RULER);
			ctx.globalAlpha = 1;
		}
	}

	function showTick(t, step) {
		const unit = Math.abs(t) >= 1e9 ? [1e9, 's'] :
			Math.abs(t) >= 1e6 ? [1e6, 'ms'] : [1e3, 'µs'];
		const decimals = Math.max(0, Math.ceil(Math.log10(unit[0] / step) - 1e-9));

		return (t / unit[0]).toFixed(Math.min(9, decimals)) + ' ' + unit[1];
	}

	function drawGrid(ctx, height) {
		ctx.fillStyle = theme.bg;
		ctx.fillRect(0, 0, width, height);
		ctx.fillStyle = theme.grid;
		ctx.fillRect(gutter - 1, 0, 1, height);
	}

	function drawSelected(ctx, top) {
		const at = selected >= 0 ? place[rowOf[selected]] : -1;

		if (at < 0)
			return;
		const x0 = Math.max(gutter, toX(start[selected]));
		const x1 = Math.min(width, toX(start[selected] + dur[selected]));
		if (x1 < gutter || x0 > width)
			return;
		const left = isPoint(d, selected) ? x0 - 7 : x0 - 1;
		ctx.strokeStyle = theme.text;
		ctx.lineWidth = 2;
		ctx.strokeRect(left, at * ROW + RULER - top,
			isPoint(d, selected) ? 14 : Math.max(3, x1 - x0 + 1), BAR);
	}

	function draw() {
		queued = false;
		if (!canvas.clientWidth)
			return;
		const whole = shown.length * ROW + RULER;
		const height = Math.max(80, Math.min(whole,
			Math.round(innerHeight * 0.62) - 2));
		const { ctx, width: w } = fitCanvas(canvas, height);
		const top = Math.max(0, Math.min(scroller.scrollTop, whole - height));

		width = w;
		gutter = Math.round(Math.min(230, w * 0.24));
		drawGrid(ctx, height);
		const last = Math.min(shown.length,
			Math.ceil((top + height - RULER) / ROW));
		const view = { toX, t0, t1, left: gutter, width,
			scale: (t1 - t0) / (width - gutter) };
		for (let k = Math.floor(top / ROW); k < last; k++) {
			const y = k * ROW + RULER + 1 - top;

			drawGutter(ctx, shown[k], y);
			drawRow(ctx, shown[k], y);
			drawRowMarks(ctx, d, shown[k], y, view);
		}
		drawSelected(ctx, top);
		drawRuler(ctx);
		drawOverview();
		byId('range').textContent = showTime(t0) + ' – ' + showTime(t1) +
			(t1 - t0 < (d.t1 - d.t0) * 0.999 ?
				' (' + showTime(t1 - t0) + ')' : '');
	}

	// Draw processes as lines, and mark the part shown below.
	function drawOverview() {
		const { ctx, width: w } = fitCanvas(overview, OVERVIEW);
		const scale = w / (d.t1 - d.t0), n = d.nodes.length;
		const step = Math.max(1, Math.ceil(n / 2000));

		ctx.fillStyle = theme.bg;
		ctx.fillRect(0, 0, w, OVERVIEW);
		ctx.fillStyle = theme.dim;
		for (let i = 0; i < n; i += step)
			ctx.fillRect((start[i] - d.t0) * scale,
				2 + (OVERVIEW - 6) * i / n, Math.max(1, dur[i] * scale),
				Math.max(1, Math.min(4, OVERVIEW / n - 1)));
		ctx.fillStyle = theme.accent;
		for (const i of found || [])
			if (found.length < 5000)
				ctx.fillRect((start[i] - d.t0) * scale, OVERVIEW - 4, 2, 4);
		const x0 = (t0 - d.t0) * scale, x1 = (t1 - d.t0) * scale;
		ctx.globalAlpha = 0.16;
		ctx.fillRect(x0, 0, Math.max(2, x1 - x0), OVERVIEW);
		ctx.globalAlpha = 1;
		ctx.strokeStyle = theme.accent;
		ctx.strokeRect(x0 + 0.5, 0.5, Math.max(2, x1 - x0 - 1), OVERVIEW - 1);
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

	function itemAt(x, y) {
		const row = shown[Math.floor((y - RULER + scroller.scrollTop) / ROW)];

		if (y < RULER || !row || x < gutter)
			return -1;
		const slack = (t1 - t0) / (width - gutter) * 2;
		const time = toTime(x);
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

	function unfold(i) {
		let any = false;

		if (kind[i] !== KIND.process)
			any = folded.delete(process[i]) || any;
		for (let up = d.items.up[process[i]]; up >= 0; up = d.items.up[up])
			any = folded.delete(up) || any;
		if (any)
			chooseRows();
	}

	function scrollTo(i) {
		const y = place[rowOf[i]] * ROW;
		const height = canvas.clientHeight - RULER - ROW;

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
		unfold(i);
		scrollTo(i);
		if (how === 'zoom')
			zoomTo(i);
		else if (start[i] > t1 || start[i] + dur[i] < t0)
			show(start[i] + dur[i] / 2 - (t1 - t0) / 2,
				start[i] + dur[i] / 2 + (t1 - t0) / 2);
		queue();
	}

	// Return the item nearest to the selected one, so many rows below.
	function neighbour(direction) {
		const time = Math.max(t0, Math.min(t1,
			start[selected] + Math.min(dur[selected], t1 - t0) / 2));

		for (let k = place[rowOf[selected]] + direction;
			k >= 0 && k < shown.length; k += direction) {
			const items = shown[k].items;

			if (items.length)
				return items[Math.max(0, firstAfter(start, items, time) - 1)];
		}
		return selected;
	}

	function beside(direction) {
		const row = rows[rowOf[selected]];
		const items = [row.items, row.points, row.errors].find(
			(list) => list && list.includes(selected));
		const at = items.indexOf(selected) + direction;

		return items[at] ?? selected;
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
		if (shown.length)
			events.select(selected < 0 || place[rowOf[selected]] < 0 ?
				shown[0].items[0] : way(direction));
	}

	function mark(direction) {
		const i = nextMark(selected, direction);

		if (i >= 0)
			events.select(i);
	}

	function foldSelected() {
		events.select(process[selected]);
		fold(d.nodes[process[selected]]);
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
		click: (x, y) => {
			const row = shown[Math.floor((y - RULER + scroller.scrollTop) / ROW)];

			if (x < gutter && y > RULER && row && row.head)
				fold(row.node);
			events.select(x < gutter && row ? row.items[0] : itemAt(x, y));
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
			showTip(i < 0 ? '' : itemName(d, i) + '\n' + (isPoint(d, i) ?
				'at ' + showTime(start[i]) : showTime(dur[i])) +
				(open[i] ? ', no end seen' : '') +
				(d.items.detail[i] && d.items.name[i] ?
					'\n' + d.strings[d.items.detail[i]] : ''), e);
		},
	});
	overview.addEventListener('pointermove', (e) => e.buttons && centre(e));
	overview.addEventListener('pointerdown', (e) => {
		overview.setPointerCapture(e.pointerId);
		centre(e);
	});
	function centre(e) {
		const at = d.t0 + e.offsetX / overview.clientWidth * (d.t1 - d.t0);

		show(at - (t1 - t0) / 2, at + (t1 - t0) / 2);
	}
	scroller.addEventListener('scroll', queue);
	chooseRows();

	return {
		queue, select, zoom: (factor) => zoom(factor),
		all: () => show(d.t0, d.t1),
		find(items) {
			const lists = listsByRow(d, items, false);
			const points = listsByRow(d, items, true);

			found = items;
			rows.forEach((row, k) => {
				row.found = lists.get(k) || null;
				row.foundPoints = points.get(k) || null;
			});
			queue();
		},
		// Matches are visited in the order in which they are shown.
		order: (a, b) => rowOf[a] - rowOf[b] || start[a] - start[b] || a - b,
	};
}
