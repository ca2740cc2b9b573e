/* SPDX-License-Identifier: MIT */
/* Write collected lines to files from a thread. */
#include "record/streams/stream_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *const tr2_loss_names[TR2_LOSS_NR] = {
	[TR2_LOSS_QUEUE_FULL] = "queue_full",
	[TR2_LOSS_TOO_LONG] = "too_long",
	[TR2_LOSS_NO_MEMORY] = "no_memory",
	[TR2_LOSS_WRITE_FAILED] = "write_failed",
	[TR2_LOSS_OVER_MAX_SIZE] = "over_max_size",
};

/* Return the entry of the open file of this name; if there is none, the least
 * recently used entry. */
static struct tr2_sink_file *find_file(struct tr2_sink *s, const char *name)
{
	struct tr2_sink_file *f, *oldest = s->files;

	for (f = s->files; f < s->files + TR2_SINK_FILES; f++) {
		if (f->fd >= 0 && !strcmp(f->name, name))
			return f;
		if (f->fd < 0 ? oldest->fd >= 0 :
				oldest->fd >= 0 && f->used < oldest->used)
			oldest = f;
	}
	if (oldest->fd >= 0)
		close(oldest->fd);
	oldest->fd = openat(s->rotate.events_fd, name,
			    O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW |
				    O_CLOEXEC,
			    0600);
	memcpy(oldest->name, name, strlen(name) + 1);
	return oldest;
}

/* Append all bytes. If that fails, remove the written part, as far as the file
 * system permits it. */
static int append_bytes(int fd, const char *p, size_t len)
{
	size_t left = len;
	struct stat st;
	ssize_t n;
	int err;

	while (left) {
		n = write(fd, p, left);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		p += n;
		left -= (size_t)n;
	}
	if (!left)
		return 0;
	err = errno;
	if (left < len && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	    ftruncate(fd, st.st_size - (off_t)(len - left)))
		err = errno;
	errno = err;
	return -1;
}

static void close_files(struct tr2_sink *s)
{
	struct tr2_sink_file *f;

	for (f = s->files; f < s->files + TR2_SINK_FILES; f++) {
		if (f->fd >= 0)
			close(f->fd);
		f->fd = -1;
	}
}

static int write_lines(struct tr2_sink *s, const char *name, const char *p,
		       size_t len)
{
	struct tr2_sink_file *f = find_file(s, name);

	f->used = ++s->clock;
	if (f->fd < 0)
		return -1;
	return append_bytes(f->fd, p, len);
}

static uint64_t count_lines(const char *p, size_t len)
{
	const char *end = p + len;
	uint64_t nr = 0;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		nr++;
		p++;
	}
	return nr;
}

/*
 * Write a chunk, without the lock, since the disk may be slow. Return the
 * number of lines that could not be written, with errno set.
 */
static uint64_t write_chunk(struct tr2_sink *s, const struct tr2_sink_chunk *c)
{
	uint64_t failed = 0;
	size_t at = 0, n;
	int err = 0;

	for (; at < c->len; at += n) {
		n = tr2_rotate_room(&s->rotate, c->text + at, c->len - at);
		if (!n) {
			close_files(s);
			tr2_rotate_now(&s->rotate);
			continue;
		}
		if (write_lines(s, c->name, c->text + at, n)) {
			err = errno;
			failed += n == c->len ? c->nr_lines :
						count_lines(c->text + at, n);
		} else {
			s->rotate.bytes += n;
		}
	}
	errno = err;
	return failed;
}

static struct tr2_sink_chunk *read_chunk(struct tr2_sink *s)
{
	struct tr2_sink_chunk *c;

	while (!s->first && !s->ending)
		pthread_cond_wait(&s->more, &s->lock);
	c = s->first;
	if (c) {
		s->first = c->next;
		if (!s->first)
			s->last = NULL;
	}
	return c;
}

static void *sink_main(void *data)
{
	struct tr2_sink *s = data;
	struct tr2_sink_chunk *c;
	uint64_t failed;
	int err;

	pthread_mutex_lock(&s->lock);
	while ((c = read_chunk(s))) {
		pthread_mutex_unlock(&s->lock);
		failed = write_chunk(s, c);
		err = errno;
		pthread_mutex_lock(&s->lock);
		s->queued_bytes -= sizeof(*c) + c->len;
		s->queued_lines -= c->nr_lines;
		s->removed = s->rotate.removed;
		if (failed) {
			s->lost[TR2_LOSS_WRITE_FAILED] += failed;
			if (!s->write_errno)
				s->write_errno = err;
		}
		free(c);
	}
	close_files(s);
	s->ended = true;
	pthread_cond_signal(&s->done);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

int tr2_sink_start(struct tr2_sink *s, const struct tr2_rotate *rotate,
		   uint64_t max_bytes)
{
	pthread_condattr_t attr;
	int i;

	memset(s, 0, sizeof(*s));
	s->rotate = *rotate;
	s->max_bytes = max_bytes;
	for (i = 0; i < TR2_SINK_FILES; i++)
		s->files[i].fd = -1;
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->more, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&s->done, &attr);
	pthread_condattr_destroy(&attr);
	errno = pthread_create(&s->thread, NULL, sink_main, s);
	s->started = !errno;
	return s->started ? 0 : -1;
}

void tr2_sink_lose(struct tr2_sink *s, enum tr2_loss cause, uint64_t nr_lines)
{
	pthread_mutex_lock(&s->lock);
	s->lost[cause] += nr_lines;
	pthread_mutex_unlock(&s->lock);
}

static bool enqueue_chunk(struct tr2_sink *s, struct tr2_sink_chunk *c)
{
	size_t size = sizeof(*c) + c->len;
	bool fits;

	pthread_mutex_lock(&s->lock);
	fits = size <= TR2_SINK_QUEUE_BYTES &&
	       s->queued_bytes <= TR2_SINK_QUEUE_BYTES - size;
	if (fits) {
		if (s->last)
			s->last->next = c;
		else
			s->first = c;
		s->last = c;
		s->queued_bytes += size;
		s->queued_lines += c->nr_lines;
		pthread_cond_signal(&s->more);
	} else {
		s->lost[TR2_LOSS_QUEUE_FULL] += c->nr_lines;
	}
	pthread_mutex_unlock(&s->lock);
	return fits;
}

void tr2_sink_add(struct tr2_sink *s, const char *name, const char *text,
		  size_t len, uint64_t nr_lines)
{
	struct tr2_sink_chunk *c;

	if (s->max_bytes && len > s->max_bytes - s->bytes) {
		tr2_sink_lose(s, TR2_LOSS_OVER_MAX_SIZE, nr_lines);
		return;
	}
	c = malloc(sizeof(*c) + len);
	if (!c) {
		tr2_sink_lose(s, TR2_LOSS_NO_MEMORY, nr_lines);
		return;
	}
	c->next = NULL;
	c->nr_lines = nr_lines;
	c->len = len;
	memcpy(c->name, name, strlen(name) + 1);
	memcpy(c->text, text, len);
	if (enqueue_chunk(s, c)) {
		s->bytes += len;
		s->lines += nr_lines;
	} else {
		free(c);
	}
}

void tr2_sink_finish(struct tr2_sink *s, unsigned int seconds)
{
	struct timespec until;
	bool ended;

	if (!s->started)
		return;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += seconds;
	pthread_mutex_lock(&s->lock);
	s->ending = true;
	pthread_cond_signal(&s->more);
	while (!s->ended)
		if (pthread_cond_timedwait(&s->done, &s->lock, &until))
			break;
	ended = s->ended;
	if (!ended) {
		s->lost[TR2_LOSS_WRITE_FAILED] += s->queued_lines;
		if (!s->write_errno)
			s->write_errno = ETIMEDOUT;
	}
	pthread_mutex_unlock(&s->lock);
	if (ended)
		pthread_join(s->thread, NULL);
	else
		pthread_detach(s->thread);
	s->started = false;
}
