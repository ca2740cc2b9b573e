// SPDX-License-Identifier: MIT
//
// Handle mouse, pen and touch on a canvas: call zoom, pan, range, click, double
// and hover with pixels of the canvas.

const STILL = 4; // pixels: a press that moves less is a click

function pointers(canvas, on) {
	const down = new Map();
	let first = null, moved = false, ranging = false;

	function spread() {
		const [a, b] = [...down.values()];

		return Math.max(10, Math.abs(a.x - b.x));
	}

	canvas.addEventListener('wheel', (e) => {
		const scale = e.deltaMode === 1 ? 16 : 1;

		if (e.ctrlKey || e.metaKey)
			on.zoom(1.0025 ** (e.deltaY * scale), e.offsetX);
		else if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
			on.pan(-(e.deltaX || e.deltaY) * scale, 0);
		else
			return;
		e.preventDefault();
	}, { passive: false });

	canvas.addEventListener('pointerdown', (e) => {
		if (e.button)
			return;
		canvas.setPointerCapture(e.pointerId);
		down.set(e.pointerId, { x: e.offsetX, y: e.offsetY });
		first = { x: e.offsetX, y: e.offsetY };
		moved = down.size > 1;
		ranging = down.size === 1 && on.isRange(e.offsetX, e.offsetY);
	});

	canvas.addEventListener('pointermove', (e) => {
		const at = { x: e.offsetX, y: e.offsetY }, was = down.get(e.pointerId);

		if (!was) {
			on.hover(at.x, at.y, e);
			return;
		}
		if (Math.hypot(at.x - first.x, at.y - first.y) > STILL)
			moved = true;
		const before = down.size === 2 ? spread() : 0;
		down.set(e.pointerId, at);
		if (before)
			on.zoom(before / spread(), at.x);
		else if (ranging)
			on.range(first.x, at.x, false);
		else if (moved)
			on.pan(at.x - was.x, at.y - was.y);
		showTip('', e);
	});

	function up(e) {
		if (!down.delete(e.pointerId))
			return;
		if (ranging)
			on.range(first.x, e.type === 'pointerup' ? e.offsetX : first.x, true);
		else if (!moved && e.type === 'pointerup')
			on.click(e.offsetX, e.offsetY, e);
		ranging = false;
	}
	canvas.addEventListener('pointerup', up);
	canvas.addEventListener('pointercancel', up);
	canvas.addEventListener('pointerleave', (e) => showTip('', e));
	canvas.addEventListener('dblclick', (e) => on.double(e.offsetX, e.offsetY));
}
