/* SPDX-License-Identifier: MIT */
/*
 * What the files of the config reader share, and nobody else includes.
 *
 * config.c   which files are read, in what order
 * file.c     loads a file, checks it, delivers its keys
 * include.c  finds the file that include.path names
 * open.c     opens a file, if its file system answers
 * mounts.c   types of file systems
 * pack.c     checks a file's text and packs it in place
 * match.c    patterns of keys
 * value.c    booleans and numbers
 */
#ifndef TR2_CONFIG_INTERNAL_H
#define TR2_CONFIG_INTERNAL_H

#include "config/config.h"

#include <stddef.h>

/*
 * A packed text is a row of strings, each ended by a NUL byte, over the bytes
 * that it was made from:
 *
 *   "[section.Sub"   a section starts; its keys have this and a dot before them
 *   "{section.S"     a section whose name held a NUL: its keys are all this
 *   "var=value"      a variable; "var" alone: one without a value
 *
 * No string is longer than its source, whose line end or bracket makes room
 * for the NUL; what ends without a line end needs TR2_CONFIG_PAD bytes behind.
 */
#define TR2_CONFIG_PAD 2

/*
 * Packs `size` bytes at `text` (with the padding behind them, its contents do
 * not matter). The packed size; or -EINVAL with *line and *reason (static).
 */
long tr2_config_pack(char *text, size_t size,
		     unsigned int *line, const char **reason);

/* The variables that say where files are; NULL: not set. */
struct tr2_config_places {
	const char *no_system, *system, *global, *xdg, *home;
};

struct tr2_config_device {
	unsigned int major, minor;
};

/* A directory that can be reached without waiting, so that the next file below
 * it takes less. */
struct tr2_config_known {
	char *dir; /* to be freed; NULL: none */
	size_t len;
	struct tr2_config_device on;
};

/* One call of a public function. Lives on its stack; nothing outlives it. */
struct tr2_config_reader {
	const struct tr2_config_request *request;
	struct tr2_config_places places;
	enum tr2_config_scope scope;
	unsigned int depth;    /* of includes */
	unsigned int nr_files; /* included so far */
	size_t nr_bytes;       /* read so far */
	struct tr2_config_known known;
	bool no_more;          /* a limit was met: includes are left out */
};

/*
 * Opens a file for reading: a descriptor or -errno. -EREMOTE: it is on a file
 * system that may never answer; it was not asked.
 */
int tr2_config_open(struct tr2_config_known *known, const char *path);

/*
 * Whether the path leads nowhere, as far as that can be told at once; its first
 * `len` bytes, which a slash follows, are a directory that can be asked. It takes
 * half the time of a vain attempt to open the file. The path is as before.
 */
bool tr2_config_is_missing(char *path, size_t len);

/* Whether it is a file system of FUSE. What cannot be told is not. */
bool tr2_config_is_fuse(struct tr2_config_device device);

/* Tells the fault; reason NULL: what err means. Returns -err. */
int tr2_config_fail(const struct tr2_config_reader *rd, const char *path,
		    unsigned int line, int err, const char *reason);

/* Reads a file with its includes: what tr2_config_read_file() returns. */
int tr2_config_load(struct tr2_config_reader *rd, const char *path);
/* The same of one that tr2_config_open() opened, or failed to; closes it. */
int tr2_config_load_fd(struct tr2_config_reader *rd, const char *path, int fd);

/* Reads the file that an include.path in `file` names. */
void tr2_config_include(struct tr2_config_reader *rd, const char *file,
			const char *value);

/* Letters compared whatever their case, and whatever the host's locale. */
char tr2_config_lower(char c);
bool tr2_config_is_alpha(char c);
bool tr2_config_is_space(char c); /* space, tab, CR, LF */

/* `dir` of `len` bytes and `name` in a row, to be freed; NULL: no memory. */
char *tr2_config_join(const char *dir, size_t len, const char *name);

#endif
