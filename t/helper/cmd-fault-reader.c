/* SPDX-License-Identifier: MIT */
/*
 * Readers, good and bad: a unix socket or a fifo to which a command writes.
 *
 * The reader is ready before the command starts, and it ends by itself after
 * the command has ended and every writer has closed; so a test needs neither a
 * background process nor a sleep. Whole lines of all writers are written to the
 * output in the order in which they end; unfinished lines follow them
 * unchanged.
 */
#include "base/buf.h"
#include "cmd-fault.h"

#include <sys/signalfd.h>

#define MAX_WRITERS 256
#define NO_LIMIT ((size_t)-1)

struct writer {
	int fd;
	struct tr2_buf rest; /* an unfinished line */
};

struct reader {
	int listener; /* a stream socket, or -1 */
	bool never; /* accept connections, but do not read */
	size_t limit; /* hang up after this many bytes */
	size_t seen;
	FILE *output;
	struct writer writers[MAX_WRITERS];
	int nr_writers;
	int child_fd; /* a descriptor that is readable after the command has
		       * ended */
	pid_t child;
};

struct reader_options {
	bool never;
	size_t limit;
	const char *output;
};

static const char **parse_options(struct reader_options *o, const char **argv)
{
	o->never = false;
	o->limit = NO_LIMIT;
	o->output = NULL;
	for (; *argv && !strncmp(*argv, "--", 2); argv++) {
		if (!strcmp(*argv, "--never-read"))
			o->never = true;
		else if (!strncmp(*argv, "--hang-up-after=", 16))
			o->limit = tool_unsigned(*argv + 16);
		else if (!strncmp(*argv, "--output=", 9))
			o->output = *argv + 9;
		else
			tool_usage_error("no option '%s'", *argv);
	}
	if (!argv[0] || !argv[1])
		tool_usage_error("a path and a command are wanted");
	return argv;
}

static void add_writer(struct reader *r, int fd)
{
	struct writer *w = &r->writers[r->nr_writers];

	if (r->nr_writers == MAX_WRITERS)
		tool_die("more than %d writers", MAX_WRITERS);
	memset(w, 0, sizeof(*w));
	w->fd = fd;
	r->nr_writers++;
}

static void write_out(struct reader *r, struct tr2_buf *b, size_t n)
{
	if (!n)
		return;
	if (fwrite(b->p, 1, n, r->output) != n)
		tool_die("cannot write what was read: %s", strerror(errno));
	b->len -= n;
	memmove(b->p, b->p + n, b->len);
}

static void write_lines(struct reader *r, struct tr2_buf *b)
{
	const char *end = b->len ? memrchr(b->p, '\n', b->len) : NULL;

	if (end)
		write_out(r, b, (size_t)(end - b->p) + 1);
}

static void remove_writer(struct reader *r, int nr)
{
	struct writer *w = &r->writers[nr];

	write_out(r, &w->rest, w->rest.len);
	tr2_buf_release(&w->rest);
	close(w->fd);
	r->nr_writers--;
	memmove(w, w + 1, (size_t)(r->nr_writers - nr) * sizeof(*w));
}

/* Stop reading: further writes meet a closed socket. */
static void hang_up(struct reader *r)
{
	while (r->nr_writers)
		remove_writer(r, r->nr_writers - 1);
	if (r->listener >= 0)
		close(r->listener);
	r->listener = -1;
}

static void read_some(struct reader *r, int nr)
{
	struct writer *w = &r->writers[nr];
	char block[65536];
	size_t want = r->limit - r->seen;
	ssize_t n = read(w->fd, block, want < sizeof(block) ? want :
							      sizeof(block));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		remove_writer(r, nr);
		return;
	}
	r->seen += (size_t)n;
	tr2_buf_add(&w->rest, block, (size_t)n);
	write_lines(r, &w->rest);
	if (r->seen >= r->limit)
		hang_up(r);
}

static void accept_one(struct reader *r)
{
	int fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC);

	if (fd >= 0)
		add_writer(r, fd);
	else if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
		tool_die("cannot accept: %s", strerror(errno));
}

/* Wait at most timeout_ms; return false if nothing came. */
static bool serve_once(struct reader *r, int timeout_ms)
{
	struct pollfd fds[MAX_WRITERS + 2];
	int i, nr = r->never ? 0 : r->nr_writers;

	for (i = 0; i < nr; i++) {
		fds[i].fd = r->writers[i].fd;
		fds[i].events = POLLIN;
	}
	fds[nr].fd = r->listener;
	fds[nr].events = POLLIN;
	fds[nr + 1].fd = r->child ? r->child_fd : -1;
	fds[nr + 1].events = POLLIN;
	if (poll(fds, (nfds_t)nr + 2, timeout_ms) <= 0)
		return false;
	if (fds[nr].revents)
		accept_one(r);
	/* Begin with the last writer: removing one moves those after it. */
	for (i = nr - 1; i >= 0 && r->nr_writers; i--)
		if (fds[i].revents)
			read_some(r, i);
	return true;
}

/* Return the code of the command if it has ended, else -1. */
static int reap(struct reader *r)
{
	int status;

	if (waitpid(r->child, &status, WNOHANG) != r->child)
		return -1;
	r->child = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
				     WEXITSTATUS(status);
}

/*
 * Serve until the command ends, then read the rest of the queue. Writers of
 * datagrams never close their end: without a stream, stop when the queue is
 * empty.
 */
static int serve(struct reader *r, bool stream)
{
	int code = -1;

	while (code < 0) {
		serve_once(r, -1);
		code = reap(r);
	}
	while (!r->never && serve_once(r, stream && r->nr_writers ? -1 : 0))
		;
	hang_up(r);
	return code;
}

static void watch_children(struct reader *r, posix_spawnattr_t *attr)
{
	sigset_t set, before;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &before);
	r->child_fd = signalfd(-1, &set, SFD_CLOEXEC);
	posix_spawnattr_init(attr);
	posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(attr, &before);
}

static void start_command(struct reader *r, const char **argv)
{
	posix_spawnattr_t attr;
	int err;

	watch_children(r, &attr);
	err = posix_spawnp(&r->child, argv[0], NULL, &attr, (char **)argv,
			   environ);
	posix_spawnattr_destroy(&attr);
	if (err)
		tool_die("cannot run %s: %s", argv[0], strerror(err));
}

static int run_reader(struct reader *r, const struct reader_options *o,
		      const char **argv, bool stream)
{
	int code;

	r->never = o->never;
	r->limit = o->limit;
	r->output = o->output ? fopen(o->output, "we") : stdout;
	if (!r->output)
		tool_die("cannot create '%s': %s", o->output, strerror(errno));
	start_command(r, argv + 1);
	code = serve(r, stream);
	if (fflush(r->output))
		tool_die("cannot write what was read: %s", strerror(errno));
	return code;
}

static int make_socket(const char *path, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (strlen(path) >= sizeof(address.sun_path))
		tool_die("'%s' is too long for a socket", path);
	memcpy(address.sun_path, path, strlen(path) + 1);
	unlink(path); /* an earlier reader may have left it */
	if (fd < 0 ||
	    bind(fd, (struct sockaddr *)&address, sizeof(address)) ||
	    (type == SOCK_STREAM && listen(fd, MAX_WRITERS)))
		tool_die("cannot listen at '%s': %s", path, strerror(errno));
	return fd;
}

static struct reader the_reader;

static int listen_stream(int argc, const char **argv)
{
	struct reader *r = &the_reader;
	struct reader_options o;

	argv = parse_options(&o, argv);
	r->listener = make_socket(argv[0], SOCK_STREAM);
	return run_reader(r, &o, argv, true);
}

static int listen_dgram(int argc, const char **argv)
{
	struct reader *r = &the_reader;
	struct reader_options o;

	argv = parse_options(&o, argv);
	r->listener = -1;
	add_writer(r, make_socket(argv[0], SOCK_DGRAM));
	return run_reader(r, &o, argv, false);
}

/* Open the fifo for reading and writing, so that open() does not wait. */
static int read_fifo(int argc, const char **argv)
{
	struct reader *r = &the_reader;
	struct reader_options o;
	int fd;

	argv = parse_options(&o, argv);
	unlink(argv[0]); /* an earlier reader may have left it */
	fd = mkfifo(argv[0], 0666) ? -1 : open(argv[0], O_RDWR | O_CLOEXEC);
	if (fd < 0)
		tool_die("cannot make the fifo '%s': %s", argv[0],
			 strerror(errno));
	r->listener = -1;
	add_writer(r, fd);
	return run_reader(r, &o, argv, false);
}

#define READER_USAGE                                               \
	"[--never-read] [--hang-up-after=<bytes>] [--output=<file>]" \
	" <path> <command> [<arg>...]"

const struct tool_verb tool_verbs_reader[] = {
	{ "listen-stream", READER_USAGE, 2, -1, listen_stream },
	{ "listen-dgram", READER_USAGE, 2, -1, listen_dgram },
	{ "read-fifo", READER_USAGE, 2, -1, read_fifo },
	{ NULL, NULL, 0, 0, NULL },
};
