/* SPDX-License-Identifier: MIT */
/*
 * Sites: their numbers by content, from racing threads, signal handlers that
 * interrupt or jump out, forked children, and code at the address of unloaded
 * code; and everything that gets no number.
 */
#include <setjmp.h>

#include "base/sanitize.h"
#include "site/site.h"
#include "tap.h"

#define NR_THREADS 8
#define NR_RACED 500

static struct trace2_site make(const char *file, int line, const char *category,
			       const char *name)
{
	struct trace2_site site = { .file = file, .category = category,
				    .name = name, .line = line };

	return site;
}

static void test_contents(void)
{
	char file[] = "dir/file.c", category[] = "cat", name[] = "name";
	struct trace2_site site = make(file, 12, category, name), other = site;
	const struct tr2_site *got = tr2_site_get(&site), *again;

	file[0] = category[0] = name[0] = 'X';
	ok(got && !strcmp(got->file, "dir/file.c") &&
		   !strcmp(got->category, "cat") &&
		   !strcmp(got->name, "name") && got->line == 12,
	   "a site is copied");
	ok(got && got->file_len == 10 && got->category_len == 3 &&
		   got->name_len == 4 && !got->may_have_secret,
	   "its strings are measured");
	ok(got && got->number == 1 && got->names == 1, "it has the number 1");
	ok(tr2_site_get(&site) == got, "the next call finds it");
	again = tr2_site_get(&other);
	ok(again && again != got && again->number == 2 && again->names == 2,
	   "other contents at a new address are another site");
	file[0] = 'd';
	category[0] = 'c';
	name[0] = 'n';
	other = make(file, 12, category, name);
	ok(tr2_site_get(&other) == got, "equal contents are the same site");
	other = make("other.c", 13, category, name);
	again = tr2_site_get(&other);
	ok(again && again != got && again->names == got->names,
	   "equal names have equal numbers at each place");
	other = make(file, 12, "catn", "ame");
	again = tr2_site_get(&other);
	ok(again && again->names != got->names,
	   "the names end where they do, not only their sum is equal");
	other = make(file, 12, "", "");
	again = tr2_site_get(&other);
	ok(again && !again->category_len && !again->name_len,
	   "names may be empty");
	other = make(file, 12, category, "a=b");
	again = tr2_site_get(&other);
	ok(again && again->may_have_secret, "a label may hold a secret");
	other = make(file, 12, "https://x", name);
	again = tr2_site_get(&other);
	ok(again && again->may_have_secret, "so may a category");
}

static void test_damaged_numbers(void)
{
	struct trace2_site site = make("damaged.c", 1, "c", "n");
	const struct tr2_site *got = tr2_site_get(&site);
	const unsigned int good = site.number;
	unsigned int wrong = 0, i;

	for (i = 0; i < 32; i++) {
		site.number = good ^ 1u << i;
		wrong += tr2_site_get(&site) != got || site.number != good;
	}
	is_u64(wrong, 0, "a damaged number is repaired");
	site.number = TR2_MAX_SITES - 1;
	ok(tr2_site_get(&site) == got, "the highest number is none");
	site.number = TR2_MAX_SITES;
	ok(tr2_site_get(&site) == got, "nor is one without its low bits");
}

static void test_refused(void)
{
	static char longest[TR2_SITE_TEXT_MAX + 1];
	struct trace2_site site;
	unsigned int got = 0;

	ok(!tr2_site_get(NULL), "NULL is no site");
	site = make(NULL, 1, "c", "n");
	got += tr2_site_get(&site) != NULL;
	site = make("f", 1, NULL, "n");
	got += tr2_site_get(&site) != NULL;
	got += tr2_site_get(&site) != NULL;
	site = make("f", 1, "c", NULL);
	got += tr2_site_get(&site) != NULL;
	is_u64(got, 0, "a site with a string that is no constant has no copy");
	memset(longest, 'x', TR2_SITE_TEXT_MAX);
	site = make("", 1, "", longest);
	ok(!tr2_site_get(&site), "nor has one with longer text than allowed");
	longest[TR2_SITE_TEXT_MAX - 3] = '\0';
	site = make("", 1, "", longest);
	ok(tr2_site_get(&site) != NULL, "the longest text has one");
}

/* Act as if the module at this address was unloaded, and another one loaded. */
static void test_other_code_at_the_address(void)
{
	struct trace2_site *site;
	const struct tr2_site *first, *second;

	site = mmap(NULL, sizeof(*site), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*site = make("module.c", 7, "one", "module");
	first = tr2_site_get(site);
	(void)mmap(site, sizeof(*site), PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	*site = make("module.c", 7, "another", "module");
	second = tr2_site_get(site);
	ok(first && second && first != second &&
		   !strcmp(first->category, "one") &&
		   !strcmp(second->category, "another"),
	   "other code at the address has sites of its own");
	*site = make("module.c", 7, "one", "module");
	ok(tr2_site_get(site) == first,
	   "a module that is loaded again has its numbers again");
	munmap(site, sizeof(*site));
}

static struct trace2_site raced[NR_RACED];
static char raced_names[NR_RACED][16];
static unsigned int raced_names_of[NR_THREADS][NR_RACED];
static pthread_barrier_t barrier;

/* Threads share the sites of odd numbers, and have others of the same contents.
 * */
static void *race(void *arg)
{
	const size_t me = (size_t)arg;
	const struct tr2_site *got;
	struct trace2_site own;
	size_t i;

	pthread_barrier_wait(&barrier);
	for (i = 0; i < NR_RACED; i++) {
		own = make("race.c", (int)(me * (i % 4)), "race",
			   raced_names[i]);
		got = tr2_site_get(i % 2 ? &raced[i] : &own);
		if (got && !strcmp(got->name, raced_names[i]))
			raced_names_of[me][i] = got->names;
	}
	return NULL;
}

static void test_threads(void)
{
	pthread_t thread[NR_THREADS];
	unsigned int wrong = 0;
	size_t i, n;

	for (i = 0; i < NR_RACED; i++) {
		snprintf(raced_names[i], sizeof(raced_names[i]), "r%zu", i);
		raced[i] = make("race.c", -1, "race", raced_names[i]);
	}
	pthread_barrier_init(&barrier, NULL, NR_THREADS);
	for (n = 0; n < NR_THREADS; n++)
		pthread_create(&thread[n], NULL, race, (void *)n);
	for (n = 0; n < NR_THREADS; n++)
		pthread_join(thread[n], NULL);
	for (n = 0; n < NR_THREADS; n++)
		for (i = 0; i < NR_RACED; i++)
			wrong += !raced_names_of[n][i] ||
				 raced_names_of[n][i] != raced_names_of[0][i];
	is_u64(wrong, 0, "racing threads get one number for equal names");
}

#define NR_ROUNDS 4000
static unsigned int round_of[2], pair_names[2][NR_ROUNDS];

/* Register the names of a round in both threads at the same moment, at other
 * lines. */
static void *race_in_pair(void *arg)
{
	const size_t me = (size_t)arg;
	const struct tr2_site *got;
	struct trace2_site site;
	char name[16];
	unsigned int i, spins;

	for (i = 0; i < NR_ROUNDS; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		site = make("pair.c", (int)me, "pair", name);
		__atomic_store_n(&round_of[me], i + 1, __ATOMIC_RELEASE);
		/* Spin without sched_yield(): the other thread is awake then,
		 * too. */
		for (spins = 1; __atomic_load_n(&round_of[!me],
						__ATOMIC_ACQUIRE) <= i; spins++)
			if (spins % 10000 == 0)
				sched_yield();
		got = tr2_site_get(&site);
		pair_names[me][i] = got ? got->names : 0;
	}
	return NULL;
}

static void test_pair(void)
{
	pthread_t thread[2];
	unsigned int wrong = 0, i;
	size_t n;

	for (n = 0; n < 2; n++)
		pthread_create(&thread[n], NULL, race_in_pair, (void *)n);
	for (n = 0; n < 2; n++)
		pthread_join(thread[n], NULL);
	for (i = 0; i < NR_ROUNDS; i++)
		wrong += !pair_names[0][i] ||
			 pair_names[0][i] != pair_names[1][i];
	is_u64(wrong, 0, "so do two that add the names at once");
}

static volatile sig_atomic_t nr_handled, nr_wrong, jumps;
static sigjmp_buf back;

static void on_timer(int signo)
{
	struct trace2_site site = make("handler.c", nr_handled % 50, "handler",
				       "x");
	const struct tr2_site *got = tr2_site_get(&site);

	nr_wrong += !got || strcmp(got->category, "handler") ||
		    got->line != nr_handled % 50;
	nr_handled++;
	if (jumps)
		siglongjmp(back, 1);
}

static void set_timer(int us)
{
	const struct itimerval timer = { { 0, us }, { 0, us } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

static void test_handlers(void)
{
	const struct sigaction handle = { .sa_handler = on_timer };
	const struct sigaction leave = { .sa_handler = SIG_DFL };
	struct trace2_site site;
	static volatile int i;
	char name[16];

	sigaction(SIGALRM, &handle, NULL);
	set_timer(50);
	for (i = 0; i < 300 || nr_handled < 100; i++) {
		snprintf(name, sizeof(name), "h%d", i % 1000);
		site = make("handled.c", 1, "handled", name);
		nr_wrong += !tr2_site_get(&site) ||
			    strcmp(tr2_site_get(&site)->name, name) != 0;
	}
	is_u64((uint64_t)nr_wrong, 0, "handlers register sites meanwhile");
	nr_handled = 0;
	i = 0;
	sigsetjmp(back, 1);
	jumps = 1;
	while (i < 300 || nr_handled < 100) {
		snprintf(name, sizeof(name), "j%d", i % 1000);
		i++;
		site = make("jumped.c", 1, "jumped", name);
		nr_wrong += !tr2_site_get(&site) ||
			    strcmp(tr2_site_get(&site)->name, name) != 0;
	}
	set_timer(0);
	is_u64((uint64_t)nr_wrong, 0, "or jump out of registering one");
	sigaction(SIGALRM, &leave, NULL);
}

static void test_fork(void)
{
	struct trace2_site before = make("fork.c", 1, "fork", "before");
	struct trace2_site after = make("fork.c", 2, "fork", "after");
	const struct tr2_site *got = tr2_site_get(&before);
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		const struct tr2_site *child = tr2_site_get(&after);

		_exit(tr2_site_get(&before) == got && child &&
			      !strcmp(child->name, "after") ?
		      0 : 1);
	}
	waitpid(pid, &status, 0);
	ok(pid > 0 && !status, "a forked child has the numbers, and new ones");
	ok(!after.number, "which are not the parent's");
}

/* Run in a child, since there is no way back. */
static int fill(unsigned int most)
{
	struct trace2_site site, first = make("fill.c", 0, "fill", "first");
	const struct tr2_site *got = tr2_site_get(&first);
	unsigned int i, nr = 0;
	char name[16];

	for (i = 0; i < most; i++) {
		/* Few of one name: all sites of a name are searched. */
		snprintf(name, sizeof(name), "n%u", i / 16);
		site = make("fill.c", (int)i + 1, "fill", name);
		nr += tr2_site_get(&site) != NULL;
	}
	site = make("fill.c", 0, "fill", "first");
	return nr && nr < most && got && tr2_site_get(&site) == got;
}

static void in_child(bool has_no_memory, const char *message)
{
	const struct rlimit none = { 0, 0 };
	int status = 0;
	pid_t pid = fork();

	if (!pid) {
		if (has_no_memory)
			setrlimit(RLIMIT_AS, &none);
		_exit(fill(2 * TR2_MAX_SITES) ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	is_u64((uint64_t)status, 0, message);
}

int main(void)
{
	/* Under a sanitizer, _exit() in a child writes what is buffered. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_contents();
	test_damaged_numbers();
	test_refused();
	test_other_code_at_the_address();
	test_threads();
	test_pair();
	test_handlers();
	test_fork();
	in_child(false, "if all numbers are taken, known sites keep theirs");
	/* A sanitizer needs memory of its own. */
	if (!TR2_ASAN && !TR2_TSAN)
		in_child(true, "if there is no memory, too");
	return done_testing();
}
