/* SPDX-License-Identifier: MIT */
/* host - functions that programs of the tests share: verbs, threads, counts. */
#pragma once

#include "system.h"

/* A row of a table of verbs; the last row is { NULL, NULL }. */
struct host_verb {
	const char *name;
	void (*run)(void);
};

/* Return the verb that the only argument names, or end with the usage. */
static inline const struct host_verb *
host_verb(const struct host_verb *verbs, int argc, char **argv)
{
	for (; argc == 2 && verbs->name; verbs++)
		if (!strcmp(verbs->name, argv[1]))
			return verbs;
	fprintf(stderr, "usage: %s <verb>\n", argv[0]);
	exit(129);
}

/* Return true if tests shall try more often, as in `make check`. */
static inline bool host_is_long(void)
{
	const char *value = getenv("GIT_TEST_LONG");

	return value && *value;
}

static inline uint64_t host_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static inline pthread_t host_start(void *(*function)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, arg))
		abort();
	return thread;
}

/* Run the function in a thread, and wait for its end. */
static inline void host_in_thread(void *(*function)(void *), void *arg)
{
	pthread_join(host_start(function, arg), NULL);
}

/* Run the function in up to 32 threads at once. */
static inline void host_in_threads(int nr, void *(*function)(void *), void *arg)
{
	pthread_t threads[32];
	int i;

	for (i = 0; i < nr; i++)
		threads[i] = host_start(function, arg);
	while (nr)
		pthread_join(threads[--nr], NULL);
}

/* Return how many descriptors below 4096 are open. */
static inline int host_count_descriptors(void)
{
	int fd, nr = 0;

	for (fd = 0; fd < 4096; fd++)
		nr += fcntl(fd, F_GETFD) >= 0;
	return nr;
}
