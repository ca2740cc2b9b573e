// SPDX-License-Identifier: MIT
//
// Sums of states by code. They are prepared so that the cost of a picture
// depends on its pixels, not on the number of states and processes.

const BLOCK = 64; // states; sums are kept at multiples of this number

// Return a function add(sums, from, to, at): it adds the states from..to-1 to
// sums[at + code].
function makeStateSums(d) {
	const { n, dur, code } = d.states;
	const codes = WAIT + d.causes.length + 1;
	const before = new Float64Array((Math.floor(n / BLOCK) + 1) * codes);

	for (let block = 1; block * BLOCK <= n; block++) {
		const at = block * codes;

		before.copyWithin(at, at - codes, at);
		for (let k = (block - 1) * BLOCK; k < block * BLOCK; k++)
			before[at + (code[k] & ~INFERRED)] += dur[k];
	}
	return (sums, from, to, at) => {
		const first = Math.ceil(from / BLOCK), last = Math.floor(to / BLOCK);

		if (first >= last) {
			for (let k = from; k < to; k++)
				sums[at + (code[k] & ~INFERRED)] += dur[k];
			return;
		}
		for (let k = from; k < first * BLOCK; k++)
			sums[at + (code[k] & ~INFERRED)] += dur[k];
		for (let c = 0; c < codes; c++)
			sums[at + c] += before[last * codes + c] -
				before[first * codes + c];
		for (let k = last * BLOCK; k < to; k++)
			sums[at + (code[k] & ~INFERRED)] += dur[k];
	};
}

// Return the sums before each item of a row, and the sum of all. tasksOf:
// function that returns the tasks of an item.
function makeRowSums(d, items, tasksOf) {
	const codes = WAIT + d.causes.length + 1;
	const before = new Float64Array((items.length + 1) * codes);

	items.forEach((i, k) => {
		const at = (k + 1) * codes;

		before.copyWithin(at, at - codes, at);
		for (const task of tasksOf(i))
			d.sumOfStates(before, task.first, task.last, at);
	});
	return before;
}
