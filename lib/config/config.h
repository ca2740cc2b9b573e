/* SPDX-License-Identifier: MIT */
/*
 * config - the reader of configuration files in Git's syntax.
 *
 * It reads the files that Git reads for its own trace2.* settings: the system's
 * and the user's, and files that these include by `include.path`. It looks for
 * no repository, evaluates no conditions, and takes no keys from the
 * environment.
 *
 * It runs inside a host that did not ask for it: it never aborts or prints,
 * keeps no state between calls, and reports lack of memory as a fault. It does
 * not wait for a writer: it reads only regular files. Size, depth and number of
 * the files are bounded.
 *
 * It checks a whole file before it delivers the first key: an invalid file
 * delivers no keys, and the others are still read. It does not preserve errno,
 * and reads the environment: do not call it from a signal handler.
 */
#pragma once

#include <stdbool.h>

/* Limits of one call. */
#define TR2_CONFIG_MAX_BYTES (1u << 20) /* bytes of all files together */
#define TR2_CONFIG_MAX_FILES 100        /* number of included files */
#define TR2_CONFIG_MAX_DEPTH 10         /* depth of nested includes */

enum tr2_config_scope { TR2_CONFIG_SYSTEM, TR2_CONFIG_GLOBAL };

/* Return "system" or "global"; a static string. */
const char *tr2_config_scope_name(enum tr2_config_scope scope);

/* A key, as it is delivered. The strings are valid only during the callback. */
struct tr2_config_entry {
	enum tr2_config_scope scope;
	const char *path; /* of its file */
	/* `section.subsection.variable`: section and variable in lower case,
	 * the subsection unchanged. A variable before the first section is a
	 * key without a dot. */
	const char *key;
	const char *value; /* NULL: a key without `=` */
};

/* The reason why a file is not used. The strings are valid during the call
 * only. */
struct tr2_config_fault {
	const char *path;
	unsigned int line;  /* counted from 1; 0: unknown */
	const char *reason; /* "unterminated quote", "permission denied" … */
};

/* The files to read, and the callbacks for them. */
struct tr2_config_request {
	void (*entry)(void *cookie, const struct tr2_config_entry *entry);
	void (*fault)(void *cookie, const struct tr2_config_fault *fault);
	void *cookie; /* passed to both callbacks; the callback for faults may
		       * be NULL */
	/*
	 * Deliver only keys of this section, its name in lower case; NULL: all
	 * keys. A file without such keys is not checked, unless `thorough` asks
	 * for its faults: this makes a file of usual size several times faster.
	 */
	const char *section;
	bool thorough;
	bool no_includes; /* do not follow include.path */
	const char *system_file; /* NULL: "/etc/gitconfig" */
};

/*
 * Read the system file (GIT_CONFIG_SYSTEM, if it is set; no system file if
 * GIT_CONFIG_NOSYSTEM is set) and the user's files (GIT_CONFIG_GLOBAL, else
 * git/config in XDG_CONFIG_HOME or ~/.config and then ~/.gitconfig). Later
 * files override earlier ones.
 */
void tr2_config_read(const struct tr2_config_request *request);

/*
 * Read one file with its includes. Return 0; -ENOENT, which is not a fault; or
 * another negative errno, after the callback got the fault. Errors: -EINVAL
 * malformed, or not a regular file (/dev/null is an empty file), -EISDIR,
 * -EFBIG, -ENOMEM …
 */
int tr2_config_read_file(const struct tr2_config_request *request,
			 enum tr2_config_scope scope, const char *path);

/*
 * Return whether the key matches one of the comma-separated wildcard patterns
 * (`*`, `?`, `[a-z]`, `[[:digit:]]`, `\x`), ignoring case. White space around a
 * pattern is ignored. NULL matches no key.
 */
bool tr2_config_match(const char *patterns, const char *key);

/*
 * Parse a value as Git does: true/yes/on, false/no/off/empty, or a number,
 * where all but 0 is true; NULL (a key without a value) is true. -EINVAL:
 * another value.
 */
int tr2_config_bool(const char *value, int *out);

/*
 * Parse a decimal, octal (0…) or hexadecimal (0x…) number with an optional
 * suffix k, m or g. -EINVAL: not a number, or NULL. -ERANGE: not within an int.
 */
int tr2_config_int(const char *value, int *out);
