/* SPDX-License-Identifier: MIT */
/*
 * The reader of Git's configuration files.
 *
 * It accepts what `git config -f FILE --list` accepts, and delivers the same
 * keys and values. It runs inside a host that asked for nothing of this: it
 * never aborts, prints or blocks (only regular files are read), keeps no
 * state between calls, and reports running out of memory as an error. Size,
 * depth and number of the files are bounded (see TR2_CONFIG_MAX_*).
 *
 * A file is checked to its end, with all that it includes, before its first
 * key is delivered: a file that cannot be used delivers nothing. errno is not
 * preserved, and the environment is read with getenv(): not to be called from
 * a signal handler.
 *
 * Every function that returns int returns 0, or a negative errno, or what the
 * caller's tr2_config_fn returned to stop the reading.
 */
#ifndef TR2_SESSION_CONFIG_H
#define TR2_SESSION_CONFIG_H

#include <stdbool.h>

#define TR2_CONFIG_MAX_BYTES (16 << 20) /* of one file */
#define TR2_CONFIG_MAX_DEPTH 10         /* files that include each other */
#define TR2_CONFIG_MAX_FILES 1000       /* read for the sake of one file */

enum tr2_config_scope {
	TR2_CONFIG_SYSTEM,
	TR2_CONFIG_GLOBAL,
	TR2_CONFIG_LOCAL,
	TR2_CONFIG_WORKTREE,
	TR2_CONFIG_COMMAND,
};

/* "system", "global" …; a string that lives forever. */
const char *tr2_config_scope_name(enum tr2_config_scope scope);

/*
 * Takes one key: `section.subsection.variable`, section and variable in lower
 * case, the subsection as it is written; a variable before the first section
 * is a key without a dot. `value` is NULL for a key without `=`. Both strings
 * live during the call only. 0: go on; a positive number stops the reading and
 * is returned from it.
 */
typedef int (*tr2_config_fn)(void *cookie, enum tr2_config_scope scope,
			     const char *key, const char *value);

/* Why a file was not used. The strings live during the call only. */
struct tr2_config_fault {
	const char *path;   /* a file, or the variable GIT_CONFIG_… */
	unsigned int line;  /* counted from 1; 0: not about one line */
	int err;            /* positive errno; EINVAL: malformed */
	const char *reason; /* "unterminated quote", "permission denied" … */
};

typedef void (*tr2_config_report_fn)(void *cookie,
				     const struct tr2_config_fault *fault);

/*
 * What a file that includes others is read with; zeroes (or a NULL pointer)
 * mean: follow nothing, report to nobody.
 */
struct tr2_config_env {
	bool includes;       /* follow include.path and includeIf.*.path */
	const char *home;    /* what `~/` stands for; NULL: nothing does */
	const char *prefix;  /* what `%(prefix)/` stands for; NULL: /usr */
	const char *git_dir; /* for gitdir: and onbranch:; NULL: no repository */
	tr2_config_report_fn report;
	void *report_cookie;
};

/*
 * Reads one file. A missing one is -ENOENT, a malformed one -EINVAL, one that
 * is no regular file -EISDIR or -EINVAL (/dev/null is an empty file), a big
 * one -EFBIG, includes that nest too deep -ELOOP. An included file that cannot
 * be used fails the whole, as in Git, and nothing is delivered; one that is
 * missing is skipped.
 */
int tr2_config_read_file(const char *path, enum tr2_config_scope scope,
			 const struct tr2_config_env *env,
			 tr2_config_fn fn, void *cookie);

/*
 * Reads the system and then the global files, with the includes that make
 * sense outside a repository; never a repository's own. A file that cannot be
 * used is told to `report` (may be NULL; it gets the same cookie), delivers
 * nothing, and the others are read all the same, also one that includes it;
 * but a file whose includes go in circles delivers nothing at all. The result
 * is 0 unless `fn` stopped the reading.
 *
 * section: its name in lower case; NULL: all keys. Unless it is told to be
 * thorough, it does not look whether a file is well-formed that can have no such
 * key, which makes a file of the usual size several times faster: what is wrong
 * with such a file is not reported.
 */
int tr2_config_read_section(const char *section, bool thorough,
			    tr2_config_fn fn, void *cookie,
			    tr2_config_report_fn report);

/*
 * Reads all that Git would in the current directory: system, global, the
 * repository's config, the worktree's, and the pairs in the environment
 * (GIT_CONFIG_COUNT, GIT_CONFIG_PARAMETERS). What cannot be used is left out,
 * and so is a repository that another user owns unless safe.directory names
 * it. The result is 0 unless `fn` stopped the reading.
 */
int tr2_config_list_all(tr2_config_fn fn, void *cookie);

/*
 * Whether the key matches one of the comma-separated wildcard patterns
 * (`*`, `?`, `[a-z]`, `[[:digit:]]`, `\x`), whatever the case. White space
 * around a pattern does not count. NULL matches nothing.
 */
bool tr2_config_match(const char *patterns, const char *key);

/*
 * A value as Git reads it: true/yes/on, false/no/off/empty, or a number, where
 * all but 0 is true; NULL (a key without a value) is true. -EINVAL: neither.
 */
int tr2_config_bool(const char *value, int *out);

/*
 * A decimal, octal (0…) or hexadecimal (0x…) number with an optional suffix k,
 * m or g. -EINVAL: not a number, or NULL. -ERANGE: not within an int.
 */
int tr2_config_int(const char *value, int *out);

/*
 * Makes a key as a person writes it canonical, in place. false: it is not of
 * the form section.variable or section.subsection.variable.
 */
bool tr2_config_canonical_key(char *key);

/* The repository around the current directory. */
struct tr2_config_repo {
	char *git_dir;    /* absolute; NULL: there is none */
	char *common_dir; /* where `config` lies */
	bool foreign;     /* owned by another user: see safe.directory */
	char *owned_dir;  /* what safe.directory must name to allow it */
};

/*
 * Finds it as Git does: GIT_DIR, else `.git` or a bare repository here or in a
 * parent. 0 with git_dir NULL when there is none; -ENOMEM or what getcwd()
 * said otherwise. Release it in any case.
 */
int tr2_config_repo_find(struct tr2_config_repo *repo);
void tr2_config_repo_release(struct tr2_config_repo *repo);

#endif
