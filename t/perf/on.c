/* SPDX-License-Identifier: MIT */
/*
 * The cost of calls while targets are on. The limit of an event is a write(2)
 * of as many bytes to the same kind of file, one for each target; plus an
 * fstat(2) where the host opened the descriptor, which may be another file by
 * now.
 *
 * usage: on TARGETS DESTINATION [brief]
 *	TARGETS      normal, perf, event, or all
 *	DESTINATION  a directory, in which files are created; an existing fifo;
 *	             pipe, stream, datagram (that the host has open); or null;
 *	             the program itself reads pipes and sockets, between rounds
 */
#include "metrics.h"

#define EVENTS_A_ROUND 64
#define TRACE_FD 9
#define NR_TARGETS 3

static const char *const targets[NR_TARGETS] = { "normal", "perf", "event" };
static const char *const variables[NR_TARGETS] = {
	"GIT_TRACE2", "GIT_TRACE2_PERF", "GIT_TRACE2_EVENT"
};

static const char *label; /* names the targets and the destination */
static bool of_host;
static size_t events_a_round = EVENTS_A_ROUND;
static char line[65536];

/* The destinations of each target's lines and of the limit's lines, and their
 * readers. */
static struct {
	char path[4096];
	int bare_fd, read_fd, bare_read_fd;
	size_t line_bytes, seen;
} dest[NR_TARGETS];

static bool write_one(int i)
{
	struct stat st;

	return !(of_host && fstat(dest[i].bare_fd, &st)) &&
	       write(dest[i].bare_fd, line, dest[i].line_bytes) >= 0;
}

static void bare_write(size_t n)
{
	int i;

	while (n--)
		for (i = 0; i < NR_TARGETS; i++)
			if (dest[i].line_bytes && !write_one(i))
				abort();
}

/* Emit both kinds of lines: the pair is two events. */
static void region(size_t n)
{
	for (; n >= 2; n -= 2) {
		trace2_region_enter("bench", "region", NULL);
		trace2_region_leave("bench", "region", NULL);
	}
}

BENCH_LOOP(data, trace2_data_string("bench", NULL, "key", "0123456789"))

static char kilobyte[1025];

BENCH_LOOP(long_data, trace2_data_string("bench", NULL, "key", kilobyte))
BENCH_LOOP(message, trace2_printf("%s", "a message"))

/* Read both ends; the library's bytes are counted. */
static void drain(void)
{
	static char taken[1 << 16];
	ssize_t n;
	int i;

	for (i = 0; i < NR_TARGETS; i++) {
		if (dest[i].read_fd < 0)
			continue;
		while ((n = read(dest[i].read_fd, taken, sizeof(taken))) > 0)
			dest[i].seen += (size_t)n;
		while (read(dest[i].bare_read_fd, taken, sizeof(taken)) > 0)
			;
	}
}

static size_t bytes_so_far(int i)
{
	struct stat st;

	if (dest[i].read_fd >= 0)
		return dest[i].seen;
	return *dest[i].path && !stat(dest[i].path, &st) ? (size_t)st.st_size :
							   0;
}

static void measure_lines(void (*work)(size_t n))
{
	size_t before[NR_TARGETS];
	int i;

	drain();
	for (i = 0; i < NR_TARGETS; i++)
		before[i] = bytes_so_far(i);
	work(events_a_round);
	drain();
	for (i = 0; i < NR_TARGETS; i++)
		dest[i].line_bytes =
			(bytes_so_far(i) - before[i]) / events_a_round;
}

static void run_event(const char *what, void (*work)(size_t n))
{
	char name[128], limit[64];
	struct bench_case c = { name, limit, work, bare_write, events_a_round,
				drain, 0 };
	size_t sum = 0;
	int i, nr = 0;

	measure_lines(work);
	for (i = 0; i < NR_TARGETS; i++) {
		nr += dest[i].line_bytes != 0;
		sum += dest[i].line_bytes;
	}
	if (!nr)
		return;
	snprintf(name, sizeof(name), "%s, %s", what, label);
	snprintf(limit, sizeof(limit), "%d %swrite%s of %zu bytes", nr,
		 of_host ? "fstat + " : "", nr > 1 ? "s" : "",
		 sum / (size_t)nr);
	bench_run(&c);
}

static void place(int from, int to)
{
	if (dup2(from, to) != to)
		abort();
	close(from);
}

/* Make the library's end descriptor TRACE_FD. */
static void make_pair(const char *kind, int i)
{
	int ours[2], bare[2];

	if (!strcmp(kind, "pipe")) {
		if (pipe(ours) || pipe(bare))
			abort();
		events_a_round = 32; /* this many fit */
	} else {
		int type = strcmp(kind, "stream") ? SOCK_DGRAM : SOCK_STREAM;

		if (socketpair(AF_UNIX, type, 0, ours) ||
		    socketpair(AF_UNIX, type, 0, bare))
			abort();
		if (type == SOCK_DGRAM)
			events_a_round = 8; /* at most this many are queued */
	}
	place(ours[1], TRACE_FD);
	of_host = true;
	dest[i].read_fd = ours[0];
	dest[i].bare_read_fd = bare[0];
	dest[i].bare_fd = bare[1];
	fcntl(ours[0], F_SETFL, O_NONBLOCK);
	fcntl(bare[0], F_SETFL, O_NONBLOCK);
	snprintf(dest[i].path, sizeof(dest[i].path), "%d", TRACE_FD);
}

/* Make another pipe for the limit. */
static void make_fifo(const char *path, int i)
{
	int bare[2];

	if (pipe(bare))
		abort();
	dest[i].read_fd = open(path, O_RDONLY | O_NONBLOCK);
	dest[i].bare_read_fd = bare[0];
	dest[i].bare_fd = bare[1];
	fcntl(bare[0], F_SETFL, O_NONBLOCK);
	events_a_round = 32;
	snprintf(dest[i].path, sizeof(dest[i].path), "%s", path);
}

static int open_for_writing(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
}

static bool is_fifo(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISFIFO(st.st_mode);
}

static void make_dest(const char *where, int i)
{
	char bare[4200];

	if (!strcmp(where, "null")) {
		snprintf(dest[i].path, sizeof(dest[i].path), "/dev/null");
		dest[i].bare_fd = open_for_writing(dest[i].path);
	} else if (*where != '/') {
		make_pair(where, i);
	} else if (is_fifo(where)) {
		make_fifo(where, i);
	} else {
		snprintf(dest[i].path, sizeof(dest[i].path), "%s/%s", where,
			 targets[i]);
		snprintf(bare, sizeof(bare), "%s.bare", dest[i].path);
		unlink(dest[i].path);
		unlink(bare);
		dest[i].bare_fd = open_for_writing(bare);
	}
}

static void setup(const char *wanted, const char *where, bool brief)
{
	char name[64];
	int i;

	for (i = 0; i < NR_TARGETS; i++) {
		dest[i].read_fd = -1;
		if (strcmp(wanted, "all") && strcmp(wanted, targets[i]))
			continue;
		make_dest(where, i);
		setenv(variables[i], dest[i].path, 1);
		snprintf(name, sizeof(name), "%s_BRIEF", variables[i]);
		setenv(name, brief ? "1" : "0", 1);
	}
}

/* The length of lines written to /dev/null cannot be measured. */
static void run_null(void)
{
	static const struct bench_case c = {
		"region_enter or leave, event to null", "1 write of 217 bytes",
		region, bare_write, EVENTS_A_ROUND, NULL, 0
	};

	dest[NR_TARGETS - 1].line_bytes = 217;
	bench_run(&c);
}

static void run_metrics(void)
{
	static const char bare_histogram[] = "a histogram, thread-local";
	static const struct bench_case cases[] = {
		{ "counter_add, on", "add to a volatile thread-local",
		  add_counter, add_local, 20000, NULL, 0 },
		{ "timer start + stop, on", "two reads of the cheapest clock",
		  timer, two_clocks, 3000, NULL, 0 },
		{ "timer_add, on", bare_histogram, add_interval,
		  add_to_histogram, 5000, NULL, 0 },
		{ "distribution_add, on", bare_histogram, add_value,
		  add_to_histogram, 5000, NULL, 0 },
		{ "gauge_add, on", "an atomic add", add_to_gauge,
		  add_atomically, 5000, NULL, 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		bench_run(&cases[i]);
}

int main(int argc, char **argv)
{
	bool brief = argc == 4 && !strcmp(argv[3], "brief"), is_file;
	char text[128];

	if (argc < 3)
		return 129;
	bench_pin();
	memset(kilobyte, 'v', sizeof(kilobyte) - 1);
	memset(line, 'x', sizeof(line));
	is_file = *argv[2] == '/' && !is_fifo(argv[2]);
	snprintf(text, sizeof(text), "%s%s to a %s", argv[1],
		 brief ? " (brief)" : "",
		 is_file ? "file" : *argv[2] == '/' ? "fifo" : argv[2]);
	label = text;
	setup(argv[1], argv[2], brief);
	trace2_initialize();
	if (!trace2_is_enabled())
		return 1;
	if (!strcmp(argv[2], "null")) {
		run_null();
		return 0;
	}
	if (is_file && !brief && !strcmp(argv[1], "event"))
		run_metrics();
	run_event("region_enter or leave", region);
	run_event("data of 10 bytes", data);
	run_event("data of 1 KB", long_data);
	run_event("printf", message);
	return 0;
}
