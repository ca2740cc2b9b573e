/* SPDX-License-Identifier: MIT */
/*
 * check_send - trace2 check --send: send a small session to the event target,
 * and look for it there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/macros.h"
#include "check/check.h"
#include "common/options.h"
#include "common/say.h"
#include "common/settings.h"
#include "event/render.h"

#define ARGV "[\"trace2\",\"check\",\"--send\"]"

/* Make the lines of a session with three events, and a SID for it. */
static void make_probe(struct tr2_buf *probe, struct tr2_buf *sid)
{
	static const char *const events[] = {
		"version\",%s\"evt\":\"4\",\"exe\":\"trace2-check\"}\n",
		"start\",%s\"t_abs\":0.000000,\"argv\":" ARGV "}\n",
		"atexit\",%s\"t_abs\":0.000000,\"code\":0}\n",
	};
	struct tr2_buf head = TR2_BUF_INIT, time_text = TR2_BUF_INIT;
	struct timespec now;
	uint64_t wall_us;
	size_t i;

	clock_gettime(CLOCK_REALTIME, &now);
	wall_us = (uint64_t)now.tv_sec * 1000000 +
		  (uint64_t)now.tv_nsec / 1000;
	tr2_render_time_compact(sid, wall_us);
	tr2_check_say(sid, true, "-Localhost-P%08x", (unsigned int)getpid());
	tr2_render_time_utc(&time_text, wall_us);
	tr2_check_say(&head, true,
		      "\"sid\":\"%s\",\"thread\":\"main\",\"time\":\"%s\","
		      "\"file\":\"%s\",\"line\":%d,",
		      tr2_buf_str(sid), tr2_buf_str(&time_text), __FILE__,
		      __LINE__);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		const char *rest = strstr(events[i], "%s") + 2;

		tr2_buf_addlit(probe, "{\"event\":\"");
		tr2_buf_add(probe, events[i],
			    (size_t)(rest - 2 - events[i]));
		tr2_buf_add(probe, head.p, head.len);
		tr2_buf_addstr(probe, rest);
	}
	tr2_buf_release(&head);
	tr2_buf_release(&time_text);
}

/* Return whether the file contains the text. */
static bool file_has(const char *path, const char *text)
{
	char block[65536 + 1];
	size_t keep = strlen(text), have = 0;
	FILE *f = fopen(path, "re");
	bool found = false;
	size_t n;

	while (f && !found &&
	       (n = fread(block + have, 1, sizeof(block) - 1 - have, f))) {
		have += n;
		found = memmem(block, have, text, keep);
		if (have > keep) {
			memmove(block, block + have - keep, keep);
			have = keep;
		}
	}
	if (f)
		fclose(f);
	return found;
}

static int send_to_file(const char *path, const struct tr2_buf *probe,
			const char *sid)
{
	struct tr2_buf full = TR2_BUF_INIT;
	struct stat st;
	int fd, result = TR2_EXIT_FOUND;

	tr2_buf_addstr(&full, path);
	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		tr2_buf_addch(&full, '/');
		tr2_buf_addstr(&full, sid);
	}
	fd = open(tr2_buf_str(&full),
		  O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, probe->p, probe->len) != (ssize_t)probe->len)
		tr2_error("cannot write to '%s': %s", full.p, strerror(errno));
	else if (!file_has(full.p, sid))
		tr2_error("wrote a probe to '%s', but cannot find it there",
			  full.p);
	else
		result = 0;
	if (!result)
		printf("sent session %s, and found it in '%s'\n", sid, full.p);
	if (fd >= 0)
		close(fd);
	tr2_buf_release(&full);
	return result;
}

/* Send each line as a datagram, or all lines in one stream. */
static bool send_lines(int fd, const struct tr2_buf *probe)
{
	size_t at = 0, len;

	for (; at < probe->len; at += len) {
		len = strcspn(probe->p + at, "\n") + 1;
		if (send(fd, probe->p + at, len, MSG_NOSIGNAL) != (ssize_t)len)
			return false;
	}
	return true;
}

static int send_to_socket(const char *value, struct tr2_buf *probe,
			  const char *sid)
{
	const char *kind;
	int fd = tr2_check_open_socket(value, &kind), result = TR2_EXIT_FOUND;

	if (fd < 0 || !send_lines(fd, probe)) {
		tr2_error("cannot send to '%s': %s", value, strerror(errno));
	} else {
		printf("sent session %s to the %s socket: look for it in the "
		       "output of the socket's reader\n", sid, kind);
		result = 0;
	}
	if (fd >= 0)
		close(fd);
	return result;
}

int tr2_check_send(void)
{
	struct tr2_buf probe = TR2_BUF_INIT, sid = TR2_BUF_INIT;
	static struct tr2_found all[TR2_NR_SETTINGS];
	const struct tr2_setting *event = tr2_setting_find("GIT_TRACE2_EVENT");
	const char *value = all[event - tr2_settings].value;
	int result = TR2_EXIT_FOUND;

	tr2_check_find_settings(all);
	if (!*value) {
		tr2_error("the event target is off: set GIT_TRACE2_EVENT or "
			  "trace2.eventTarget");
		return TR2_EXIT_FOUND;
	}
	make_probe(&probe, &sid);
	tr2_buf_str(&probe);
	if (*value == '/')
		result = send_to_file(value, &probe, tr2_buf_str(&sid));
	else if (!strncmp(value, "af_unix:", 8))
		result = send_to_socket(value, &probe,
					tr2_buf_str(&sid));
	else
		tr2_error("'%s' is neither a path nor a socket: cannot look "
			  "for the session there", value);
	tr2_buf_release(&probe);
	tr2_buf_release(&sid);
	return result;
}
