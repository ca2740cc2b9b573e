// SPDX-License-Identifier: MIT
//
// Wake-ups as arrows for the selected process or thread: from the threads that
// woke it, and to those that it woke. If several are within some pixels, one is
// drawn.

const WAKES_APART = 4; // pixels between two arrows
const WAKES_FEW = 8; // more arrows are pale, so that the bars stay visible

// Return the states of other tasks that a task ended, by number.
function makeWakes(d) {
	const { n, other, code } = d.states;
	const first = new Uint32Array(d.tasks.length + 2);
	const owner = new Uint32Array(n);

	d.tasks.forEach((task, k) => owner.fill(k, task.first, task.last));
	for (let k = 0; k < n; k++)
		if (other[k] > 0 && (code[k] & ~INFERRED) >= WAIT)
			first[other[k] + 1]++;
	for (let k = 1; k < first.length; k++)
		first[k] += first[k - 1];
	const by = new Uint32Array(first[first.length - 1]);
	const at = first.slice();
	for (let k = 0; k < n; k++)
		if (other[k] > 0 && (code[k] & ~INFERRED) >= WAIT)
			by[at[other[k]]++] = k;
	// task counts from 1, as in the states.
	return {
		of: (task) => by.subarray(first[task], first[task + 1]),
		owner: (state) => d.tasks[owner[state]],
	};
}

function drawArrow(ctx, x, from, to) {
	const way = to > from ? 1 : -1;

	ctx.fillRect(x - 0.5, Math.min(from, to), 1, Math.abs(to - from));
	ctx.beginPath();
	ctx.moveTo(x - 3.5, to - way * 6);
	ctx.lineTo(x + 3.5, to - way * 6);
	ctx.lineTo(x, to);
	ctx.closePath();
	ctx.fill();
	ctx.fillRect(x - 2, from - 2, 4, 4);
}

// y: function that returns the middle of an item's states, or -1
function drawWakes(ctx, d, wakes, selected, view, y) {
	const { start, dur, other, code } = d.states;
	const tasks = tasksOfItem(d, selected);

	// Draw those that end there, first for who woke it, then for whom it woke.
	function draw(states, ends, colour) {
		const arrows = [];
		let last = -Infinity;

		for (const k of states) {
			const at = start[k] + dur[k], x = view.toX(at);

			if (at < view.t0 || at > view.t1 || x - last < WAKES_APART)
				continue;
			const [from, to] = ends(k).map((task) => y(shownAs(d, task.item)));
			if (from < 0 || to < 0 || from === to)
				continue;
			arrows.push([x, from, to]);
			last = x;
		}
		ctx.fillStyle = colour;
		ctx.globalAlpha = arrows.length > WAKES_FEW ? 0.3 : 1;
		for (const arrow of arrows)
			drawArrow(ctx, ...arrow);
		ctx.globalAlpha = 1;
	}

	for (const task of tasks) {
		draw(wakes.of(d.tasks.indexOf(task) + 1),
			(k) => [task, wakes.owner(k)], theme.dim);
		const own = [];
		for (let k = stateAfter(d, task, view.t0);
			k < task.last && start[k] < view.t1; k++)
			if (other[k] > 0 && (code[k] & ~INFERRED) >= WAIT)
				own.push(k);
		draw(own, (k) => [d.tasks[other[k] - 1], task], theme.accent);
	}
}
