/* SPDX-License-Identifier: MIT */
/* The parser of event lists: find the span of each event, then parse it. */
#include "perfevent/perfevent.h"

#include <linux/perf_event.h>

#include "base/text.h"

#define SHOWN_BYTES 80 /* bytes of a bad event that an error shows */

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/* Return whether the name can be the name of a file directly in a directory. */
static bool is_file_name(const char *s, size_t len)
{
	size_t i;

	if (!len || *s == '.')
		return false;
	for (i = 0; i < len; i++)
		if (!is_word(s[i]))
			return false;
	return true;
}

static enum tr2_perfevent_result bad_event(struct tr2_perfevents *list,
					   const char *text, size_t len,
					   const char *why)
{
	struct tr2_buf b;

	tr2_buf_init_fixed(&b, list->error, sizeof(list->error));
	tr2_buf_addlit(&b, "event '");
	tr2_text_add(&b, text, tr2_utf8_cut(text, len, SHOWN_BYTES));
	tr2_buf_addstr(&b, len > SHOWN_BYTES ? "...': " : "': ");
	tr2_buf_addstr(&b, why);
	tr2_buf_str(&b);
	return TR2_PERFEVENT_BAD;
}

static bool ends_event(char c)
{
	return !c || c == ',' || c == '}';
}

/* Skip a counter's name, and the '/' that ends it. */
static size_t skip_counter(const char *s, size_t at)
{
	while (s[at] && s[at] != '/')
		at++;
	if (s[at])
		at++;
	while (s[at] && !(s[at] == '/' &&
			  (ends_event(s[at + 1]) || s[at + 1] == ':' ||
			   is_blank(s[at + 1]))))
		at++;
	return s[at] ? at + 1 : at;
}

/* Return the length of the event at s; commas between slashes do not end it. */
static size_t event_length(const char *s)
{
	size_t at = 0;

	if (!strncmp(s, "app/", 4)) {
		at = skip_counter(s, 4);
	} else {
		while (is_word(s[at]))
			at++;
		if (s[at] == '/') {
			for (at++; s[at] && s[at] != '/';)
				at++;
			if (s[at])
				at++;
		}
	}
	while (!ends_event(s[at]))
		at++;
	return at;
}

/* Return the end of the group that is open at s: its '}', or the NUL. */
static const char *find_end(const char *s)
{
	for (;;) {
		while (*s == ',' || is_blank(*s))
			s++;
		if (!*s || *s == '}')
			return s;
		s += *s == '{' ? 1 : event_length(s);
	}
}

void tr2_perfevents_init(struct tr2_perfevents *list, const char *text)
{
	memset(list, 0, sizeof(*list));
	list->at = text ? text : "";
}

/*
 * The modifiers read so far. If one or two of u, k and h are named, the others
 * are excluded. Which ones are named is known only at the end.
 */
struct modifiers {
	bool user, kernel, hv, idle, host, guest;
	unsigned int precise;
};

static bool parse_modifier(struct tr2_perfevent *ev, struct modifiers *m,
			   char c)
{
	switch (c) {
	case 'u':
		return m->user = true;
	case 'k':
		return m->kernel = true;
	case 'h':
		return m->hv = true;
	case 'I':
		return m->idle = true;
	case 'H':
		return m->host = true;
	case 'G':
		return m->guest = true;
	case 'p':
		return m->precise++ < 3;
	case 'P':
		m->precise = 3;
		return true;
	case 'S':
		return ev->sample_read = true;
	case 'D':
		return ev->pinned = true;
	case 'W':
		return ev->weak = true;
	case 'e':
		return ev->exclusive = true;
	default:
		return false;
	}
}

static void apply_modifiers(struct tr2_perfevent *ev, const struct modifiers *m)
{
	bool modes = m->user || m->kernel || m->hv;

	if (modes && !m->user)
		ev->exclude |= TR2_EXCLUDE_USER;
	if (modes && !m->kernel)
		ev->exclude |= TR2_EXCLUDE_KERNEL;
	if (modes && !m->hv)
		ev->exclude |= TR2_EXCLUDE_HV;
	if (m->idle)
		ev->exclude |= TR2_EXCLUDE_IDLE;
	if (m->host && !m->guest)
		ev->exclude |= TR2_EXCLUDE_GUEST;
	if (m->guest && !m->host)
		ev->exclude |= TR2_EXCLUDE_HOST;
	ev->precise = m->precise;
}

/*
 * Parse a period. false: it is not a number from 1 to 2^63 - 1, or the event
 * has a period already.
 */
static bool parse_period(struct tr2_perfevent *ev, const char *s, size_t len)
{
	uint64_t period = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (s[i] < '0' || s[i] > '9' ||
		    period > (INT64_MAX - (uint64_t)(s[i] - '0')) / 10)
			return false;
		period = period * 10 + (uint64_t)(s[i] - '0');
	}
	if (!period || ev->period)
		return false;
	ev->period = period;
	return true;
}

/* Parse modifiers and period, "u:1000" or ":1000"; return NULL, or the reason
 * why they are invalid. */
static const char *parse_suffix(struct tr2_perfevent *ev, struct modifiers *m,
				const char *s, size_t len)
{
	size_t at = 0, end;

	while (at < len) {
		if (s[at] == ':') {
			at++;
			continue;
		}
		for (end = at; end < len && s[end] != ':';)
			end++;
		if (s[at] >= '0' && s[at] <= '9') {
			if (!parse_period(ev, s + at, end - at))
				return "a period is one number from 1 on";
			at = end;
			continue;
		}
		for (; at < end; at++)
			if (!parse_modifier(ev, m, s[at]))
				return "modifiers are of u k h I G H S D W e "
				       "P, and p up to three times";
	}
	return NULL;
}

static void keep_text(char *field, const char *s, size_t len)
{
	memcpy(field, s, len);
	field[len] = '\0';
}

static bool parse_row(struct tr2_perfevent *ev, enum tr2_perfevent_pmu pmu,
		      uint32_t type, const char *s, size_t len)
{
	const struct tr2_perfevent_name *row = tr2_perfevent_find(pmu, s, len);

	if (!row)
		return false;
	ev->pmu = pmu;
	ev->type = type;
	ev->config = row->config;
	ev->unit = row->unit;
	return true;
}

/* Parse "r" and up to 16 hexadecimal digits. */
static bool parse_raw(struct tr2_perfevent *ev, const char *s, size_t len)
{
	uint64_t config = 0;
	size_t i;

	if (len < 2 || len > 17 || *s != 'r')
		return false;
	for (i = 1; i < len; i++) {
		char c = (char)(s[i] | 0x20);

		if (s[i] >= '0' && s[i] <= '9')
			config = config << 4 | (uint64_t)(s[i] - '0');
		else if (c >= 'a' && c <= 'f')
			config = config << 4 | (uint64_t)(c - 'a' + 10);
		else
			return false;
	}
	ev->pmu = TR2_PMU_RAW;
	ev->type = PERF_TYPE_RAW;
	ev->config = config;
	return true;
}

/* Parse NAME[:…] or SUBSYSTEM:EVENT[:…]; *used: the length without
 * modifiers. */
static const char *parse_plain(struct tr2_perfevent *ev, const char *s,
			       size_t len, size_t *used)
{
	size_t n = 0, end;

	while (n < len && s[n] != ':')
		n++;
	*used = n;
	keep_text(ev->name, s, n);
	if (parse_row(ev, TR2_PMU_HARDWARE, PERF_TYPE_HARDWARE, s, n) ||
	    parse_row(ev, TR2_PMU_SOFTWARE, PERF_TYPE_SOFTWARE, s, n) ||
	    parse_raw(ev, s, n))
		return NULL;
	if (tr2_perfevent_cache(s, n, &ev->config)) {
		ev->pmu = TR2_PMU_CACHE;
		ev->type = PERF_TYPE_HW_CACHE;
		return NULL;
	}
	if (n == 3 && n < len && !memcmp(s, "mem", 3))
		return "breakpoints are not counted";
	/* Digits after the ':' are a period, so the event is no tracepoint. */
	if (n == len || (s[n + 1] >= '0' && s[n + 1] <= '9'))
		return "no such event";
	for (end = n + 1; end < len && s[end] != ':';)
		end++;
	if (!is_file_name(s, n) || !is_file_name(s + n + 1, end - n - 1))
		return "neither an event nor a tracepoint SUBSYSTEM:EVENT";
	ev->pmu = TR2_PMU_TRACEPOINT;
	ev->type = PERF_TYPE_TRACEPOINT;
	keep_text(ev->scope, s, n);
	keep_text(ev->name, s + n + 1, end - n - 1);
	*used = end;
	return NULL;
}

static const char *parse_counter(struct tr2_perfevent *ev, const char *s,
				 size_t len, size_t *used)
{
	const char *category = s + 4, *slash, *name;
	size_t end;

	slash = memchr(category, '/', len - 4);
	*used = skip_counter(s, 4);
	if (!slash || *used > len || s[*used - 1] != '/' ||
	    s + *used - 1 <= slash)
		return "a counter is app/CATEGORY/NAME/, a timer "
		       "app/CATEGORY/NAME:ns/";
	name = slash + 1;
	end = *used - 1 - (size_t)(name - s);
	ev->pmu = TR2_PMU_APP;
	ev->is_timer = end >= 3 && !memcmp(name + end - 3, ":ns", 3);
	ev->unit = ev->is_timer ? "ns" : "";
	keep_text(ev->scope, category, (size_t)(slash - category));
	keep_text(ev->name, name, ev->is_timer ? end - 3 : end);
	return NULL;
}

/* Parse an event of a PMU of the library. Return NULL, or the list of the
 * events that this PMU has. */
static const char *parse_own(struct tr2_perfevents *list,
			     struct tr2_perfevent *ev,
			     enum tr2_perfevent_pmu pmu)
{
	const struct tr2_perfevent_name *row;
	struct tr2_buf b;

	if (parse_row(ev, pmu, 0, ev->name, strlen(ev->name)))
		return NULL;
	tr2_buf_init_fixed(&b, list->known, sizeof(list->known));
	tr2_buf_addlit(&b, "PMU ");
	tr2_buf_addstr(&b, ev->scope);
	tr2_buf_addlit(&b, " has");
	for (row = tr2_perfevent_names; *row->name; row++) {
		if (row->pmu != pmu)
			continue;
		tr2_buf_addch(&b, ' ');
		tr2_buf_addstr(&b, row->name);
	}
	return tr2_buf_str(&b);
}

/* Parse DEVICE/TERMS/ and the library's own PMUs; slash: the length up to the
 * first slash. */
static const char *parse_device(struct tr2_perfevents *list,
				struct tr2_perfevent *ev, const char *s,
				size_t len, size_t slash, size_t *used)
{
	const char *terms = s + slash + 1;
	const char *end = memchr(terms, '/', len - slash - 1);
	size_t n = end ? (size_t)(end - terms) : 0;

	if (!end || !is_file_name(s, slash))
		return "a PMU's event is PMU/EVENT/";
	*used = (size_t)(end + 1 - s);
	keep_text(ev->scope, s, slash);
	keep_text(ev->name, terms, n);
	if (!strcmp(ev->scope, "power"))
		return parse_own(list, ev, TR2_PMU_POWER);
	if (!strcmp(ev->scope, "process"))
		return parse_own(list, ev, TR2_PMU_PROCESS);
	if (!n)
		return "a PMU's event is PMU/EVENT/";
	ev->pmu = TR2_PMU_DEVICE;
	return NULL;
}

static const char *parse_event(struct tr2_perfevents *list,
			       struct tr2_perfevent *ev, const char *s,
			       size_t len)
{
	struct modifiers m = { 0 };
	const char *why;
	size_t used, slash = 0;

	while (slash < len && is_word(s[slash]))
		slash++;
	if (len > 4 && !memcmp(s, "app/", 4))
		why = parse_counter(ev, s, len, &used);
	else if (slash < len && s[slash] == '/')
		why = parse_device(list, ev, s, len, slash, &used);
	else
		why = parse_plain(ev, s, len, &used);
	if (!why)
		why = parse_suffix(ev, &m, s + used, len - used);
	if (!why && list->modifiers_len >= TR2_PERFEVENT_BYTES)
		why = "its group's modifiers have more than 255 bytes";
	if (!why && list->modifiers)
		why = parse_suffix(ev, &m, list->modifiers,
				   list->modifiers_len);
	if (!why)
		apply_modifiers(ev, &m);
	return why;
}

/* Enter a group, at a '{'. */
static bool enter_group(struct tr2_perfevents *list)
{
	size_t shown = strnlen(list->at, SHOWN_BYTES + 1);
	const char *end = NULL;

	/*
	 * After a '{' without '}' no '}' follows: do not search again.
	 * Otherwise a list of many '{' would be searched once for each of them.
	 */
	if (!list->group && !list->unclosed)
		end = find_end(list->at + 1);
	list->unclosed = list->unclosed || (end && *end != '}');
	if (!end || *end != '}') {
		bad_event(list, list->at++, shown,
			  list->group ? "a group is in no other group" :
					"the '{' has no '}'");
		return false;
	}
	list->at++;
	list->group = ++list->nr_groups;
	list->leads = true;
	list->modifiers = NULL;
	list->modifiers_len = 0;
	if (end[1] == ':') {
		list->modifiers = end + 2;
		list->modifiers_len = event_length(end + 2);
		while (list->modifiers_len &&
		       is_blank(end[1 + list->modifiers_len]))
			list->modifiers_len--;
	}
	return true;
}

/* Leave a group, at a '}'. */
static bool leave_group(struct tr2_perfevents *list)
{
	bool was_inside = list->group;

	if (!was_inside)
		bad_event(list, list->at, 1, "the '}' has no '{'");
	list->at++;
	if (was_inside && list->modifiers)
		list->at = list->modifiers + event_length(list->modifiers);
	list->group = 0;
	list->modifiers = NULL;
	return was_inside;
}

enum tr2_perfevent_result tr2_perfevents_next(struct tr2_perfevents *list,
					      struct tr2_perfevent *ev)
{
	const char *start, *why;
	size_t len;

	for (;;) {
		while (*list->at == ',' || is_blank(*list->at))
			list->at++;
		if (*list->at == '{' ? !enter_group(list) :
		    *list->at == '}' && !leave_group(list))
			return TR2_PERFEVENT_BAD;
		if (!strchr("{},", *list->at) && !is_blank(*list->at))
			break;
		if (!*list->at)
			return TR2_PERFEVENT_END;
	}
	start = list->at;
	len = event_length(start);
	list->at += len;
	while (is_blank(start[len - 1]))
		len--;
	if (len >= TR2_PERFEVENT_BYTES)
		return bad_event(list, start, len,
				 "it has more than 255 bytes");
	memset(ev, 0, sizeof(*ev));
	ev->unit = "";
	why = parse_event(list, ev, start, len);
	if (why)
		return bad_event(list, start, len, why);
	keep_text(ev->text, start, len);
	ev->group = list->group;
	ev->is_leader = !list->group || list->leads;
	list->leads = false;
	return TR2_PERFEVENT_OK;
}
