/* SPDX-License-Identifier: MIT */
/*
 * Count allocations by probes of the kernel. A probe is defined in tracefs and
 * counts as a tracepoint does. Do not open an event whose own attributes name
 * the file to probe: children could not inherit this event, so that fork()
 * would fail.
 */
#include "record/kernel/allocations.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/text.h"
#include "record/kernel/tracepoints.h"
#include "record/refusal.h"

#define PROBES "uprobe_events"
#define GROUP "trace2_"

/* The allocating functions that call no other allocating function. */
static const char *const functions[] = { "malloc", "calloc", "realloc",
					 "posix_memalign", "aligned_alloc" };

struct tr2_allocations {
	int tracefs;
	/* The group of the probes in the C library's file. All commands that
	 * count at one time share the probes. The last of the commands can
	 * remove them, even if a killed command defined them. */
	char group[64];
	uint64_t id[ARRAY_SIZE(functions)];
	int fd[ARRAY_SIZE(functions)];
	uint64_t count;
	int error; /* errno of a failure in the last run; 0: none */
};

/* The place of a function in its file. */
struct place {
	uintptr_t address;
	const char *path;
	uintptr_t offset;
};

static int find_in(struct dl_phdr_info *info, size_t size, void *data)
{
	struct place *place = data;
	size_t i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t at = place->address - info->dlpi_addr - h->p_vaddr;

		if (h->p_type != PT_LOAD || at >= h->p_memsz)
			continue;
		place->path = info->dlpi_name;
		place->offset = at + h->p_offset;
		return 1;
	}
	return 0;
}

/* Find the function in the C library itself: a sanitizer's function in the
 * program may have the same name. */
static bool find_function(struct place *place, const char *function)
{
	void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	void *address = dlsym(libc ? libc : RTLD_DEFAULT, function);

	if (libc)
		dlclose(libc);
	memset(place, 0, sizeof(*place));
	place->address = (uintptr_t)address;
	return address && dl_iterate_phdr(find_in, place) &&
	       place->path[0] == '/' && !strpbrk(place->path, " \t\n:");
}

static bool write_probes(int tracefs, const char *line)
{
	int fd = openat(tracefs, PROBES, O_WRONLY | O_APPEND | O_CLOEXEC);
	size_t len = strlen(line);
	bool ok = fd >= 0 && write(fd, line, len) == (ssize_t)len;
	int err = errno;

	if (fd >= 0)
		close(fd);
	errno = err;
	return ok;
}

static uint64_t read_id(const struct tr2_allocations *a, const char *function)
{
	char path[128], text[32];
	int fd;
	ssize_t n;

	snprintf(path, sizeof(path), "events/%s/%s/id", a->group, function);
	fd = openat(a->tracefs, path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	return strtoull(text, NULL, 10);
}

static bool define_probe(struct tr2_allocations *a, size_t i)
{
	struct place place;
	struct stat st;
	char line[4200];

	if (!find_function(&place, functions[i])) {
		errno = ENOENT;
		return false;
	}
	if (stat(place.path, &st))
		return false;
	snprintf(a->group, sizeof(a->group), GROUP "%jx_%jx",
		 (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	if ((size_t)snprintf(line, sizeof(line), "p:%s/%s %s:0x%zx\n", a->group,
			     functions[i], place.path, (size_t)place.offset) >=
	    sizeof(line)) {
		errno = ENAMETOOLONG;
		return false;
	}
	if (!write_probes(a->tracefs, line) && errno != EEXIST)
		return false;
	a->id[i] = read_id(a, functions[i]);
	errno = EINVAL;
	return a->id[i] != 0;
}

static void undefine(const struct tr2_allocations *a, const char *function)
{
	char line[128];

	snprintf(line, sizeof(line), "-:%s/%s\n", a->group, function);
	write_probes(a->tracefs, line);
}

struct tr2_allocations *tr2_allocations_open(const char **why_not)
{
	static char why[192];
	struct tr2_allocations *a = calloc(1, sizeof(*a));
	size_t i;

	*why_not = why;
	snprintf(why, sizeof(why), "%s", strerror(ENOMEM));
	if (!a)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(functions); i++)
		a->fd[i] = -1;
	a->tracefs = tr2_tracefs_open();
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (a->tracefs >= 0 && define_probe(a, i))
			continue;
		if (a->tracefs < 0 || errno == EACCES || errno == EPERM)
			tr2_refusal_explain(why, sizeof(why),
					    TR2_RIGHT_TRACEFS, errno);
		else
			snprintf(why, sizeof(why),
				 "%s (a kernel with CONFIG_UPROBE_EVENTS is "
				 "needed)", strerror(errno));
		tr2_allocations_close(a);
		return NULL;
	}
	return a;
}

void tr2_allocations_close(struct tr2_allocations *a)
{
	size_t i;

	if (!a)
		return;
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (a->fd[i] >= 0)
			close(a->fd[i]);
		if (a->id[i])
			undefine(a, functions[i]);
	}
	if (a->tracefs >= 0)
		close(a->tracefs);
	free(a);
}

static int open_event(uint64_t id, pid_t pid)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = id;
	attr.inherit = attr.disabled = attr.enable_on_exec = 1;
	return (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

void tr2_allocations_begin(struct tr2_allocations *a, pid_t pid)
{
	size_t i;

	a->error = 0;
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		a->fd[i] = open_event(a->id[i], pid);
		/* Another command may have removed the probe since the last
		 * run. */
		if (a->fd[i] < 0 && define_probe(a, i))
			a->fd[i] = open_event(a->id[i], pid);
		if (a->fd[i] < 0)
			a->error = errno;
	}
}

void tr2_allocations_end(struct tr2_allocations *a)
{
	uint64_t count;
	size_t i;

	a->count = 0;
	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (a->fd[i] < 0)
			continue;
		if (read(a->fd[i], &count, sizeof(count)) ==
		    (ssize_t)sizeof(count))
			a->count += count;
		else
			a->error = errno;
		close(a->fd[i]);
		a->fd[i] = -1;
	}
}

const char *tr2_allocations_why_not(const struct tr2_allocations *a)
{
	return a->error ? strerror(a->error) : NULL;
}

bool tr2_allocations_add_meta(const struct tr2_allocations *a,
			      struct tr2_buf *b)
{
	if (a->error)
		return false;
	tr2_buf_addlit(b, "\"allocations\":{\"value\":");
	tr2_buf_add_u64(b, a->count);
	tr2_buf_addlit(b, ",\"unit\":\"\"}");
	return true;
}
