/* SPDX-License-Identifier: MIT */
/*
 * sink - the destination of an export: standard output, a file, or a device.
 *
 * A regular file is written beside its name and renamed at the end, so that the
 * name always has a complete file: the new export, or the old one. Text is
 * collected in `buf` and written in large blocks.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

struct tr2_export_sink {
	struct tr2_buf buf; /* append here */
	const char *path;   /* the path that the user gave; NULL: standard
			     * output */
	char *target, *temp; /* target: file that is replaced; temp: file that
			      * is written; NULL: path is written directly */
	int fd;
	bool failed; /* an error was printed */
};

/* Open the sink. path: NULL or "-" is standard output. Return false after an
 * error message. */
bool tr2_sink_open(struct tr2_export_sink *s, const char *path);

/* Write the collected text if it is long enough. Call this between records. */
bool tr2_sink_step(struct tr2_export_sink *s);
/* Write the collected text now. */
bool tr2_sink_flush(struct tr2_export_sink *s);

/* End the export. If `ok` is true and everything was written, rename the new
 * file; else the old file stays. Return false after an error message. */
bool tr2_sink_close(struct tr2_export_sink *s, bool ok);
