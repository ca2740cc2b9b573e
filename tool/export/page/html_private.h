/* SPDX-License-Identifier: MIT */
/*
 * html_private - declarations shared by the files that write the page's data:
 * the state of the export, strings by number, and rows of numbers.
 */
#pragma once

#include "common/map.h"
#include "export/page/html.h"
#include "export/profile/frames.h"

/* A string of the page; the model owns it. */
struct tr2_html_text {
	const char *s;
	size_t len;
};

/* The place of a block of bytes: the index of its text, and its offset
 * there. */
struct tr2_html_block {
	uint32_t text, at;
};

struct tr2_html {
	struct tr2_frames frames;
	int64_t origin_ns;
	int64_t cpu_ns; /* CPU time of all processes; TR2_NO_TIME: unknown */
	uint32_t *of_node; /* by node: 1 + the row of the process */
	uint32_t *of_thread;
	uint32_t *of_span; /* by span: its number; spans are numbered thread by
			    * thread */
	uint32_t *of_trace_span; /* by span of the program: its number among all
				  * spans */
	uint32_t *of_point;
	uint32_t nr_processes, nr_threads, nr_spans, nr_points;
	uint32_t nr_spans_before; /* number of spans before the current
				   * thread */
	int64_t last_ns; /* start of the last span */
	struct tr2_map numbers; /* maps an interned string to its number */
	struct tr2_html_text *texts; /* array of the strings, by number - 1 */
	uint32_t nr_strings, alloc_texts;
	struct tr2_map blocks; /* maps a block's hash to 1 + its index */
	struct tr2_html_block *block;
	uint32_t nr_blocks, alloc_blocks;
	/* Text of rows, and of the strings in the order of their numbers. */
	struct tr2_buf processes, points, strings;
	struct tr2_buf json; /* text that is written next */
};

/* Return the number of a string, after redacting it; 0: "" or NULL. */
uint32_t tr2_html_string(struct tr2_export *x, const char *s);
/* Return the number of the text in x->text, which must be redacted. */
uint32_t tr2_html_text(struct tr2_export *x);
/* Return the number of a name, for example a process's. */
uint32_t tr2_html_name(struct tr2_export *x, tr2_export_name_fn *add,
		       uint32_t i);
/* Return the number of the process that ended a wait, or had the CPU
 * (model/states.h). */
uint32_t tr2_html_by(struct tr2_export *x, tr2_str by);
uint32_t tr2_html_place(struct tr2_export *x, tr2_str file, uint32_t line);
uint32_t tr2_html_command(struct tr2_export *x, const struct tr2_words *words);

/* Return the number of the file that a command works on; 0: none. */
uint32_t tr2_html_file(struct tr2_export *x, const struct tr2_words *words);

/* export/page/html_strings.c: append a string of the model; release the memory
 * for strings. */
void tr2_html_add_text(struct tr2_html *h, const char *s, size_t len);
void tr2_html_release_strings(struct tr2_html *h);

void tr2_html_open_row(struct tr2_buf *b);
void tr2_html_num(struct tr2_buf *b, int64_t value);
/* Remove the comma after the last number. */
void tr2_html_trim(struct tr2_buf *b);
/* Close a row, without a comma after its last number. The row may be empty. */
void tr2_html_close_row(struct tr2_buf *b);

/* Begin the row of a thread, up to its spans. The caller counts the thread.
 * main_thread 2: the spans are the program's, in lanes. */
void tr2_html_open_thread(struct tr2_export *x, uint32_t node, uint32_t name,
			  int main_thread, int64_t start_ns, int64_t took_ns);
/* Begin a span of the thread, and return its number. */
uint32_t tr2_html_next_span(struct tr2_export *x);
#define TR2_HTML_OPEN 4 /* flag in the kind of a span that is open */
/* export/page/html_trace_spans.c: add the program's spans of a session. */
void tr2_html_trace_spans(struct tr2_export *x, uint32_t session);

/* Write out h->json. */
void tr2_html_step(struct tr2_export *x);
void tr2_html_key(struct tr2_buf *b, const char *name);
/* Write rows, and release their memory. */
void tr2_html_array(struct tr2_export *x, const char *name,
		    struct tr2_buf *rows);
/* Write all strings, and the end of the data. */
void tr2_html_strings(struct tr2_export *x);

/* Codes of states in the page: the kind of the state, or WAIT + the cause of a
 * wait. The flag TR2_HTML_INFERRED may be added to a code. */
#define TR2_HTML_NR_CODES (TR2_STATE_WAIT + TR2_CAUSE_NR)
#define TR2_HTML_INFERRED 32

/* export/page/html_states.c: write the kernel's threads. */
void tr2_html_add_states(struct tr2_export *x);
/* export/page/html_path.c: write the critical path. */
void tr2_html_add_path(struct tr2_export *x);
/* export/page/html_memory.c: write the memory of processes, if it is known. */
void tr2_html_add_memory(struct tr2_export *x);

/* export/page/html_samples.c: write the samples. */
void tr2_html_add_samples(struct tr2_export *x);

/* export/page/html_tables.c: write the tables of the report. */
void tr2_html_tables(struct tr2_export *x);
