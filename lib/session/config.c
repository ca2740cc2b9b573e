/* SPDX-License-Identifier: MIT */
/*
 * Loads a config file and delivers its keys.
 *
 * It promises one open, fstat, read and close, and one allocation, for a file;
 * see config.h for the rest.
 */
#include "session/config-internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file's text, packed later, and behind it room for the longest key. */
struct text {
	char *buf;
	size_t size; /* that the text may have */
	size_t len;  /* that it has */
};

const char *tr2_config_scope_name(enum tr2_config_scope scope)
{
	static const char *const names[] = {
		[TR2_CONFIG_SYSTEM] = "system",
		[TR2_CONFIG_GLOBAL] = "global",
		[TR2_CONFIG_LOCAL] = "local",
		[TR2_CONFIG_WORKTREE] = "worktree",
		[TR2_CONFIG_COMMAND] = "command",
	};

	if ((unsigned int)scope >= sizeof(names) / sizeof(*names))
		return "unknown";
	return names[scope];
}

char *tr2_config_join(const char *a, const char *b, const char *c)
{
	size_t len_a = strlen(a), len_b = strlen(b), len_c = strlen(c);
	char *joined = malloc(len_a + len_b + len_c + 1);

	if (!joined)
		return NULL;
	memcpy(joined, a, len_a);
	memcpy(joined + len_a, b, len_b);
	memcpy(joined + len_a + len_b, c, len_c + 1);
	return joined;
}

static const char *reason_of(int err)
{
	switch (err) {
	case ENOENT:
	case ENOTDIR:
		return "no such file";
	case EACCES:
	case EPERM:
		return "permission denied";
	case EISDIR:
		return "is a directory";
	case EINVAL:
		return "not a regular file";
	case EFBIG:
		return "larger than 16 MiB";
	case ENOMEM:
		return "out of memory";
	case ELOOP:
		return "too many levels of symbolic links";
	case EMFILE:
	case ENFILE:
		return "too many open files";
	case ENAMETOOLONG:
		return "file name too long";
	default:
		return "cannot be read";
	}
}

int tr2_config_fail(struct tr2_config_reader *rd, const char *path,
		    unsigned int line, int err, const char *reason)
{
	const struct tr2_config_fault fault = {
		.path = path ? path : "",
		.line = line,
		.err = err,
		.reason = reason ? reason : reason_of(err),
	};

	if (rd->env.report)
		rd->env.report(rd->env.report_cookie, &fault);
	return -err;
}

/*
 * Makes room for `size` bytes of text, or as many as are allowed. The key's
 * room is as large as the text: no key is longer than its file.
 */
static int text_reserve(struct text *text, size_t size)
{
	char *buf;

	if (text->size >= TR2_CONFIG_MAX_BYTES)
		return -EFBIG;
	if (size > TR2_CONFIG_MAX_BYTES)
		size = TR2_CONFIG_MAX_BYTES;
	buf = realloc(text->buf, 2 * (size + TR2_CONFIG_PAD));
	if (!buf)
		return -ENOMEM;
	text->buf = buf;
	text->size = size;
	return 0;
}

/* Whether this is /dev/null, which stands for an empty file. */
static bool is_null_device(const struct stat *st)
{
	struct stat null;

	return S_ISCHR(st->st_mode) && !stat("/dev/null", &null) &&
	       S_ISCHR(null.st_mode) && null.st_rdev == st->st_rdev;
}

/*
 * Reads to the end. A file may grow, shrink, or say nothing of its size (those
 * in /proc): only when a read ends where fstat() said is the end taken as read.
 */
static int text_read(struct text *text, int fd, size_t expected)
{
	int err = text_reserve(text, expected + 1);

	while (!err) {
		size_t want = text->size - text->len;
		ssize_t got = read(fd, text->buf + text->len, want);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		text->len += (size_t)got;
		if (!got || text->len == expected)
			return 0;
		if (text->len == text->size)
			err = text_reserve(text, 2 * text->size + 4096);
	}
	return err;
}

static int text_read_file(struct text *text, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (is_null_device(&st))
		return text_reserve(text, 0);
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size >= TR2_CONFIG_MAX_BYTES)
		return -EFBIG;
	return text_read(text, fd, (size_t)st.st_size);
}

/* O_NONBLOCK: a FIFO without a writer must not keep the host waiting. */
static int open_file(const char *path)
{
	int fd;

	do {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

/* Leaves text->buf to be freed whatever it returns. */
static int text_load(struct text *text, const char *path)
{
	int fd = open_file(path);
	int err;

	if (fd < 0)
		return fd;
	err = text_read_file(text, fd);
	close(fd);
	return err;
}

char *tr2_config_first_line(const char *path)
{
	struct text text = { 0 };

	if (text_load(&text, path)) {
		free(text.buf);
		return NULL;
	}
	text.buf[text.len] = '\0';
	text.buf[strcspn(text.buf, "\r\n")] = '\0';
	return text.buf;
}

/* Whether a section or key is one of those that include files. */
static bool starts_include(const char *section)
{
	return !strncmp(section, "include", strlen("include"));
}

/*
 * Keys that wait until all includes of a file are known to be good: a key, a
 * NUL, then `=`, the value and a NUL, or `-` for no value, and so on.
 */
struct tr2_config_held {
	char *buf;
	size_t len;
	size_t size;
};

static int hold_bytes(struct tr2_config_held *held, const char *bytes,
		      size_t len)
{
	if (len > held->size - held->len) {
		size_t size = 2 * held->size + len + 1024;
		char *buf = realloc(held->buf, size);

		if (!buf)
			return -ENOMEM;
		held->buf = buf;
		held->size = size;
	}
	memcpy(held->buf + held->len, bytes, len);
	held->len += len;
	return 0;
}

static int hold(struct tr2_config_reader *rd, const char *key,
		const char *value)
{
	struct tr2_config_held *held = rd->held;
	int err = 0;

	if (held->len > TR2_CONFIG_MAX_BYTES)
		err = -EFBIG;
	if (!err)
		err = hold_bytes(held, key, strlen(key) + 1);
	if (!err)
		err = hold_bytes(held, value ? "=" : "-", 1);
	if (!err && value)
		err = hold_bytes(held, value, strlen(value) + 1);
	return err ? tr2_config_fail(rd, rd->path, 0, -err, NULL) : 0;
}

static int deliver_held(struct tr2_config_reader *rd,
			const struct tr2_config_held *held)
{
	size_t pos = 0;
	int err = 0;

	while (pos < held->len && !err) {
		const char *key = held->buf + pos;
		const char *value = NULL;

		pos += strlen(key) + 1;
		if (held->buf[pos++] == '=') {
			value = held->buf + pos;
			pos += strlen(value) + 1;
		}
		err = rd->fn(rd->cookie, rd->scope, key, value);
	}
	return err;
}

int tr2_config_deliver(struct tr2_config_reader *rd,
		       const char *key, const char *value)
{
	int err = 0;

	/* of other sections, only includes come this far */
	if (!rd->section || !starts_include(key))
		err = rd->held ? hold(rd, key, value)
			       : rd->fn(rd->cookie, rd->scope, key, value);
	if (!err && rd->env.includes && key[0] == 'i')
		err = tr2_config_include(rd, key, value);
	return err;
}

/* Whether keys of this packed section are for somebody. */
static bool is_wanted(const struct tr2_config_reader *rd, const char *name)
{
	size_t len;

	if (!rd->section || starts_include(name))
		return true;
	len = strlen(rd->section);
	return !strncmp(name, rd->section, len) &&
	       (!name[len] || name[len] == '.');
}

/* Delivers a packed text; `key` is room for the longest key of it. */
static int deliver_text(struct tr2_config_reader *rd, const struct text *text,
			char *key)
{
	const char *end = text->buf + text->len;
	bool wanted = !rd->section;
	bool whole_key = false;
	size_t prefix = 0;
	size_t len;
	int err = 0;

	for (char *p = text->buf; p < end && !err; p += len + 1) {
		char *equals;

		len = strlen(p);
		if (*p == '[' || *p == '{') {
			wanted = is_wanted(rd, p + 1);
			whole_key = *p == '{';
			memcpy(key, p + 1, len);
			prefix = len;
			key[prefix - 1] = whole_key ? '\0' : '.';
			continue;
		}
		if (!wanted)
			continue;
		equals = memchr(p, '=', len);
		if (!whole_key) {
			size_t name = equals ? (size_t)(equals - p) : len;

			memcpy(key + prefix, p, name);
			key[prefix + name] = '\0';
		}
		err = tr2_config_deliver(rd, key, equals ? equals + 1 : NULL);
	}
	return err;
}

static bool has_includes(const struct text *text)
{
	const char *end = text->buf + text->len;

	for (const char *p = text->buf; p < end; p += strlen(p) + 1)
		if ((*p == '[' || *p == '{') && starts_include(p + 1))
			return true;
	return false;
}

/*
 * Keys are held back only where an include may still go wrong. The URLs of
 * hasconfig go to the library itself, which throws them away in that case.
 */
static int deliver_or_hold(struct tr2_config_reader *rd,
			   const struct text *text, char *key)
{
	struct tr2_config_held held = { 0 };
	int err;

	if (!rd->env.includes || rd->held || rd->collecting ||
	    !has_includes(text))
		return deliver_text(rd, text, key);
	rd->held = &held;
	err = deliver_text(rd, text, key);
	rd->held = NULL;
	if (!err)
		err = deliver_held(rd, &held);
	free(held.buf);
	return err;
}

static bool starts_folded(const char *text, const char *end,
			  const char *prefix)
{
	for (; *prefix; prefix++, text++)
		if (text == end || tr2_config_lower(*text) != *prefix)
			return false;
	return true;
}

/* Whether a text that is not yet packed may have something that is wanted. */
static bool may_matter(const struct tr2_config_reader *rd,
		       const struct text *text)
{
	const char *p = text->buf;
	const char *end = p + text->len;

	if (!rd->unchecked)
		return true;
	while ((p = memchr(p, '[', (size_t)(end - p)))) {
		p++;
		if (starts_folded(p, end, rd->section) ||
		    starts_folded(p, end, "include"))
			return true;
	}
	return false;
}

static int deliver_file(struct tr2_config_reader *rd, struct text *text,
			const char *path)
{
	const char *outer = rd->path;
	const char *reason = NULL;
	unsigned int line = 0;
	long packed;
	int err;

	if (!may_matter(rd, text))
		return 0;
	packed = tr2_config_pack(text->buf, text->len, &line, &reason);
	if (packed < 0)
		return tr2_config_fail(rd, path, line, (int)-packed, reason);
	text->len = (size_t)packed;
	rd->path = path;
	err = deliver_or_hold(rd, text,
			      text->buf + text->size + TR2_CONFIG_PAD);
	rd->path = outer;
	return err;
}

int tr2_config_read(struct tr2_config_reader *rd, const char *path)
{
	struct text text = { 0 };
	int err = text_load(&text, path);

	if (err == -ENOTDIR)
		err = -ENOENT;
	if (!err)
		err = deliver_file(rd, &text, path);
	else if (err != -ENOENT)
		tr2_config_fail(rd, path, 0, -err, NULL);
	free(text.buf);
	return err;
}

static int read_source_file(struct tr2_config_reader *rd)
{
	return tr2_config_read(rd, rd->source_arg);
}

int tr2_config_read_file(const char *path, enum tr2_config_scope scope,
			 const struct tr2_config_env *env,
			 tr2_config_fn fn, void *cookie)
{
	struct tr2_config_reader rd = {
		.fn = fn, .cookie = cookie, .scope = scope,
		.source = read_source_file, .source_arg = path,
	};
	int err;

	if (env)
		rd.env = *env;
	err = tr2_config_read(&rd, path);
	tr2_config_urls_free(&rd);
	return err;
}
