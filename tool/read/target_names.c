/* SPDX-License-Identifier: MIT */
/*
 * target_names - read the output of `make --trace` and `ninja -t compdb`.
 *
 * make prints a line with the target, and then the first line of its recipe:
 *
 *	Makefile:3: target 'a.txt' does not exist
 *	Makefile:3: update target 'a.txt' due to: a.in
 *
 * With several jobs, -O or a recursive make, lines of other targets may follow
 * instead, and output of commands. So a command belongs to a target if two
 * witnesses agree: no other target was named between, and the command mentions
 * the target. A target without a dot or a slash, such as `test` or `all`, may
 * be mentioned by chance. A line that ends with a backslash goes on.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "common/memory.h"
#include "common/say.h"
#include "format/events/json.h"
#include "format/events/utf8.h"
#include "model/build/build.h"
#include "model/join/recipes.h"
#include "read/target_names.h"

/* Return the target that a line of make names; 0: none. */
static tr2_str named_target(struct tr2_model *m, const char *line, size_t len)
{
	static const char *const before[] = { ": target '",
					      ": update target '" };
	static const char *const after[] = { "' due to: ", "' does not exist" };
	const char *name, *end;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(before); i++) {
		name = memmem(line, len, before[i], strlen(before[i]));
		if (!name)
			continue;
		name += strlen(before[i]);
		for (k = 0; k < ARRAY_SIZE(after); k++) {
			end = memmem(name, (size_t)(line + len - name),
				     after[k], strlen(after[k]));
			if (end && tr2_utf8_valid(name, (size_t)(end - name)))
				return tr2_intern(m, name,
						  (size_t)(end - name));
		}
	}
	return 0;
}

/* Return the end of a line, and of the lines after it that continue it. */
static const char *end_of_line(const char *line, const char *end)
{
	const char *newline = line;

	do {
		newline = memchr(newline, '\n', (size_t)(end - newline));
		if (!newline)
			return end;
	} while (newline > line && newline[-1] == '\\' && ++newline < end);
	return newline;
}

static bool ends_name(char c)
{
	return !isalnum((unsigned char)c) && !strchr("_./+-%@~", c);
}

/* Does a line mention the target as a word? */
static bool mentions(const char *line, size_t len, const char *target)
{
	const char *end = line + len, *at = line;
	size_t n = strlen(target);

	if (!strpbrk(target, "./"))
		return false;
	for (; (at = memmem(at, (size_t)(end - at), target, n)); at++)
		if ((at == line || ends_name(at[-1])) &&
		    (at + n == end || ends_name(at[n])))
			return true;
	return false;
}

static void add_command(struct tr2_model *m, uint64_t hash, tr2_str target)
{
	struct tr2_build_command command = { .version = TR2_RECIPE };

	command.hash = hash;
	command.target = target;
	if (hash && target)
		tr2_build_command(m, &command);
}

static bool read_make_trace(struct tr2_model *m, const struct tr2_buf *b)
{
	const char *line = b->p, *end = b->p + b->len, *next;
	tr2_str target = 0, name;
	size_t len;

	for (; line < end; line = next + (next < end)) {
		next = end_of_line(line, end);
		len = (size_t)(next - line);
		name = named_target(m, line, len);
		if (name)
			target = name;
		else if (target && mentions(line, len, tr2_s(m, target)))
			add_command(m, tr2_recipe_hash(line, len), target);
	}
	return target != 0;
}

struct entry {
	struct tr2_model *m;
	tr2_str output;
	uint64_t hash;
};

static void read_member(void *data, const char *key, size_t key_len,
			const struct tr2_json_value *v)
{
	struct entry *e = data;

	if (v->type != TR2_JSON_STRING)
		return;
	if (key_len == 6 && !memcmp(key, "output", 6))
		e->output = tr2_intern(e->m, v->text.p, v->text.len);
	else if (key_len == 7 && !memcmp(key, "command", 7))
		e->hash = tr2_recipe_hash(v->text.p, v->text.len);
}

/* Return the byte after the object that begins at p; NULL: it has no end. */
static const char *end_of_object(const char *p, const char *end)
{
	bool in_string = false;
	size_t depth = 0;

	for (; p < end; p++) {
		if (in_string && *p == '\\') {
			p++;
		} else if (in_string) {
			in_string = *p != '"';
		} else if (*p == '"') {
			in_string = true;
		} else if (*p == '{') {
			depth++;
		} else if (*p == '}' && --depth == 0) {
			return p + 1;
		}
	}
	return NULL;
}

static bool read_compdb(struct tr2_model *m, const struct tr2_buf *b)
{
	const char *p = b->p, *end = b->p + b->len, *next;
	struct tr2_json *json = tr2_json_new();
	struct entry e;
	bool any = false;

	for (; (p = memchr(p, '{', (size_t)(end - p))) &&
	       (next = end_of_object(p, end)); p = next) {
		e = (struct entry){ .m = m };
		if (tr2_json_object(json, p, (size_t)(next - p), read_member,
				    &e))
			continue;
		add_command(m, e.hash, e.output);
		any |= e.hash && e.output;
	}
	tr2_json_free(json);
	return any;
}

/* Append all bytes that can be read from a descriptor. Return 0, or the
 * error. */
static int read_all(int fd, struct tr2_buf *b)
{
	ssize_t n;

	do {
		tr2_must(tr2_buf_room(b, 1 << 16));
		n = read(fd, b->p + b->len, 1 << 16);
		b->len += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? errno : 0;
}

static bool read_names(struct tr2_model *m, const char *path,
		       struct tr2_buf *b)
{
	bool compdb;

	tr2_must(tr2_buf_room(b, TR2_JSON_PADDING));
	memset(b->p + b->len, 0, TR2_JSON_PADDING);
	compdb = b->p[strspn(b->p, " \t\r\n")] == '[';
	if (compdb ? read_compdb(m, b) : read_make_trace(m, b))
		return true;
	tr2_error(compdb ?
		  "'%s' has no object with \"command\" and \"output\": --targets "
		  "takes the output of 'ninja -t compdb'" :
		  "no line of '%s' names a target: --targets takes the output "
		  "of 'LC_ALL=C make --trace', or of 'ninja -t compdb'", path);
	return false;
}

bool tr2_target_names_load(struct tr2_model *m, const char *path)
{
	bool is_stdin = !strcmp(path, "-"), ok = false;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	struct tr2_buf b = TR2_BUF_INIT;
	int error = fd < 0 ? errno : read_all(fd, &b);

	if (error)
		tr2_error("cannot read '%s': %s", path, strerror(error));
	else
		ok = read_names(m, path, &b);
	if (fd > STDIN_FILENO)
		close(fd);
	tr2_buf_release(&b);
	return ok;
}
