/* SPDX-License-Identifier: MIT */
/* Look into an event that a sink got. */
#include <stddef.h>
#include <string.h>

#include "trace2.h"

const struct trace2_event_field *
trace2_event_get(const struct trace2_event *event, const char *name)
{
	unsigned int i;

	for (i = 0; event && name && i < event->nr_fields; i++)
		if (!strcmp(event->fields[i].name, name))
			return &event->fields[i];
	return NULL;
}
