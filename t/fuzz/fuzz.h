/* SPDX-License-Identifier: MIT */
/*
 * fuzz - what the fuzzers share: how an input is taken apart, and how they say
 * that something does not hold.
 *
 * A fuzzer takes any bytes and comes back; it keeps nothing from one input to
 * the next but memory for speed. Two programs are made of all of them:
 *
 *	build/fuzz/fuzz     under clang's libFuzzer, which thinks up inputs
 *	build/fuzz/replay   a plain main() that runs files: the suite's
 */
#ifndef TR2_FUZZ_H
#define TR2_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "read/json.h"

/* What is left of an input. */
struct fuzz_input {
	const unsigned char *p;
	size_t n;
};

/* 0 at its end. */
unsigned char fuzz_byte(struct fuzz_input *in);
/* One byte says how many follow: small and huge numbers are as likely. */
uint64_t fuzz_number(struct fuzz_input *in);
/* What stands before the next NUL, or the end. To be freed. */
char *fuzz_string(struct fuzz_input *in);
/* The next line without its newline; false: the input is at its end. */
bool fuzz_line(struct fuzz_input *in, const char **line, size_t *len);

/* Ends the process with a message unless the condition holds. */
#define fuzz_check(condition, ...)                                         \
	do {                                                               \
		if (!(condition))                                          \
			fuzz_failed(__FILE__, __LINE__, #condition,        \
				    __VA_ARGS__);                          \
	} while (0)
void fuzz_failed(const char *file, int line, const char *condition,
		 const char *fmt, ...)
	__attribute__((format(printf, 4, 5), noreturn));

/* The text in a buffer is exactly this. */
bool fuzz_same(const struct tr2_buf *b, const char *s, size_t len);

/* A regular file with this content; there is one at a time. */
const char *fuzz_file(const void *data, size_t size);

/* Makes the strings, up to a NULL, the whole environment. The array is not
 * copied; NULL brings the real environment back. */
void fuzz_environment(char **list);

/*
 * simdjson's opinion of a text, which need not have padding; each member goes
 * to `member` (which may be NULL). Without simdjson: OK, and no members.
 */
enum tr2_json_result fuzz_json(const char *text, size_t len,
			       tr2_json_member_fn *member, void *data);
/* Our own validator's. */
bool fuzz_is_json(const char *text, size_t len);

/* Each event that a loader made, in the three formats, each one line. Takes a
 * struct tr2_model and a struct tr2_parsed_event; of the type tr2_event_fn. */
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

/* NULL: there is none of this name. */
const struct fuzzer *fuzz_find(const char *name);

#endif
