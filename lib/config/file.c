/* SPDX-License-Identifier: MIT */
/*
 * Load a config file and deliver its keys, and those of files that it includes
 * by include.path.
 *
 * Reading always ends, even if files include each other: their depth and their
 * number are bounded. Once a limit is reached, all further includes are
 * ignored; otherwise each file of a circle would read all the others again and
 * again.
 *
 * A file takes one open, fstat, read and close, and one allocation; see
 * config.h for the rest.
 */
#include "config/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static int fail_limit(struct tr2_config_reader *rd, const char *path,
		      const char *reason)
{
	rd->no_more = true;
	return tr2_config_fail(rd, path, 0, ELOOP, reason);
}

/* Check whether one more file may be read; report the fault. */
static int check_limits(struct tr2_config_reader *rd, const char *path)
{
	if (rd->depth >= TR2_CONFIG_MAX_DEPTH)
		return fail_limit(rd, path,
				  "includes nest deeper than 10 files");
	if (++rd->nr_files > TR2_CONFIG_MAX_FILES)
		return fail_limit(rd, path,
				  "more than 100 files are included");
	return 0;
}

/*
 * Resolve the path of a value, relative to the directory of `file`; the result
 * must be freed. Homes of other users and Git's prefix are not supported:
 * looking them up would load parts of libc, and may ask a server.
 */
static char *resolve_path(const struct tr2_config_reader *rd, const char *file,
			  const char *value)
{
	static const char prefix[] = "%(prefix)/";
	const char *slash = strrchr(file, '/');
	const char *home = rd->places.home;

	if (*value == '~')
		return home && value[1] == '/' ?
			       tr2_config_join(home, strlen(home), value + 1) :
			       NULL;
	if (!strncmp(value, prefix, strlen(prefix)))
		return NULL;
	if (*value == '/' || !slash)
		return tr2_config_join("", 0, value);
	return tr2_config_join(file, (size_t)(slash - file) + 1, value);
}

static void include_file(struct tr2_config_reader *rd, const char *file,
			 const char *value)
{
	char *path;

	if (rd->no_more)
		return;
	if (!value) {
		tr2_config_fail(rd, file, 0, EINVAL,
				"a path to include has no value");
		return;
	}
	path = resolve_path(rd, file, value);
	if (!path)
		tr2_config_fail(rd, file, 0, EINVAL,
				"a path to include cannot be expanded");
	else if (!check_limits(rd, path)) {
		rd->depth++;
		tr2_config_load(rd, path);
		rd->depth--;
	}
	free(path);
}

/* The text of a file. It is packed later, in place. After the text there is
 * room for the longest key. */
struct text {
	char *buf;
	size_t size; /* bytes that the buffer has for the text */
	size_t len;  /* bytes of text read so far */
	size_t max;  /* the largest size that the text may have */
};

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
		return "more than 1 MiB of configuration";
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

int tr2_config_fail(const struct tr2_config_reader *rd, const char *path,
		    unsigned int line, int err, const char *reason)
{
	const struct tr2_config_fault fault = {
		.path = path,
		.line = line,
		.reason = reason ? reason : reason_of(err),
	};

	if (rd->request->fault)
		rd->request->fault(rd->request->cookie, &fault);
	return -err;
}

/*
 * Make room for `size` bytes of text, or as many as the limit allows. The room
 * for the key is as large as the text: no key is longer than its file.
 */
static int text_reserve(struct text *text, size_t size)
{
	char *buf;

	if (text->size >= text->max)
		return -EFBIG;
	if (size > text->max)
		size = text->max;
	buf = realloc(text->buf, 2 * (size + TR2_CONFIG_PAD));
	if (!buf)
		return -ENOMEM;
	text->buf = buf;
	text->size = size;
	return 0;
}

/* Return whether the file is /dev/null, which counts as an empty file. */
static bool is_null_device(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

/*
 * Read the file to its end. A file may grow, shrink, or have no size (as in
 * /proc). The end is reached at the size that fstat() gave, or when read()
 * returns 0.
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
	if (st.st_size >= (off_t)text->max)
		return -EFBIG;
	return text_read(text, fd, (size_t)st.st_size);
}

static void deliver(struct tr2_config_reader *rd, const char *path,
		    const char *key, const char *value)
{
	static const char include[] = "include.";
	const struct tr2_config_request *request = rd->request;
	const struct tr2_config_entry entry = {
		.scope = rd->scope, .path = path, .key = key, .value = value,
	};
	const char *name = key + strlen(include);
	bool of_include = !strncmp(key, include, strlen(include));

	if (!request->section || !of_include)
		request->entry(request->cookie, &entry);
	if (of_include && !strcmp(name, "path") && !request->no_includes)
		include_file(rd, path, value);
}

/* Return whether the request wants keys of this packed section. */
static bool is_wanted(const struct tr2_config_reader *rd, const char *name)
{
	const char *section = rd->request->section;
	size_t len;

	if (!section || !strcmp(name, "include"))
		return true;
	len = strlen(section);
	return !strncmp(name, section, len) && (!name[len] || name[len] == '.');
}

/* Deliver the keys of a packed text, which has room for the longest key after
 * it. */
static void deliver_text(struct tr2_config_reader *rd, const struct text *text,
			 const char *path)
{
	char *key = text->buf + text->size + TR2_CONFIG_PAD;
	const char *end = text->buf + text->len;
	bool wanted = !rd->request->section;
	bool whole_key = false;
	size_t prefix = 0;
	size_t len;

	for (char *p = text->buf; p < end; p += len + 1) {
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
		deliver(rd, path, key, equals ? equals + 1 : NULL);
	}
}

static bool starts_folded(const char *text, const char *end, const char *prefix)
{
	for (; *prefix; prefix++, text++)
		if (text == end || tr2_config_lower(*text) != *prefix)
			return false;
	return true;
}

/* Return whether a text that is not yet packed may contain wanted keys. */
static bool may_matter(const struct tr2_config_request *request,
		       const struct text *text)
{
	const char *p = text->buf;
	const char *end = p + text->len;

	if (!request->section || request->thorough)
		return true;
	while ((p = memchr(p, '[', (size_t)(end - p)))) {
		p++;
		if (starts_folded(p, end, request->section) ||
		    starts_folded(p, end, "include]"))
			return true;
	}
	return false;
}

static int deliver_file(struct tr2_config_reader *rd, struct text *text,
			const char *path)
{
	const char *reason = NULL;
	unsigned int line = 0;
	long packed;

	if (!may_matter(rd->request, text))
		return 0;
	packed = tr2_config_pack(text->buf, text->len, &line, &reason);
	if (packed < 0)
		return tr2_config_fail(rd, path, line, (int)-packed, reason);
	text->len = (size_t)packed;
	deliver_text(rd, text, path);
	return 0;
}

/* Open with O_NONBLOCK: do not wait for a FIFO's writer, or for the end of a
 * lease. */
static int open_file(const char *path)
{
	int fd;

	do {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	} while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

int tr2_config_load(struct tr2_config_reader *rd, const char *path)
{
	struct text text = { .max = TR2_CONFIG_MAX_BYTES - rd->nr_bytes };
	int fd, err;

	/* Do not open /dev/null: users name it when they want no file. */
	if (!strcmp(path, "/dev/null"))
		return 0;
	fd = open_file(path);
	err = fd < 0 ? fd : text_read_file(&text, fd);
	if (fd >= 0)
		close(fd);
	rd->nr_bytes += text.len;
	if (err == -ENOTDIR)
		err = -ENOENT;
	if (!err)
		err = deliver_file(rd, &text, path);
	else if (err != -ENOENT)
		tr2_config_fail(rd, path, 0, -err, NULL);
	free(text.buf);
	return err;
}
