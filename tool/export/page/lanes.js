// SPDX-License-Identifier: MIT
//
// Pack processes into lanes, as build tools draw them. A process is below the
// one that started it, together with all processes that it started. Processes
// that ran one after the other share rows.

const MAX_LANES = 400; // further processes share the last lanes

// Choose the first free row for blocks of rows, in the order of their starts:
// add(start, end, height) returns it.
function makePacker() {
	const ends = [];

	return {
		add(start, end, height) {
			let row = 0;

			for (let k = 0; k < height && row + height <= MAX_LANES; k++)
				if (ends[row + k] > start) {
					row += k + 1;
					k = -1;
				}
			row = Math.max(0, Math.min(row, MAX_LANES - height));
			for (let k = row; k < row + height; k++)
				ends[k] = Math.max(ends[k] ?? end, end);
			return row;
		},
		height: () => ends.length,
	};
}

// For each process, set lane.below (the rows of the processes that it started),
// lane.end, and lane.row (the row below its parent). Children follow their
// parents.
function packProcesses(d) {
	const { start, dur } = d.items;

	for (let i = d.nodes.length - 1; i >= 0; i--) {
		const node = d.nodes[i], packer = makePacker();
		const lane = node.lane = { below: 0, row: 0,
			end: start[i] + dur[i], count: node.children.length };

		for (const child of node.children) {
			child.lane.row = packer.add(start[child.item], child.lane.end,
				1 + Math.min(child.lane.below, MAX_LANES / 2));
			lane.end = Math.max(lane.end, child.lane.end);
			lane.count += child.lane.count;
		}
		lane.below = Math.min(packer.height(), MAX_LANES);
	}
}

// Return a list of items for each row: these processes, and all below them.
function lanesOf(d, nodes) {
	const { start } = d.items;
	const packer = makePacker(), lanes = [], todo = [];

	for (const node of nodes)
		todo.push([node, packer.add(start[node.item], node.lane.end,
			1 + Math.min(node.lane.below, MAX_LANES / 2))]);
	while (todo.length) {
		const [node, row] = todo.pop();

		(lanes[row] ??= []).push(node.item);
		for (const child of node.children)
			todo.push([child, Math.min(row + 1 + child.lane.row,
				MAX_LANES)]);
	}
	return Array.from(lanes, (list) => list || []);
}
