/* SPDX-License-Identifier: MIT */
/*
 * fuzz - functions that the fuzzers share: splitting an input, and checking
 * conditions.
 *
 * A fuzzer accepts any bytes and returns; it keeps nothing from one input to
 * the next but memory for speed. Two programs contain all of them:
 *
 *	build/fuzz/fuzz     under clang's libFuzzer, which generates inputs
 *	build/fuzz/replay   a plain main() that runs files: the suite's
 */
#pragma once

#include "../helper/system.h"
#include "base/buf.h"
#include "format/events/json.h"

/* The rest of an input. */
struct fuzz_input {
	const unsigned char *p;
	size_t n;
};

/* Take a byte; 0 at the end. */
unsigned char fuzz_byte(struct fuzz_input *in);
/* Take a number, whose size one byte gives: small and huge numbers are equally
 * likely. */
uint64_t fuzz_number(struct fuzz_input *in);
/* Take the text before the next NUL, or the end. To be freed. */
char *fuzz_string(struct fuzz_input *in);
/* Take the next line without its newline; false: the end of the input. */
bool fuzz_line(struct fuzz_input *in, const char **line, size_t *len);

/* End the process with a message unless the condition holds. */
#define fuzz_check(condition, ...)                                         \
	do {                                                               \
		if (!(condition))                                          \
			fuzz_failed(__FILE__, __LINE__, #condition,        \
				    __VA_ARGS__);                          \
	} while (0)
void fuzz_failed(const char *file, int line, const char *condition,
		 const char *fmt, ...)
	__attribute__((format(printf, 4, 5), noreturn));

/* Does the buffer contain exactly this text? */
bool fuzz_same(const struct tr2_buf *b, const char *s, size_t len);

/* Return a regular file with this content; there is one at a time. */
const char *fuzz_file(const void *data, size_t size);

/* Return a directory, which is removed at the end; write a file in it. */
const char *fuzz_directory(void);
void fuzz_write(const char *name, const void *data, size_t size);

/* Make the strings, up to a NULL, the whole environment. The array is not
 * copied; NULL restores the real environment. */
void fuzz_environment(char **list);

/*
 * Parse a text with simdjson; it need not have padding; each member is passed
 * to `member` (which may be NULL). Without simdjson: OK, and no members.
 */
enum tr2_json_result fuzz_json(const char *text, size_t len,
			       tr2_json_member_fn *member, void *data);
/* Validate with the library's own validator. */
bool fuzz_is_json(const char *text, size_t len);

/* Render each event that a loader parsed in the three formats, each on one
 * line. The arguments are a struct tr2_model and a struct tr2_parsed_event, as
 * for tr2_event_fn. */
struct tr2_model;
struct tr2_parsed_event;
void fuzz_write_event(void *data, struct tr2_model *m,
		      const struct tr2_parsed_event *ev);

#define FUZZER(name, max_bytes, what) \
	void fuzz_##name(struct fuzz_input *in);
#include "fuzzers.def"
#undef FUZZER

struct fuzzer {
	const char *name;
	size_t max_bytes;
	const char *what;
	void (*run)(struct fuzz_input *in);
};

/* Ended by a row without name. */
extern const struct fuzzer fuzzers[];

/* Return the fuzzer with this name; NULL: none. */
const struct fuzzer *fuzz_find(const char *name);
