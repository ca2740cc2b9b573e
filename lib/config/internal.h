/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of the config reader only.
 *
 * config.c   the files to read, and their order; booleans and numbers
 * file.c     loads a file with its includes, checks it, delivers its keys
 * pack.c     checks a file's text and packs it in place
 * match.c    patterns of keys
 */
#pragma once

#include "config/config.h"

#include <stddef.h>

/*
 * A packed text is a sequence of strings, each ended by a NUL byte. They
 * overwrite the text from which they were made:
 *
 *	"[section.Sub"   starts a section; the names of its keys begin with
 *	                 section.Sub and a dot
 *	"{section.S"     a section whose name had a NUL: each of its keys is
 *	                 named section.S, without the variable
 *	"var=value"      a variable; "var" alone: a variable without a value
 *
 * No string is longer than its source, whose line end or bracket makes room for
 * the NUL; a source without a line end needs TR2_CONFIG_PAD bytes after it.
 */
#define TR2_CONFIG_PAD 2

/*
 * Pack `size` bytes at `text`, followed by padding with any contents. Return
 * the packed size; or -EINVAL with *line and *reason (static).
 */
long tr2_config_pack(char *text, size_t size,
		     unsigned int *line, const char **reason);

/* The variables that name files; NULL: not set. */
struct tr2_config_places {
	const char *no_system, *system, *global, *xdg, *home;
};

/* The state of one call of a public function, on the stack of the call. */
struct tr2_config_reader {
	const struct tr2_config_request *request;
	struct tr2_config_places places;
	enum tr2_config_scope scope;
	unsigned int depth;    /* of includes */
	unsigned int nr_files; /* files included so far */
	size_t nr_bytes;       /* read so far */
	bool no_more;          /* a limit was reached: ignore includes */
};

/* Report the fault, and return -err. reason NULL: report the text of err. */
int tr2_config_fail(const struct tr2_config_reader *rd, const char *path,
		    unsigned int line, int err, const char *reason);

/* Read a file with its includes. The results are those of
 * tr2_config_read_file(). */
int tr2_config_load(struct tr2_config_reader *rd, const char *path);

/* The following functions know ASCII only, and ignore the host's locale. */
char tr2_config_lower(char c);
bool tr2_config_is_alpha(char c);
bool tr2_config_is_space(char c); /* space, tab, CR, LF */

/* Return `dir` of `len` bytes followed by `name`, to be freed; NULL: no
 * memory. */
char *tr2_config_join(const char *dir, size_t len, const char *name);
