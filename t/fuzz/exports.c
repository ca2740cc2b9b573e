/* SPDX-License-Identifier: MIT */
/*
 * Lines of the event target, exported in every format that needs no file, with
 * extreme numbers. The first byte has bits for options.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "export/export.h"
#include "export/html.h"
#include "fuzz.h"
#include "model/critical.h"
#include "read/event_json.h"

static const char *const tables[] = {
#define TR2_TABLE(name, columns) #name,
#include "export/tables.def"
#undef TR2_TABLE
};

static struct tr2_model *read_model(struct fuzz_input *in)
{
	struct tr2_model *m = tr2_model_new();
	struct tr2_event_reader *r = tr2_event_reader_new(m, NULL, NULL);
	const char *line;
	uint64_t number = 0;
	size_t len;
	char *copy;

	if (!r)
		abort();
	tr2_event_reader_source(r, tr2_intern(m, "fuzz", 4));
	while (fuzz_line(in, &line, &len)) {
		copy = malloc(len + 1 + TR2_JSON_PADDING);
		if (!copy)
			abort();
		memcpy(copy, line, len);
		memset(copy + len, '\n', 1 + TR2_JSON_PADDING);
		if (len)
			tr2_event_reader_line(r, copy, len, ++number, !in->n);
		free(copy);
	}
	tr2_event_reader_free(r);
	tr2_model_finish(m);
	return m;
}

static void check_json(const struct tr2_export_format *f, const char *text,
		       size_t size)
{
	struct fuzz_input in = { (const unsigned char *)text, size };
	const char *line;
	size_t len;

	if (f == &tr2_export_chrome)
		fuzz_check(fuzz_is_json(text, size), "not JSON");
	while (f == &tr2_export_otlp && fuzz_line(&in, &line, &len))
		fuzz_check(fuzz_is_json(line, len), "not JSON");
}

static void try(struct tr2_model *m, const struct tr2_export_format *f,
		const struct tr2_export_options *opt)
{
	static const struct tr2_filter all = TR2_FILTER_ANY;
	struct tr2_export x = { .m = m, .opt = opt, .filter = &all };
	static int fd = -1;
	size_t size;
	char *text;

	if (fd < 0)
		fd = memfd_create("export", MFD_CLOEXEC);
	if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET))
		abort();
	x.sink.fd = fd;
	fuzz_check(tr2_export_run(&x, f) && tr2_sink_flush(&x.sink),
		   "an export fails");
	tr2_buf_release(&x.sink.buf);
	size = (size_t)lseek(fd, 0, SEEK_END);
	text = malloc(size + 1);
	if (!text || pread(fd, text, size, 0) != (ssize_t)size)
		abort();
	check_json(f, text, size);
	free(text);
}

static void look_for_paths(struct tr2_model *m)
{
	struct tr2_step *steps;
	uint32_t i;

	tr2_for_each_root(m, i) {
		steps = NULL;
		tr2_critical_path(m, i, &steps);
		free(steps);
	}
}

void fuzz_exports(struct fuzz_input *in)
{
	unsigned char options = fuzz_byte(in);
	struct tr2_export_options opt = { .redact = options & 1,
					  .trace2receiver = options & 2 };
	struct tr2_model *m;
	size_t i;

	if (!tr2_json_available())
		return;
	m = read_model(in);
	look_for_paths(m);
	try(m, &tr2_export_chrome, &opt);
	try(m, &tr2_export_folded, &opt);
	try(m, &tr2_export_otlp, &opt);
	try(m, &tr2_export_prometheus, &opt);
	try(m, &tr2_export_html, &opt);
	for (i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		opt.table = tables[i];
		try(m, &tr2_export_csv, &opt);
	}
	tr2_model_free(m);
}
