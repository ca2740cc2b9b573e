/* SPDX-License-Identifier: MIT */
/*
 * `plugins VERB FILE`: a program that knows nothing of the library, and unloads
 * a plugin that holds it.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* The thread ends when the code that it ran is gone. */
static int unload_before_thread(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, say_and_wait, NULL);
	pthread_barrier_wait(&barrier);
	dlclose(plugin);
	pthread_barrier_wait(&barrier);
	return pthread_join(thread, NULL);
}

/* A handler of the library's must not stay behind it. */
static int unload_in_child(void)
{
	int status;

	if (!fork()) {
		dlclose(plugin);
		raise(SIGPIPE);
		_exit(0);
	}
	wait(&status);
	printf("child: signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
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

int main(int argc, char **argv)
{
	if (argc != 3) {
		fputs("usage: plugins <verb> <file>\n", stderr);
		return 129;
	}
	if (load(argv[2], argv))
		return 1;
	if (!strcmp(argv[1], "unload-before-thread"))
		return unload_before_thread();
	if (!strcmp(argv[1], "unload-in-child"))
		return unload_in_child();
	return reload(argv[2], argv);
}
