/* SPDX-License-Identifier: MIT */
/*
 * What the files of the config reader share, and nobody else includes.
 *
 * config.c          loads a file, delivers its keys
 * config-source.c   which files there are, in what order
 * config-parse.c    checks a file's text and packs it in place
 * config-include.c  include.path and the conditions of includeIf
 * config-match.c    wildcards, booleans, numbers
 * config-repo.c     finds the repository and its branch
 * config-command.c  the pairs in the environment
 */
#ifndef TR2_SESSION_CONFIG_INTERNAL_H
#define TR2_SESSION_CONFIG_INTERNAL_H

#include "session/config.h"

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

struct tr2_config_reader;
struct tr2_config_held;
typedef int (*tr2_config_source_fn)(struct tr2_config_reader *rd);

/* One URL of `remote.*.url`, for includeIf.hasconfig. */
struct tr2_config_url {
	struct tr2_config_url *next;
	char text[];
};

/* One call of a public function. Lives on its stack; nothing outlives it. */
struct tr2_config_reader {
	tr2_config_fn fn;
	void *cookie;
	struct tr2_config_env env;
	enum tr2_config_scope scope;
	const char *section;   /* the only one that is wanted; NULL: all */
	bool unchecked;        /* a file without that section goes unread */
	const char *path;      /* the file that is being delivered, or NULL */
	unsigned int depth;    /* of includes */
	unsigned int nr_files; /* included so far by this top file */
	bool lenient;          /* a bad include does not fail its includer */
	bool endless;          /* the includes go in circles: this always does */
	struct tr2_config_held *held; /* where keys wait, or NULL */

	/* hasconfig asks what the whole configuration says: it is read again */
	tr2_config_source_fn source;
	const void *source_arg;
	struct tr2_config_url *urls;
	bool urls_known;
	bool collecting;       /* this is that second reading */
	unsigned int no_urls;  /* > 0: inside what hasconfig includes */
};

/* Tells the fault to whoever listens and returns -err. */
int tr2_config_fail(struct tr2_config_reader *rd, const char *path,
		    unsigned int line, int err, const char *reason);

/* Reads a file with its includes: what tr2_config_read_file() returns. */
int tr2_config_read(struct tr2_config_reader *rd, const char *path);

/* Hands a key to the caller, now or later; follows it if it is an include. */
int tr2_config_deliver(struct tr2_config_reader *rd,
		       const char *key, const char *value);

/* Follows the key if it is an include whose condition holds. */
int tr2_config_include(struct tr2_config_reader *rd,
		       const char *key, const char *value);
void tr2_config_urls_free(struct tr2_config_reader *rd);

/*
 * The wildcards of Git. The pattern has `len` bytes. TR2_WILD_PATH: `*`, `?`
 * and sets do not match a slash, and a double star between slashes matches any
 * number of directories. TR2_WILD_FOLD: letters match whatever their case.
 */
#define TR2_WILD_PATH 1u
#define TR2_WILD_FOLD 2u
bool tr2_config_wild(const char *pattern, size_t len, const char *text,
		     unsigned int flags);

/* Letters compared whatever their case, and whatever the host's locale. */
bool tr2_config_same_word(const char *a, const char *b);
char tr2_config_lower(char c);
bool tr2_config_is_alpha(char c);
bool tr2_config_is_key_char(char c); /* a letter, a digit or `-` */
bool tr2_config_is_space(char c);    /* space, tab, CR, LF */

/* Replaces `~/`, `~user/` and `%(prefix)/`; to be freed; NULL: cannot. */
char *tr2_config_expand(const struct tr2_config_env *env, const char *path);

/* `a`, `b` and `c` in a row, to be freed; NULL: out of memory. */
char *tr2_config_join(const char *a, const char *b, const char *c);

/* The first line of a small file, to be freed; NULL: there is none. */
char *tr2_config_first_line(const char *path);

/* The branch that HEAD names, to be freed; NULL: none. */
char *tr2_config_branch(const char *git_dir);

/* The pairs of the environment. All or, when one is malformed, none. */
int tr2_config_read_command(struct tr2_config_reader *rd);

#endif
