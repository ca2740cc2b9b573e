/* SPDX-License-Identifier: MIT */
/* top_ring - the ring of a process: opening it, and its metrics at one time. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "common/memory.h"
#include "common/say.h"
#include "common/words.h"
#include "format/ring/ring.h"
#include "model/model.h"
#include "top/top.h"

/* Print why a file without a valid ring cannot be watched. */
static void say_no_ring(const struct tr2_top_ring *ring, const char *path,
			int fd, enum tr2_ring_is is)
{
	struct stat st;

	if (is == TR2_RING_IS_NONE && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    !st.st_size)
		tr2_error("'%s': zero-sized file, nothing to watch! No program "
			  "has its ring there (GIT_TRACE2_RING=DIR makes a "
			  "program write one)", path);
	else
		tr2_error("cannot read '%s': %s", path,
			  is == TR2_RING_IS_NONE ?
				  "it is not a ring (GIT_TRACE2_RING makes a "
				  "program write one)" :
			  is == TR2_RING_IS_BEGUN ?
				  "its process has not begun" :
				  ring->file.problem);
}

struct tr2_top_ring *tr2_top_ring_open(const char *path, bool say)
{
	struct tr2_top_ring *ring;
	enum tr2_ring_is is;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0) {
		if (say)
			tr2_error("cannot read '%s': %s", path,
				  strerror(errno));
		return NULL;
	}
	ring = tr2_calloc(1, sizeof(*ring));
	is = tr2_ring_file_is(fd) ? tr2_ring_file_open(&ring->file, fd) :
				    TR2_RING_IS_NONE;
	if (is == TR2_RING_IS_GOOD)
		return ring;
	if (say)
		say_no_ring(ring, path, fd, is);
	close(fd);
	free(ring);
	return NULL;
}

void tr2_top_ring_close(struct tr2_top_ring *ring)
{
	if (!ring)
		return;
	close(ring->file.fd);
	tr2_ring_file_release(&ring->file);
	free(ring->now.values);
	free(ring->before.values);
	free(ring);
}

struct tr2_model *tr2_top_ring_model(const struct tr2_top_ring *ring)
{
	struct tr2_model *m = tr2_model_new();
	struct tr2_ring_reader *r = tr2_ring_reader_new(m, NULL, NULL);
	const char *why;

	tr2_ring_reader_load(r, ring->file.fd, -1, 0, &why);
	tr2_ring_reader_free(r);
	return m;
}

/* Set the name of an ended process, and how long it ran. */
static void note_end(struct tr2_top_ring *ring)
{
	struct tr2_model *m = tr2_top_ring_model(ring);
	const struct tr2_model_session *s = &m->sessions[1];

	ring->ran_ns = m->nr_sessions > 1 && s->end_ns > 0 ? s->end_ns : 0;
	if (m->nr_sessions > 1 && s->argv.nr)
		snprintf(ring->name, sizeof(ring->name), "%s",
			 tr2_base_name(s->argv.text));
	tr2_model_free(m);
}

void tr2_top_ring_read(struct tr2_top_ring *ring)
{
	struct tr2_top_sample s = { .at_ns = tr2_clock_now_ns() };
	uint64_t start_ns, ended_ns;

	if (tr2_ring_file_update(&ring->file) != TR2_RING_IS_GOOD)
		return;
	start_ns = ring->file.header.start_ns;
	ring->alive = tr2_ring_file_is_alive(&ring->file);
	if (ring->alive) {
		ring->ran_ns = (int64_t)(s.at_ns - start_ns);
	} else {
		note_end(ring);
		ended_ns = start_ns + (uint64_t)ring->ran_ns;
		s.at_ns = ended_ns > ring->now.at_ns ? ended_ns :
						       ring->now.at_ns;
	}
	s.nr = ring->file.nr_definitions;
	s.values = tr2_calloc(s.nr, sizeof(*s.values));
	if (!tr2_ring_cells_sum(&ring->file, s.at_ns, s.values) &&
	    ring->alive) {
		free(s.values);
		return; /* leave out the values: they may be wrong */
	}
	free(ring->before.values);
	ring->before = ring->now;
	ring->now = s;
}
