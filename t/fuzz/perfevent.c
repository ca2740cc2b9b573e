/* SPDX-License-Identifier: MIT */
/* Lists of events, from the environment or a command line. */
#include "base/text.h"
#include "fuzz.h"
#include "perfevent/perfevent.h"

static bool is_printable(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f)
			return false;
	return true;
}

static bool is_same(const struct tr2_perfevent *a,
		    const struct tr2_perfevent *b)
{
	return a->pmu == b->pmu && a->type == b->type &&
	       a->config == b->config && !strcmp(a->scope, b->scope) &&
	       !strcmp(a->name, b->name) && !strcmp(a->text, b->text) &&
	       a->is_timer == b->is_timer && a->period == b->period;
}

/* Parse the event alone: it has the same meaning, but may lose its group's
 * modifiers. */
static void check_alone(const struct tr2_perfevent *ev, bool in_group)
{
	struct tr2_perfevents list;
	struct tr2_perfevent again;

	tr2_perfevents_init(&list, ev->text);
	fuzz_check(tr2_perfevents_next(&list, &again) == TR2_PERFEVENT_OK,
		   "'%s' alone is refused: %s", ev->text, list.error);
	if (!in_group)
		fuzz_check(is_same(ev, &again) && ev->exclude == again.exclude,
			   "'%s' alone is another event", ev->text);
	fuzz_check(tr2_perfevents_next(&list, &again) == TR2_PERFEVENT_END,
		   "'%s' is more than one event", ev->text);
}

static void check_event(const struct tr2_perfevent *ev,
			unsigned int last_group)
{
	fuzz_check(ev->pmu < TR2_PMU_NR && *ev->text && ev->unit, "empty");
	fuzz_check(ev->exclude < TR2_EXCLUDE_GUEST << 1 && ev->precise <= 3,
		   "modifiers: %u %u", ev->exclude, ev->precise);
	fuzz_check(ev->period <= INT64_MAX, "a period past its range");
	fuzz_check(ev->is_leader == (!ev->group || ev->group != last_group),
		   "'%s' leads no group, or a second one does", ev->text);
	check_alone(ev, ev->group != 0);
}

void fuzz_perfevent(struct fuzz_input *in)
{
	char *text = fuzz_string(in);
	struct tr2_perfevents list;
	enum tr2_perfevent_result result;
	struct tr2_perfevent ev;
	unsigned int last_group = 0;
	const char *before;

	tr2_perfevents_init(&list, text);
	before = list.at;
	while ((result = tr2_perfevents_next(&list, &ev))) {
		fuzz_check(list.at > before && list.at <= text + strlen(text),
			   "it does not get on");
		before = list.at;
		if (result == TR2_PERFEVENT_BAD) {
			fuzz_check(is_printable(list.error) && *list.error,
				   "no message: %s", list.error);
			continue;
		}
		check_event(&ev, last_group);
		last_group = ev.group ? ev.group : last_group;
	}
	fuzz_check(!*list.at, "something is left");
	free(text);
}
