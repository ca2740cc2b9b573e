/* SPDX-License-Identifier: MIT */
/*
 * store - the directory of a recording. It is created, or replaces an earlier
 * recording, which is renamed to DIR.old.
 *
 * The store removes and moves only recordings, and in them only files that
 * `trace2 record` creates (Documentation/technical/recording-format.adoc).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define TR2_STORE_META "meta.json"
#define TR2_STORE_TASKS "tasks.jsonl"
#define TR2_STORE_KERNEL "kernel.data"
#define TR2_STORE_SYMBOLS "kernel.symbols"
#define TR2_STORE_EVENTS "events"
#define TR2_STORE_RINGS "rings"
#define TR2_STORE_MAPS "maps" /* lists of functions that processes generated */
#define TR2_STORE_TARGETS "targets" /* logs of builds, with the targets of
				     * commands */
/* Six or more digits follow. */
#define TR2_STORE_ROTATED TR2_STORE_EVENTS "."

/* The beginning of meta.json, which identifies a recording. */
#define TR2_STORE_MAGIC "{\"format\":\"trace2-recording\""

struct tr2_store {
	char *path;        /* as given by the user, without a trailing slash */
	char *events_path; /* absolute */
	int dir_fd;        /* locked while it is open */
	int events_fd;
	char *rings_path; /* absolute; NULL: rings are not recorded */
	int rings_fd;
	bool made_dir;
	bool is_ours; /* this recorder created its content */
	bool moved;   /* the earlier recording is at path.old */
};

/* Create the directory; with_rings: also one for rings. Return -1, with nothing
 * left in place, after an error message. */
int tr2_store_open(struct tr2_store *store, const char *path, bool with_rings);
/* Close it; the directory stays. */
void tr2_store_release(struct tr2_store *store);
/* Remove the files created since tr2_store_open(), if no others were added, and
 * restore the earlier recording. */
void tr2_store_undo(struct tr2_store *store);

/* Remove the recording at path, if there is one. Return -1, after an error
 * message, if it is something else, or in use. */
int tr2_store_remove(const char *path);
/* Rename path to `path.old`. Before, call `remove` for the previous `path.old`:
 * it removes that, or prints why it cannot. Return -1 after an error
 * message. */
int tr2_store_move_away(const char *path, int (*remove)(const char *old));

/* Write all of it. Return -1 with errno; a part may be written then. */
int tr2_store_write(int fd, const void *data, size_t len);

/* Copy a file that a process wrote, which began at start_ns, to
 * DIRECTORY/PID-START.SUFFIX in the recording: at most 64 MiB. The directory is
 * created if necessary. A later copy replaces an earlier one. Return false if
 * the copy is not whole. */
bool tr2_store_keep(int dir_fd, const char *directory, pid_t pid,
		    uint64_t start_ns, const char *suffix, int from);

/* Reserve disk space for the next meta.json, if there is enough: when a
 * recording fills the disk, its end must still be written. */
void tr2_store_reserve_meta(struct tr2_store *store);
/* Replace meta.json, wholly or not at all. -1: errno. */
int tr2_store_write_meta(struct tr2_store *store, const char *text, size_t len);
