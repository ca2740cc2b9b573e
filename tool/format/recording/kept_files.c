/* SPDX-License-Identifier: MIT */
/* kept_files - find the process that wrote each kept file. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "common/words.h"
#include "format/recording/kept_files.h"

static uint32_t task_of(const struct tr2_model *m, uint32_t first_task,
			int pid, int64_t start_ns)
{
	uint32_t i;

	for (i = first_task; i < m->nr_tasks; i++)
		if (m->tasks[i].pid == pid && m->tasks[i].start_ns == start_ns)
			return i;
	return 0;
}

void tr2_kept_files_load(struct tr2_model *m, const char *dir,
			 const char *directory, uint32_t first_task,
			 tr2_kept_file_fn *read_file)
{
	struct tr2_buf path = TR2_BUF_INIT, file = TR2_BUF_INIT;
	DIR *d = opendir(tr2_join(&path, dir, directory));
	struct dirent *e;
	uint64_t start;
	uint32_t task;
	int pid, fd;

	while (d && (e = readdir(d))) {
		if (sscanf(e->d_name, "%d-%" SCNu64, &pid, &start) != 2 ||
		    start > INT64_MAX / 4)
			continue;
		task = task_of(m, first_task, pid,
			       tr2_wall_ns((int64_t)start + m->meta_wall_ns -
					   m->meta_mono_ns));
		fd = task ? open(tr2_join(&file, tr2_buf_str(&path), e->d_name),
				 O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
		if (fd < 0)
			continue;
		read_file(m, task, fd, tr2_buf_str(&file));
		close(fd);
	}
	if (d)
		closedir(d);
	tr2_buf_release(&path);
	tr2_buf_release(&file);
}
