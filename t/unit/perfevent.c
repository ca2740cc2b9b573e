/* SPDX-License-Identifier: MIT */
/* Lists of events, valid and invalid. */
#include "perfevent/perfevent.h"
#include "tap.h"

static struct tr2_perfevents list;
static struct tr2_perfevent ev;

/* Parse the first event of the text. */
static bool parse(const char *text)
{
	tr2_perfevents_init(&list, text);
	return tr2_perfevents_next(&list, &ev) == TR2_PERFEVENT_OK;
}

static void test_names(void)
{
	static const struct {
		const char *text;
		enum tr2_perfevent_pmu pmu;
		uint32_t type;
		uint64_t config;
	} cases[] = {
		{ "cycles", TR2_PMU_HARDWARE, 0, 0 },
		{ "cpu-cycles", TR2_PMU_HARDWARE, 0, 0 },
		{ "instructions", TR2_PMU_HARDWARE, 0, 1 },
		{ "branches", TR2_PMU_HARDWARE, 0, 4 },
		{ "branch-misses", TR2_PMU_HARDWARE, 0, 5 },
		{ "ref-cycles", TR2_PMU_HARDWARE, 0, 9 },
		{ "task-clock", TR2_PMU_SOFTWARE, 1, 1 },
		{ "faults", TR2_PMU_SOFTWARE, 1, 2 },
		{ "cs", TR2_PMU_SOFTWARE, 1, 3 },
		{ "migrations", TR2_PMU_SOFTWARE, 1, 4 },
		{ "major-faults", TR2_PMU_SOFTWARE, 1, 6 },
		{ "L1-dcache-loads", TR2_PMU_CACHE, 3, 0 },
		{ "L1-dcache", TR2_PMU_CACHE, 3, 0 },
		{ "L1-dcache-load-misses", TR2_PMU_CACHE, 3, 0x10000 },
		{ "LLC-store-misses", TR2_PMU_CACHE, 3, 0x10102 },
		{ "iTLB-load-misses", TR2_PMU_CACHE, 3, 0x10004 },
		{ "dTLB-prefetches", TR2_PMU_CACHE, 3, 0x203 },
		{ "branch-load-misses", TR2_PMU_CACHE, 3, 0x10005 },
		{ "node-stores", TR2_PMU_CACHE, 3, 0x106 },
		{ "r1a8", TR2_PMU_RAW, 4, 0x1a8 },
		{ "rFFFFffffFFFFffff", TR2_PMU_RAW, 4, UINT64_MAX },
		{ "power/energy-ram/", TR2_PMU_POWER, 0, 3 },
		{ "process/threads/", TR2_PMU_PROCESS, 0, 5 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ok(parse(cases[i].text) && ev.pmu == cases[i].pmu &&
			   ev.type == cases[i].type &&
			   ev.config == cases[i].config && !ev.exclude &&
			   !strcmp(ev.text, cases[i].text),
		   cases[i].text);
	parse("task-clock");
	ok(!strcmp(ev.unit, "ns"), "an event has a unit");
}

static void test_paths(void)
{
	ok(parse("sched:sched_switch:k") && ev.pmu == TR2_PMU_TRACEPOINT &&
		   ev.type == 2 && !strcmp(ev.scope, "sched") &&
		   !strcmp(ev.name, "sched_switch") &&
		   ev.exclude == (TR2_EXCLUDE_USER | TR2_EXCLUDE_HV),
	   "a tracepoint, with modifiers");
	ok(parse("cpu/event=0x3c,umask=1/u,x") && ev.pmu == TR2_PMU_DEVICE &&
		   !strcmp(ev.scope, "cpu") &&
		   !strcmp(ev.name, "event=0x3c,umask=1") &&
		   !strcmp(ev.text, "cpu/event=0x3c,umask=1/u") &&
		   ev.exclude == (TR2_EXCLUDE_KERNEL | TR2_EXCLUDE_HV),
	   "a device; commas inside its slashes end nothing");
	ok(parse("app/odb/unzip/") && ev.pmu == TR2_PMU_APP &&
		   !strcmp(ev.scope, "odb") && !strcmp(ev.name, "unzip") &&
		   !ev.is_timer,
	   "a counter");
	ok(parse("app/odb/unzip:ns/:1000") && ev.is_timer &&
		   !strcmp(ev.name, "unzip") && ev.period == 1000,
	   "a timer, with a period");
	ok(parse("app/a b/c/d, e:{x}/,cs") && !strcmp(ev.scope, "a b") &&
		   !strcmp(ev.name, "c/d, e:{x}") &&
		   tr2_perfevents_next(&list, &ev) == TR2_PERFEVENT_OK &&
		   !strcmp(ev.name, "cs"),
	   "any characters in a counter's name");
	ok(parse("app///") && !*ev.scope && !*ev.name,
	   "empty category and name");
}

static void test_modifiers(void)
{
	ok(parse("cycles:uk") && ev.exclude == TR2_EXCLUDE_HV,
	   "u and k leave out h");
	ok(parse("cycles:IG") &&
		   ev.exclude == (TR2_EXCLUDE_IDLE | TR2_EXCLUDE_HOST),
	   "I and G exclude");
	ok(parse("cycles:pp") && ev.precise == 2, "precise");
	ok(parse("cycles:uppp:5") && ev.precise == 3 && ev.period == 5,
	   "modifiers and a period");
	ok(parse("cycles:SDWe") && ev.sample_read && ev.pinned && ev.weak &&
		   ev.exclusive && !ev.exclude,
	   "S, D, W and e");
}

static void test_groups(void)
{
	char text[32] = "";
	unsigned int i;

	tr2_perfevents_init(&list, "cs, {cycles, faults:k ,r1}:u , task-clock");
	for (i = 0; i < 5; i++) {
		if (tr2_perfevents_next(&list, &ev) != TR2_PERFEVENT_OK)
			break;
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
			 "%u%c%u ", ev.group, ev.is_leader ? 'L' : 'm',
			 ev.exclude);
	}
	is_text(text, strlen(text), "0L0 1L6 1m4 1m6 0L0 ",
		"a group's modifiers are added to its events'");
	ok(tr2_perfevents_next(&list, &ev) == TR2_PERFEVENT_END, "the end");
	ok(tr2_perfevents_next(&list, &ev) == TR2_PERFEVENT_END,
	   "stays the end");
	tr2_perfevents_init(&list, "{cs},{faults,cs}");
	tr2_perfevents_next(&list, &ev);
	tr2_perfevents_next(&list, &ev);
	is_u64(ev.group, 2, "groups have numbers");
}

static void test_errors(void)
{
	static const struct {
		const char *text, *error;
	} cases[] = {
		{ "cycels", "event 'cycels': no such event" },
		{ "r", "event 'r': no such event" },
		{ "r12345678123456789",
		  "event 'r12345678123456789': no such event" },
		{ "L1-dcache-", "event 'L1-dcache-': no such event" },
		{ "LLC-misses-misses", "event 'LLC-misses-misses': no such "
				       "event" },
		{ "cycles:z", "event 'cycles:z': modifiers are of u k h I G H "
			      "S D W e P, and p up to three times" },
		{ "cycles:pppp", "event 'cycles:pppp': modifiers are of u k h "
				 "I G H S D W e P, and p up to three times" },
		{ "cs:0", "event 'cs:0': a period is one number from 1 on" },
		{ "cs:9223372036854775808", "event 'cs:9223372036854775808': a "
					    "period is one number from 1 on" },
		{ "page-fault:3:u", "event 'page-fault:3:u': no such event" },
		{ "cs:1:2",
		  "event 'cs:1:2': a period is one number from 1 on" },
		{ "mem:0x1000:w",
		  "event 'mem:0x1000:w': breakpoints are not counted" },
		{ "sched:*", "event 'sched:*': neither an event nor a "
			     "tracepoint SUBSYSTEM:EVENT" },
		{ "..:id", "event '..:id': neither an event nor a tracepoint "
			   "SUBSYSTEM:EVENT" },
		{ "../x/", "event '../x/': a PMU's event is PMU/EVENT/" },
		{ "cpu//", "event 'cpu//': a PMU's event is PMU/EVENT/" },
		{ "cpu/cycles", "event 'cpu/cycles': a PMU's event is "
				"PMU/EVENT/" },
		{ "power/watts/",
		  "event 'power/watts/': PMU power has energy-pkg "
		  "energy-cores energy-gpu energy-ram energy-psys" },
		{ "process/pid/",
		  "event 'process/pid/': PMU process has maxrss io-read "
		  "io-write ctx-switches open-fds threads" },
		{ "app/x/", "event 'app/x/': a counter is app/CATEGORY/NAME/, "
			    "a timer app/CATEGORY/NAME:ns/" },
		{ "app/x/y", "event 'app/x/y': a counter is "
			     "app/CATEGORY/NAME/, a timer "
			     "app/CATEGORY/NAME:ns/" },
		{ "app/x/y   ", "event 'app/x/y': a counter is "
				"app/CATEGORY/NAME/, a timer "
				"app/CATEGORY/NAME:ns/" },
		{ "a\tb\n\x1b[1m", "event 'a\\tb\\n\\x1b[1m': no such event" },
		{ "{cs", "event '{cs': the '{' has no '}'" },
		{ "}cs", "event '}': the '}' has no '{'" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ok(!parse(cases[i].text), "this is refused:");
		is_text(list.error, strlen(list.error), cases[i].error,
			cases[i].text[0] == 'a' && cases[i].text[1] == '\t' ?
				"control characters" : cases[i].text);
	}
}

/* Count good and bad events, the good ones in the upper half. */
static unsigned int count(const char *text)
{
	unsigned int nr = 0;
	int result;

	tr2_perfevents_init(&list, text);
	while ((result = tr2_perfevents_next(&list, &ev)))
		nr += result == TR2_PERFEVENT_OK ? 1u << 16 : 1;
	return nr;
}

static void test_hostile(void)
{
	static const char alphabet[] = "app/{},: urk:/cs0\n\xff-";
	char *text = malloc(1 << 16);
	unsigned int i, seed = 1, n, good = 0, round;

	is_u64(count(NULL), 0, "NULL is empty");
	is_u64(count(" ,,\n, "), 0, "blanks and commas are nothing");
	is_u64(count("cs,bogus,}faults,{{cs,cycles},{x"), (4u << 16) | 5,
	       "a bad event loses none beside it");
	memset(text, '{', 60000);
	text[60000] = '\0';
	is_u64(count(text), 60000, "braces without end");
	memset(text, 'x', 60000);
	is_u64(count(text), 1, "a name without end");
	ok(strlen(list.error) < 200, "whose error is short");
	for (round = 0; round < 20000; round++) {
		n = round % 60;
		for (i = 0; i < n; i++) {
			seed = seed * 1103515245 + 12345;
			text[i] = alphabet[(seed >> 16) %
					   (sizeof(alphabet) - 1)];
		}
		text[n] = '\0';
		good += count(text) >> 16;
	}
	ok(good > 100, "random texts come to an end");
	free(text);
}

static void test_resolve(void)
{
	const char *why = "";

	parse("task-clock");
	is_u64((uint64_t)tr2_perfevent_resolve(&ev, &why), 0,
	       "a name needs no file");
	parse("no_such:tracepoint");
	ok(tr2_perfevent_resolve(&ev, &why) < 0 &&
		   (strstr(why, "tracefs") || strstr(why, "tracepoint")),
	   "a tracepoint that is not there");
	parse("no_such/device/");
	ok(tr2_perfevent_resolve(&ev, &why) == -ENOENT,
	   "a device that is not there");
	is_text(why, strlen(why), "this machine has no PMU of that name",
		"says so");
	if (access("/sys/bus/event_source/devices/msr/events/tsc", R_OK)) {
		ok(true, "# SKIP no PMU msr");
		return;
	}
	parse("msr/tsc/");
	ok(!tr2_perfevent_resolve(&ev, &why) && ev.type > 4,
	   "a device's named event");
	parse("msr/event=0x3/");
	ok(!tr2_perfevent_resolve(&ev, &why) && ev.config == 3,
	   "and its terms");
	parse("msr/event=0x3,nonsense/");
	is_u64((uint64_t)-tr2_perfevent_resolve(&ev, &why),
	       EINVAL, "a term that it does not have");
	parse("msr/event=0x1ffffffffffffffff/");
	is_u64((uint64_t)-tr2_perfevent_resolve(&ev, &why),
	       EINVAL, "a value that is too large");
}

int main(void)
{
	test_names();
	test_paths();
	test_modifiers();
	test_groups();
	test_errors();
	test_hostile();
	test_resolve();
	return done_testing();
}
