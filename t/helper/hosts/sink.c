/* SPDX-License-Identifier: MIT */
/*
 * `sink VERB`: a program whose sink prints events to descriptor 3, each in one
 * write, or makes calls that a sink should not make.
 */
#include "trace2.h"
#include "../host.h"

#include <stdatomic.h>

TRACE2_COUNTER(called, "sink", "called", 0);

static atomic_uint nr_events;
static int mischief, exits, locks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int has_lock;
static atomic_int wants_lock;

static size_t print_field(char *p, size_t room,
			  const struct trace2_event_field *f)
{
	size_t n = 0;
	int i;

	switch (f->type) {
	case TRACE2_FIELD_STRING:
	case TRACE2_FIELD_JSON:
		return (size_t)snprintf(p, room, " %s=%s", f->name,
					f->value.string);
	case TRACE2_FIELD_WORDS:
		n = (size_t)snprintf(p, room, " %s=", f->name);
		for (i = 0; f->value.words[i]; i++)
			n += (size_t)snprintf(p + n, room - n, "[%s]",
					      f->value.words[i]);
		return n;
	case TRACE2_FIELD_UINT:
		return (size_t)snprintf(p, room, " %s=%" PRIu64, f->name,
					f->value.unsigned_number);
	default:
		return (size_t)snprintf(p, room, " %s=%" PRId64, f->name,
					f->value.number);
	}
}

static void print_event(const struct trace2_event *event, void *data)
{
	char line[4096];
	size_t n;
	unsigned int i;

	if (strcmp(data, "data"))
		abort();
	n = (size_t)snprintf(line, sizeof(line), "%s %s %u", event->thread,
			     event->name, event->nesting);
	for (i = 0; i < event->nr_fields; i++)
		n += print_field(line + n, sizeof(line) - n,
				 &event->fields[i]);
	line[n++] = '\n';
	if (write(3, line, n) < 0)
		perror("3");
	atomic_fetch_add(&nr_events, 1);
	errno = EDOM;
	if (exits) {
		pthread_mutex_lock(&lock);
		if (!strcmp(event->name, "data"))
			exit(3);
		pthread_mutex_unlock(&lock);
	}
	if (locks && !has_lock) {
		wants_lock = 1;
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	if (!mischief)
		return;
	trace2_reopen(); /* Reopen first: this call could let the following
			  * calls in. */
	trace2_data_string("sink", NULL, "from", "inside");
	trace2_region_enter("sink", "inside", NULL);
	trace2_counter_add(called, 1);
	trace2_flush();
}

static void *work(void *name)
{
	trace2_thread_start(name);
	trace2_region_enter("sink", "work", NULL);
	trace2_data_intmax("sink", NULL, "number", -7);
	trace2_region_leave("sink", "work", NULL);
	trace2_thread_exit();
	return NULL;
}

static void fork_one(void)
{
	pid_t pid = fork();

	if (!pid) {
		trace2_data_string("sink", NULL, "child", "yes");
		exit(0);
	}
	waitpid(pid, NULL, 0);
}

static pid_t child;

static void kill_child(int signo)
{
	kill(child, SIGKILL);
}

/* Hold a lock of the program during a call that waits until the session is
 * open. The sink, in the thread that opens the session, waits for the same
 * lock. */
static void *say_with_lock(void *barrier)
{
	pthread_mutex_lock(&lock);
	has_lock = 1;
	pthread_barrier_wait(barrier);
	while (!wants_lock)
		sched_yield();
	trace2_data_string("sink", NULL, "lock", "held");
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void fork_and_lock(void)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	child = fork();
	if (child) {
		signal(SIGALRM, kill_child);
		alarm(60);
		waitpid(child, NULL, 0);
		return;
	}
	locks = 1;
	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, say_with_lock, &barrier))
		abort();
	pthread_barrier_wait(&barrier);
	trace2_data_string("sink", NULL, "child", "yes");
	pthread_join(thread, NULL);
	exit(0);
}

/* Emit words with secrets while memory is short: the library copies all of them
 * into one buffer, which grows. */
static void say_without_memory(void)
{
	static char word[1000] = "https://me:secret@host/";
	const char *argv[50] = { NULL };
	struct rlimit before, none;
	size_t i;

	memset(word + strlen(word), 'x', sizeof(word) - strlen(word) - 1);
	for (i = 0; i < 49; i++)
		argv[i] = word;
	if (getrlimit(RLIMIT_AS, &before))
		abort();
	none = before;
	none.rlim_cur = 0;
	if (setrlimit(RLIMIT_AS, &none))
		abort();
	errno = ENOENT;
	trace2_cmd_alias("long", argv);
	if (errno != ENOENT || setrlimit(RLIMIT_AS, &before))
		abort();
}

int main(int argc, char **argv)
{
	const struct trace2_options options = { .version = "1",
						.flags = TRACE2_MORE_OPTIONS,
						.sink = print_event,
						.sink_data = (void *)"data" };
	const char *verb = argc > 1 ? argv[1] : "";

	mischief = !strcmp(verb, "mischief");
	exits = !strcmp(verb, "exit");
	trace2_initialize_with(&options);
	trace2_cmd_start(argv);
	errno = ENOENT;
	trace2_data_string("sink", NULL, "url", "https://me:secret@host/");
	if (errno != ENOENT)
		abort();
	trace2_counter_add(called, 1);
	if (!strcmp(verb, "threads"))
		host_in_threads(16, work, (void *)"w");
	else if (!strcmp(verb, "fork"))
		fork_one();
	else if (!strcmp(verb, "fork-and-lock"))
		fork_and_lock();
	else if (!strcmp(verb, "no-memory"))
		say_without_memory();
	else
		host_in_threads(1, work, (void *)"w");
	return trace2_cmd_exit(0);
}
