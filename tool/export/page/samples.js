// SPDX-License-Identifier: MIT
//
// Samples as a flame graph for each event: the call paths of the samples in the
// time that the timeline shows, and in its selected item. Waits are an event:
// their count is their length.

// Was a sample taken in an item? In a process means: in any of its threads.
function isSampleIn(d, sample, i) {
	const { kind, process, up, thread } = d.items;

	if (i < 0)
		return true;
	if (kind[i] === KIND.process || kind[i] === KIND.step ||
	    i >= d.firstTask)
		return sample[SAMPLE.process] - 1 === process[i];
	if (kind[i] === KIND.thread)
		return sample[SAMPLE.thread] > 0 &&
			d.threadInfo[sample[SAMPLE.thread] - 1].item === i;
	if (isPoint(d, i))
		return isSampleIn(d, sample, up[i]);
	let span = sample[SAMPLE.span] ? d.firstSpan + sample[SAMPLE.span] - 1 :
		-1;
	while (span >= 0 && span !== i && thread[span] === thread[i])
		span = up[span];
	return span === i;
}

// Return how much of a sample is in the time that is shown.
function countShown(d, sample, shown) {
	const at = sample[SAMPLE.at], count = sample[SAMPLE.count];

	if (sample[SAMPLE.time] < 2)
		return at >= shown.t0 && at <= shown.t1 ? count : 0;
	return Math.max(0, Math.min(at + count, shown.t1) -
		Math.max(at, shown.t0));
}

// shown: { selected, t0, t1 } of the timeline
function sampleFrames(d, event, shown) {
	const root = newFrame(d.strings[event], null), frames = [root];
	const known = new Map([[0, root]]);

	function frameOf(stack) {
		if (!known.has(stack)) {
			const at = (stack - 1) * STACK_FIELDS;
			const frame = newFrame(d.strings[d.stacks[at + STACK.function]] || '?',
				frameOf(d.stacks[at + STACK.caller]));

			known.set(stack, frame);
			frames.push(frame);
		}
		return known.get(stack);
	}
	for (const sample of d.samples)
		if (sample[SAMPLE.event] === event &&
		    isSampleIn(d, sample, shown.selected)) {
			const count = countShown(d, sample, shown);

			if (count)
				frameOf(sample[SAMPLE.stack]).self += count;
		}
	return layFrames(frames);
}

// shown: function that returns the shown part of the timeline
function makeSamples(d, events, shown) {
	const time = new Map(d.samples.map((s) =>
		[s[SAMPLE.event], s[SAMPLE.time]]));
	const names = [...time.keys()].sort((a, b) =>
		(time.get(a) === 2) - (time.get(b) === 2));
	const select = byId('samples-event');
	const flame = makeFlame(byId('samples-canvas'),
		[newFrame('', null)], events);

	function fill() {
		const name = Number(select.value), now = shown();
		const all = now.t0 <= d.t0 && now.t1 >= d.t1;

		flame.setFrames(sampleFrames(d, name, now), time.get(name) ?
			showTime : showNumber);
		byId('samples-of').textContent = 'in ' + (now.selected < 0 ?
			'all threads' : itemName(d, now.selected)) + (all ? '' :
			', ' + showTime(now.t0) + ' – ' + showTime(now.t1));
	}

	for (const name of names)
		select.append(el('option', { value: name }, d.strings[name]));
	select.disabled = names.length < 2;
	select.addEventListener('change', fill);
	return { ...flame, fill };
}
