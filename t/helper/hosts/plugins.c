/* SPDX-License-Identifier: MIT */
/*
 * `plugins VERB FILE`: a program that does not use the library itself, and
 * unloads a plugin that contains it.
 */
#include "../host.h"

#define NR_LOADS 24
#define NR_FIRST 4
#define LONG_BYTES 50000

static void *plugin;
static void (*start)(char **argv);
static void (*say)(const char *text);

static int load(const char *path, char **argv)
{
	plugin = dlopen(path, RTLD_NOW);
	if (!plugin) {
		fprintf(stderr, "plugins: %s\n", dlerror());
		return -1;
	}
	start = (void (*)(char **))dlsym(plugin, "plugin_start");
	say = (void (*)(const char *))dlsym(plugin, "plugin_say");
	start(argv);
	say("main");
	return 0;
}

static pthread_barrier_t barrier;

static void *say_and_wait(void *arg)
{
	say("thread");
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return arg;
}

/* Unload the plugin while a thread that called it still runs: the thread ends
 * after the unloading. */
static int unload_before_thread(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	thread = host_start(say_and_wait, NULL);
	pthread_barrier_wait(&barrier);
	dlclose(plugin);
	pthread_barrier_wait(&barrier);
	return pthread_join(thread, NULL);
}

/* Unload the plugin in a child, then raise SIGPIPE: the library must leave no
 * signal handler. */
static int unload_in_child(void)
{
	int status;

	if (!fork()) {
		dlclose(plugin);
		raise(SIGPIPE);
		_exit(0);
	}
	wait(&status);
	printf("child: signal %d\n",
	       WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	return 0;
}

static int reload(const char *path, char **argv)
{
	int i;

	for (i = 0; i < 20; i++) {
		dlclose(plugin);
		if (load(path, argv))
			return 1;
	}
	return 0;
}

static int count_mappings(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	int nr = 0, c;

	while (file && (c = getc(file)) != EOF)
		nr += c == '\n';
	if (file)
		fclose(file);
	return nr;
}

static char *long_text;

/* Call the library in a thread that runs on while plugins are unloaded. */
static void *live_on(void *arg)
{
	int i;

	for (i = 0; i < NR_LOADS; i++) {
		pthread_barrier_wait(&barrier);
		say("thread");
		say(long_text);
		pthread_barrier_wait(&barrier);
		pthread_barrier_wait(&barrier);
	}
	return arg;
}

static void *say_once(void *arg)
{
	say("another thread");
	say(long_text);
	return arg;
}

static void use(void)
{
	pthread_barrier_wait(&barrier);
	say(long_text);
	host_in_thread(say_once, NULL);
	pthread_barrier_wait(&barrier);
}

/* Count mappings and descriptors after the first rounds, and after the last. */
static int count(const char *path, char **argv)
{
	int mappings = 0, descriptors = 0, i;
	pthread_t thread;

	long_text = malloc(LONG_BYTES + 1);
	memset(long_text, 'x', LONG_BYTES);
	long_text[LONG_BYTES] = '\0';
	pthread_barrier_init(&barrier, NULL, 2);
	thread = host_start(live_on, NULL);
	for (i = 0; i < NR_LOADS; i++) {
		if (i && load(path, argv))
			return 1;
		use();
		dlclose(plugin);
		if (i == NR_FIRST - 1) {
			mappings = count_mappings();
			descriptors = host_count_descriptors();
		}
		pthread_barrier_wait(&barrier);
	}
	printf("%d mappings, %d descriptors\n", count_mappings() - mappings,
	       host_count_descriptors() - descriptors);
	return pthread_join(thread, NULL);
}

static void *say_in_thread(void *arg)
{
	say("thread");
	return arg;
}

/* Let threads end while the library has no key: it does not notice their end.
 * */
static int end_threads(void)
{
	int i;

	for (i = 0; i < 100; i++)
		host_in_thread(say_in_thread, NULL);
	return 0;
}

static void *say_first(void *text)
{
	say(text);
	return NULL;
}

/* Make each call as the first call of a thread. */
static int first_use(void)
{
	static char texts[][16] = { "counter", "timer", "distribution",
				    "region",  "data",	"span" };
	size_t i;

	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		host_in_thread(say_first, texts[i]);
	return 0;
}

static void take_all_keys(void)
{
	pthread_key_t key;

	while (!pthread_key_create(&key, NULL))
		;
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fputs("usage: plugins <verb> <file>\n", stderr);
		return 129;
	}
	if (!strcmp(argv[1], "without-keys"))
		take_all_keys();
	if (load(argv[2], argv))
		return 1;
	if (!strcmp(argv[1], "without-keys"))
		return end_threads();
	if (!strcmp(argv[1], "unload-before-thread"))
		return unload_before_thread();
	if (!strcmp(argv[1], "unload-in-child"))
		return unload_in_child();
	if (!strcmp(argv[1], "first-use"))
		return first_use();
	if (!strcmp(argv[1], "count"))
		return count(argv[2], argv);
	return reload(argv[2], argv);
}
