/* SPDX-License-Identifier: MIT */
/* Write the kernel's records into a perf.data file. */
#include "record/kernel/kernel_file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "record/store.h"

void tr2_kernel_file_init(struct tr2_kernel_file *f)
{
	memset(f, 0, sizeof(*f));
	f->fd = -1;
}

void tr2_kernel_file_release(struct tr2_kernel_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	tr2_perf_file_release(&f->perf);
	tr2_kernel_file_init(f);
}

/* Write no more to the file: it ends with its last whole record. */
static void stop_file(struct tr2_kernel_file *f, int err)
{
	if (!f->error)
		f->error = err;
	if (ftruncate(f->fd, (off_t)f->bytes))
		f->bytes = 0;
	close(f->fd);
	f->fd = -1;
}

void tr2_kernel_file_begin(struct tr2_kernel_file *f, int fd)
{
	struct tr2_buf b = TR2_BUF_INIT;

	f->fd = fd;
	tr2_perf_file_begin(&b, &f->perf, 0);
	if (b.failed || tr2_store_write(fd, b.p, b.len))
		stop_file(f, b.failed ? ENOMEM : errno);
	else
		f->begin = f->bytes = b.len;
	tr2_buf_release(&b);
}

/* Return how many bytes were written; if not all, errno is set. */
static uint64_t write_parts(int fd, struct iovec *part, int nr)
{
	uint64_t written = 0;
	size_t done;
	ssize_t n;

	while (nr) {
		n = writev(fd, part, nr);
		if (n < 0 && errno != EINTR)
			break;
		done = n < 0 ? 0 : (size_t)n;
		for (written += done; nr && done >= part->iov_len; nr--, part++)
			done -= part->iov_len;
		if (nr) {
			part->iov_base = (char *)part->iov_base + done;
			part->iov_len -= done;
		}
	}
	return written;
}

/* Count the whole records in the `written` bytes after the offset *bytes, and
 * add their size to *bytes. The last record may be cut. */
static uint64_t whole_records(int fd, uint64_t *bytes, uint64_t written)
{
	struct perf_event_header h;
	uint64_t end = *bytes + written, nr = 0;

	while (end - *bytes >= sizeof(h) &&
	       pread(fd, &h, sizeof(h), (off_t)*bytes) == sizeof(h) &&
	       h.size >= sizeof(h) && h.size <= end - *bytes) {
		*bytes += h.size;
		nr++;
	}
	return nr;
}

void tr2_kernel_file_append(struct tr2_kernel_file *f, struct iovec *part,
			    int nr_parts, uint64_t nr_records)
{
	uint64_t bytes = 0, written;
	int i, err;

	for (i = 0; i < nr_parts; i++)
		bytes += part[i].iov_len;
	if (f->max_bytes && f->bytes + bytes > f->max_bytes)
		f->is_full = true;
	if (f->fd < 0 || f->is_full) {
		f->lost += nr_records;
		return;
	}
	written = write_parts(f->fd, part, nr_parts);
	if (written == bytes) {
		f->bytes += bytes;
		return;
	}
	err = errno;
	f->lost += nr_records;
	f->lost -= whole_records(f->fd, &f->bytes, written);
	stop_file(f, err);
}

void tr2_kernel_file_finish(struct tr2_kernel_file *f)
{
	struct tr2_buf b = TR2_BUF_INIT;

	if (f->fd < 0)
		return;
	tr2_perf_file_end(&b, &f->perf, f->bytes);
	if (b.failed || tr2_store_write(f->fd, b.p, b.len)) {
		stop_file(f, b.failed ? ENOMEM : errno);
	} else {
		tr2_buf_reset(&b);
		tr2_perf_file_begin(&b, &f->perf, f->bytes - f->begin);
		if (b.failed ||
		    pwrite(f->fd, b.p, b.len, 0) != (ssize_t)b.len)
			stop_file(f, b.failed ? ENOMEM : errno);
	}
	tr2_buf_release(&b);
}
