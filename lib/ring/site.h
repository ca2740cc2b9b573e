/* SPDX-License-Identifier: MIT */
/* site - the rows of the program's sites in the ring's file. */
#ifndef TR2_RING_SITE_H
#define TR2_RING_SITE_H

#include <stdint.h>

#include "site/site.h"

/* By number: the offset of the site's row; 0: not asked for yet. */
extern uint32_t tr2_ring_site_rows[TR2_MAX_SITES];
#define TR2_RING_NO_ROW UINT32_MAX

/* Return the offset of the site's row among the file's strings, or
 * TR2_RING_NO_ROW: no room. Under the process's lock, and that of
 * tr2_metric_try_lock(). */
uint32_t tr2_ring_add_site(const struct tr2_site *site);

/* The process has another file, or none. */
void tr2_ring_forget_sites(void);

#endif
