/* SPDX-License-Identifier: MIT */
/*
 * dest - the destination of one target: a descriptor of the host, a file, a new
 * file in a directory, a unix socket.
 *
 * One line is one write. Lines that cannot be written are counted and never
 * harm the host: it gets no SIGPIPE or SIGXFSZ. Readers that stall delay the
 * host for a limited time in its life, all destinations and threads together,
 * including the delay of its parents before they forked it. After that, lines
 * that do not fit at once are dropped. A line that was cut short is closed with
 * a newline before the next one; a part of a line on a full disk is overwritten
 * by blanks (blank_torn_line.h).
 *
 * Two accounts hold that time. One is for readers of a descriptor that the user
 * named, and for terminals: people look at these. It holds the time that the
 * user has set; as soon as a reader reads, the account gets back all the time
 * that was spent waiting for this reader. The second account, for all other
 * readers, holds TR2_STALL_NS; each byte that one of them reads gives back
 * TR2_STALL_BACK_NS. A quarter of each account is left for the last line.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/macros.h"
#include "base/raw.h"
#include "target/relay.h"

#define TR2_STALL_NS (50u * UINT64_C(1000000))
#define TR2_STALL_BACK_NS 200u
#define TR2_DEST_PLAIN_US 1000000u
/* A sandbox limits the size of files soon after the initialization, so the
 * limit is read before each of the first 32 lines. */
#define TR2_DEST_EARLY 32u

#define TR2_MAX_APART 4

enum tr2_dest_kind {
	TR2_DEST_FILE, /* a regular file, or a device: plain writes */
	TR2_DEST_PIPE, /* a pipe or a terminal: may stall, may raise SIGPIPE */
	TR2_DEST_SOCKET
};

/* The path of a file that the library has opened, to open it again. path NULL:
 * the library has not opened it. */
struct tr2_dest_place {
	const char *path;
	const char *name; /* the name of a file in the directory `path`; NULL:
			   * `path` is the file itself */
	int number; /* number after the name; 0: no number */
};

struct tr2_dest {
	atomic_bool on;
	int fd; /* the descriptor; stays open while other threads may write: see
		 * tr2_dest_close() */
	/*
	 * From this time on, for a second, a line takes one write() without
	 * further checks. Only for a file that the library has opened, that is
	 * on, ends in a whole line, and has no limit of size.
	 */
	atomic_uint_fast64_t plain_us;
	enum tr2_dest_kind kind;
	bool ours; /* the library has opened fd, and closes it */
	atomic_bool size_limited; /* a file whose limit of size may raise
				   * SIGXFSZ */
	/* The second of the last check; 0 for a host's own descriptor: check
	 * each time. */
	atomic_uint_fast64_t checked;
	atomic_uint_fast64_t limit_checked; /* the second of the last check of
					     * size_limited */
	atomic_uint nr_early; /* number of lines before the first plain write */
	bool blocking; /* fd is a pipe, and its flags make a write wait */
	/* The kernel does not support RWF_NOWAIT, or RWF_NOSIGNAL, for this
	 * file. */
	atomic_bool no_nowait, no_nosignal;
	/* Used if fd is a pipe whose writes wait, and the kernel does not
	 * support RWF_NOWAIT for it. Guarded by `lock`. */
	struct tr2_relay relay;
	bool hurried; /* true: never wait for the reader of this destination */
	bool sentinel; /* the directory has too many files: write the sentinel
			* event and close */
	bool terminal;
	bool patient; /* people look at the output: waits for its reader count
		       * in the first account above */
	bool cut; /* the last line lacks its end; guarded by `lock` */
	const char *warn_name; /* the setting's name, for a warning when the
				* destination fails; NULL: no warning */
	atomic_uint lock; /* for pipes and sockets: keeps lines whole; see
			   * wait.h */
	atomic_uint pulse; /* grows while the owner of `lock` makes progress */
	/* The last pulse that a waiting thread saw, and the time when the
	 * thread saw it. */
	atomic_uint silent_at;
	atomic_uint_fast64_t silent_since_ns;
	/*
	 * The part of the account that was spent waiting for this destination's
	 * reader.
	 */
	atomic_uint_fast64_t charged_ns;
	/*
	 * Time waited for owners of the lock, counted in the second account
	 * above. silence_ns: the wait for the present owner since its last
	 * progress. kept_ns: the part of earlier waits that was not given back
	 * yet.
	 */
	atomic_uint_fast64_t silence_ns, kept_ns;
	atomic_uint_fast64_t lost; /* lost lines */
	/* Threads that have a table of descriptors of their own without this
	 * file. The file is off for these threads alone. 0: an unused entry. */
	atomic_uint apart[TR2_MAX_APART];
	atomic_uint nr_apart; /* number of threads that were added to `apart` */
	/* Odd while the file of fd is replaced: see tr2_dest_reopen(). */
	atomic_uint swaps;
	struct tr2_dest_place place;
	struct tr2_file_id id; /* the identity of the file; atomic members,
				* valid while `swaps` is even */
};

struct tr2_dest_request {
	const char *value; /* the setting; must live as long as the
			    * destination */
	/* The setting's name, for warnings, in two parts. */
	const char *variable[2];
	const char *file_name; /* name of a new file in a directory */
	unsigned int max_files; /* most files in the directory; 0: any number */
	/*
	 * If prepare is not NULL, accept only a file or a directory. The file
	 * must be new; it is opened for reading, too, and only for its owner.
	 * prepare() prepares it; if prepare() returns false with errno, the
	 * file is removed again.
	 */
	bool (*prepare)(int fd);
	bool debug; /* report on stderr why the destination cannot be used */
	/* The value named a directory before: never make a file of that
	 * name. */
	bool was_directory;
	bool goes_on; /* continue the parent's file in a directory */
	bool in_forked_child; /* print no warning: the parent has done so */
};

/* Write a line for the user to descriptor 2, as lines are written to a
 * destination: without harm to the host. Drop the line if it does not fit at
 * once. */
void tr2_dest_warn(const char *line, size_t len);

/* Return whether a setting's value, which may be NULL, switches the target
 * off. */
bool tr2_dest_is_off_value(const char *value);

/*
 * Open the destination of the setting; false: off, or unusable. If unusable, a
 * warning goes to stderr if `debug`, and always if the value is invalid. Not
 * signal-safe.
 */
bool tr2_dest_open(struct tr2_dest *dest,
		   const struct tr2_dest_request *request);

/* Count a line that was dropped before it reached the destination, if the
 * destination was ever opened. */
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

/* The slow path of tr2_dest_write(): all writes except a plain write to a
 * file. */
void tr2_dest_write_slow(struct tr2_dest *dest, const char *line, size_t len,
			 uint64_t wall_us, uint32_t tid);

/* Write the rest of a line of which the kernel wrote only a part. result: the
 * return value of the write of that part. */
void tr2_dest_write_rest(struct tr2_dest *dest, const char *line, size_t len,
			 long result);

/*
 * Write a line that ends with its newline. Count lines that cannot be written.
 * In each new second of the wall time, check whether the host closed the
 * descriptor and reused its number, or limited the size of files. (A host's own
 * descriptor is checked each time.) tid: the calling thread's; 0: ask the
 * kernel. Signal-safe.
 */
static inline void tr2_dest_write(struct tr2_dest *dest, const char *line,
				  size_t len, uint64_t wall_us, uint32_t tid)
{
	long result;

	if (unlikely(wall_us - atomic_load_explicit(&dest->plain_us,
						    memory_order_relaxed) >=
		     TR2_DEST_PLAIN_US)) {
		tr2_dest_write_slow(dest, line, len, wall_us, tid);
		return;
	}
	result = tr2_raw_write(dest->fd, line, len);
	if (unlikely(result != (long)len))
		tr2_dest_write_rest(dest, line, len, result);
}

/* Let the next line be checked: set plain_us to a time far from any wall
 * time. */
static inline void tr2_dest_not_plain(struct tr2_dest *dest)
{
	atomic_store_explicit(&dest->plain_us, UINT64_MAX / 2,
			      memory_order_relaxed);
}

/* Let the descriptor be checked before the next line. */
static inline void tr2_dest_check_next(struct tr2_dest *dest)
{
	atomic_store_explicit(&dest->checked, UINT64_MAX, memory_order_relaxed);
	tr2_dest_not_plain(dest);
}

/* Return whether the descriptor is still the destination's file.
 * Signal-safe. */
bool tr2_dest_has_its_file(struct tr2_dest *dest);

/*
 * Reopen the destination if it failed, or if its path names another file now.
 * Call it only after the destination was opened once, and not in two threads at
 * once. Other threads may write at the same time; a line goes into the old file
 * or into the new one. head: the first line of the new file. Return 0; or a
 * negative errno, and nothing has changed.
 */
int tr2_dest_reopen(struct tr2_dest *dest,
		    const struct tr2_dest_request *request, const char *head,
		    size_t len);

/*
 * Open the same file again, if it is still at its path, after the host closed
 * the descriptor and perhaps reused its number: then the rest of the trace is
 * not lost. Do nothing in a sandbox, which may kill the host for an open. true:
 * the file can be written to. Signal-safe.
 */
bool tr2_dest_find_again(struct tr2_dest *dest);

/* Switch the destination off. Signal-safe. */
void tr2_dest_stop(struct tr2_dest *dest);

/*
 * Close the descriptor, unless the host closed and reused it. Call it only when
 * no thread writes any longer. Until then a failed destination is only off,
 * since its number could become the host's next file. Signal-safe.
 */
void tr2_dest_close(struct tr2_dest *dest);

/* Close a destination just after a line: the write of the line has checked the
 * descriptor. */
void tr2_dest_close_after_line(struct tr2_dest *dest);

enum tr2_dest_owner {
	TR2_DEST_HOSTS,
	TR2_DEST_OURS, /* opened by the library; a write never waits */
	TR2_DEST_MAPPED /* opened by the library, but never written to */
};

/* Determine the kind of the descriptor, to open it. false: unusable; errno. */
bool tr2_dest_attach_fd(struct tr2_dest *dest, int fd,
			enum tr2_dest_owner owner, struct stat *st);

/* Abandon the line that the calling thread may be writing. */
void tr2_dest_abandon(struct tr2_dest *dest, uint32_t tid);
