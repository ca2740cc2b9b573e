/* SPDX-License-Identifier: MIT */
/*
 * `tenants all|in-turns MODULE PLUGIN...`: a program with many plugins, each of
 * which contains the library, or with two that replace each other again and
 * again. Then it loads a module of its own, and calls all.
 */
#include "../system.h"

#define NR_TURNS 100
#define MOST 64

static struct plugin {
	void *handle;
	void (*start)(char **argv);
	void (*say)(const char *text);
} plugins[MOST];

static int nr;

static int load(struct plugin *p, const char *path)
{
	p->handle = dlopen(path, RTLD_NOW);
	if (!p->handle) {
		printf("%s\n", dlerror());
		return 0;
	}
	p->start = (void (*)(char **))dlsym(p->handle, "plugin_start");
	p->say = (void (*)(const char *))dlsym(p->handle, "plugin_say");
	return p->start && p->say;
}

static void *say_all(void *text)
{
	int i;

	for (i = 0; i < nr; i++)
		plugins[i].say(text);
	return text;
}

static int load_all(char **paths, char **argv)
{
	for (; paths[nr] && nr < MOST; nr++) {
		if (!load(&plugins[nr], paths[nr]))
			return 0;
		plugins[nr].start(argv);
	}
	return 1;
}

/*
 * Load two plugins in turns. One of both is always loaded, so that the other
 * one does not get the same place again.
 */
static int take_turns(char **paths, char **argv)
{
	int i;

	for (nr = i = 0; i < NR_TURNS; i++) {
		struct plugin *p = &plugins[i % 2];

		if (p->handle)
			dlclose(p->handle);
		if (!load(p, paths[i % 2])) {
			printf("at turn %d\n", i);
			return 0;
		}
		p->start(argv);
		p->say("turn");
	}
	nr = 2;
	return 1;
}

int main(int argc, char **argv)
{
	static char thread_text[] = "thread", main_text[] = "main";
	int in_turns = argc > 1 && !strcmp(argv[1], "in-turns");
	pthread_t thread;
	void *module;

	if (argc < 5)
		return 129;
	if (!(in_turns ? take_turns : load_all)(argv + 3, argv))
		return 1;
	module = dlopen(argv[2], RTLD_NOW);
	if (!module) {
		printf("%s\n", dlerror());
		return 1;
	}
	say_all(main_text);
	if (pthread_create(&thread, NULL, say_all, thread_text))
		return 1;
	return pthread_join(thread, NULL);
}
