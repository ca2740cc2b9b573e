/* SPDX-License-Identifier: MIT */
/*
 * quick - the events of hot paths, when the ring is the only target: written
 * straight into it, without the frame of a call (see call.h), whose parts cost
 * more than the record. Nothing here can be in a signal handler's way, so these
 * nest where calls do not.
 *
 * Each returns false when it is not its turn, having done nothing: then the
 * usual path does it. That is so for strings that may hold secrets, too.
 */
#ifndef TR2_SESSION_QUICK_H
#define TR2_SESSION_QUICK_H

#include <stdbool.h>

/* Not 0: the ring is the only target, and takes events. */
extern int tr2_quick_on;

/* Before others may see that tracing is on; and when it ends. */
void tr2_quick_start(void);
void tr2_quick_stop(void);

/* Parts want to hear of each call: events go that way from now on. */
void tr2_quick_leave_to_calls(void);

bool tr2_quick_region_enter(const char *file, int line, const char *category,
			    const char *label, int repo_id);
bool tr2_quick_region_leave(const char *file, int line, const char *category,
			    const char *label, int repo_id);
bool tr2_quick_data(const char *file, int line, const char *category,
		    int repo_id, const char *key, const char *value);

#endif
