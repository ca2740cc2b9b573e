// SPDX-License-Identifier: MIT
//
// Points on the timeline: a line with a square below for data and messages,
// with a triangle above for errors. So colour is not the only difference. If
// several points are at one place, only one is drawn. Where points are crowded,
// data has no line, which would hide the bars.

const MARK_APART = 3; // pixels between two marks
const MARK_CROWD = 9; // pixels between two marks with lines

// view: { toX, t0, t1, left, width, scale (ns per pixel) }
function drawMarks(ctx, start, items, y, view, shape) {
	const step = MARK_APART * view.scale, crowd = MARK_CROWD * view.scale;
	let k = firstAfter(start, items, view.t0 - step), last = -Infinity;

	while (k < items.length && start[items[k]] <= view.t1) {
		const at = start[items[k]], x = view.toX(at);

		k = firstAfter(start, items, at + step);
		if (x >= view.left && x <= view.width)
			shape(ctx, x, y, at - last < crowd ||
				(k < items.length && start[items[k]] - at < crowd));
		last = at;
	}
}

function dataShape(ctx, x, y, crowded) {
	ctx.fillStyle = theme.bg;
	if (!crowded)
		ctx.fillRect(x - 3.5, y + BAR - 6, 7, 6);
	ctx.fillStyle = theme.text;
	if (crowded) {
		ctx.fillRect(x - 1, y + BAR - 4, 2, 4);
		return;
	}
	ctx.fillRect(x - 0.5, y, 1, BAR);
	ctx.fillRect(x - 2.5, y + BAR - 5, 5, 5);
}

function errorShape(ctx, x, y) {
	ctx.fillStyle = theme.bad;
	ctx.strokeStyle = theme.bg;
	ctx.lineWidth = 1;
	ctx.fillRect(x - 1, y, 2, BAR);
	ctx.beginPath();
	ctx.moveTo(x - 6, y);
	ctx.lineTo(x + 6, y);
	ctx.lineTo(x, y + 9);
	ctx.closePath();
	ctx.fill();
	ctx.stroke();
}

function drawRowMarks(ctx, d, row, y, view) {
	const { start } = d.items;

	if (row.points)
		drawMarks(ctx, start, row.points, y, view, dataShape);
	if (row.errors)
		drawMarks(ctx, start, row.errors, y, view, errorShape);
}

// Return the mark of a row near a time, errors first; or -1. slack: the largest
// distance.
function markAt(d, row, time, slack) {
	const { start } = d.items;

	for (const list of [row.errors, row.points]) {
		if (!list)
			continue;
		const k = firstAfter(start, list, time - slack);
		let best = -1;

		for (let j = k; j < list.length && start[list[j]] <= time + slack; j++)
			if (best < 0 || Math.abs(start[list[j]] - time) <
			    Math.abs(start[best] - time))
				best = list[j];
		if (best >= 0)
			return best;
	}
	return -1;
}

// Iterate over all points in the order of time, beginning at an item.
function makeMarkOrder(d) {
	const { start } = d.items;
	const all = new Uint32Array(d.firstTask - d.firstPoint);

	for (let k = 0; k < all.length; k++)
		all[k] = d.firstPoint + k;
	all.sort((a, b) => start[a] - start[b] || a - b);
	const at = new Uint32Array(all.length);
	all.forEach((i, k) => { at[i - d.firstPoint] = k; });
	return (from, way) => {
		let k;

		if (!all.length)
			return -1;
		if (from < 0)
			k = way > 0 ? 0 : all.length - 1;
		else if (isPoint(d, from))
			k = at[from - d.firstPoint] + way;
		else
			k = firstAfter(start, all, start[from] - 0.5) -
				(way < 0 ? 1 : 0);
		return all[(k + all.length) % all.length];
	};
}
