/* SPDX-License-Identifier: MIT */
/*
 * TR2_TESTPOINT(name): a named place between two steps of a writer. If a test
 * defines TR2_TESTPOINTS and includes the writer's source, the macro calls the
 * test's tr2_testpoint(), where a signal handler might run. Otherwise the macro
 * is empty.
 */
#pragma once

#define TR2_TESTPOINT_LIST(X)                                             \
	X(entered) /* the writer counts as in progress */                 \
	X(looked) /* the writer has read where the next record goes */    \
	X(found_mark) /* the writer knows which records to overwrite */   \
	X(made_room) /* the writer has moved the tail */                  \
	X(found_limit) /* the writer has computed room_until */           \
	X(reserved) /* the place is reserved, with older bytes in it */   \
	X(filled) /* the filler before the record is written */           \
	X(copied) /* the record is complete, and not visible */           \
	X(about_to_publish) /* the writer has computed the new head */    \
	X(published)                                                      \
	X(left) /* the writer has counted itself out, and looks again */  \
	X(counted_loss)

enum tr2_testpoint {
#define X(name) TR2_TESTPOINT_##name,
	TR2_TESTPOINT_LIST(X)
#undef X
	TR2_TESTPOINT_NR
};

#ifdef TR2_TESTPOINTS
void tr2_testpoint(enum tr2_testpoint at);
#define TR2_TESTPOINT(name) tr2_testpoint(TR2_TESTPOINT_##name)
#else
#define TR2_TESTPOINT(name) ((void)0)
#endif
