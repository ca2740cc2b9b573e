/* SPDX-License-Identifier: MIT */
/* meta_read - read a recording's description of its run and its tasks. */
#pragma once

struct tr2_model;
/* Read DIR/meta.json and DIR/tasks.jsonl if they exist. */
void tr2_meta_load(struct tr2_model *m, const char *dir);
