/* SPDX-License-Identifier: MIT */
/*
 * trace2 set - change the settings of a running process that allows it: see
 * config/control_block.h.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "common/options.h"
#include "common/say.h"
#include "config/control_block.h"

#define LINK_IS "/memfd:" TR2_CONTROL_NAME
#define WAIT_NS INT64_C(5000000000)

extern const struct tr2_command tr2_command_set;

static int64_t pid, wait_ns = WAIT_NS;
static bool reopen, flush;

static const struct tr2_option options[] = {
	{ 'p', "pid", "PID", TR2_OPT_INT, &pid, "of this process", NULL },
	{ 0, "reopen", NULL, TR2_OPT_FLAG, &reopen,
	  "open its files again, after they were renamed", NULL },
	{ 0, "flush", NULL, TR2_OPT_FLAG, &flush,
	  "let it tell its metrics so far", NULL },
	{ 0, "timeout", "S", TR2_OPT_DURATION, &wait_ns,
	  "wait this long until it calls the library (default 5s)", NULL },
	TR2_OPT_END
};

/* Open the page among the descriptors of the process. -1: errno; ENXIO: it has
 * none. */
static int open_page(void)
{
	char path[64], link[sizeof(LINK_IS)];
	struct dirent *entry;
	int fd = -1, error = ENXIO;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%lld/fd", (long long)pid);
	dir = opendir(path);
	if (!dir)
		return -1;
	while (fd < 0 && (entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, link,
				       sizeof(link));

		if (n != (ssize_t)sizeof(link) ||
		    memcmp(link, LINK_IS " ", sizeof(link)))
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_RDWR | O_CLOEXEC);
		error = errno;
	}
	closedir(dir);
	errno = error;
	return fd;
}

static struct tr2_control_block *map_page(int fd)
{
	struct tr2_control_block *block;
	struct stat st;

	if (fstat(fd, &st) || st.st_size != TR2_CONTROL_BYTES)
		return NULL;
	block = mmap(NULL, TR2_CONTROL_BYTES, PROT_READ | PROT_WRITE,
		     MAP_SHARED, fd, 0);
	if (block == MAP_FAILED)
		return NULL;
	return __atomic_load_n(&block->magic, __ATOMIC_ACQUIRE) ==
			       TR2_CONTROL_MAGIC ?
		       block :
		       NULL;
}

static int no_page(int error)
{
	if (error == ENOENT)
		tr2_error("there is no process %lld", (long long)pid);
	else if (error == ENXIO)
		tr2_error("process %lld takes no settings: it must start with "
			  "GIT_TRACE2_CONTROL=1, or ask for it itself "
			  "(TRACE2_CONTROL), without a ring",
			  (long long)pid);
	else
		tr2_error("process %lld: %s: it is another user's, or has "
			  "changed its user",
			  (long long)pid, strerror(error));
	return TR2_EXIT_FATAL;
}

/* Let the process look at its next call. */
static bool make_it_look(const struct tr2_control_block *block)
{
	int look = TR2_ENABLED_LOOK;
	struct iovec from = { &look, sizeof(look) };
	struct iovec to = { (void *)(uintptr_t)block->enabled_at,
			    sizeof(look) };

	return block->looks || process_vm_writev((pid_t)pid, &from, 1, &to, 1,
						 0) == (ssize_t)sizeof(look);
}

/* A call that ends while this one writes may overwrite it: write it again. */
static bool is_done(const struct tr2_control_block *block, uint32_t request)
{
	static const struct timespec a_while = { 0, 1000000 };
	struct timespec now, from;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do {
		if (__atomic_load_n(&block->done, __ATOMIC_ACQUIRE) == request)
			return true;
		nanosleep(&a_while, NULL);
		(void)make_it_look(block);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((now.tv_sec - from.tv_sec) * INT64_C(1000000000) +
			 (now.tv_nsec - from.tv_nsec) <
		 wait_ns);
	return false;
}

static int report(const struct tr2_control_block *block)
{
	int error = -block->result;

	if (!error)
		return 0;
	if (error == EINVAL)
		tr2_error("process %lld refuses this: only targets that are "
			  "paths or sockets, _BRIEF and _EVENT_NESTING can be "
			  "changed",
			  (long long)pid);
	else if (error == EBUSY)
		tr2_error("process %lld: a thread was writing for too long: "
			  "try again",
			  (long long)pid);
	else
		tr2_error("process %lld: cannot open a target: %s",
			  (long long)pid, strerror(error));
	return TR2_EXIT_FATAL;
}

static int ask(int fd, struct tr2_control_block *block, const char *text)
{
	uint32_t request;

	if (flock(fd, LOCK_EX))
		return no_page(errno);
	request = block->request + 1;
	snprintf(block->text, sizeof(block->text), "%s", text);
	__atomic_store_n(&block->request, request, __ATOMIC_RELEASE);
	if (!make_it_look(block)) {
		tr2_error("cannot write into process %lld: %s",
			  (long long)pid, strerror(errno));
		return TR2_EXIT_FATAL;
	}
	if (is_done(block, request))
		return report(block);
	tr2_error("process %lld has not called the library meanwhile: its next "
		  "call takes this up",
		  (long long)pid);
	return TR2_EXIT_FOUND;
}

static bool add_words(struct tr2_buf *text, char **words)
{
	for (; *words; words++) {
		if (!strchr(*words, '=') || strchr(*words, '\n'))
			return false;
		tr2_buf_addall(text, *words, "\n");
	}
	if (flush)
		tr2_buf_addstr(text, "flush\n");
	if (reopen)
		tr2_buf_addstr(text, "reopen\n");
	return text->len && text->len < TR2_CONTROL_TEXT;
}

static int run(int argc, char **argv)
{
	struct tr2_buf text = TR2_BUF_INIT;
	struct tr2_control_block *block;
	int fd, code;

	(void)argc;
	if (pid <= 0 || pid > INT32_MAX)
		return tr2_usage_error(&tr2_command_set, "-p PID is required");
	if (!add_words(&text, argv))
		return tr2_usage_error(&tr2_command_set,
				       "say what to set: VARIABLE=VALUE, "
				       "--reopen or --flush");
	errno = 0;
	fd = open_page();
	block = fd < 0 ? NULL : map_page(fd);
	code = block ? ask(fd, block, tr2_buf_str(&text)) :
		       no_page(fd < 0 ? errno : ENXIO);
	tr2_buf_release(&text);
	return code;
}

const struct tr2_command tr2_command_set = {
	.name = "set",
	.synopsis = "-p PID [--reopen] [--flush] [VARIABLE=VALUE...]",
	.summary = "Changes the targets of a running process that allows it.",
	.details = "The process has the library, and started with "
		   "GIT_TRACE2_CONTROL=1 or asked for it itself. What can be "
		   "set: GIT_TRACE2, GIT_TRACE2_PERF and GIT_TRACE2_EVENT (a "
		   "path, a socket, or 0: off), their _BRIEF, and "
		   "GIT_TRACE2_EVENT_NESTING. It counts from the next call of "
		   "the library on; each time that tracing is switched on, a "
		   "session begins. Whoever owns the process may do it.",
	.options = options,
	.flags = TR2_COMMAND_NO_PAGER,
	.run = run,
};
