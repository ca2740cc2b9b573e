// SPDX-License-Identifier: MIT
//
// The ruler above the timeline, and the overview: all processes as lines, with
// the shown part marked.

const OVERVIEW = 34;

function showTick(t, step) {
	if (!t)
		return '0';
	const unit = Math.abs(t) >= 1e9 ? [1e9, 's'] :
		Math.abs(t) >= 1e6 ? [1e6, 'ms'] : [1e3, 'µs'];
	const decimals = Math.max(0, Math.ceil(Math.log10(unit[0] / step) - 1e-9));

	return (t / unit[0]).toFixed(Math.min(9, decimals)) + ' ' + unit[1];
}

// range: the pixels that are being selected, or null
function drawRuler(ctx, view, range) {
	const { t0, t1, width, left } = view;
	const wanted = (t1 - t0) / Math.max(2, (width - left) / 95);
	const power = 10 ** Math.floor(Math.log10(wanted));
	const step = power * [1, 2, 5, 10].find((f) => f * power >= wanted);

	ctx.fillStyle = theme.panel;
	ctx.fillRect(0, 0, width, RULER);
	for (let k = Math.ceil(t0 / step); k * step <= t1; k++) {
		const x = view.toX(k * step);

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

// Draw how many threads had a CPU, and above that, how many had to wait for
// one. Without states, draw the processes as lines.
function makeOverview(d, show) {
	const canvas = byId('overview'), { start, dur } = d.items;
	let t0 = d.t0, t1 = d.t1, load = [];

	// Return [run, ready], in CPUs, for each pixel.
	function loadOf(width, scale) {
		const { n, code } = d.states, states = d.states;
		const of = [new Float64Array(width + 1), new Float64Array(width + 1)];

		for (let k = 0; k < n; k++) {
			const list = of[code[k]];

			if (!list)
				continue;
			const a = (states.start[k] - d.t0) * scale;
			const b = a + states.dur[k] * scale;
			for (let x = Math.floor(a); x < b; x++)
				list[x] += Math.min(b, x + 1) - Math.max(a, x);
		}
		return of;
	}

	function drawLoad(ctx, width, scale) {
		if (load.length === 0 || load[0].length !== width + 1)
			load = loadOf(width, scale);
		const most = Math.max(1, ...load[0]), unit = (OVERVIEW - 6) / most;

		load[0].forEach((run, x) => {
			const ready = Math.min(load[1][x], most - run);

			ctx.fillStyle = theme.states[RUN];
			ctx.fillRect(x, OVERVIEW - 1 - run * unit, 1, run * unit);
			ctx.fillStyle = theme.states[READY];
			ctx.fillRect(x, OVERVIEW - 1 - (run + ready) * unit, 1,
				ready * unit);
		});
	}

	function drawProcesses(ctx, scale) {
		const n = d.nodes.length, step = Math.max(1, Math.ceil(n / 2000));

		ctx.fillStyle = theme.dim;
		for (let i = 0; i < n; i += step)
			ctx.fillRect((start[i] - d.t0) * scale,
				2 + (OVERVIEW - 6) * i / n, Math.max(1, dur[i] * scale),
				Math.max(1, Math.min(4, OVERVIEW / n - 1)));
	}

	function centre(e) {
		const at = d.t0 + e.offsetX / canvas.clientWidth * (d.t1 - d.t0);

		show(at - (t1 - t0) / 2, at + (t1 - t0) / 2);
	}

	canvas.addEventListener('pointermove', (e) => e.buttons && centre(e));
	canvas.addEventListener('pointerdown', (e) => {
		canvas.setPointerCapture(e.pointerId);
		centre(e);
	});

	return (from, to, found) => {
		const { ctx, width: w } = fitCanvas(canvas, OVERVIEW);
		const scale = w / (d.t1 - d.t0);

		[t0, t1] = [from, to];
		ctx.fillStyle = theme.bg;
		ctx.fillRect(0, 0, w, OVERVIEW);
		if (d.states.n)
			drawLoad(ctx, w, scale);
		else
			drawProcesses(ctx, scale);
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
	};
}
