// SPDX-License-Identifier: MIT
//
// The flame graph: equal stacks are merged, and drawn from the top down, the
// widest first. Frames come with their own time; the sum that includes the
// frames below them is computed here.

const FLAME_ROW = 19;

function newFrame(name, parent) {
	const frame = { name, parent, self: 0, total: 0, children: [],
		depth: parent ? parent.depth + 1 : 0, x: 0 };

	if (parent)
		parent.children.push(frame);
	return frame;
}

// Compute the sums, and place each frame. Parents precede their children.
function layFrames(frames) {
	for (const frame of frames)
		frame.total = frame.self;
	for (let k = frames.length - 1; k > 0; k--)
		frames[k].parent.total += frames[k].total;
	for (const frame of frames) {
		let x = frame.x;

		frame.children.sort((a, b) => b.total - a.total);
		for (const child of frame.children) {
			child.x = x;
			x += child.total;
		}
	}
	return frames;
}

// Return the frames of processes and regions; their amount is time.
function timeFrames(d) {
	const frames = [newFrame('all', null)];

	for (let k = 0; k < d.frames.length; k += FRAME_FIELDS) {
		const frame = newFrame(d.strings[d.frames[k + FRAME.name]] || '?',
			frames[d.frames[k + FRAME.parent]]);

		frame.self = d.frames[k + FRAME.self];
		frames.push(frame);
	}
	return layFrames(frames);
}

// show: function that formats an amount
function makeFlame(canvas, frames, events, show = showTime) {
	let root, depth, focus, selected, wanted = '', queued = false, width = 0;

	function setFrames(list, how) {
		root = focus = list[0];
		depth = list.reduce((max, f) => Math.max(max, f.depth), 0);
		selected = null;
		show = how;
		queue();
	}

	function box(f) {
		const scale = width / (focus.total || 1);

		return [(f.x - focus.x) * scale, f.total * scale];
	}

	function isAbove(f) {
		for (let up = focus; up; up = up.parent)
			if (up === f)
				return true;
		return false;
	}

	function drawFrame(ctx, f) {
		let [x, w] = isAbove(f) ? [0, width] : box(f);
		const y = f.depth * FLAME_ROW + 1;
		const hit = wanted && f.name.toLowerCase().includes(wanted);

		if (w < 0.7 || x > width || x + w < 0)
			return false;
		x = Math.max(0, x);
		w = Math.min(w, width - x);
		ctx.globalAlpha = (isAbove(f) && f !== focus) || (wanted && !hit) ?
			0.5 : 1;
		ctx.fillStyle = f === root ? theme.process :
			theme.hues[colourOf(f.name)];
		ctx.fillRect(x, y, Math.max(0.7, w - 0.7), FLAME_ROW - 2);
		ctx.globalAlpha = 1;
		if (hit) {
			ctx.fillStyle = theme.found;
			ctx.fillRect(x, y + FLAME_ROW - 6, Math.max(1, w - 0.7), 4);
		}
		ctx.fillStyle = theme['bar-text'];
		if (w > 24)
			barText(ctx, f.name + (w > 150 ? '  ' + show(f.total) : ''),
				x + 4, y + FLAME_ROW / 2 - 0.5, w - 8);
		if (f === selected) {
			ctx.strokeStyle = theme.text;
			ctx.lineWidth = 2;
			ctx.strokeRect(x + 1, y, Math.max(2, w - 2), FLAME_ROW - 2);
		}
		return true;
	}

	function draw() {
		const height = (depth + 1) * FLAME_ROW + 2;

		queued = false;
		if (!canvas.clientWidth)
			return;
		const { ctx, width: w } = fitCanvas(canvas, Math.min(height, 16000));
		width = w;
		ctx.fillStyle = theme.bg;
		ctx.fillRect(0, 0, width, height);
		const todo = [root];
		while (todo.length) {
			const f = todo.pop();

			if (drawFrame(ctx, f))
				for (const child of f.children)
					todo.push(child);
		}
		byId('range').textContent = focus === root ?
			show(root.total) + ' in all stacks' :
			focus.name + ': ' + show(focus.total);
	}

	function queue() {
		if (queued)
			return;
		queued = true;
		requestAnimationFrame(draw);
	}

	function frameAt(x, y) {
		const row = Math.floor(y / FLAME_ROW);
		let f = row <= focus.depth ? focus : null;

		if (f) {
			while (f.depth > row)
				f = f.parent;
			return f;
		}
		f = focus;
		while (f && f.depth < row)
			f = f.children.find((c) => {
				const [left, w] = box(c);

				return x >= left && x < left + w;
			});
		return f;
	}

	function select(f) {
		selected = f;
		canvas.parentElement.scrollTop = Math.max(
			Math.min(canvas.parentElement.scrollTop, f.depth * FLAME_ROW),
			(f.depth + 1) * FLAME_ROW - canvas.parentElement.clientHeight);
		events.frame(f, root.total, show);
		queue();
	}

	function zoomTo(f) {
		focus = f;
		queue();
	}

	function beside(f, way) {
		const list = f.parent ? f.parent.children : [f];

		return list[list.indexOf(f) + way] || f;
	}

	const KEYS = {
		ArrowDown: (f) => f.children[0] || f,
		ArrowUp: (f) => f.parent || f,
		ArrowRight: (f) => beside(f, 1),
		ArrowLeft: (f) => beside(f, -1),
	};

	canvas.addEventListener('keydown', (e) => {
		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (KEYS[e.key])
			select(selected ? KEYS[e.key](selected) : root);
		else if (e.key === 'Enter' && selected)
			zoomTo(selected);
		else if (e.key === '0' || e.key === 'Home' || e.key === 'Escape')
			zoomTo(root);
		else
			return;
		e.preventDefault();
	});
	canvas.addEventListener('click', (e) => {
		const f = frameAt(e.offsetX, e.offsetY);

		if (!f)
			return;
		select(f);
		zoomTo(f);
	});
	canvas.addEventListener('mousemove', (e) => {
		const f = frameAt(e.offsetX, e.offsetY);

		canvas.style.cursor = f ? 'pointer' : 'default';
		showTip(!f ? '' : f.name + '\n' + show(f.total) + ', ' +
			showShare(f.total / root.total) + '\nitself ' +
			show(f.self), e);
	});
	canvas.addEventListener('mouseleave', (e) => showTip('', e));
	setFrames(frames, show);

	return {
		queue, setFrames,
		all: () => zoomTo(root),
		zoom: (factor) => zoomTo(factor < 1 ? selected || focus :
			focus.parent || root),
		find(query) {
			wanted = query.toLowerCase();
			queue();
		},
	};
}
