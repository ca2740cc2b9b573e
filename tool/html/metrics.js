// SPDX-License-Identifier: MIT
//
// The tables of timers and counters. Histograms contain the non-empty buckets:
// [upper bound in seconds, count].

const METRIC = { kind: 0, name: 1, process: 2, thread: 3, count: 4, total: 5,
	min: 6, max: 7, unfinished: 8, histogram: 9 };
const SPARK = 44; // the most bars

function addBuckets(to, histogram) {
	if (!Array.isArray(histogram))
		return;
	for (const bucket of histogram) {
		const [bound, count] = Array.isArray(bucket) ? bucket : [];

		if (typeof count === 'number' && bound !== undefined)
			to.set(bound, (to.get(bound) || 0) + count);
	}
}

// Merge all metrics of one name, keeping the values of each thread.
function gatherMetrics(d, kind) {
	const sums = new Map();

	for (const m of d.metrics) {
		if (m[METRIC.kind] !== kind)
			continue;
		const key = m[METRIC.name];
		let s = sums.get(key);

		if (!s) {
			s = { text: d.strings[key], count: 0, total: 0, min: Infinity,
				max: 0, unfinished: 0, processes: 0, buckets: new Map(),
				threads: [] };
			sums.set(key, s);
		}
		if (m[METRIC.thread]) {
			s.threads.push(m);
			continue;
		}
		s.processes++;
		s.count += m[METRIC.count];
		s.total += m[METRIC.total];
		s.min = Math.min(s.min, m[METRIC.min]);
		s.max = Math.max(s.max, m[METRIC.max]);
		s.unfinished += m[METRIC.unfinished];
		addBuckets(s.buckets, m[METRIC.histogram]);
	}
	return [...sums.values()];
}

function sortedBuckets(buckets) {
	return [...buckets].map(([bound, count]) => [Number(bound), count])
		.filter(([bound]) => bound > 0).sort((a, b) => a[0] - b[0]);
}

// Draw bars over the logarithm of time.
function spark(list) {
	const low = Math.log(list[0][0]), high = Math.log(list[list.length - 1][0]);
	const n = Math.max(1, Math.min(SPARK, Math.ceil((high - low) / 0.1) + 1));
	const bars = new Array(n).fill(0);

	for (const [bound, count] of list)
		bars[high > low ? Math.round((Math.log(bound) - low) /
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

// Return the value that a share p of all do not exceed, as exactly as buckets
// allow.
function bucketPercentile(list, p) {
	const all = list.reduce((sum, [, count]) => sum + count, 0);
	let sum = 0;

	for (const [bound, count] of list) {
		sum += count;
		if (sum >= all * p)
			return bound * 1e9;
	}
	return 0;
}

function histogramCell(s) {
	const list = sortedBuckets(s.buckets);

	if (!list.length)
		return '';
	const text = 'up to ' + [[0.5, 'P50'], [0.9, 'P90'], [0.99, 'P99']].map(
		([p, title]) => showTime(bucketPercentile(list, p)) + ' ' + title)
		.join(', ');
	const rows = list.map(([bound, count]) => el('tr', {},
		el('td', { class: 'num' }, showTime(bound * 1e9)),
		el('td', { class: 'num' }, showNumber(count))));

	return el('details', {}, el('summary', {}, text, spark(list)),
		el('table', {}, el('thead', {}, el('tr', {},
			el('th', { scope: 'col', class: 'num' }, 'Up to'),
			el('th', { scope: 'col', class: 'num' }, 'Intervals'))),
		el('tbody', {}, ...rows)));
}

function threadsCell(d, s, show) {
	if (!s.threads.length)
		return s.text;
	const rows = s.threads.map((m) => {
		const info = d.threadInfo[m[METRIC.thread] - 1];

		return el('tr', {}, el('td', { class: 'num' }, show(m)),
			el('td', {}, info ? d.strings[d.items.name[info.item]] : '?'));
	});

	return el('details', {}, el('summary', {}, s.text),
		el('table', {}, el('tbody', {}, ...rows)));
}

function timerTable(d, panel) {
	const total = timeColumn('Total', (s) => s.total);

	return makeTable(panel, 'Timers, over all processes', [
		total,
		numberColumn('Intervals', (s) => s.count),
		timeColumn('Mean', (s) => s.count ? s.total / s.count : 0),
		timeColumn('Min', (s) => s.min),
		timeColumn('Max', (s) => s.max),
		{ title: 'Unfinished', num: true, value: (s) => s.unfinished,
			show: (s) => s.unfinished ? showNumber(s.unfinished) : '' },
		{ title: 'Timer', class: 'name', value: (s) => s.text,
			show: (s) => threadsCell(d, s, (m) => showTime(m[METRIC.total])) },
		{ title: 'Distribution', show: histogramCell },
	], gatherMetrics(d, 0), total);
}

function counterTable(d, panel) {
	const name = { title: 'Counter', class: 'name', value: (s) => s.text,
		show: (s) => threadsCell(d, s, (m) => showNumber(m[METRIC.count])) };

	return makeTable(panel, 'Counters, over all processes', [
		numberColumn('Value', (s) => s.count),
		numberColumn('Processes', (s) => s.processes),
		name,
	], gatherMetrics(d, 1).sort((a, b) => a.text < b.text ? -1 : 1), null);
}
