/* SPDX-License-Identifier: MIT */
/*
 * config - the reader of configuration files in Git's syntax.
 *
 * It reads what Git reads for its own trace2.* settings: the system's and the
 * user's files, and what they include by `include.path`. It looks for no
 * repository, evaluates no conditions, and takes no keys from the environment.
 *
 * It runs inside a host that asked for nothing of this: it never aborts or
 * prints, keeps no state between calls, and reports running out of memory as a
 * fault. It does not wait: only regular files are read, and none of a file
 * system of FUSE, unless that is the one of the root. Size, depth and number of
 * the files are bounded.
 *
 * A file is checked to its end before its first key is delivered: a file that
 * cannot be used delivers nothing, and the others are read all the same. errno
 * is not preserved, and the environment is read: not to be called from a signal
 * handler.
 */
#ifndef TR2_CONFIG_CONFIG_H
#define TR2_CONFIG_CONFIG_H

#include <stdbool.h>

/* What one reading takes at most. */
#define TR2_CONFIG_MAX_BYTES (1u << 20) /* of all files */
#define TR2_CONFIG_MAX_FILES 100        /* that are included */
#define TR2_CONFIG_MAX_DEPTH 10         /* of files that include each other */

enum tr2_config_scope { TR2_CONFIG_SYSTEM, TR2_CONFIG_GLOBAL };

/* "system", "global"; a string that lives forever. */
const char *tr2_config_scope_name(enum tr2_config_scope scope);

/* The strings live during the call only. */
struct tr2_config_entry {
	enum tr2_config_scope scope;
	const char *path; /* of the file that has it */
	/* `section.subsection.variable`: section and variable in lower case,
	 * the subsection as it is written. A variable before the first section
	 * is a key without a dot. */
	const char *key;
	const char *value; /* NULL: a key without `=` */
};

/* Why a file is not used. The strings live during the call only. */
struct tr2_config_fault {
	const char *path;
	unsigned int line;  /* counted from 1; 0: not about one line */
	const char *reason; /* "unterminated quote", "permission denied" … */
};

/* What to read, and who gets it. */
struct tr2_config_request {
	void (*entry)(void *cookie, const struct tr2_config_entry *entry);
	void (*fault)(void *cookie, const struct tr2_config_fault *fault);
	void *cookie; /* for both; fault may be NULL */
	/* Deliver the keys of this section only, its name in lower case; NULL:
	 * all keys. A file that cannot have such keys is not checked, which
	 * makes a file of the usual size several times faster, unless
	 * `thorough` asks for its faults. */
	const char *section;
	bool thorough;
	bool no_includes; /* do not follow include.path */
	const char *system_file; /* NULL: "/etc/gitconfig" */
};

/*
 * Reads the system file (that of GIT_CONFIG_SYSTEM, if it is set; none if
 * GIT_CONFIG_NOSYSTEM is) and the user's (GIT_CONFIG_GLOBAL, else git/config
 * in XDG_CONFIG_HOME or ~/.config and then ~/.gitconfig). Later ones count more.
 */
void tr2_config_read(const struct tr2_config_request *request);

/*
 * Reads one file with its includes. 0; -ENOENT, which is no fault; or another
 * negative errno, after the fault was told: -EINVAL if it is malformed or no
 * regular file (/dev/null is an empty file), -EISDIR, -EFBIG, -EREMOTE (on a file
 * system of FUSE), -ENOMEM …
 */
int tr2_config_read_file(const struct tr2_config_request *request,
			 enum tr2_config_scope scope, const char *path);

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

#endif
