// SPDX-License-Identifier: MIT
//
// The memory of all processes, as a track below the critical path: kinds of
// processes stacked, in the colours of their bars.

const MEMORY = 46; // pixels, including the space below

// Return { kinds, parts, most, scale }, or null if memory was not observed.
// kinds: numbers of strings; the last one, 0, is all others. parts: of equal
// length, with the KiB of each kind. scale: parts per ns.
function decodeMemory(data) {
	if (!data.memory || !data.memoryEnd)
		return null;
	const sums = data.memory.map((part) => part.reduce((a, b) => a + b, 0));

	return {
		kinds: [...data.memoryKinds, 0], parts: data.memory, sums,
		most: Math.max(1, ...sums),
		scale: data.memory.length / data.memoryEnd,
	};
}

// Return the part with the most memory between two times, or -1.
function memoryPart(memory, from, to) {
	const first = Math.max(0, Math.floor(from * memory.scale));
	const end = Math.min(memory.parts.length, Math.max(first + 1,
		Math.ceil(to * memory.scale)));
	let best = -1;

	for (let k = first; k < end; k++)
		if (best < 0 || memory.sums[k] > memory.sums[best])
			best = k;
	return best;
}

// colour: function that returns the colour of a kind
function drawMemory(ctx, memory, y, view, colour) {
	const bottom = y + MEMORY - 4, unit = (MEMORY - 8) / memory.most;

	ctx.fillStyle = theme.panel;
	ctx.fillRect(0, y, view.width, MEMORY);
	ctx.fillStyle = theme.text;
	barText(ctx, 'Memory', 15, y + MEMORY / 2 - 9, view.left - 20);
	ctx.fillStyle = theme.dim;
	barText(ctx, 'peak ' + showBytes(memory.most * 1024), 15,
		y + MEMORY / 2 + 7, view.left - 20);
	for (let x = view.left; x < view.width; x++) {
		const from = view.t0 + (x - view.left) * view.scale;
		const k = memoryPart(memory, from, from + view.scale);
		let at = bottom;

		for (let i = 0; k >= 0 && i < memory.kinds.length; i++) {
			const height = memory.parts[k][i] * unit;

			ctx.fillStyle = memory.kinds[i] ? colour(memory.kinds[i]) :
				theme.process;
			if (height > 0)
				ctx.fillRect(x, at - height, 1, height);
			at -= height;
		}
	}
	ctx.fillStyle = theme.line;
	ctx.fillRect(view.left, bottom, view.width - view.left, 1);
}

// Return the memory at a time as text, the largest kind first.
function memoryText(d, time, slack) {
	const { memory } = d, k = memoryPart(memory, time, time + slack);

	if (k < 0 || !memory.sums[k])
		return '';
	return ['memory ' + showBytes(memory.sums[k] * 1024),
		...memory.parts[k].map((kib, i) => [kib, memory.kinds[i]])
			.filter(([kib]) => kib > 0).sort((a, b) => b[0] - a[0])
			.map(([kib, kind]) => showBytes(kib * 1024) + '  ' +
				(kind ? d.strings[kind] : 'others'))].join('\n');
}
