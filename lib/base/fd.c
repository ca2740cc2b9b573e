/* SPDX-License-Identifier: MIT */
/* Choose high numbers for the library's descriptors, and distinguish them from
 * the host's. */
#include "base/fd.h"

#include <linux/kcmp.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "base/buf.h"
#include "base/raw.h"

/* The library's descriptors get numbers that a host or a shell is unlikely to
 * use: the last ones below a limit. */
#define FDS_BELOW_LIMIT 32
#define HIGHEST_LIMIT 1024
#define FIRST_SAFE_FD 3

static bool are_shared;

/* If the kernel refuses the answer, assume that the table is not shared: most
 * children have a table of their own. */
void tr2_fd_look_whose(void)
{
	are_shared = !tr2_is_in_sandbox() &&
		     !tr2_raw_call(SYS_kcmp, getppid(), getpid(), KCMP_FILES,
				   0, 0, 0);
}

void tr2_fd_are_own(void)
{
	are_shared = false;
}

bool tr2_fd_are_shared(void)
{
	return are_shared;
}

void tr2_fd_close(int fd)
{
	if (!are_shared)
		close(fd);
}

int tr2_fd_move_up(int fd)
{
	struct rlimit limit;
	int moved;

	if (fd < 0)
		return fd;
	if (are_shared) {
		close(fd);
		errno = EBADF;
		return -1;
	}
	moved = fcntl(fd, F_DUPFD_CLOEXEC, HIGHEST_LIMIT - FDS_BELOW_LIMIT);
	if (moved < 0 && !getrlimit(RLIMIT_NOFILE, &limit) &&
	    limit.rlim_cur < HIGHEST_LIMIT &&
	    limit.rlim_cur > FIRST_SAFE_FD + FDS_BELOW_LIMIT)
		moved = fcntl(fd, F_DUPFD_CLOEXEC,
			      (int)limit.rlim_cur - FDS_BELOW_LIMIT);
	if (moved < 0)
		moved = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_SAFE_FD);
	/* EMFILE: close fd, so that the host gets the last free number. After
	 * another error, such as a refusal by a sandbox, keep fd where it
	 * is. */
	if (moved < 0 && errno != EMFILE && fd >= FIRST_SAFE_FD)
		return fd;
	close(fd);
	if (moved < 0)
		errno = EMFILE;
	return moved;
}

uint64_t tr2_file_size_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) ? 0 : limit.rlim_cur;
}

/* An entry that getdents64() returns. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t size;
	uint8_t type;
	char name[];
};

static bool has_thread(const char *tid, int fd, const struct tr2_file_id *id)
{
	char memory[64];
	struct tr2_buf path;
	struct stat st;

	tr2_buf_init_fixed(&path, memory, sizeof(memory));
	tr2_buf_addall(&path, "/proc/self/task/", tid, "/fd/");
	tr2_buf_add_u64(&path, (uint64_t)fd);
	return !path.failed && !stat(tr2_buf_str(&path), &st) &&
	       st.st_dev == id->device && st.st_ino == id->inode;
}

static bool has_one_of(const char *entries, size_t bytes, int fd,
		       const struct tr2_file_id *id)
{
	const struct entry *entry;
	size_t at;

	for (at = 0; at < bytes; at += entry->size) {
		entry = (const void *)(entries + at);
		if (*entry->name != '.' && has_thread(entry->name, fd, id))
			return true;
	}
	return false;
}

bool tr2_is_in_sandbox(void)
{
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0;
}

/* Search the directory without opendir(), which calls malloc. */
bool tr2_fd_is_elsewhere(int fd, const struct tr2_file_id *id)
{
	_Alignas(struct entry) char entries[512];
	bool found = false;
	int tasks;
	long n;

	if (tr2_is_in_sandbox())
		return false;
	tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (tasks < 0)
		return false;
	while (!found && (n = syscall(SYS_getdents64, tasks, entries,
				      sizeof(entries))) > 0)
		found = has_one_of(entries, (size_t)n, fd, id);
	close(tasks);
	return found;
}

int tr2_pipe_open(struct tr2_pipe *p)
{
	struct stat st;
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	ends[0] = tr2_fd_move_up(ends[0]);
	ends[1] = tr2_fd_move_up(ends[1]);
	if (ends[0] >= 0 && ends[1] >= 0 && !fstat(ends[0], &st)) {
		*p = (struct tr2_pipe){ .ends = { ends[0], ends[1] },
					.id = tr2_file_id_of(&st) };
		return 0;
	}
	error = errno;
	if (ends[0] >= 0)
		close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
	return -error;
}

void tr2_pipe_close_end(struct tr2_pipe *p, unsigned int end)
{
	if (tr2_fd_is(p->ends[end], &p->id))
		tr2_fd_close(p->ends[end]);
	p->ends[end] = -1;
}

void tr2_pipe_close(struct tr2_pipe *p)
{
	tr2_pipe_close_end(p, 0);
	tr2_pipe_close_end(p, 1);
}

bool tr2_pipe_is_open(const struct tr2_pipe *p)
{
	return tr2_fd_is(p->ends[0], &p->id) && tr2_fd_is(p->ends[1], &p->id);
}

void tr2_pipe_raise(const struct tr2_pipe *p)
{
	if (tr2_pipe_is_open(p))
		tr2_sys_write(p->ends[1], "", 1);
}
