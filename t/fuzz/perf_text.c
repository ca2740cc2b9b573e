/* SPDX-License-Identifier: MIT */
/* Lines of the perf target. */
#include "format/events/perf_text.h"
#include "fuzz.h"
#include "model/parsed_event.h"
#include "model/path/critical.h"

static struct tr2_perf_reader *reader;

static void on_event(void *data, struct tr2_model *m,
		     const struct tr2_parsed_event *ev)
{
	fuzz_write_event(data, m, ev);
}

static void read_line(const char *line, size_t len, uint64_t number, bool last)
{
	/* Exactly as large as the line, to detect reads past its end, plus a
	 * newline, as tr2_lines_next() promises. */
	char *copy = malloc(len + 1 + 64);
	struct tr2_parsed_event ev;

	if (!copy)
		abort();
	memcpy(copy, line, len);
	memset(copy + len, '\n', 1 + 64);
	tr2_perf_text_looks(copy, len);
	tr2_perf_text_more(copy, len);
	tr2_normal_text_looks(copy, len);
	tr2_perf_reader_line(reader, copy, len, number, last);
	tr2_perf_reader_parse(reader, copy, len, 1, &ev);
	free(copy);
}

void fuzz_perf_text(struct fuzz_input *in)
{
	struct tr2_model *m = tr2_model_new();
	struct tr2_step *steps = NULL;
	uint64_t number = 0;
	const char *line;
	size_t len;

	reader = tr2_perf_reader_new(m, on_event, NULL);

	tr2_perf_reader_source(reader, tr2_intern(m, "fuzz", 4));
	while (fuzz_line(in, &line, &len))
		if (len)
			read_line(line, len, ++number, !in->n);
	tr2_model_finish(m);
	if (m->nr_nodes > 1) {
		tr2_critical_path(m, 1, &steps);
		free(steps);
	}
	tr2_perf_reader_free(reader);
	tr2_model_free(m);
}
