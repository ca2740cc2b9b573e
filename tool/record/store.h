/* SPDX-License-Identifier: MIT */
/*
 * store - the directory of a recording: created, or replacing an earlier
 * recording, which is renamed to DIR.old.
 *
 * It never removes or moves anything but a recording, and of a recording only
 * the files that `trace2 record` creates
 * (Documentation/technical/recording-format.adoc).
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
#define TR2_STORE_MAPS "maps" /* of functions that processes generated */
#define TR2_STORE_TARGETS "targets" /* of commands that builds ran */
/* Followed by six or more digits. */
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
	bool is_ours; /* its content was created here */
	bool moved;   /* the earlier recording is at path.old */
};

/* with_rings: create a directory for rings, too. -1: the reason was printed to
 * stderr, and nothing was left behind. */
int tr2_store_open(struct tr2_store *store, const char *path, bool with_rings);
/* Close it; the directory stays. */
void tr2_store_release(struct tr2_store *store);
/* Remove the files created since tr2_store_open(), if no others were added, and
 * restore the earlier recording. */
void tr2_store_undo(struct tr2_store *store);

/* Remove the recording at path, if there is one. -1: it is something else, or
 * in use, and an error was printed. */
int tr2_store_remove(const char *path);
/* Rename path to `path.old`, after `remove` has removed the previous one, or
 * printed why not. -1: an error was printed. */
int tr2_store_move_away(const char *path, int (*remove)(const char *old));

/* Write all of it. -1: errno, and a part may be written. */
int tr2_store_write(int fd, const void *data, size_t len);

/* Copy what a process that began at start_ns wrote, at most 64 MiB, to
 * DIRECTORY/PID-START.SUFFIX in the recording; the directory is made for the
 * first one. A later copy replaces an earlier one. */
void tr2_store_keep(int dir_fd, const char *directory, pid_t pid,
		    uint64_t start_ns, const char *suffix, int from);

/* Reserve space on the disk for the next meta.json, if there is as much: the end
 * of a recording that fills the disk is to be written. */
void tr2_store_reserve_meta(struct tr2_store *store);
/* Replace meta.json, wholly or not at all. -1: errno. */
int tr2_store_write_meta(struct tr2_store *store, const char *text, size_t len);
