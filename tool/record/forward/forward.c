/* SPDX-License-Identifier: MIT */
/* forward - implements forward/forward.h. */
#include "record/forward/forward.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/text.h"
#include "common/memory.h"
#include "common/say.h"
#include "export/export.h"
#include "format/events/event_json.h"
#include "format/events/json.h"
#include "model/build/build.h"
#include "record/forward/sender.h"
#include "record/forward/trees.h"

/* Turns the lines of trees that have ended into requests for a collector, as
 * `trace2 export --to otlp` does. */
struct tr2_requests {
	struct tr2_tree_sampling sampling; /* the choice of trees, with its
					    * counts */
	bool redact;
	struct tr2_sender *sender; /* gets the requests */
	struct tr2_buf text, host; /* text: lines of one tree; host: the
				    * description of this machine */
};

/* Keep buffers of up to this size between trees. */
#define KEPT_BYTES (1u << 20)

static void requests_init(struct tr2_requests *r)
{
	char name[256] = "";

	if (gethostname(name, sizeof(name) - 1))
		return;
	tr2_buf_addlit(&r->host, "{\"host\":");
	tr2_json_add_string(&r->host, name);
	tr2_buf_addch(&r->host, '}');
}

static void read_tree(struct tr2_requests *r, struct tr2_event_reader *reader,
		      const struct tr2_tree *tree)
{
	const struct tr2_tree_chunk *c;
	const char *p, *end, *newline;
	uint64_t number = 0;

	tr2_buf_reset(&r->text);
	for (c = tree->first; c; c = c->next)
		tr2_buf_add(&r->text, c->text, c->len);
	end = r->text.p + r->text.len;
	tr2_buf_addchars(&r->text, '\n', TR2_JSON_PADDING);
	tr2_must(!r->text.failed);
	end = r->text.p + (end - r->text.p);
	for (p = r->text.p; p < end; p = newline + 1) {
		newline = memchr(p, '\n', (size_t)(end + 1 - p));
		tr2_event_reader_line(reader, p, (size_t)(newline - p),
				      ++number, false);
	}
	if (r->text.alloc > KEPT_BYTES)
		tr2_buf_release(&r->text);
}

static void on_request(struct tr2_export *x, const char *body, size_t len,
		       uint32_t nr_spans, uint32_t nr_trees)
{
	struct tr2_requests *r = x->deliver_to;

	tr2_sender_add(r->sender, body, len, nr_spans, nr_trees);
}

static void export_model(struct tr2_requests *r, struct tr2_model *m)
{
	static const struct tr2_filter any = TR2_FILTER_ANY;
	const struct tr2_export_options opt = { .redact = r->redact };
	struct tr2_export x = {
		.m = m,
		.opt = &opt,
		.filter = &any,
		.sampling = &r->sampling,
		.deliver = on_request,
		.deliver_to = r,
	};

	tr2_export_run(&x, &tr2_export_otlp);
	tr2_buf_release(&x.sink.buf);
}

/* Take ended trees until they have `bytes` bytes, but at least one, and render
 * them. Return false if there are no ended trees. */
static bool requests_of_trees(struct tr2_requests *r, struct tr2_trees *trees,
			      size_t bytes)
{
	struct tr2_tree *tree = tr2_trees_take(trees);
	struct tr2_event_reader *reader;
	struct tr2_model *m;
	size_t taken = 0;

	if (!tree)
		return false;
	m = tr2_model_new();
	if (r->host.len)
		m->meta_json = tr2_model_copy(m, r->host.p, r->host.len);
	reader = tr2_event_reader_new(m, NULL, NULL);
	tr2_event_reader_source(reader, tr2_intern(m, "socket", 6));
	do {
		taken += tree->bytes;
		read_tree(r, reader, tree);
		tr2_tree_free(tree);
	} while (taken < bytes && (tree = tr2_trees_take(trees)));
	tr2_event_reader_free(reader);
	tr2_model_finish(m);
	export_model(r, m);
	tr2_model_free(m);
	return true;
}

#define NS_PER_MS 1000000ll
#define NS_PER_S 1000000000ll
/* Wait this long after a tree's end for processes that begin late. */
#define LINGER_NS NS_PER_S
/* TURN_NS: least time between two turns of the thread, so that one wake-up
 * serves many lines. REQUEST_NS: least time between two requests. LOOK_NS: time
 * between two searches for ended processes. */
#define TURN_NS (50 * NS_PER_MS)
#define REQUEST_NS (250 * NS_PER_MS)
#define LOOK_NS (10 * NS_PER_S)
/* TURN_BYTES: begin a turn at once when this many bytes are queued.
 * RENDER_BYTES: render at once when ended trees have this many bytes, and
 * render about this many at a time. */
#define TURN_BYTES (256u << 10)
#define RENDER_BYTES (4u << 20)

struct counts {
	struct tr2_trees_counts trees;
	uint64_t nr_trees, nr_kept; /* nr_trees: trees to choose from; nr_kept:
				     * chosen trees */
};

struct tr2_forward {
	struct tr2_post *post;
	bool quiet;
	pthread_t thread;
	bool started;
	/* The lock protects the members below. */
	pthread_mutex_t lock;
	pthread_cond_t more, done;
	struct tr2_tree_chunk *first, *last;
	size_t queued_bytes;
	uint64_t lost_lines; /* lines that were dropped because the queue was
			      * full */
	bool ending, ended;
	struct counts counts;
	/* Only the rendering thread uses the members below. */
	struct tr2_trees trees;
	struct tr2_requests requests;
	int64_t rendered_ns, looked_ns;
	/* The sender's own thread uses this member, too. */
	struct tr2_sender sender;
};

static int64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

static struct timespec as_time(int64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S),
				  .tv_nsec = (long)(ns % NS_PER_S) };
}

struct tr2_forward *tr2_forward_new(const struct tr2_forward_options *options)
{
	struct tr2_post *post = tr2_post_new(options->url, 10);
	struct tr2_forward *f;

	if (!post)
		return NULL;
	f = tr2_calloc(1, sizeof(*f));
	f->post = post;
	f->quiet = options->quiet;
	f->requests.sampling = options->sampling;
	f->requests.redact = options->redact;
	f->requests.sender = &f->sender;
	requests_init(&f->requests);
	pthread_mutex_init(&f->lock, NULL);
	tr2_cond_init(&f->more);
	tr2_cond_init(&f->done);
	return f;
}

/* Return the time of the next turn if no line arrives. Wait a little after a
 * tree's end, so that trees that end at nearly the same time are rendered
 * together. */
static int64_t next_turn(const struct tr2_forward *f)
{
	int64_t at = f->looked_ns + LOOK_NS, due;

	if (f->trees.ended.first) {
		due = f->trees.ended.first->at_ns + LINGER_NS;
		if (due < f->rendered_ns + REQUEST_NS)
			due = f->rendered_ns + REQUEST_NS;
		if (due < at)
			at = due;
	}
	return at;
}

/* Wait until there is something to do, and return the queued lines. Call it
 * with the lock held. */
static struct tr2_tree_chunk *await_lines(struct tr2_forward *f,
					  int64_t turned_ns)
{
	struct tr2_tree_chunk *chunks;
	struct timespec until;
	int64_t at;

	for (;;) {
		at = f->first ? turned_ns + TURN_NS : next_turn(f);
		if (f->ending || f->queued_bytes >= TURN_BYTES ||
		    now_ns() >= at)
			break;
		until = as_time(at);
		pthread_cond_timedwait(&f->more, &f->lock, &until);
	}
	chunks = f->first;
	f->first = f->last = NULL;
	f->queued_bytes = 0;
	return chunks;
}

static void render_requests(struct tr2_forward *f, int64_t now)
{
	if (requests_of_trees(&f->requests, &f->trees, RENDER_BYTES))
		f->rendered_ns = now;
}

static void add_chunks(struct tr2_forward *f, struct tr2_tree_chunk *c,
		       int64_t now)
{
	struct tr2_tree_chunk *next;

	for (; c; c = next) {
		next = c->next;
		tr2_trees_add(&f->trees, c, now);
		if (f->trees.ended_bytes >= RENDER_BYTES)
			render_requests(f, now);
	}
}

static void take_turn(struct tr2_forward *f, struct tr2_tree_chunk *chunks)
{
	int64_t now = now_ns();

	add_chunks(f, chunks, now);
	if (now >= f->looked_ns + LOOK_NS) {
		tr2_trees_look(&f->trees, now);
		f->looked_ns = now;
	}
	if (f->trees.ended.first && now >= next_turn(f))
		render_requests(f, now);
}

/* Publish the counts. Call it with the lock held. */
static void publish_counts(struct tr2_forward *f)
{
	f->counts = (struct counts){ f->trees.counts,
				     f->requests.sampling.nr_trees,
				     f->requests.sampling.nr_kept };
}

static void *forward_main(void *data)
{
	struct tr2_forward *f = data;
	struct tr2_tree_chunk *chunks;
	int64_t turned_ns = 0;
	bool ending = false;

	pthread_mutex_lock(&f->lock);
	while (!ending) {
		chunks = await_lines(f, turned_ns);
		ending = f->ending;
		pthread_mutex_unlock(&f->lock);
		turned_ns = now_ns();
		take_turn(f, chunks);
		if (ending) {
			tr2_trees_end(&f->trees, now_ns());
			while (f->trees.ended.first)
				render_requests(f, now_ns());
		}
		pthread_mutex_lock(&f->lock);
		publish_counts(f);
	}
	f->ended = true;
	pthread_cond_signal(&f->done);
	pthread_mutex_unlock(&f->lock);
	return NULL;
}

int tr2_forward_start(struct tr2_forward *f)
{
	int err = tr2_sender_start(&f->sender, f->post, f->quiet);

	f->looked_ns = now_ns();
	if (!err)
		err = tr2_thread_start(&f->thread, forward_main, f);
	f->started = !err;
	return err;
}

static void enqueue_tree(struct tr2_forward *f, struct tr2_tree_chunk *c)
{
	bool signals;

	c->next = NULL;
	pthread_mutex_lock(&f->lock);
	if (f->queued_bytes + sizeof(*c) + c->len > TR2_FORWARD_QUEUE_BYTES &&
	    c->nr_lines) {
		f->lost_lines += c->nr_lines;
		pthread_mutex_unlock(&f->lock);
		free(c);
		return;
	}
	signals = !f->first;
	*(f->last ? &f->last->next : &f->first) = c;
	f->last = c;
	f->queued_bytes += sizeof(*c) + c->len;
	if (signals || f->queued_bytes >= TURN_BYTES)
		pthread_cond_signal(&f->more);
	pthread_mutex_unlock(&f->lock);
}

void tr2_forward_add(struct tr2_forward *f, uint64_t client, const char *text,
		     size_t len, uint64_t nr_lines)
{
	struct tr2_tree_chunk *c;

	if (!f)
		return;
	c = malloc(sizeof(*c) + len);
	if (!c) {
		pthread_mutex_lock(&f->lock);
		f->lost_lines += nr_lines;
		pthread_mutex_unlock(&f->lock);
		return;
	}
	c->client = client;
	c->nr_lines = nr_lines;
	c->len = len;
	memcpy(c->text, text, len);
	enqueue_tree(f, c);
}

void tr2_forward_close(struct tr2_forward *f, uint64_t client)
{
	tr2_forward_add(f, client, "", 0, 0);
}

static void add_count(struct tr2_buf *b, const char *before, uint64_t n,
		      const char *after)
{
	tr2_buf_addstr(b, before);
	tr2_buf_add_u64(b, n);
	tr2_buf_addstr(b, after);
}

static void add_lost(struct tr2_buf *b, const struct counts *c,
		     const struct tr2_sender_counts *sent)
{
	const struct {
		const char *name;
		uint64_t nr;
	} cause[] = {
		{ "too_large", c->trees.too_large },
		{ "memory_full", c->trees.memory_full },
		{ "queue_full", sent->queue_full },
		{ "refused", sent->refused },
		{ "unsent", sent->unsent },
	};
	const char *before = " (";
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cause); i++)
		sum += cause[i].nr;
	add_count(b, ", ", sum, " lost");
	for (i = 0; i < ARRAY_SIZE(cause); i++) {
		if (!cause[i].nr)
			continue;
		tr2_buf_addall(b, before, cause[i].name);
		add_count(b, " ", cause[i].nr, "");
		before = ", ";
	}
	tr2_buf_addstr(b, sum ? ")" : "");
}

void tr2_forward_counts(struct tr2_forward *f, struct tr2_buf *b)
{
	struct tr2_sender_counts sent;
	struct counts c;
	uint64_t lines;

	tr2_sender_count(&f->sender, &sent);
	pthread_mutex_lock(&f->lock);
	c = f->counts;
	lines = f->lost_lines + c.trees.lost_lines;
	pthread_mutex_unlock(&f->lock);
	add_count(b, "", sent.sent_trees, " trees sent (");
	add_count(b, "", sent.sent_spans, " spans), ");
	add_count(b, "", c.trees.open, " open, ");
	add_count(b, "", sent.waiting_trees, " waiting, ");
	add_count(b, "", c.nr_trees - c.nr_kept, " not sampled");
	add_lost(b, &c, &sent);
	if (sent.rejected_spans)
		add_count(b, ", ", sent.rejected_spans, " spans rejected");
	if (lines)
		add_count(b, ", ", lines, " events lost");
}

const char *tr2_forward_shown(struct tr2_forward *f)
{
	return tr2_http_shown(tr2_post_http(f->post));
}

void tr2_forward_finish(struct tr2_forward *f, unsigned int seconds)
{
	struct timespec until;
	bool ended;

	if (!f || !f->started)
		return;
	until = as_time(now_ns() + seconds * NS_PER_S);
	pthread_mutex_lock(&f->lock);
	f->ending = true;
	pthread_cond_signal(&f->more);
	while (!f->ended)
		if (pthread_cond_timedwait(&f->done, &f->lock, &until))
			break;
	ended = f->ended;
	pthread_mutex_unlock(&f->lock);
	if (ended)
		pthread_join(f->thread, NULL);
	else
		pthread_detach(f->thread);
	f->started = !ended;
	f->started |= !tr2_sender_finish(&f->sender, &until);
}

/* If a thread did not end, do not free the memory that it uses. */
void tr2_forward_free(struct tr2_forward *f)
{
	if (!f || f->started)
		return;
	tr2_trees_release(&f->trees);
	tr2_buf_release(&f->requests.text);
	tr2_buf_release(&f->requests.host);
	tr2_post_free(f->post);
	free(f);
}
