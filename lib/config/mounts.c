/* SPDX-License-Identifier: MIT */
/*
 * mounts - the type of a mounted file system, from /proc/self/mountinfo. Asking
 * the file system itself, by statfs(), may hang.
 */
#include "config/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A line of mountinfo, read word by word: it may be longer than any buffer. */
struct line {
	char word[24]; /* the current one, possibly cut */
	size_t len;
	unsigned int nr_words;
	bool of_device; /* it describes the wanted device */
	enum { BEFORE_DASH, AT_TYPE, BEHIND_TYPE } place;
};

static bool is_fuse(const char *type)
{
	return !strcmp(type, "fuse") || !strcmp(type, "fuseblk") ||
	       !strncmp(type, "fuse.", 5);
}

/*
 * Take the next word of `ID PARENT MAJOR:MINOR ROOT PLACE OPTIONS [TAG…] - TYPE
 * SOURCE OPTIONS`. true: it is the type of the device, and is FUSE.
 */
static bool take_word(struct line *l, const char *device)
{
	l->word[l->len] = '\0';
	l->len = 0;
	l->nr_words++;
	if (l->nr_words == 3)
		l->of_device = !strcmp(l->word, device);
	if (l->place == AT_TYPE) {
		l->place = BEHIND_TYPE;
		return l->of_device && is_fuse(l->word);
	}
	if (l->place == BEFORE_DASH && l->nr_words > 6 && !strcmp(l->word, "-"))
		l->place = AT_TYPE;
	return false;
}

static bool find_fuse(struct line *l, const char *device, const char *p,
		      size_t n)
{
	for (; n; n--, p++) {
		if (*p != ' ' && *p != '\n') {
			l->word[l->len] = *p;
			l->len += l->len < sizeof(l->word) - 1;
		} else if (take_word(l, device)) {
			return true;
		} else if (*p == '\n') {
			*l = (struct line){ 0 };
		}
	}
	return false;
}

static ssize_t read_some(int fd, char *block, size_t size)
{
	ssize_t n;

	do {
		n = read(fd, block, size);
	} while (n < 0 && errno == EINTR);
	return n;
}

bool tr2_config_is_fuse(struct tr2_config_device wanted)
{
	int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	struct line line = { 0 };
	char device[24], block[1024];
	bool found = false;
	ssize_t n;

	if (fd < 0)
		return false;
	snprintf(device, sizeof(device), "%u:%u", wanted.major,
		 wanted.minor);
	while (!found && (n = read_some(fd, block, sizeof(block))) > 0)
		found = find_fuse(&line, device, block, (size_t)n);
	close(fd);
	return found;
}
