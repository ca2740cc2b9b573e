/* SPDX-License-Identifier: MIT */
/*
 * store - the directory of a recording: made anew, or in the place of an
 * earlier recording, which moves to DIR.old.
 *
 * It never removes or moves anything that is not a recording, and of a
 * recording nothing but the files that `trace2 record` puts there
 * (Documentation/technical/recording-format.adoc).
 */
#ifndef TR2_RECORD_STORE_H
#define TR2_RECORD_STORE_H

#include <stdbool.h>
#include <stddef.h>

#define TR2_STORE_META "meta.json"
#define TR2_STORE_TASKS "tasks.jsonl"
#define TR2_STORE_EVENTS "events"
#define TR2_STORE_RINGS "rings"

/* How meta.json begins: by this a recording is known. */
#define TR2_STORE_MAGIC "{\"format\":\"trace2-recording\""

struct tr2_store {
	char *path;        /* as the user named it, without a slash at its end */
	char *events_path; /* absolute */
	int dir_fd;        /* locked for as long as it is open */
	int events_fd;
	char *rings_path; /* absolute; NULL: none are recorded */
	int rings_fd;
	bool made_dir;
	bool is_ours; /* what is in it was made by us */
	bool moved;   /* what stood there is at path.old now */
};

/* with_rings: a directory for rings, too. -1: it was said on stderr why not,
 * and nothing was left behind. */
int tr2_store_open(struct tr2_store *store, const char *path, bool with_rings);
/* Closes; the directory stays. */
void tr2_store_release(struct tr2_store *store);
/* Removes what was made since tr2_store_open(), if nobody put more there, and
 * puts the recording back that stood there. */
void tr2_store_undo(struct tr2_store *store);

/* Removes the recording at path; nothing there is fine. -1: it is something
 * else, or in use, and it was said on stderr. */
int tr2_store_remove(const char *path);
/* Moves what is at path to `path.old`, from where `remove` took away what was
 * there, or said why not. -1: it was said on stderr. */
int tr2_store_move_away(const char *path, int (*remove)(const char *old));

/* All of it. -1: errno, and a part may be written. */
int tr2_store_write(int fd, const void *data, size_t len);

/* Replaces meta.json, whole or not at all. -1: errno. */
int tr2_store_write_meta(struct tr2_store *store, const char *text, size_t len);

#endif
