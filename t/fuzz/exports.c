/* SPDX-License-Identifier: MIT */
/*
 * Lines of the event target, exported in every format that needs no file, with
 * extreme numbers. The first byte has bits for options.
 */
#include "export/export.h"
#include "export/page/html.h"
#include "format/events/event_json.h"
#include "fuzz.h"
#include "model/path/critical.h"
#include "out/table.h"

static const char *const tables[] = {
#define TR2_TABLE(name, of, columns) #name,
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
	const char *line, *data = strstr(text, "id=\"data\">");
	size_t len;

	if (f == &tr2_export_html) {
		fuzz_check(data, "no data");
		data += strlen("id=\"data\">");
		fuzz_check(fuzz_is_json(data, (size_t)(strstr(data, "</script>") -
						       data)), "not JSON");
	}
	if (f == &tr2_export_chrome)
		fuzz_check(fuzz_is_json(text, size), "not JSON");
	while (f == &tr2_export_otlp && fuzz_line(&in, &line, &len))
		fuzz_check(fuzz_is_json(line, len), "not JSON");
}

struct row {
	const struct tr2_model *m;
	enum tr2_link link;
	uint32_t number;
};

/* `mixed` has values of several kinds. */
#define COLUMNS(COLUMN, DATA, TEXT) \
	COLUMN(name, "NAME", TR2_COL_TREE, \
	       tr2_cell_str(t, tr2_s(r->m, r->m->threads[r->number].name)); \
	       tr2_cell_link(t, r->link, r->number)) \
	COLUMN(start, "START", TR2_COL_LEFT, \
	       tr2_cell_wall(t, r->m->threads[r->number].start_ns)) \
	TEXT(time, "TIME", TR2_COL_DATA | TR2_COL_PAGE, \
	     tr2_cell_ns(t, r->m->threads[r->number].end_ns); \
	     tr2_cell_color(t, TR2_COLOR_BAD)) \
	COLUMN(mixed, "MIXED", 0, \
	       if (r->number % 2) tr2_cell_real(t, r->number); \
	       else if (r->number % 3) tr2_cell_bytes(t, r->number)) \
	DATA(data, tr2_cell_ns(t, r->m->threads[r->number].end_ns))

TR2_COLUMN_LIST(columns, struct row, COLUMNS)

/* Tables of a report, without its rules. */
static void print_tables(struct tr2_model *m, struct tr2_output *out)
{
	struct row row = { .m = m };
	struct tr2_table t;

	for (row.link = TR2_LINK_NONE; row.link <= TR2_LINK_THREAD;
	     row.link++) {
		tr2_table_init(&t, out, "table", TR2_COLUMNS(columns));
		for (row.number = 0; row.number < m->nr_threads; row.number++)
			if (row.link == TR2_LINK_THREAD ||
			    row.number < m->nr_nodes)
				tr2_table_add(&t, &row);
		tr2_table_finish(&t);
	}
}

static void try(struct tr2_model *m, const struct tr2_export_format *f,
		const struct tr2_export_options *opt)
{
	static const struct tr2_filter all = TR2_FILTER_ANY;
	struct tr2_export x = { .m = m, .opt = opt, .filter = &all,
				.print_tables = print_tables };
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
	text[size] = '\0';
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
					  .compat = options & 2 ?
							"trace2receiver" : NULL };
	struct tr2_model *m;
	size_t i;

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
