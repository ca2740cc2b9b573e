/* SPDX-License-Identifier: MIT */
/* Find the mapping of an address in /proc/PID/maps. */
#include "record/observer/shared_memory.h"

#include <linux/futex.h>
#include <stdio.h>
#include <string.h>

#include "record/observer/proc_lines.h"
#include "record/observer/wait_paths.h"

/* Parse "7f00-7f10 rw-s 00000000 00:1a 1234    /dev/shm/name". Shared memory
 * without a file has the name /dev/zero. */
static const char *file_of(const char *text, uint64_t address)
{
	unsigned long long from, to;
	char shared;
	int at = 0;

	if (sscanf(text, "%llx-%llx %*3c%c %*x %*x:%*x %*u %n", &from, &to,
		   &shared, &at) != 3 ||
	    address < from || address >= to || shared != 's')
		return NULL;
	return at && text[at] == '/' &&
			       strncmp(text + at, "/dev/zero ", 10) != 0 ?
		       text + at :
		       NULL;
}

void tr2_shared_memory_find(struct tr2_wait *wait, uint64_t address,
			    int operation)
{
	struct tr2_proc_lines lines;
	const char *file = NULL;

	if (operation & FUTEX_PRIVATE_FLAG ||
	    !tr2_proc_lines_open(&lines, wait->p->pid, "maps"))
		return;
	while (!file && tr2_proc_lines_next(&lines))
		file = file_of(lines.line, address);
	tr2_proc_lines_close(&lines);
	if (!file || strlen(file) >= TR2_OBJECT_NAME_SIZE)
		return;
	wait->object.what = "memory";
	tr2_wait_set_path(wait, file, &wait->object);
}
