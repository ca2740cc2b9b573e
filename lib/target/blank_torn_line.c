/* SPDX-License-Identifier: MIT */
/* Blank out the beginning of a line that a file took only in part. */
#include "target/blank_torn_line.h"

#include "base/buf.h"
#include "base/raw.h"

#define CHUNK 1024u

static bool is_within_regular_file(int fd, off_t end)
{
	struct stat st;

	return !tr2_raw_fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       end <= st.st_size;
}

/* Open the file again for reading and writing, not for appending. Do not use
 * libc's calls, which are cancellation points. */
static int open_again(int fd)
{
	char path[40];
	struct tr2_buf b;

	tr2_buf_init_fixed(&b, path, sizeof(path));
	tr2_buf_addlit(&b, "/proc/self/fd/");
	tr2_buf_add_u64(&b, (uint64_t)fd);
	tr2_buf_addch(&b, '\0');
	return (int)syscall(SYS_openat, AT_FDCWD, path,
			    O_RDWR | O_CLOEXEC | O_NOCTTY, 0);
}

static bool has_bytes(int fd, const char *p, size_t len, off_t at)
{
	char there[CHUNK];
	size_t n;

	for (; len; p += n, at += (off_t)n, len -= n) {
		n = len < CHUNK ? len : CHUNK;
		if (tr2_sys_pread(fd, there, n, (uint64_t)at) != (ssize_t)n ||
		    memcmp(there, p, n))
			return false;
	}
	return true;
}

/* Blank out from the end: if this stops early, the rest of the piece is a line
 * of its own. */
static bool blank_out(int fd, size_t len, off_t at)
{
	char blanks[CHUNK];
	size_t n;

	memset(blanks, ' ', sizeof(blanks));
	blanks[CHUNK - 1] = '\n';
	for (; len; len -= n) {
		n = len < CHUNK ? len : CHUNK;
		if (tr2_sys_pwrite(fd, blanks + CHUNK - n, n,
				   (uint64_t)at + len - n) != (ssize_t)n)
			return false;
		blanks[CHUNK - 1] = ' ';
	}
	return true;
}

bool tr2_blank_torn_line(int fd, const struct tr2_file_id *id,
			 const char *line, size_t len)
{
	off_t end = lseek(fd, 0, SEEK_CUR);
	bool ok = false;
	int again;

	if (end < (off_t)len || !is_within_regular_file(fd, end))
		return false;
	again = open_again(fd);
	if (again < 0)
		return false;
	if (tr2_fd_is(again, id) &&
	    has_bytes(again, line, len, end - (off_t)len))
		ok = blank_out(again, len, end - (off_t)len);
	syscall(SYS_close, again);
	return ok;
}
