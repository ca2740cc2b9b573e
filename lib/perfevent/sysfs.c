/* SPDX-License-Identifier: MIT */
/* Look up events that only the running kernel knows, in tracefs and sysfs. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/text.h"
#include "perfevent/perfevent.h"

#define DEVICES "/sys/bus/event_source/devices/"
#define MAX_BITS 64

/* Read at most size_bytes - 1 bytes of a file's first line. path: the parts of
 * the file's name, up to NULL. Return the length, or a negative errno. */
static int read_line(const char *const *path, char *line, size_t size_bytes)
{
	char memory[4 * TR2_PERFEVENT_BYTES];
	struct tr2_buf b;
	ssize_t n;
	int fd;

	tr2_buf_init_fixed(&b, memory, sizeof(memory));
	for (; *path; path++)
		tr2_buf_addstr(&b, *path);
	if (b.failed)
		return -ENAMETOOLONG;
	fd = open(tr2_buf_str(&b), O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return -errno;
	n = read(fd, line, size_bytes - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return (int)n;
	line[n] = '\0';
	n = (ssize_t)strcspn(line, "\n");
	line[n] = '\0';
	return (int)n;
}

int tr2_perfevent_fail(int error, char *text, size_t size_bytes,
		       const struct tr2_perfevent *ev, const char *why)
{
	struct tr2_buf b;

	tr2_buf_init_fixed(&b, text, size_bytes);
	tr2_buf_addlit(&b, "event '");
	tr2_text_add(&b, ev->text, strlen(ev->text));
	tr2_buf_addlit(&b, "': ");
	tr2_buf_addstr(&b, why);
	tr2_buf_str(&b);
	return error;
}

static bool parse_u64(const char *s, uint64_t *value)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*value = strtoull(s, &end, 0);
	return !errno && !*end;
}

static int resolve_tracepoint(struct tr2_perfevent *ev, const char **why)
{
	static const char *const places[] = {
		"/sys/kernel/tracing/events/",
		"/sys/kernel/debug/tracing/events/",
	};
	int result = -ENOENT;
	char line[32];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		const char *const path[] = { places[i], ev->scope, "/",
					     ev->name, "/id", NULL };
		int n = read_line(path, line, sizeof(line));

		if (n >= 0) {
			*why = "tracefs has no number for it";
			return parse_u64(line, &ev->config) ? 0 : -EINVAL;
		}
		if (n != -ENOENT)
			result = n;
	}
	if (result == -EACCES || result == -EPERM)
		*why = "tracefs may be read by root alone";
	else if (access("/sys/kernel/tracing/events", F_OK) &&
		 access("/sys/kernel/debug/tracing/events", F_OK))
		*why = "tracefs is not mounted";
	else
		*why = "there is no such tracepoint";
	return result;
}

/* Distribute value over the bits of a format such as "config:0-7,32-35". */
static bool put_bits(struct tr2_perfevent *ev, const char *format,
		     uint64_t value)
{
	const char *s = strchr(format, ':');
	uint64_t *field, used = 0;
	char *end;

	if (!s)
		return false;
	if (!strncmp(format, "config:", 7))
		field = &ev->config;
	else if (!strncmp(format, "config1:", 8))
		field = &ev->config1;
	else if (!strncmp(format, "config2:", 8))
		field = &ev->config2;
	else
		return false;
	for (; *s == ':' || *s == ','; s = end) {
		unsigned long from = strtoul(s + 1, &end, 10), to = from;

		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		if (from > to || to >= MAX_BITS)
			return false;
		for (; from <= to; from++, used++)
			if (used < MAX_BITS && (value >> used & 1))
				*field |= UINT64_C(1) << from;
	}
	return !*s && (used >= MAX_BITS || !(value >> used));
}

static bool parse_term(struct tr2_perfevent *ev, char *term, bool may_nest);

/* Parse terms, and cut them at their commas in place. */
static bool parse_terms(struct tr2_perfevent *ev, char *terms, bool may_nest)
{
	char *term;

	while ((term = strsep(&terms, ",")))
		if (*term && !parse_term(ev, term, may_nest))
			return false;
	return true;
}

/* Parse an event that has a file with terms in the device's directory. */
static bool parse_named(struct tr2_perfevent *ev, const char *name)
{
	const char *const path[] = { DEVICES, ev->scope, "/events/", name,
				     NULL };
	char line[TR2_PERFEVENT_BYTES];

	return *name != '.' && !strchr(name, '/') &&
	       read_line(path, line, sizeof(line)) > 0 &&
	       parse_terms(ev, line, false);
}

static bool parse_term(struct tr2_perfevent *ev, char *term, bool may_nest)
{
	const char *const path[] = { DEVICES, ev->scope, "/format/", term,
				     NULL };
	char *text = strchr(term, '='), format[TR2_PERFEVENT_BYTES];
	uint64_t value = 1;

	if (!text && may_nest && parse_named(ev, term))
		return true;
	if (text) {
		*text++ = '\0';
		if (!parse_u64(text, &value))
			return false;
	}
	if (text && !strcmp(term, "config"))
		ev->config = value;
	else if (text && !strcmp(term, "config1"))
		ev->config1 = value;
	else if (text && !strcmp(term, "config2"))
		ev->config2 = value;
	else if (text && !strcmp(term, "period"))
		ev->period = value;
	else if (text && !strcmp(term, "freq"))
		ev->freq = value;
	else
		return *term && *term != '.' && !strchr(term, '/') &&
		       read_line(path, format, sizeof(format)) > 0 &&
		       put_bits(ev, format, value);
	return true;
}

static int resolve_device(struct tr2_perfevent *ev, const char **why)
{
	const char *const path[] = { DEVICES, ev->scope, "/type", NULL };
	char line[32], terms[TR2_PERFEVENT_BYTES];
	uint64_t type;
	int n = read_line(path, line, sizeof(line));

	*why = "this machine has no PMU of that name";
	if (n < 0)
		return n;
	*why = "sysfs has no number for its PMU";
	if (!parse_u64(line, &type) || type > UINT32_MAX)
		return -EINVAL;
	ev->type = (uint32_t)type;
	memcpy(terms, ev->name, sizeof(terms));
	*why = "its PMU has no such event or term";
	return parse_terms(ev, terms, true) ? 0 : -EINVAL;
}

int tr2_perfevent_resolve(struct tr2_perfevent *ev, const char **why)
{
	if (ev->pmu == TR2_PMU_TRACEPOINT)
		return resolve_tracepoint(ev, why);
	if (ev->pmu == TR2_PMU_DEVICE)
		return resolve_device(ev, why);
	return 0;
}

/* Return kernel.perf_event_paranoid, or, if it cannot be read, a value that no
 * kernel uses. */
static long paranoid(void)
{
	static const char *const path[] = {
		"/proc/sys/kernel/perf_event_paranoid", NULL
	};
	char line[32];

	return read_line(path, line, sizeof(line)) > 0 ?
		       strtol(line, NULL, 10) :
		       -9;
}

/*
 * Explain who forbids the event: the kernel's own limit gives EACCES, filters
 * and security modules give EPERM.
 */
static void add_why_forbidden(struct tr2_buf *b, const struct tr2_perfevent *ev,
			      int error)
{
	long level = paranoid();

	if (ev->pmu == TR2_PMU_POWER) {
		tr2_buf_addlit(b, "powercap may be read by root alone");
		return;
	}
	if (error == EPERM || level < 2) {
		tr2_buf_addlit(b, "it is not permitted, by seccomp or a "
				  "security module");
		return;
	}
	tr2_buf_addlit(b, "it is not permitted (perf_event_paranoid is ");
	tr2_buf_add_i64(b, level);
	if (level > 2)
		tr2_buf_addlit(b, ", and may be 2 at most");
	/* Append advice. A kernel that does not know a level above 2 treats the
	 * level as 2. */
	if (!(ev->exclude & TR2_EXCLUDE_KERNEL))
		tr2_buf_addstr(b, level > 2 ?
			"; some kernels allow ':u' all the same" :
			", which lets only user mode be counted: append ':u'");
	tr2_buf_addch(b, ')');
}

void tr2_perfevent_explain(const struct tr2_perfevent *ev, int error,
			   char *text, size_t size_bytes)
{
	char memory[128];
	struct tr2_buf b;

	tr2_buf_init_fixed(&b, text, size_bytes);
	tr2_buf_addlit(&b, "event '");
	tr2_text_add(&b, ev->text, strlen(ev->text));
	tr2_buf_addlit(&b, "': ");
	switch (error) {
	case EACCES:
	case EPERM:
		add_why_forbidden(&b, ev, error);
		break;
	case ENOENT:
	case ENODEV:
	case ENXIO:
	case EOPNOTSUPP:
		tr2_buf_addlit(&b, "this machine does not support it");
		break;
	case ENOSYS:
		tr2_buf_addlit(&b, "this kernel has no perf_event_open()");
		break;
	case EINVAL:
		tr2_buf_addstr(&b, ev->exclude ?
			"it is not counted by modes: leave the modifiers out" :
			"its PMU cannot count so");
		break;
	case EBUSY:
		tr2_buf_addlit(&b, "its PMU was never free for it");
		break;
	case EBADF:
		tr2_buf_addlit(&b, "the program closed its descriptor");
		break;
	default:
		tr2_buf_addstr(&b, tr2_error_text(error, memory,
						  sizeof(memory)));
	}
	tr2_buf_str(&b);
}
