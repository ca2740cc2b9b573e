/* SPDX-License-Identifier: MIT */
/* `waiters`: processes that wait for anything but sockets with addresses, and
 * sets: see waiters.h. */
#include "../waiters.h"

#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/userfaultfd.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

#include "../pseudo-terminal.h"

static void keep_reading_end(void)
{
	close(ends[1]);
}

static void pipe_from(void)
{
	int peer;

	make_pipe();
	peer = process(keep_writing_end);
	close(ends[1]);
	say("pipe", "", peer, 1, "");
	read_one(ends[0]);
}

static void fill(int fd)
{
	static char block[65536];

	check(!fcntl(fd, F_SETFL, O_NONBLOCK));
	while (write(fd, block, sizeof(block)) > 0)
		;
	check(!fcntl(fd, F_SETFL, 0));
}

static void pipe_to(void)
{
	int peer;

	make_pipe();
	peer = process(keep_reading_end);
	close(ends[0]);
	fill(ends[1]);
	say("pipe", "", peer, 1, "");
	(void)!write(ends[1], "", 1);
}

static void pipe_from_two(void)
{
	make_pipe();
	process(keep_writing_end);
	process(keep_writing_end);
	close(ends[1]);
	say("pipe", "", 0, 2, "");
	read_one(ends[0]);
}

static void pipe_from_itself(void)
{
	make_pipe();
	say("own pipe", "", 0, 1, "");
	read_one(ends[0]);
}

static void open_fifo(void)
{
	check(open("fifo", O_WRONLY) >= 0);
}

static void fifo_from(void)
{
	int peer, fd;

	check(!mkfifo("fifo", 0600));
	peer = process(open_fifo);
	fd = open("fifo", O_RDONLY);
	check(fd >= 0);
	say("fifo", "fifo", peer, 1, "");
	read_one(fd);
}

static void fifo_opened(void)
{
	check(!mkdir("dir", 0700) && !mkfifo("dir/fifo", 0600));
	say("fifo", "dir/fifo", 0, 1, "");
	(void)!open("dir/fifo", O_RDONLY);
}

static void fifo_removed(void)
{
	int fd;

	check(!mkfifo("gone", 0600));
	fd = open("gone", O_RDWR);
	check(fd >= 0 && !unlink("gone"));
	say("fifo", "gone (deleted)", 0, 1, "");
	read_one(fd);
}

static void fifo_elsewhere(void)
{
	char path[PATH_MAX];
	int fd;

	check(!mkfifo("outside", 0600) && !mkdir("below", 0700));
	check(realpath("outside", path) && !chdir("below"));
	fd = open(path, O_RDWR);
	check(fd >= 0);
	say("fifo", path, 0, 1, "");
	read_one(fd);
}

static void terminal(void)
{
	char path[64];
	int controller = pseudo_terminal_open(0, &ends[0]);

	check(controller >= 0 && !ttyname_r(ends[0], path, sizeof(path)));
	say("tty", path, 0, 1, "");
	read_one(ends[0]);
}

static void socket_pair(void)
{
	int peer;

	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	peer = process(keep_writing_end);
	close(ends[1]);
	say("socketpair", "", peer, 1, "");
	(void)!recv(ends[0], &peer, 1, 0);
}

static void socket_pair_to_itself(void)
{
	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	say("own socketpair", "", 0, 1, "");
	read_one(ends[0]);
}

static void socket_pair_filled(void)
{
	int peer, file = open("input", O_RDWR | O_CREAT, 0600);

	check(file >= 0 && !ftruncate(file, 65536));
	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	peer = process(keep_reading_end);
	close(ends[0]);
	fill(ends[1]);
	say("socketpair", "", peer, 1, "");
	(void)!sendfile(ends[1], file, NULL, 65536);
}

static void spliced(void)
{
	int peer, file = open("output", O_RDWR | O_CREAT, 0600);

	check(file >= 0);
	make_pipe();
	peer = process(keep_writing_end);
	close(ends[1]);
	say("pipe", "", peer, 1, "");
	(void)!splice(ends[0], NULL, file, NULL, 4096, 0);
}

static void polled_nothing(void)
{
	say("sleep", "100000 s", 0, 1, "");
	(void)poll(NULL, 0, 100000000);
}

static void selected_nothing(void)
{
	struct timeval limit = { .tv_sec = 100000 };

	say("sleep", "100000 s", 0, 1, "");
	(void)select(0, NULL, NULL, NULL, &limit);
}

/* ---- Descriptors of other kinds ---- */

static void timer(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t value;

	say("timer", "", 0, 1, "");
	(void)!read(fd, &value, sizeof(value));
}

static void event(void)
{
	uint64_t value;
	int fd = eventfd(0, 0);

	say("eventfd", "", 0, 1, "");
	(void)!read(fd, &value, sizeof(value));
}

static void signals(void)
{
	struct signalfd_siginfo info;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	check(!sigprocmask(SIG_BLOCK, &set, NULL));
	fd = signalfd(-1, &set, 0);
	say("signals", "", 0, 1, "");
	(void)!read(fd, &info, sizeof(info));
}

static void watched(void)
{
	int fd = inotify_init1(0);

	check(inotify_add_watch(fd, "/", IN_CREATE) >= 0 &&
	      inotify_add_watch(fd, ".", IN_DELETE_SELF) >= 0);
	say("inotify", "of 2", 0, 1, "");
	read_one(fd);
}

static void process_polled(void)
{
	int peer = process(hang);
	struct pollfd fd = { .events = POLLIN,
			     .fd = (int)syscall(SYS_pidfd_open, peer, 0) };

	if (fd.fd < 0)
		return;
	say("process", "", peer, 1, "");
	(void)poll(&fd, 1, -1);
}

static void uring(void)
{
	struct io_uring_params params = { 0 };
	int fd = (int)syscall(SYS_io_uring_setup, 4, &params);

	if (fd < 0)
		return;
	say("io_uring", "", 0, 1, "");
	(void)syscall(SYS_io_uring_enter, fd, 0, 1, IORING_ENTER_GETEVENTS,
		      NULL, 0);
}

/* ---- Locks and memory ---- */

static int lock_fd;

static void open_lock(void)
{
	lock_fd = open(name, O_RDWR | O_CREAT, 0600);
	check(lock_fd >= 0);
}

static void tell_locked(void)
{
	close(ends[0]);
	(void)!write(ends[1], "", 1);
}

static void hold_flock(void)
{
	open_lock();
	check(!flock(lock_fd, LOCK_EX));
	tell_locked();
}

/* Wait for a lock that another process has. */
static int locked_by(void (*hold)(void))
{
	int peer;

	make_pipe();
	peer = process(hold);
	read_one(ends[0]);
	open_lock();
	return peer;
}

static void flocked(void)
{
	say("lock", name, locked_by(hold_flock), 1, "");
	(void)flock(lock_fd, LOCK_EX);
}

static void hold_as_heir(void)
{
	int heir;

	open_lock();
	check(!flock(lock_fd, LOCK_EX));
	heir = process(hang);
	close(ends[0]);
	check(write(ends[1], &heir, sizeof(heir)) == sizeof(heir));
	_exit(0);
}

static void flocked_by_heir(void)
{
	int heir, pid;

	make_pipe();
	pid = process(hold_as_heir);
	check(read(ends[0], &heir, sizeof(heir)) == sizeof(heir));
	check(waitpid(pid, NULL, 0) == pid);
	open_lock();
	say("lock", name, heir, 1, "");
	(void)flock(lock_fd, LOCK_EX);
}

static void lock_by(int command)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	(void)fcntl(lock_fd, command, &lock);
}

static void hold_fcntl(void)
{
	open_lock();
	lock_by(F_SETLK);
	tell_locked();
}

static void fcntl_locked(void)
{
	say("lock", name, locked_by(hold_fcntl), 1, "");
	lock_by(F_SETLKW);
}

static void hold_open_file(void)
{
	open_lock();
	lock_by(F_OFD_SETLK);
	tell_locked();
}

static void open_file_locked(void)
{
	say("lock", name, locked_by(hold_open_file), 1, "");
	lock_by(F_OFD_SETLKW);
}

static void wait_on(uint32_t *word, int operation)
{
	(void)syscall(SYS_futex, word, operation, 0, NULL, NULL, 0);
}

static void memory(void)
{
	uint32_t *word;

	open_lock();
	check(!ftruncate(lock_fd, 4096));
	word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, lock_fd, 0);
	check(word != MAP_FAILED);
	say("memory", name, 0, 1, "");
	wait_on(word, FUTEX_WAIT);
}

static void own_memory(void)
{
	static uint32_t word;

	say("none", "", 0, 1, "");
	wait_on(&word, FUTEX_WAIT_PRIVATE);
}

static void nameless_memory(void)
{
	uint32_t *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	check(word != MAP_FAILED);
	say("none", "", 0, 1, "");
	wait_on(word, FUTEX_WAIT);
}

/* ---- Time, children, signals ---- */

static void sleeping(void)
{
	const struct timespec time = { .tv_sec = 5000, .tv_nsec = 500000000 };

	say("sleep", "5000.5 s", 0, 1, "");
	(void)nanosleep(&time, NULL);
}

static void sleeping_until(void)
{
	struct timespec time;

	check(!clock_gettime(CLOCK_MONOTONIC, &time));
	time.tv_sec += 5000;
	say("sleep", "", 0, 1, "");
	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

static void child(void)
{
	int pid = process(hang);

	say("child", "", pid, 1, "");
	(void)waitpid(pid, NULL, 0);
}

static void any_child(void)
{
	process(hang);
	say("child", "", 0, 1, "");
	(void)wait(NULL);
}

static void child_by_id(void)
{
	int pid = process(hang);
	siginfo_t info;

	say("child", "", pid, 1, "");
	(void)waitid(P_PID, (id_t)pid, &info, WEXITED);
}

static void nothing(void)
{
	say("none", "", 0, 1, "");
	hang();
}

/* Wait in a process at which only root may look. This row is the last one, for
 * root alone. */
static void refused(void)
{
	make_pipe();
	check(!prctl(PR_SET_DUMPABLE, 0));
	say("own pipe", "", 0, 1, "");
	read_one(ends[0]);
}

/* ---- Files that do not answer ---- */

/* Return a page of memory that never comes. */
static void *endless_page(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register area = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(page != MAP_FAILED);
	area.range.start = (uintptr_t)page;
	area.range.len = 4096;
	return fd < 0 || ioctl(fd, UFFDIO_API, &api) ||
			       ioctl(fd, UFFDIO_REGISTER, &area) ?
		       NULL :
		       page;
}

static void file(void)
{
	void *page = endless_page();
	int fd = open("file", O_RDWR | O_CREAT, 0600);

	check(fd >= 0 && write(fd, "x", 1) == 1);
	if (!page)
		return;
	say("file", "file", 0, 1, "");
	(void)!pread(fd, page, 1, 0);
}

/* Mount a file system whose program does not answer, in mounts of its own. */
static void remote_file(void)
{
	char options[64];
	struct stat st;
	int fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);

	if (fd < 0 || unshare(CLONE_NEWNS) ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return;
	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=0,group_id=0", fd);
	check(!mkdir("remote", 0700));
	if (mount("test", "remote", "fuse", 0, options))
		return;
	say("file", "remote/a/b", 0, 1, "fuse");
	(void)stat("remote/a/b", &st);
}

static const struct row rows[] = {
	ROW(pipe_from), ROW(pipe_to), ROW(pipe_from_two),
	ROW(pipe_from_itself), ROW(fifo_from),
	ROW(fifo_opened), ROW(fifo_removed), ROW(fifo_elsewhere),
	ROW(terminal), ROW(socket_pair), ROW(socket_pair_to_itself),
	ROW(socket_pair_filled), ROW(spliced), ROW(polled_nothing),
	ROW(selected_nothing), ROW(timer),
	ROW(event), ROW(signals), ROW(watched), ROW(process_polled),
	ROW(uring), ROW(flocked), ROW(flocked_by_heir), ROW(fcntl_locked),
	ROW(open_file_locked), ROW(memory), ROW(own_memory),
	ROW(nameless_memory), ROW(sleeping), ROW(sleeping_until), ROW(child),
	ROW(any_child), ROW(child_by_id), ROW(nothing), ROW(file),
	ROW(remote_file), ROW(refused),
};

int main(int argc, char **argv)
{
	unsigned int nr = sizeof(rows) / sizeof(*rows);

	(void)argv;
	/* Leave out the row of the process at which only root may look. That
	 * process could have any end of a pipe, or any lock, so an ordinary
	 * user would see no peer in any row. */
	return wait_for_each(rows, geteuid() ? nr - 1 : nr, argc);
}
