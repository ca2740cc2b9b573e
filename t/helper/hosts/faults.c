/* SPDX-License-Identifier: MIT */
/*
 * `faults`: wait in poll() until standard input ends. The array of poll() lies
 * in a page that a userfaultfd watches, and that is gone during the wait. Exit
 * 1 if somebody else touched the page, 77 if the kernel refuses a userfaultfd.
 */
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#include "../system.h"

static size_t size;
static int ends[2];

static void *wait_in_poll(void *data)
{
	struct pollfd *array = data;

	array->fd = ends[0];
	array->events = POLLIN;
	poll(array, 1, -1);
	return NULL;
}

static bool is_waiting(pid_t tid)
{
	char path[64], text[32] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)tid);
	f = fopen(path, "r");
	if (!f)
		return false;
	(void)!fgets(text, sizeof(text), f);
	fclose(f);
	return strtol(text, NULL, 10) == SYS_poll;
}

static pid_t other_thread(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *e;
	pid_t tid = 0;

	while (dir && (e = readdir(dir)))
		if (atoi(e->d_name) > 0 && atoi(e->d_name) != getpid())
			tid = atoi(e->d_name);
	if (dir)
		closedir(dir);
	return tid;
}

int main(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct pollfd watched = { .events = POLLIN };
	pthread_t thread;
	char *page, c;

	size = (size_t)sysconf(_SC_PAGESIZE);
	watched.fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
	page = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (watched.fd < 0 || page == MAP_FAILED || pipe(ends) ||
	    ioctl(watched.fd, UFFDIO_API, &api))
		return 77;
	*page = 0;
	range.range.start = (uintptr_t)page;
	range.range.len = size;
	if (ioctl(watched.fd, UFFDIO_REGISTER, &range) ||
	    pthread_create(&thread, NULL, wait_in_poll, page))
		return 77;
	while (!is_waiting(other_thread()))
		sched_yield();
	madvise(page, size, MADV_DONTNEED);
	puts("waits");
	fflush(stdout);
	while (read(0, &c, 1) > 0)
		;
	_exit(poll(&watched, 1, 0) > 0);
}
