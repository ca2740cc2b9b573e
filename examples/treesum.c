/* SPDX-License-Identifier: MIT */
/*
 * treesum - sum up a directory tree: read the contents of all its files with
 * worker threads and print files, bytes and checksum for each kind of file,
 * that is, for each extension. Two trees with the same output have the same
 * contents. Names that begin with a dot are skipped.
 *
 *	treesum [-j THREADS] [--sort] [DIRECTORY...]
 *
 * It is also the example of a program that records its work with trace2: look
 * for the calls that begin so. Try
 *
 *	GIT_TRACE2_PERF=1 treesum -j 3 .
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* environ, pipe2() */
#endif
#include "trace2.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERSION "treesum 1.0"
#define MAX_THREADS 64

/*
 * Metrics used all over the program are defined once, here. A timer has the
 * total time of its intervals, and with TRACE2_HISTOGRAM their distribution;
 * with TRACE2_PER_THREAD each thread reports its own values, too.
 */
TRACE2_TIMER(timer_read, "treesum", "read",
	     TRACE2_PER_THREAD | TRACE2_HISTOGRAM);
TRACE2_COUNTER(count_files, "treesum", "files", TRACE2_PER_THREAD);
TRACE2_COUNTER(count_bytes, "treesum", "bytes", TRACE2_PER_THREAD);

struct file {
	char *path;
	uint64_t bytes, checksum;
};

static struct file *files;
static size_t nr_files, alloc_files;
static size_t next_file; /* the next file for a worker */
static int nr_errors;

static void report(const char *what, const char *path)
{
	const char *why = strerror(errno);

	fprintf(stderr, "treesum: cannot %s '%s': %s\n", what, path, why);
	/* In the trace, too, where it can be found months later. */
	trace2_cmd_error("cannot %s '%s': %s", what, path, why);
	__atomic_add_fetch(&nr_errors, 1, __ATOMIC_RELAXED);
}

static void *need(void *memory)
{
	if (memory)
		return memory;
	fputs("treesum: out of memory\n", stderr);
	exit(trace2_cmd_exit(128));
}

/*
 * The walk: one thread collects the names of all files.
 */

static void add_file(char *path)
{
	if (nr_files == alloc_files) {
		alloc_files = alloc_files ? 2 * alloc_files : 256;
		files = need(realloc(files, alloc_files * sizeof(*files)));
	}
	memset(&files[nr_files], 0, sizeof(*files));
	files[nr_files++].path = path;
}

static char *join(const char *directory, const char *name)
{
	size_t size = strlen(directory) + strlen(name) + 2;
	char *path = need(malloc(size));

	snprintf(path, size, "%s/%s", directory, name);
	return path;
}

static void walk(const char *directory)
{
	DIR *dir = opendir(directory);
	struct dirent *entry;

	if (!dir) {
		report("open the directory", directory);
		return;
	}
	while ((entry = readdir(dir))) {
		struct stat st;
		char *path;

		if (entry->d_name[0] == '.')
			continue;
		path = join(directory, entry->d_name);
		if (lstat(path, &st))
			report("look at", path);
		else if (S_ISDIR(st.st_mode))
			walk(path);
		else if (S_ISREG(st.st_mode)) {
			add_file(path);
			continue;
		}
		free(path);
	}
	closedir(dir);
}

/* The sums: threads take one file after the other. */

/* FNV-1a, 64 bits. */
static uint64_t add_to_checksum(uint64_t checksum, const unsigned char *p,
				size_t n)
{
	while (n--)
		checksum = (checksum ^ *p++) * UINT64_C(0x100000001b3);
	return checksum;
}

static void sum_file(struct file *file)
{
	unsigned char block[65536];
	int fd = open(file->path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	file->checksum = UINT64_C(0xcbf29ce484222325);
	while (fd >= 0) {
		/* Measure only the time spent waiting for the file system. */
		trace2_timer_start(timer_read);
		n = read(fd, block, sizeof(block));
		trace2_timer_stop(timer_read);
		if (n <= 0)
			break;
		file->checksum =
			add_to_checksum(file->checksum, block, (size_t)n);
		file->bytes += (size_t)n;
	}
	if (n < 0)
		report("read", file->path);
	if (fd >= 0)
		close(fd);
	trace2_counter_add(count_files, 1);
	trace2_counter_add(count_bytes, file->bytes);
}

static void *sum_files(void *unused)
{
	size_t i;

	while ((i = __atomic_fetch_add(&next_file, 1, __ATOMIC_RELAXED)) <
	       nr_files)
		sum_file(&files[i]);
	return unused;
}

static void sum_all(int nr_threads)
{
	pthread_t threads[MAX_THREADS];
	int nr = 0;

	/* Like pthread_create(), and the trace has the thread that created
	 * it. */
	while (nr < nr_threads &&
	       !trace2_pthread_create(&threads[nr], NULL, "sum", sum_files,
				      NULL))
		nr++;
	if (!nr)
		sum_files(NULL);
	while (nr)
		pthread_join(threads[--nr], NULL);
}

/* The table: one row per extension. */

static const char *extension(const char *path)
{
	const char *name = strrchr(path, '/') + 1;
	const char *dot = strrchr(name, '.');

	return dot ? dot : "(none)";
}

static int by_extension(const void *a, const void *b)
{
	const struct file *file_a = a, *file_b = b;

	return strcmp(extension(file_a->path), extension(file_b->path));
}

static void print_table(FILE *out)
{
	size_t i = 0;

	if (nr_files)
		qsort(files, nr_files, sizeof(*files), by_extension);
	while (i < nr_files) {
		const char *kind = extension(files[i].path);
		uint64_t nr = 0, bytes = 0, checksum = 0;

		for (; i < nr_files && !strcmp(kind, extension(files[i].path));
		     i++) {
			nr++;
			bytes += files[i].bytes;
			/* A sum, so that the order of files does not matter. */
			checksum += files[i].checksum;
		}
		fprintf(out, "%-10s %7" PRIu64 " %12" PRIu64 "  %016" PRIx64
			     "\n",
			kind, nr, bytes, checksum);
	}
}

/* Start argv with its standard input from the pipe; pid or -1 with errno. */
static pid_t spawn_reader(const char *const *argv, int pipe_fds[2])
{
	posix_spawn_file_actions_t actions;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipe_fds[0], STDIN_FILENO);
	errno = posix_spawnp(&pid, argv[0], &actions, NULL, (char **)argv,
			     environ);
	posix_spawn_file_actions_destroy(&actions);
	return errno ? -1 : pid;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

static void feed_child(struct trace2_child *child, int pipe_fds[2])
{
	FILE *out = need(fdopen(pipe_fds[1], "w"));
	int code = -1;

	child->pid = spawn_reader(child->argv, pipe_fds);
	if (child->pid < 0)
		report("run", child->argv[0]);
	close(pipe_fds[0]);
	if (child->pid >= 0)
		print_table(out);
	fclose(out);
	if (child->pid >= 0)
		code = wait_for((pid_t)child->pid);
	/* Exactly one end for each start, even if it never ran. */
	trace2_child_exit(child, code);
	if (code > 0)
		nr_errors++;
}

static void print_sorted(void)
{
	static const char *const argv[] = { "sort", "-k3,3nr", "-k1,1", NULL };
	struct trace2_child child = TRACE2_CHILD_INIT;
	int pipe_fds[2];

	if (pipe2(pipe_fds, O_CLOEXEC)) {
		report("make a pipe to", argv[0]);
		return;
	}
	child.argv = argv;
	child.child_class = "filter";
	trace2_child_start(&child);
	feed_child(&child, pipe_fds);
}

/*
 * A region is a phase of the program: it shows how long the phase took, and
 * contains the events during it.
 */
static void sum_trees(char **roots, int nr_threads, int sorted)
{
	trace2_region_enter("treesum", "walk", NULL);
	for (; *roots; roots++)
		walk(*roots);
	trace2_data_intmax("treesum", NULL, "files", nr_files);
	trace2_region_leave("treesum", "walk", NULL);

	trace2_region_enter_printf("treesum", "sum", NULL, "%d threads",
				   nr_threads);
	sum_all(nr_threads);
	trace2_region_leave("treesum", "sum", NULL);

	trace2_region_enter("treesum", "print", NULL);
	if (sorted)
		print_sorted();
	else
		print_table(stdout);
	trace2_region_leave("treesum", "print", NULL);
}

static int usage(void)
{
	fputs("usage: treesum [-j THREADS] [--sort] [DIRECTORY...]\n", stderr);
	return 129;
}

static int run(char **arg)
{
	static char dot[] = ".";
	char *here[] = { dot, NULL };
	int nr_threads = 4, sorted = 0;

	for (; *arg && **arg == '-'; arg++) {
		if (!strcmp(*arg, "-j") && arg[1])
			nr_threads = atoi(*++arg);
		else if (!strcmp(*arg, "--sort"))
			sorted = 1;
		else
			return usage();
	}
	if (nr_threads < 1 || nr_threads > MAX_THREADS)
		return usage();
	trace2_cmd_mode(sorted ? "sorted" : "by-extension");
	sum_trees(*arg ? arg : here, nr_threads, sorted);
	while (nr_files)
		free(files[--nr_files].path);
	free(files);
	return nr_errors ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct trace2_options options = { .version = VERSION };

	(void)argc;
	/* The first call, so that times count from the start … */
	trace2_initialize_clock();
	trace2_initialize_with(&options);
	trace2_cmd_start(argv);
	trace2_cmd_name("treesum");
	/* … and the last one, which returns the code that it records. */
	return trace2_cmd_exit(run(argv + 1));
}
