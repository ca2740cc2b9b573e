/* SPDX-License-Identifier: MIT */
/* Ask a running process for other settings. */
#include "record/job/control_page.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "common/procfs.h"
#include "config/control_block.h"

#define LINK_IS "/memfd:" TR2_CONTROL_NAME
/* Wait this long after EBUSY before a request is repeated: each request may
 * stop the process for up to 50 ms, while it waits for its threads. */
#define AGAIN_NS 250000000

/* Open the control page among the descriptors of a thread. Return 0 or an
 * errno: ENXIO if no descriptor is the page, ECHILD if the thread has ended. */
static int open_of_thread(struct tr2_control_page *page, pid_t tid)
{
	char path[64], link[sizeof(LINK_IS)];
	struct dirent *entry;
	int error = ECHILD;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/fd", (int)page->pid,
		 (int)tid);
	dir = opendir(path);
	if (!dir)
		return errno;
	while (page->fd < 0 && (entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, link,
				       sizeof(link));

		if (n >= 0 && error == ECHILD)
			error = ENXIO;
		if (n != (ssize_t)sizeof(link) ||
		    memcmp(link, LINK_IS " ", sizeof(link)))
			continue;
		page->fd = openat(dirfd(dir), entry->d_name,
				  O_RDWR | O_CLOEXEC);
		page->tid = tid;
		error = page->fd < 0 ? errno : 0;
	}
	closedir(dir);
	return error;
}

/* Open the page through any thread, since all threads share their descriptors.
 * The fd directory of a thread that has ended is empty and belongs to root. */
static int open_fd(struct tr2_control_page *page)
{
	int error = open_of_thread(page, page->pid);
	int32_t tid;
	DIR *tasks;

	if (error != ECHILD && error != EACCES)
		return error;
	tasks = tr2_procfs_open(page->pid);
	while ((error == ECHILD || error == EACCES) && tasks &&
	       tr2_procfs_next(tasks, &tid))
		error = open_of_thread(page, tid);
	if (tasks)
		closedir(tasks);
	return error == ECHILD ? ENXIO : error;
}

static int map_page(struct tr2_control_page *page)
{
	struct tr2_control_block *block;
	struct stat st;

	if (fstat(page->fd, &st) || st.st_size != TR2_CONTROL_BYTES)
		return ENXIO;
	block = mmap(NULL, TR2_CONTROL_BYTES, PROT_READ | PROT_WRITE,
		     MAP_SHARED, page->fd, 0);
	if (block == MAP_FAILED)
		return errno;
	page->block = block;
	return __atomic_load_n(&block->magic, __ATOMIC_ACQUIRE) ==
			       TR2_CONTROL_MAGIC ?
		       0 :
		       ENXIO;
}

int tr2_control_page_open(struct tr2_control_page *page, pid_t pid)
{
	int error;

	*page = (struct tr2_control_page){ .pid = pid, .fd = -1 };
	error = open_fd(page);
	if (!error)
		error = map_page(page);
	if (error)
		tr2_control_page_release(page);
	return error;
}

void tr2_control_page_release(struct tr2_control_page *page)
{
	if (page->block)
		munmap(page->block, TR2_CONTROL_BYTES);
	if (page->fd >= 0)
		close(page->fd);
	page->block = NULL;
	page->fd = -1;
}

/* Make the process check for a request at its next call. Return 0 or an
 * errno. */
static int make_it_look(const struct tr2_control_page *page)
{
	int look = TR2_ENABLED_LOOK;
	struct iovec from = { &look, sizeof(look) };
	struct iovec to = { (void *)(uintptr_t)page->block->enabled_at,
			    sizeof(look) };

	if (page->block->looks)
		return 0;
	return process_vm_writev(page->tid, &from, 1, &to, 1, 0) ==
			       (ssize_t)sizeof(look) ?
		       0 :
		       errno;
}

/* Set a new number for the request. The page must be locked. */
static int set_request(struct tr2_control_page *page)
{
	struct tr2_control_block *block = page->block;

	page->request = block->last + 1 ? block->last + 1 : 1;
	block->last = page->request;
	page->asked_ns = tr2_clock_now_ns();
	__atomic_store_n(&block->request, page->request, __ATOMIC_RELEASE);
	return make_it_look(page);
}

int tr2_control_page_ask(struct tr2_control_page *page, const char *lines)
{
	struct tr2_control_block *block = page->block;
	int error;

	if (strlen(lines) >= sizeof(block->text))
		return E2BIG;
	if (flock(page->fd, LOCK_EX))
		return errno;
	__atomic_store_n(&block->request, 0, __ATOMIC_SEQ_CST);
	memcpy(block->text, lines, strlen(lines) + 1);
	page->is_busy = false;
	error = set_request(page);
	(void)flock(page->fd, LOCK_UN);
	return error;
}

/* Repeat the request. The page still contains the request's lines, unless
 * somebody else has made a request since. */
static void ask_again(struct tr2_control_page *page)
{
	if (flock(page->fd, LOCK_EX))
		return;
	if (page->block->last == page->request)
		(void)set_request(page);
	(void)flock(page->fd, LOCK_UN);
}

/* Set page->tid to a thread that has not ended. Return false if all have
 * ended. */
static bool find_thread(struct tr2_control_page *page)
{
	struct tr2_procfs_stat stat;
	bool found = false;
	int32_t tid;
	DIR *tasks;

	if (tr2_procfs_stat(page->pid, page->tid, &stat) &&
	    !strchr("ZX", stat.state))
		return true;
	tasks = tr2_procfs_open(page->pid);
	while (!found && tasks && tr2_procfs_next(tasks, &tid)) {
		found = tr2_procfs_stat(page->pid, tid, &stat) &&
			!strchr("ZX", stat.state);
		page->tid = tid;
	}
	if (tasks)
		closedir(tasks);
	return found;
}

enum tr2_control_answer tr2_control_page_look(struct tr2_control_page *page,
					      int *result)
{
	const struct tr2_control_block *block = page->block;

	if (__atomic_load_n(&block->done, __ATOMIC_ACQUIRE) == page->request) {
		*result = -block->result;
		if (*result != EBUSY || page->gives_up)
			return TR2_CONTROL_ANSWERED;
		page->is_busy = true;
		if (tr2_clock_now_ns() - page->asked_ns > AGAIN_NS)
			ask_again(page);
	}
	if (block->last != page->request)
		return TR2_CONTROL_REPLACED;
	if (!find_thread(page))
		return TR2_CONTROL_GONE;
	/* Set the word of make_it_look() again: a call that was in progress may
	 * have overwritten it. */
	(void)make_it_look(page);
	return TR2_CONTROL_WAITS;
}

enum tr2_control_answer tr2_control_page_wait(struct tr2_control_page *page,
					      int64_t wait_ns, int *result)
{
	static const struct timespec a_while = { 0, 1000000 };
	uint64_t from = tr2_clock_now_ns();
	enum tr2_control_answer answer;

	for (;;) {
		answer = tr2_control_page_look(page, result);
		if (answer != TR2_CONTROL_WAITS ||
		    tr2_clock_now_ns() - from >= (uint64_t)wait_ns)
			return answer;
		nanosleep(&a_while, NULL);
	}
}

bool tr2_control_page_withdraw(const struct tr2_control_page *page)
{
	uint32_t request = page->request;

	return request && __atomic_compare_exchange_n(&page->block->request,
						      &request, 0, false,
						      __ATOMIC_ACQ_REL,
						      __ATOMIC_RELAXED);
}
