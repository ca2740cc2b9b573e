/* SPDX-License-Identifier: MIT */
/* What the renderers of the three targets share. */
#ifndef TR2_EVENT_RENDER_INTERNAL_H
#define TR2_EVENT_RENDER_INTERNAL_H

#include "base/text.h"
#include "event/render.h"

/* What may be shown of s, of length *len: s itself, or r->redacted. */
const char *tr2_render_shown(struct tr2_render *r, const char *s, size_t *len);

/* HH:MM:SS.uuuuuu in local time; YYYY-MM-DDThh:mm:ss.uuuuuuZ. */
#define TR2_LOCAL_LEN 15
#define TR2_UTC_LEN 27
char *tr2_render_put_local(char *p, struct tr2_render *r, uint64_t wall_us);
char *tr2_render_put_utc(char *p, struct tr2_render *r, uint64_t wall_us);

#endif
