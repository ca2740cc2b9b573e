/* SPDX-License-Identifier: MIT */
/* Functions that the fuzzers share, see fuzz.h. */
#include "fuzz.h"

#include <ftw.h>

#include "base/text.h"
#include "event/render.h"
#include "format/events/parsed_render.h"

const struct fuzzer fuzzers[] = {
#define FUZZER(name, max_bytes, what) { #name, max_bytes, what, fuzz_##name },
#include "fuzzers.def"
#undef FUZZER
	{ NULL, 0, NULL, NULL }
};

const struct fuzzer *fuzz_find(const char *name)
{
	const struct fuzzer *f;

	for (f = fuzzers; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

void fuzz_failed(const char *file, int line, const char *condition,
		 const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "%s:%d: does not hold: %s\n# ", file, line, condition);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	abort();
}

unsigned char fuzz_byte(struct fuzz_input *in)
{
	if (!in->n)
		return 0;
	in->n--;
	return *in->p++;
}

uint64_t fuzz_number(struct fuzz_input *in)
{
	unsigned int nr = fuzz_byte(in) % 9;
	uint64_t value = 0;

	while (nr--)
		value = value << 8 | fuzz_byte(in);
	return value;
}

static char *copy(const void *p, size_t n)
{
	char *s = malloc(n + 1);

	if (!s)
		abort();
	memcpy(s, p, n);
	s[n] = '\0';
	return s;
}

char *fuzz_string(struct fuzz_input *in)
{
	const unsigned char *start = in->p;
	const unsigned char *nul = in->n ? memchr(start, '\0', in->n) : NULL;
	size_t len = nul ? (size_t)(nul - start) : in->n;

	in->p += len + (nul != NULL);
	in->n -= len + (nul != NULL);
	return copy(len ? (const char *)start : "", len);
}

bool fuzz_line(struct fuzz_input *in, const char **line, size_t *len)
{
	const unsigned char *newline;

	if (!in->n)
		return false;
	newline = memchr(in->p, '\n', in->n);
	*line = (const char *)in->p;
	*len = newline ? (size_t)(newline - in->p) : in->n;
	in->p += *len + (newline != NULL);
	in->n -= *len + (newline != NULL);
	return true;
}

bool fuzz_same(const struct tr2_buf *b, const char *s, size_t len)
{
	return !b->failed && b->len == len && (!len || !memcmp(b->p, s, len));
}

const char *fuzz_file(const void *data, size_t size)
{
	static char path[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	if (ftruncate(fd, 0) || (size && pwrite(fd, data, size, 0) !=
						 (ssize_t)size)) {
		perror("fuzz: cannot write a file in memory");
		exit(1);
	}
	return path;
}

static char directory[256];

static int remove_entry(const char *path, const struct stat *st, int type,
			struct FTW *ftw)
{
	return remove(path);
}

static void remove_directory(void)
{
	nftw(directory, remove_entry, 4, FTW_DEPTH | FTW_PHYS);
}

const char *fuzz_directory(void)
{
	const char *tmp = getenv("TMPDIR");

	if (*directory)
		return directory;
	snprintf(directory, sizeof(directory), "%s/fuzz-XXXXXX",
		 tmp ? tmp : "/tmp");
	if (!mkdtemp(directory)) {
		perror("fuzz: cannot make a directory");
		exit(1);
	}
	atexit(remove_directory);
	return directory;
}

void fuzz_write(const char *name, const void *data, size_t size)
{
	char path[300];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", fuzz_directory(), name);
	f = fopen(path, "w");
	if (!f || (size && fwrite(data, 1, size, f) != size) || fclose(f)) {
		perror("fuzz: cannot write a file");
		exit(1);
	}
}

void fuzz_environment(char **list)
{
	static char **real;

	if (!real)
		real = environ;
	environ = list ? list : real;
}

static void ignore(void *data, const char *key, size_t key_len,
		   const struct tr2_json_value *value)
{
}

enum tr2_json_result fuzz_json(const char *text, size_t len,
			       tr2_json_member_fn *member, void *data)
{
	static struct tr2_json *json;
	enum tr2_json_result result;
	char *padded;

	if (!json)
		json = tr2_json_new();
	padded = malloc(len + TR2_JSON_PADDING);
	if (!json || !padded)
		abort();
	memcpy(padded, text, len);
	memset(padded + len, 0, TR2_JSON_PADDING);
	result = tr2_json_object(json, padded, len, member ? member : ignore,
				 data);
	free(padded);
	return result;
}

bool fuzz_is_json(const char *text, size_t len)
{
	struct tr2_buf twice = TR2_BUF_INIT, b = TR2_BUF_INIT;
	bool valid;

	/* In brackets, a string differs from text that was turned into one. */
	tr2_buf_addch(&twice, '[');
	tr2_buf_add(&twice, text, len);
	tr2_buf_addch(&twice, ']');
	tr2_json_add_text(&b, twice.p, twice.len);
	valid = b.len && *b.p == '[';
	tr2_buf_release(&twice);
	tr2_buf_release(&b);
	return valid;
}

static void check_line(const struct tr2_render *r, const char *format)
{
	const struct tr2_buf *b = &r->line;

	fuzz_check(!b->failed && b->len && b->p[b->len - 1] == '\n' &&
			   memchr(b->p, '\n', b->len) == b->p + b->len - 1,
		   "%s is no line", format);
}

void fuzz_write_event(void *data, struct tr2_model *m,
		      const struct tr2_parsed_event *ev)
{
	static struct tr2_parsed_render parsed;
	struct tr2_render *r = &parsed.render;

	if (ev->kind < 0)
		return;
	tr2_render_prepare(true, true);
	tr2_parsed_render_set(&parsed, m, ev, 1);
	/* Some rows have no template, but may be rendered anyway. */
	tr2_render_normal(r, &parsed.event, false);
	check_line(r, "normal");
	tr2_render_perf(r, &parsed.event, false);
	check_line(r, "perf");
	tr2_render_event(r, &parsed.event, false);
	check_line(r, "event");
	fuzz_check(fuzz_json(r->line.p, r->line.len - 1, NULL, NULL) ==
			   TR2_JSON_OK,
		   "not JSON: %.*s", (int)r->line.len, r->line.p);
}
