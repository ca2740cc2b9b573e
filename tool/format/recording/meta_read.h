/* SPDX-License-Identifier: MIT */
/*
 * meta_read - read the files that `trace2 record` writes beside the events.
 *
 * meta_keys.h reads DIR/meta.json.
 *
 * DIR/tasks.jsonl has the records of tasks.def, approximately in order of time.
 */
#ifndef TR2_FORMAT_RECORDING_META_READ_H
#define TR2_FORMAT_RECORDING_META_READ_H

#include "common/lines.h"
#include "format/read.h"

/* Read DIR/meta.json and DIR/tasks.jsonl if they exist. */
void tr2_meta_load(struct tr2_model *m, const char *dir);

#endif
