/* SPDX-License-Identifier: MIT */
/* Write lines to a destination. dest_open.c opens it. */
#include "target/dest.h"

#include <sys/resource.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "base/raw.h"
#include "base/text.h"
#include "target/blank_torn_line.h"
#include "target/wait.h"

/* Copied from linux/fs.h: some C libraries lack the call, or the flags. */
#define NOWAIT 0x00000008
#define NOSIGNAL 0x00000100 /* since Linux 6.18 */

/* Switch the destination off. true: it was on before. */
static bool switch_off(struct tr2_dest *dest)
{
	bool was_on = atomic_exchange(&dest->on, false);

	/* Do this after the change of `on`: see be_plain(). */
	tr2_dest_not_plain(dest);
	return was_on;
}

static void tell_failure(const struct tr2_dest *dest, int error)
{
	char memory[512], text[128];
	struct tr2_buf b;

	if (!dest->warn_name)
		return;
	tr2_buf_init_fixed(&b, memory, sizeof(memory));
	tr2_buf_addlit(&b, "warning: trace2: stopped writing to '");
	tr2_text_add(&b, dest->warn_name, strlen(dest->warn_name));
	tr2_buf_addlit(&b, "': ");
	tr2_buf_addstr(&b, tr2_error_text(error, text, sizeof(text)));
	tr2_buf_addch(&b, '\n');
	tr2_dest_warn(b.p, b.len);
}

static bool may_raise_sigxfsz(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_FSIZE, &limit) &&
	       limit.rlim_cur != RLIM_INFINITY;
}

static uint64_t this_second(void)
{
	return tr2_clock_wall_us(tr2_clock_now_ns()) / 1000000u;
}

void tr2_dest_stop(struct tr2_dest *dest)
{
	switch_off(dest);
}

bool tr2_dest_attach_fd(struct tr2_dest *dest, int fd,
			enum tr2_dest_owner owner, struct stat *st)
{
	bool ours = owner != TR2_DEST_HOSTS;
	int flags = ours ? O_WRONLY : fcntl(fd, F_GETFL);
	struct tr2_file_id id;

	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(fd, st)) {
		if (flags >= 0)
			errno = EBADF;
		return false;
	}
	dest->terminal = S_ISCHR(st->st_mode) && isatty(fd);
	dest->kind = S_ISFIFO(st->st_mode) || dest->terminal ?
			     TR2_DEST_PIPE :
		     S_ISSOCK(st->st_mode) ? TR2_DEST_SOCKET :
					     TR2_DEST_FILE;
	dest->ours = ours;
	dest->size_limited = S_ISREG(st->st_mode) &&
			     owner != TR2_DEST_MAPPED && may_raise_sigxfsz();
	/* The host may change the flags of its own descriptor: assume that it
	 * blocks. */
	dest->blocking = !ours;
	dest->no_nowait = false;
	dest->no_nosignal = dest->terminal;
	dest->hurried = false;
	dest->cut = false;
	dest->nr_apart = 0;
	memset(dest->apart, 0, sizeof(dest->apart));
	dest->patient = tr2_wait_is_patient() && dest->kind != TR2_DEST_FILE &&
			(dest->terminal || !ours);
	tr2_relay_init(&dest->relay);
	id = tr2_file_id_of(st);
	tr2_wait_init(dest, id.device == dest->id.device &&
				    id.inode == dest->id.inode);
	dest->id = id;
	tr2_dest_not_plain(dest);
	dest->limit_checked = this_second();
	dest->nr_early = 0;
	dest->checked = ours ? dest->limit_checked : 0;
	dest->fd = fd;
	atomic_store_explicit(&dest->on, true, memory_order_relaxed);
	return true;
}

bool tr2_dest_has_its_file(struct tr2_dest *dest)
{
	unsigned int swaps = atomic_load(&dest->swaps);
	const struct tr2_file_id id = {
		__atomic_load_n(&dest->id.device, __ATOMIC_ACQUIRE),
		__atomic_load_n(&dest->id.inode, __ATOMIC_ACQUIRE),
	};

	/* Also return true if the file is being replaced: the id may then
	 * belong to one of the two files, and the descriptor to the other. */
	return tr2_fd_is(dest->fd, &id) || swaps % 2 ||
	       atomic_load(&dest->swaps) != swaps;
}

static void close_unless_reused(struct tr2_dest *dest, bool is_checked)
{
	if (dest->fd < 0)
		return;
	if (dest->ours && (is_checked || tr2_dest_has_its_file(dest)))
		tr2_fd_close(dest->fd);
	tr2_relay_close(&dest->relay);
	dest->fd = -1;
}

void tr2_dest_close(struct tr2_dest *dest)
{
	switch_off(dest);
	close_unless_reused(dest, false);
}

/* Close the destination. If the destination is still on, the write of the last
 * line has checked the descriptor: do not check it again. */
void tr2_dest_close_after_line(struct tr2_dest *dest)
{
	close_unless_reused(dest, switch_off(dest));
}

static bool is_pending(int signo)
{
	sigset_t pending;

	return !sigpending(&pending) && sigismember(&pending, signo) == 1;
}

/*
 * Remove the signal that a write raised in this thread. If the host had blocked
 * the signal, it may have been pending before. If it was pending for the
 * thread, it has merged with the write's signal: raise it again. If it was
 * pending for the process, it still is. The siginfo shows whether the host sent
 * the signal to the thread.
 */
static void take_signal(int signo, bool was_pending)
{
	static const struct timespec now;
	siginfo_t info = { .si_code = 0 };
	sigset_t one;

	sigemptyset(&one);
	sigaddset(&one, signo);
	while (syscall(SYS_rt_sigtimedwait, &one, &info, &now, NSIG / 8) < 0 &&
	       errno == EINTR)
		;
	if (was_pending && (info.si_code == SI_TKILL || !is_pending(signo)))
		tr2_raw_raise(signo);
}

/* Return the errno of a write that raises the signal; 0 for SIGTTOU: a terminal
 * that stops writers in the background does not stop a thread that blocks
 * it. */
static int error_with(int signo)
{
	return signo == SIGPIPE ? EPIPE : signo == SIGXFSZ ? EFBIG : 0;
}

/* Write with flags. true: *result is valid, since the kernel supports the call
 * with these flags, and the sandbox, if any, permits it. */
static bool write_with_flags(int fd, const char *p, size_t len, long flags,
			     long *result)
{
#ifdef SYS_pwritev2
	struct iovec iov = { .iov_base = (void *)(uintptr_t)p, .iov_len = len };

	*result = tr2_raw_call(SYS_pwritev2, fd, (long)(intptr_t)&iov, 1, -1,
			       -1, flags);
	return *result >= 0 || *result == -EAGAIN || *result == -EINTR ||
	       *result == -EPIPE;
#else
	(void)fd, (void)p, (void)len, (void)flags, (void)result;
	return false;
#endif
}

static ssize_t result_of(long result)
{
	if (result >= 0)
		return result;
	errno = (int)-result;
	return -1;
}

/*
 * Write to a pipe without waiting. A blocking pipe of the host must stay
 * unchanged, since others share it. Ask the kernel not to wait this once; if it
 * cannot, send the line through a pipe of our own.
 */
static ssize_t write_pipe(struct tr2_dest *dest, int fd, const char *p,
			  size_t len)
{
	long result;

	if (!dest->blocking)
		return tr2_sys_write(fd, p, len);
	if (!atomic_load_explicit(&dest->no_nowait, memory_order_relaxed)) {
		if (write_with_flags(fd, p, len, NOWAIT, &result))
			return result_of(result);
		atomic_store_explicit(&dest->no_nowait, true,
				      memory_order_relaxed);
	}
	return tr2_relay_write(&dest->relay, fd, p, len);
}

/* Write, and block a signal that the write may raise in this thread. */
static __attribute__((noinline)) ssize_t
write_guarded(struct tr2_dest *dest, int fd, const char *p, size_t len)
{
	bool is_pipe = dest->kind == TR2_DEST_PIPE, was_pending;
	int signo = dest->terminal ? SIGTTOU : is_pipe ? SIGPIPE : SIGXFSZ;
	sigset_t one, before;
	int error;
	ssize_t n;

	sigemptyset(&one);
	sigaddset(&one, signo);
	if (pthread_sigmask(SIG_BLOCK, &one, &before))
		return -1;
	was_pending = sigismember(&before, signo) == 1 && is_pending(signo);
	n = is_pipe ? write_pipe(dest, fd, p, len) : tr2_sys_write(fd, p, len);
	error = errno;
	if (n < 0 && error == error_with(signo))
		take_signal(signo, was_pending);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
	return n;
}

/* Write by one call that does not wait and raises no SIGPIPE. false: the kernel
 * does not support this. */
static inline bool write_pipe_at_once(struct tr2_dest *dest, int fd,
				      const char *p, size_t len, long *result)
{
	if (atomic_load_explicit(&dest->no_nosignal, memory_order_relaxed))
		return false;
	if (likely(write_with_flags(
		    fd, p, len, dest->blocking ? NOSIGNAL | NOWAIT : NOSIGNAL,
		    result)))
		return true;
	atomic_store_explicit(&dest->no_nosignal, true, memory_order_relaxed);
	return false;
}

static inline ssize_t write_some(struct tr2_dest *dest, int fd, const char *p,
				 size_t len)
{
	long result;

	if (dest->kind == TR2_DEST_SOCKET)
		return result_of(
			tr2_raw_send(fd, p, len, MSG_NOSIGNAL | MSG_DONTWAIT));
	if (dest->kind == TR2_DEST_PIPE) {
		if (write_pipe_at_once(dest, fd, p, len, &result))
			return result_of(result);
	} else if (!atomic_load_explicit(&dest->size_limited,
					 memory_order_relaxed)) {
		return tr2_sys_write(fd, p, len);
	}
	return write_guarded(dest, fd, p, len);
}

/* Count bytes that a write has written, except for a file, to which several
 * threads write at once. */
static void note_progress(struct tr2_dest *dest, size_t bytes, bool more)
{
	if (dest->kind == TR2_DEST_FILE)
		return;
	tr2_wait_note_progress(dest, bytes);
	/* Set `cut` for a handler that ends the process before the rest is
	 * written. */
	if (more)
		dest->cut = true;
}

/* Write all bytes, and return how many were written; if some are missing, errno
 * has the reason. */
static size_t write_all(struct tr2_dest *dest, int fd, const char *p,
			size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write_some(dest, fd, p + done, len - done);
		if (n > 0) {
			done += (size_t)n;
			note_progress(dest, (size_t)n, done < len);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == ENOBUFS)) {
			if (tr2_wait_for_reader(dest, fd))
				continue;
			errno = EAGAIN;
		}
		if (!n)
			errno = ENOSPC;
		break;
	}
	return done;
}

/* Return whether the error is final. EAGAIN and ENOBUFS are not: a slow reader
 * may go on to read. */
static bool is_final(int error)
{
	return error != EAGAIN && error != ENOBUFS;
}

static uint32_t tid_of(uint32_t tid)
{
	return tid ? tid : tr2_raw_gettid();
}

/* Return whether the file was switched off for this thread. The caller then
 * checks whether the thread still lacks the file. */
static bool is_apart(const struct tr2_dest *dest, uint32_t tid)
{
	unsigned int i;

	for (i = 0; dest->nr_apart && i < TR2_MAX_APART; i++)
		if (dest->apart[i] == tid_of(tid))
			return true;
	return false;
}

/* Switch the file off for a thread that does not have it. true: other threads
 * have it. */
static bool set_apart(struct tr2_dest *dest, uint32_t tid)
{
	if (is_apart(dest, tid))
		return true;
	if (!tr2_fd_is_elsewhere(dest->fd, &dest->id))
		return false;
	dest->apart[dest->nr_apart++ % TR2_MAX_APART] = tid_of(tid);
	tr2_dest_not_plain(dest);
	return true;
}

/* Write a line under the lock. done: bytes already written. */
static void write_line(struct tr2_dest *dest, int fd, const char *line,
		       size_t len, size_t done)
{
	int error;

	if (dest->cut) {
		if (write_all(dest, fd, "\n", 1) != 1)
			goto failed;
		dest->cut = false;
	}
	done += write_all(dest, fd, line + done, len - done);
	if (done < len && errno == EBADF && tr2_dest_find_again(dest))
		done += write_all(dest, dest->fd, line + done, len - done);
	if (done == len) {
		if (dest->cut)
			dest->cut = false;
		return;
	}
failed:
	error = errno;
	tr2_dest_drop(dest);
	if (!is_final(error)) {
		tr2_dest_not_plain(dest);
		if (done)
			dest->cut = true;
		return;
	}
	if (error == EBADF && !tr2_dest_has_its_file(dest) &&
	    set_apart(dest, 0))
		return;
	if (done && !tr2_blank_torn_line(fd, &dest->id, line, done))
		write_all(dest, fd, "\n", 1);
	if (switch_off(dest))
		tell_failure(dest, error);
}

void tr2_dest_abandon(struct tr2_dest *dest, uint32_t tid)
{
	if (dest->fd < 0 || dest->kind == TR2_DEST_FILE ||
	    !tr2_wait_owns(dest, tid))
		return;
	dest->cut = true;
	tr2_wait_unlock(dest, tid);
}

static void write_whole(struct tr2_dest *dest, const char *line, size_t len,
			uint64_t second, uint32_t tid)
{
	enum tr2_locking locking = tr2_wait_lock(dest, &tid);

	if (locking == TR2_LOCKED && tr2_relay_is_open(&dest->relay))
		tr2_relay_check(&dest->relay, second);
	if (locking == TR2_LOCK_LOST || !tr2_dest_is_on(dest))
		tr2_dest_drop(dest);
	else
		write_line(dest, dest->fd, line, len, 0);
	if (locking == TR2_LOCKED)
		tr2_wait_unlock(dest, tid);
}

static bool is_new_second(atomic_uint_fast64_t *checked, uint64_t second)
{
	if (atomic_load_explicit(checked, memory_order_relaxed) == second)
		return false;
	atomic_store_explicit(checked, second, memory_order_relaxed);
	return true;
}

/*
 * Check the descriptor. A host that closes all descriptors, as daemons do, and
 * opens its own files must not find our lines in them. Our numbers are unlikely
 * to be reused, so check once a second. If the host closes a descriptor of its
 * own, its very next file may get the number, so check before each line.
 */
static bool check_descriptor(struct tr2_dest *dest, uint64_t second,
			     uint32_t tid)
{
	if (dest->ours && !is_apart(dest, tid) &&
	    !is_new_second(&dest->checked, second))
		return true;
	if (tr2_dest_has_its_file(dest) || tr2_dest_find_again(dest))
		return true;
	if (!set_apart(dest, tid))
		switch_off(dest);
	return false;
}

static void check_limit(struct tr2_dest *dest, uint64_t second)
{
	if (atomic_load_explicit(&dest->nr_early, memory_order_relaxed) <
	    TR2_DEST_EARLY)
		atomic_fetch_add_explicit(&dest->nr_early, 1,
					  memory_order_relaxed);
	else if (!is_new_second(&dest->limit_checked, second))
		return;
	dest->size_limited = may_raise_sigxfsz();
}

/* Skip further checks for the rest of this second, if nothing is special. */
static void be_plain(struct tr2_dest *dest, uint64_t second)
{
	if (!dest->ours || dest->cut || dest->size_limited || dest->nr_apart ||
	    dest->nr_early < TR2_DEST_EARLY)
		return;
	atomic_store(&dest->plain_us, second * TR2_DEST_PLAIN_US);
	/*
	 * Another thread may have switched the destination off: then that
	 * thread sees this store, or this thread sees that the destination is
	 * off.
	 */
	if (!atomic_load(&dest->on) || dest->nr_apart)
		tr2_dest_not_plain(dest);
}

void tr2_dest_write_slow(struct tr2_dest *dest, const char *line, size_t len,
			 uint64_t wall_us, uint32_t tid)
{
	uint64_t second = wall_us / TR2_DEST_PLAIN_US;

	if (!tr2_dest_is_on(dest) || !check_descriptor(dest, second, tid)) {
		tr2_dest_drop(dest);
	} else if (dest->kind != TR2_DEST_FILE) {
		write_whole(dest, line, len, second, tid);
	} else {
		check_limit(dest, second);
		write_line(dest, dest->fd, line, len, 0);
		be_plain(dest, second);
	}
}

void tr2_dest_write_rest(struct tr2_dest *dest, const char *line, size_t len,
			 long result)
{
	write_line(dest, dest->fd, line, len, result > 0 ? (size_t)result : 0);
}
