/* SPDX-License-Identifier: MIT */
/* kernel_maps - describe the mappings that a process has already. */
#include "record/kernel/kernel_maps.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "common/perf_file.h"

/* START-END PERMISSIONS OFFSET MAJOR:MINOR INODE NAME */
bool tr2_kernel_maps_add(struct tr2_buf *b, pid_t pid, const char *line)
{
	unsigned long long start, end, offset, inode;
	unsigned int major, minor;
	char permissions[5], name[PATH_MAX];
	int at = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end,
		   permissions, &offset, &major, &minor, &inode, &at) != 7 ||
	    !strchr(permissions, 'x') || end <= start)
		return false;
	snprintf(name, sizeof(name), "%s", line[at] ? line + at : "//anon");
	name[strcspn(name, "\n")] = '\0';
	tr2_perf_add_u32(b, (uint32_t)pid);
	tr2_perf_add_u32(b, (uint32_t)pid);
	tr2_perf_add_u64(b, start);
	tr2_perf_add_u64(b, end - start);
	tr2_perf_add_u64(b, offset);
	tr2_perf_add_u32(b, major);
	tr2_perf_add_u32(b, minor);
	tr2_perf_add_u64(b, inode);
	tr2_perf_add_u64(b, 0); /* the inode's generation */
	tr2_perf_add_u32(b, PROT_READ | PROT_EXEC);
	tr2_perf_add_u32(b, strchr(permissions, 's') ? MAP_SHARED :
						       MAP_PRIVATE);
	tr2_perf_add_padded(b, name, sizeof(name) - 8);
	return true;
}
