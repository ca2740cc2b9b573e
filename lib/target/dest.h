/* SPDX-License-Identifier: MIT */
/*
 * dest - where the bytes of one target go: a descriptor of the host, a file, a
 * new file in a directory, a unix socket.
 *
 * One line is one write. What cannot be written is counted and never harms the
 * host: no SIGPIPE or SIGXFSZ reaches it, and readers that stall cost it at
 * most TR2_STALL_NS in its life, all destinations and threads together, with
 * what they cost the processes that it was forked from; after that, lines that
 * do not fit at once are dropped. With each byte that a reader takes it pays
 * back TR2_STALL_BACK_NS of what was waited for it. A terminal may be slow as
 * long as it reads: only one that takes nothing for TR2_TERMINAL_STALL_NS loses
 * lines, until it reads again. A line that was cut short is closed with a
 * newline before the next one.
 */
#ifndef TR2_TARGET_DEST_H
#define TR2_TARGET_DEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/raw.h"
#include "target/relay.h"

#define TR2_STALL_NS (50u * UINT64_C(1000000))
#define TR2_TERMINAL_STALL_NS (1000u * UINT64_C(1000000))
#define TR2_STALL_BACK_NS 200u

enum tr2_dest_kind {
	TR2_DEST_FILE, /* a regular file, a device: plain writes */
	TR2_DEST_PIPE, /* or a terminal: may stall, may raise SIGPIPE */
	TR2_DEST_SOCKET
};

struct tr2_dest {
	atomic_bool on;
	int fd; /* stays open while others may write: see tr2_dest_close */
	enum tr2_dest_kind kind;
	bool ours; /* opened here, so closed here */
	atomic_bool size_limited; /* a file that may raise SIGXFSZ */
	/* The second of the last look; 0 if it is not ours: each time. */
	atomic_uint_fast64_t checked;
	bool blocking; /* a pipe whose flags let a write wait */
	atomic_bool no_nowait; /* the kernel cannot be asked not to wait */
	struct tr2_relay relay; /* for one that blocks nevertheless; under lock */
	bool hurried; /* is not waited for at all */
	bool sentinel; /* too many files: say so in there and close */
	bool terminal;
	bool cut; /* the last line lacks its end; under lock */
	const char *told_as; /* its setting, to say why it fails; NULL: do not */
	atomic_uint lock; /* pipes and sockets: keeps lines whole; see wait.h */
	atomic_uint pulse; /* grows while the owner of the lock is at work */
	/* The pulse that somebody who waits found, and when. */
	atomic_uint silent_at;
	atomic_uint_fast64_t silent_since_ns;
	/* Waited for its reader: a part of the process's, or the terminal's. */
	atomic_uint_fast64_t charged_ns;
	atomic_uint_fast64_t lost; /* lines */
	dev_t device;
	ino_t inode;
};

struct tr2_dest_request {
	const char *value; /* the setting; lives as long as the destination */
	const char *variable; /* its name, for warnings */
	const char *file_name; /* of a new file in a directory */
	unsigned int max_files; /* in a directory, 0: any number */
	/*
	 * Not NULL: a file or a directory is all that will do, and the file
	 * must be new. It is opened for reading, too, for its owner alone, and
	 * prepared by this; false (errno): it is removed again.
	 */
	bool (*prepare)(int fd);
	bool debug; /* say on stderr why it cannot be used */
	bool quiet; /* say nothing at all: it was said before */
};

/* A line for the user, on descriptor 2, with the care of any destination, and if
 * it fits at once. */
void tr2_dest_warn(const char *line, size_t len);

/*
 * Opens what the setting asks for; false: off, or cannot be used. In the
 * latter case a warning goes to stderr if `debug`, and always when the value
 * makes no sense. Not signal-safe.
 */
bool tr2_dest_open(struct tr2_dest *dest,
		   const struct tr2_dest_request *request);

/* Counts a line that never got here, if the destination was ever opened. */
static inline void tr2_dest_drop(struct tr2_dest *dest)
{
	if (dest->fd >= 0)
		atomic_fetch_add_explicit(&dest->lost, 1, memory_order_relaxed);
}

static inline bool tr2_dest_is_on(const struct tr2_dest *dest)
{
	return atomic_load_explicit(&dest->on, memory_order_relaxed);
}

static inline uint64_t tr2_dest_lost(const struct tr2_dest *dest)
{
	return atomic_load_explicit(&dest->lost, memory_order_relaxed);
}

/* All but what goes into a file without any doubt. */
void tr2_dest_write_slow(struct tr2_dest *dest, const char *line, size_t len,
			 uint64_t second, uint32_t tid);

/* The kernel took less than all: result is what it returned. */
void tr2_dest_write_rest(struct tr2_dest *dest, const char *line, size_t len,
			 long result);

/*
 * The line ends with its newline. Counts what it cannot write. second: the wall
 * time; with every new one it is looked whether the host closed the descriptor
 * and reused its number, or limited the size of files. (One of the host's own is
 * looked at each time.) tid: the calling thread's, 0: to be asked for.
 * Signal-safe.
 */
static inline void tr2_dest_write(struct tr2_dest *dest, const char *line,
				  size_t len, uint64_t second, uint32_t tid)
{
	long result;

	if (dest->kind != TR2_DEST_FILE || !tr2_dest_is_on(dest) || dest->cut ||
	    atomic_load_explicit(&dest->size_limited, memory_order_relaxed) ||
	    atomic_load_explicit(&dest->checked, memory_order_relaxed) !=
		    second) {
		tr2_dest_write_slow(dest, line, len, second, tid);
		return;
	}
	result = tr2_raw_write(dest->fd, line, len);
	if (__builtin_expect(result != (long)len, 0))
		tr2_dest_write_rest(dest, line, len, result);
}

/* Takes no more. Signal-safe. */
void tr2_dest_stop(struct tr2_dest *dest);

/*
 * Closes what was opened, unless the host closed and reused it. Only when no
 * other thread writes any more: a failed destination is merely off until then,
 * since its number could be the host's next file. Signal-safe.
 */
void tr2_dest_close(struct tr2_dest *dest);

/* For opening: what the descriptor is. false: unusable; errno. */
bool tr2_dest_use(struct tr2_dest *dest, int fd, bool ours);

/* The calling thread will not finish the line that it may be writing. */
void tr2_dest_abandon(struct tr2_dest *dest, uint32_t tid);

/* The process is being ended by a signal, whose handler writes the last line:
 * from now on nobody waits for a lock. */
void tr2_dest_set_urgent(void);

#endif
