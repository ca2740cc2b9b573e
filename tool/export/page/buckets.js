// SPDX-License-Identifier: MIT
//
// The distribution of a timer's intervals, or of values: bars, and a table of
// the buckets that are not empty. A bucket is [upper bound in ns, or in the
// unit; count].

const SPARK = 44; // the largest number of bars

// Draw bars at the logarithms of the bounds.
function spark(list) {
	const low = Math.log(list[0][0] + 1);
	const high = Math.log(list[list.length - 1][0] + 1);
	const n = Math.max(1, Math.min(SPARK, Math.ceil((high - low) / 0.1) + 1));
	const bars = new Array(n).fill(0);

	for (const [bound, count] of list)
		bars[high > low ? Math.round((Math.log(bound + 1) - low) /
			(high - low) * (n - 1)) : 0] += count;
	const most = Math.max(...bars);
	const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
	svg.setAttribute('class', 'spark');
	svg.setAttribute('width', n * 4);
	svg.setAttribute('height', 26);
	svg.setAttribute('aria-hidden', 'true');
	bars.forEach((count, k) => {
		const h = count ? Math.max(1.5, 26 * count / most) : 0;
		const bar = document.createElementNS(svg.namespaceURI, 'rect');

		bar.setAttribute('x', k * 4);
		bar.setAttribute('y', 26 - h);
		bar.setAttribute('width', 3);
		bar.setAttribute('height', h);
		svg.append(bar);
	});
	return svg;
}

function showBuckets(list, { title }) {
	const isTime = title !== 'VALUES';
	const rows = list.map(([bound, count]) => el('tr', {},
		el('td', { class: 'num' }, (isTime ? showTime : showNumber)(bound)),
		el('td', { class: 'num' }, showNumber(count))));

	return el('details', {}, el('summary', {}, plural(list.length, 'bucket'),
		spark(list)),
	el('table', {}, el('thead', {}, el('tr', {},
		el('th', { scope: 'col', class: 'num' }, 'Up to'),
		el('th', { scope: 'col', class: 'num' }, isTime ? 'Intervals' : 'Values'))),
	el('tbody', {}, ...rows)));
}
