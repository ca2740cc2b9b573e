/* SPDX-License-Identifier: MIT */
/*
 * check_env - trace2 check --env and --send: which targets are on, by which
 * setting, and whether what they write to works.
 */
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/check.h"
#include "common/say.h"
#include "config/config.h"
#include "event/render.h"
#include "common/options.h"
#include "out/table.h"
#include "common/spell.h"

/* Every setting: its variable, and its key in Git's configuration. */
static const struct setting {
	const char *variable, *key;
	bool target;
} settings[] = {
	{ "GIT_TRACE2", "trace2.normaltarget", true },
	{ "GIT_TRACE2_PERF", "trace2.perftarget", true },
	{ "GIT_TRACE2_EVENT", "trace2.eventtarget", true },
	{ "GIT_TRACE2_RING", "trace2.ringtarget", true },
	{ "GIT_TRACE2_BRIEF", "trace2.normalbrief", false },
	{ "GIT_TRACE2_PERF_BRIEF", "trace2.perfbrief", false },
	{ "GIT_TRACE2_EVENT_BRIEF", "trace2.eventbrief", false },
	{ "GIT_TRACE2_EVENT_NESTING", "trace2.eventnesting", false },
	{ "GIT_TRACE2_CONFIG_PARAMS", "trace2.configparams", false },
	{ "GIT_TRACE2_ENV_VARS", "trace2.envvars", false },
	{ "GIT_TRACE2_MAX_FILES", "trace2.maxfiles", false },
	{ "GIT_TRACE2_DST_DEBUG", "trace2.destinationdebug", false },
	{ "GIT_TRACE2_REDACT", NULL, false },
	{ "GIT_TRACE2_SIGNALS", "trace2.signals", false },
	{ "GIT_TRACE2_COUNTERS", "trace2.counters", false },
	{ "GIT_TRACE2_SAMPLE", "trace2.sample", false },
	{ "GIT_TRACE2_PARENT_SID", NULL, false },
	{ "GIT_TRACE2_PARENT_NAME", NULL, false },
};
#define NR_SETTINGS (sizeof(settings) / sizeof(*settings))
enum { EVENT_TARGET = 2 };

/* A value and where it comes from: a file, or "environment". */
struct found {
	char value[4096], origin[4096];
};

/* ---- where a value comes from ---------------------------------------------------- */

struct reading {
	struct found *found; /* by setting */
	int nr_faults;
};

static void set_found(struct found *found, const char *value,
		      const char *origin)
{
	snprintf(found->value, sizeof(found->value), "%s", value);
	snprintf(found->origin, sizeof(found->origin), "%s", origin);
}

static void take_entry(void *cookie, const struct tr2_config_entry *entry)
{
	struct reading *reading = cookie;
	size_t i;

	for (i = 0; i < NR_SETTINGS; i++)
		if (settings[i].key && !strcmp(settings[i].key, entry->key))
			set_found(&reading->found[i],
				  entry->value ? entry->value : "true",
				  entry->path);
}

static void take_fault(void *cookie, const struct tr2_config_fault *fault)
{
	struct reading *reading = cookie;

	if (fault->line)
		tr2_error("cannot read '%s': line %u: %s", fault->path,
			  fault->line, fault->reason);
	else
		tr2_error("cannot read '%s': %s", fault->path, fault->reason);
	reading->nr_faults++;
}

/* Of each setting; an empty value: it is not set. Returns the number of files
 * that cannot be used. */
static int find_settings(struct found *found)
{
	struct reading reading = { .found = found };
	const struct tr2_config_request request = {
		.entry = take_entry, .fault = take_fault, .cookie = &reading,
		.section = "trace2", .thorough = true,
	};
	size_t i;

	memset(found, 0, NR_SETTINGS * sizeof(*found));
	tr2_config_read(&request);
	for (i = 0; i < NR_SETTINGS; i++) {
		const char *value = getenv(settings[i].variable);

		if (value && *value)
			set_found(&found[i], value, "environment");
	}
	return reading.nr_faults;
}

/* ---- whether a destination works --------------------------------------------------- */

/* Says what the value means, into `out`; false: it does not work. */
static bool say(struct tr2_buf *out, bool ok, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static bool say(struct tr2_buf *out, bool ok, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	tr2_buf_vaddf(out, fmt, ap);
	va_end(ap);
	return ok;
}

static bool check_directory(const char *path, struct tr2_buf *out)
{
	char sentinel[4200];
	struct dirent *entry;
	DIR *dir = opendir(path);
	unsigned int nr = 0;

	if (!dir)
		return say(out, false, "a directory that cannot be opened: %s",
			   strerror(errno));
	while ((entry = readdir(dir)))
		nr += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	if (access(path, W_OK | X_OK))
		return say(out, false, "a directory that cannot be written "
				       "to: %s", strerror(errno));
	snprintf(sentinel, sizeof(sentinel), "%s/git-trace2-discard", path);
	if (!access(sentinel, F_OK))
		return say(out, false,
			   "a directory with too many files: nothing is "
			   "written until '%s' is removed", sentinel);
	return say(out, true, "a directory with %u file%s, a new one for each "
			      "process", nr, nr == 1 ? "" : "s");
}

static bool check_path(const char *path, struct tr2_buf *out)
{
	char parent[4096], *slash;
	struct stat st;

	if (!stat(path, &st)) {
		if (S_ISDIR(st.st_mode))
			return check_directory(path, out);
		if (access(path, W_OK))
			return say(out, false, "a file that cannot be written "
					       "to: %s", strerror(errno));
		return say(out, true, "a file, appended to");
	}
	snprintf(parent, sizeof(parent), "%s", path);
	slash = strrchr(parent, '/');
	if (slash == parent)
		slash++;
	*slash = '\0';
	if (access(parent, W_OK | X_OK))
		return say(out, false, "a file that cannot be made in '%s': %s",
			   parent, strerror(errno));
	return say(out, true, "a file that does not exist yet");
}

/* A connected socket that does not block; -1 with errno. */
static int connect_to(const char *path, int type)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd, error;

	if (strlen(path) >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		error = errno;
		close(fd);
		errno = error;
		return -1;
	}
	return fd;
}

static int open_socket(const char *value, const char **kind)
{
	const char *path = value + strlen("af_unix:");
	int fd;

	*kind = "stream";
	if (!strncmp(path, "stream:", 7))
		return connect_to(path + 7, SOCK_STREAM);
	*kind = "datagram";
	if (!strncmp(path, "dgram:", 6))
		return connect_to(path + 6, SOCK_DGRAM);
	*kind = "stream";
	fd = connect_to(path, SOCK_STREAM);
	if (fd >= 0 || errno != EPROTOTYPE)
		return fd;
	*kind = "datagram";
	return connect_to(path, SOCK_DGRAM);
}

static bool check_socket(const char *value, struct tr2_buf *out)
{
	struct pollfd poll_fd = { .events = POLLOUT };
	const char *kind;
	int n;

	poll_fd.fd = open_socket(value, &kind);
	if (poll_fd.fd < 0 && errno == EAGAIN)
		return say(out, false, "a %s socket whose reader does not take "
				       "new connections", kind);
	if (poll_fd.fd < 0)
		return say(out, false, "a socket that nobody listens on: %s",
			   strerror(errno));
	n = poll(&poll_fd, 1, 200);
	close(poll_fd.fd);
	if (n <= 0)
		return say(out, false, "a %s socket whose reader is there, but "
				       "does not read", kind);
	return say(out, true, "a %s socket, alive and draining", kind);
}

static bool check_value(const char *value, struct tr2_buf *out)
{
	if (!strcmp(value, "0") || !strcasecmp(value, "false"))
		return say(out, true, "off");
	if (!strcmp(value, "1") || !strcasecmp(value, "true"))
		return say(out, true, "standard error");
	if (value[0] >= '2' && value[0] <= '9' && !value[1]) {
		if (fcntl(value[0] - '0', F_GETFL) >= 0)
			return say(out, true, "descriptor %s, open", value);
		return say(out, false, "descriptor %s, which is not open here",
			   value);
	}
	if (*value == '/')
		return check_path(value, out);
	if (!strncmp(value, "af_unix:", 8))
		return check_socket(value, out);
	return say(out, false, "nothing that is known: 0, 1, 2 to 9, an "
			       "absolute path or af_unix:PATH");
}

/* ---- --env ------------------------------------------------------------------------ */

static bool is_known(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < NR_SETTINGS; i++)
		if (strlen(settings[i].variable) == len &&
		    !memcmp(settings[i].variable, name, len))
			return true;
	return false;
}

/* Which setting somebody meant: by a word that others use, else by letters. */
static const char *nearest(const char *name)
{
	const char *best = NULL;
	int least = 64, d;
	size_t i;

	if (strstr(name, "DEPTH") || strstr(name, "NEST"))
		return "GIT_TRACE2_EVENT_NESTING";
	for (i = 0; i < NR_SETTINGS; i++) {
		d = tr2_spell_distance(name, settings[i].variable);
		if (d < least) {
			least = d;
			best = settings[i].variable;
		}
	}
	return least <= 7 ? best : NULL;
}

static const struct tr2_column columns[] = {
	{ "variable", "SETTING", TR2_COL_LEFT },
	{ "value", "VALUE", TR2_COL_LEFT },
	{ "origin", "FROM", TR2_COL_LEFT },
	{ "works", "", TR2_COL_DATA },
	{ "meaning", "WHICH IS", TR2_COL_LEFT },
};

static void add_row(struct tr2_table *t, const char *variable,
		    const struct found *found, bool ok, const char *meaning)
{
	tr2_table_row(t);
	tr2_cell_str(t, variable);
	tr2_cell_str(t, found->value);
	tr2_cell_str(t, found->origin);
	tr2_cell_str(t, ok ? "yes" : "no");
	tr2_cell_str(t, meaning);
	if (!ok)
		tr2_cell_color(t, TR2_COLOR_BAD);
}

/* Variables that look like ours and are not. Returns how many. */
static int add_near_misses(struct tr2_table *t)
{
	struct found found = { "", "environment" };
	struct tr2_buf text = TR2_BUF_INIT;
	char name[64];
	int nr = 0;
	char **v;

	for (v = environ; *v; v++) {
		size_t len = strcspn(*v, "=");
		const char *near;

		if (strncmp(*v, "GIT_TRACE2", 10) != 0 ||
		    len >= sizeof(name) || is_known(*v, len))
			continue;
		memcpy(name, *v, len);
		name[len] = '\0';
		snprintf(found.value, sizeof(found.value), "%s",
			 (*v)[len] ? *v + len + 1 : "");
		near = nearest(name);
		tr2_buf_reset(&text);
		if (near)
			say(&text, false, "not a setting: did you mean %s?",
			    near);
		else
			say(&text, false, "not a setting");
		add_row(t, name, &found, false, tr2_buf_str(&text));
		nr++;
	}
	tr2_buf_release(&text);
	return nr;
}

/* Adds a row for each setting that is set. Returns how many do not work. */
static int add_settings(struct tr2_table *t, const struct found *found,
			int *nr_targets)
{
	struct tr2_buf meaning = TR2_BUF_INIT;
	int bad = 0;
	size_t i;

	for (i = 0; i < NR_SETTINGS; i++) {
		bool ok = true;

		if (!*found[i].value)
			continue;
		tr2_buf_reset(&meaning);
		if (settings[i].target)
			ok = check_value(found[i].value, &meaning);
		*nr_targets += settings[i].target;
		bad += !ok;
		add_row(t, settings[i].variable, &found[i], ok,
			meaning.len ? tr2_buf_str(&meaning) : NULL);
	}
	tr2_buf_release(&meaning);
	return bad;
}

int tr2_check_env(void)
{
	static struct found found[NR_SETTINGS];
	int bad = find_settings(found), targets = 0;
	struct tr2_table t;

	tr2_table_init(&t, "settings", columns,
		       sizeof(columns) / sizeof(*columns));
	bad += add_settings(&t, found, &targets);
	bad += add_near_misses(&t);
	tr2_report_begin();
	if (t.nr_rows || tr2_common.format != TR2_FORMAT_TEXT)
		tr2_table_print(&t);
	tr2_report_end();
	if (!targets && tr2_common.format == TR2_FORMAT_TEXT)
		puts("no target is on: set GIT_TRACE2_EVENT to a directory, "
		     "or run 'trace2 record -- COMMAND'");
	tr2_table_release(&t);
	return bad ? TR2_EXIT_FOUND : 0;
}

/* ---- --send ---------------------------------------------------------------------- */

#define ARGV "[\"trace2\",\"check\",\"--send\"]"

/* A session of three events, and its id. */
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
	say(sid, true, "-Localhost-P%08x", (unsigned int)getpid());
	tr2_render_time_utc(&time_text, wall_us);
	say(&head, true, "\"sid\":\"%s\",\"thread\":\"main\",\"time\":\"%s\","
			 "\"file\":\"%s\",\"line\":%d,", tr2_buf_str(sid),
	    tr2_buf_str(&time_text), __FILE__, __LINE__);
	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
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

/* Whether a file holds the text. */
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
		tr2_error("wrote a probe to '%s', but it is not in there",
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

/* One line a datagram, or all in a row. */
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
	int fd = open_socket(value, &kind), result = TR2_EXIT_FOUND;

	if (fd < 0 || !send_lines(fd, probe)) {
		tr2_error("cannot send to '%s': %s", value, strerror(errno));
	} else {
		printf("sent session %s to the %s socket, which took it: look "
		       "for it where its reader keeps things\n", sid, kind);
		result = 0;
	}
	if (fd >= 0)
		close(fd);
	return result;
}

int tr2_check_send(void)
{
	struct tr2_buf probe = TR2_BUF_INIT, sid = TR2_BUF_INIT;
	static struct found all[NR_SETTINGS];
	const char *value = all[EVENT_TARGET].value;
	int result = TR2_EXIT_FOUND;

	find_settings(all);
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
		tr2_error("'%s' is neither a path nor a socket: nothing to "
			  "look in", value);
	tr2_buf_release(&probe);
	tr2_buf_release(&sid);
	return result;
}
