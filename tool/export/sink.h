/* SPDX-License-Identifier: MIT */
/*
 * sink - where an export goes: standard output, a file, or a device.
 *
 * A regular file is written beside its name and takes its place at the end, so
 * that what stands under the name is always whole: the new export, or what was
 * there before. Text is collected in `buf` and written in large pieces.
 */
#ifndef TR2_EXPORT_SINK_H
#define TR2_EXPORT_SINK_H

#include <stdbool.h>

#include "base/buf.h"

struct tr2_export_sink {
	struct tr2_buf buf; /* append here */
	const char *path;   /* as the user gave it; NULL: standard output */
	char *target, *temp; /* NULL: written in place */
	int fd;
	bool failed; /* an error was printed */
};

/* path: NULL or "-" is standard output. false: an error was printed. */
bool tr2_sink_open(struct tr2_export_sink *s, const char *path);

/* Writes what was collected when that is much; call between records. */
bool tr2_sink_step(struct tr2_export_sink *s);
/* Writes what was collected, now. */
bool tr2_sink_flush(struct tr2_export_sink *s);

/* Ends it. Unless `ok` and all was written, a file is left as it was.
 * false: something went wrong, and an error was printed. */
bool tr2_sink_close(struct tr2_export_sink *s, bool ok);

#endif
