/* SPDX-License-Identifier: MIT */
/*
 * store - the directory of a recording. The directory is created, or replaces
 * an earlier recording, which is renamed to DIR.old.
 *
 * The store removes and moves only recordings, and removes in them only files
 * that `trace2 record` creates (Documentation/technical/recording-format.adoc).
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
/* The name of a rotated directory: six or more digits follow. */
#define TR2_STORE_ROTATED TR2_STORE_EVENTS "."

/* The beginning of meta.json, which identifies a recording. */
#define TR2_STORE_MAGIC "{\"format\":\"trace2-recording\""

struct tr2_store {
	char *path;        /* path from the user, without a trailing slash */
	char *events_path; /* absolute path */
	int dir_fd;        /* a descriptor, which holds the lock on the
			    * directory */
	int events_fd;
	char *rings_path; /* absolute path; NULL: rings are not recorded */
	int rings_fd;
	bool made_dir;
	bool is_ours; /* this recorder created the directory's content */
	bool moved;   /* the earlier recording is at path.old */
};

/* Create the directory; with_rings: create one for rings, too. On failure,
 * print an error message, undo everything and return -1. */
int tr2_store_open(struct tr2_store *store, const char *path, bool with_rings);
/* Release the store; the directory stays. */
void tr2_store_release(struct tr2_store *store);
/* Remove the recording that tr2_store_open() created, if it has no other files,
 * and restore the earlier recording. */
void tr2_store_undo(struct tr2_store *store);

/* Remove the recording at `path`, if there is one. Return -1, after an error
 * message, if something else is there, or if the recording is in use. */
int tr2_store_remove(const char *path);
/* Rename `path` to PATH.old. First call `remove` for an earlier PATH.old: it
 * removes that recording, or prints why it cannot. Return -1 after an error
 * message. */
int tr2_store_move_away(const char *path, int (*remove)(const char *old));

/* Write len bytes. Return -1 with errno; some bytes may be written then. */
int tr2_store_write(int fd, const void *data, size_t len);

/* Copy a file of a process to DIRECTORY/PID-START.SUFFIX in the recording, at
 * most 64 MiB. START is start_ns, the process's start. Create the directory if
 * necessary. A later copy replaces an earlier one. Return false if the copy is
 * not complete. */
bool tr2_store_keep(int dir_fd, const char *directory, pid_t pid,
		    uint64_t start_ns, const char *suffix, int from);

/* Reserve disk space for the next meta.json, if there is enough space: if the
 * recording fills the disk, meta.json must still be written at its end. */
void tr2_store_reserve_meta(struct tr2_store *store);
/* Replace meta.json, wholly or not at all. -1: errno. */
int tr2_store_write_meta(struct tr2_store *store, const char *text, size_t len);
