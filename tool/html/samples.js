// SPDX-License-Identifier: MIT
//
// Samples (GIT_TRACE2_SAMPLE) as a flame graph for each event: the call paths
// of the samples, from the outermost call on.

const SAMPLE = { event: 0, count: 1, calls: 2 };

function sampleFrames(d, event) {
	const root = newFrame(d.strings[event], null), frames = [root];
	const known = new Map();

	for (const sample of d.samples) {
		let at = root;

		if (sample[SAMPLE.event] !== event)
			continue;
		for (const call of sample.slice(SAMPLE.calls)) {
			let below = known.get(at);

			if (!below)
				known.set(at, below = new Map());
			let frame = below.get(call);
			if (!frame) {
				frame = newFrame(d.strings[call] || '?', at);
				below.set(call, frame);
				frames.push(frame);
			}
			at = frame;
		}
		at.self += sample[SAMPLE.count];
	}
	return layFrames(frames);
}

// Timers are sampled in nanoseconds, which their names show.
function showCount(event) {
	return event.includes(':ns/') ? showTime : showNumber;
}

function makeSamples(d, events) {
	const names = [...new Set(d.samples.map((s) => s[SAMPLE.event]))];
	const select = byId('samples-event');
	const first = names[0] ?? 0;
	const flame = makeFlame(byId('samples-canvas'), sampleFrames(d, first),
		events, showCount(d.strings[first]));

	for (const name of names)
		select.append(el('option', { value: name }, d.strings[name]));
	select.disabled = names.length < 2;
	select.addEventListener('change', () => {
		const name = Number(select.value);

		flame.setFrames(sampleFrames(d, name), showCount(d.strings[name]));
	});
	return flame;
}
