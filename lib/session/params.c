/* SPDX-License-Identifier: MIT */
/* Report config keys and variables, by the patterns of the settings. */
#include "session/params.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mask.h"
#include "base/split.h"
#include "config/config.h"
#include "event/redact.h"
#include "session/session.h"

#define MAX_VARIABLE 256

void tr2_params_emit(struct tr2_call *call, const char *param,
		     const char *value, const char *scope)
{
	if (value && tr2_session.settings.redact &&
	    tr2_redact_is_secret_name(param))
		value = TR2_REDACTED;
	TR2_EMIT(call, def_param, .scope.s = scope, .param.s = param,
		 .value.s = value);
}

bool tr2_params_wants_config(const char *key)
{
	const char *patterns = tr2_session.settings.config_params;

	return key ? tr2_config_match(patterns, key) : patterns != NULL;
}

static void emit_entry(void *cookie, const struct tr2_config_entry *entry)
{
	if (tr2_params_wants_config(entry->key))
		tr2_params_emit(cookie, entry->key, entry->value,
				tr2_config_scope_name(entry->scope));
}

void tr2_params_list_config(struct tr2_call *call)
{
	const struct tr2_config_request request = {
		.entry = emit_entry, .cookie = call,
		.system_file = tr2_session.settings.system_config,
	};
	struct tr2_mask before;

	if (!tr2_session.settings.config_params ||
	    !tr2_session.settings.config_files ||
	    atomic_exchange(&tr2_session.course.listed_config, true))
		return;
	tr2_mask_begin(&before);
	tr2_config_read(&request);
	tr2_mask_end(&before);
}

void tr2_params_set_config(struct tr2_call *call, const char *key,
			   const char *value)
{
	if (key && tr2_params_wants_config(key))
		tr2_params_emit(call, key, value, "unknown");
}

static void emit_variable(struct tr2_call *call, const char *start, size_t len)
{
	char name[MAX_VARIABLE];
	const char *value;

	if (len >= sizeof(name))
		return;
	memcpy(name, start, len);
	name[len] = '\0';
	value = getenv(name);
	if (value && *value)
		tr2_params_emit(call, name, value, "command");
}

void tr2_params_list_env(struct tr2_call *call)
{
	const char *list = tr2_session.settings.env_vars, *name;
	size_t len;

	if (!list || atomic_exchange(&tr2_session.course.listed_env, true))
		return;
	while ((name = tr2_split(&list, ", \t", &len)))
		emit_variable(call, name, len);
}

#define MAX_ANCESTORS 32
#define NAME_BYTES 64 /* room for a process's name: the kernel's names are
		       * shorter */

/* Read a process's name and parent from "pid (name) state ppid …". The name
 * itself may contain parentheses. */
static bool read_stat(long pid, char *name, long *parent)
{
	char path[32], text[512], *start, *end;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	start = strchr(text, '(');
	end = strrchr(text, ')');
	if (!start || !end || end < start || end - start > NAME_BYTES ||
	    strlen(end) < 4)
		return false;
	*end = '\0';
	memcpy(name, start + 1, (size_t)(end - start));
	*parent = strtol(end + 4, NULL, 10);
	return true;
}

void tr2_process_emit_ancestry(struct tr2_call *call)
{
	char memory[MAX_ANCESTORS][NAME_BYTES];
	const char *names[MAX_ANCESTORS + 1];
	long pid = getppid();
	unsigned int nr = 0;
	struct tr2_mask before;

	tr2_mask_begin(&before);
	while (nr < MAX_ANCESTORS && pid > 0 &&
	       read_stat(pid, memory[nr], &pid)) {
		names[nr] = memory[nr];
		nr++;
	}
	tr2_mask_end(&before);
	names[nr] = NULL;
	if (nr)
		TR2_EMIT(call, cmd_ancestry, .ancestry.argv = names);
}

static void emit_number(struct tr2_call *call, const char *key, intmax_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%jd", value);
	TR2_EMIT(call, data, .category.s = "process", .key.s = key,
		 .value.s = text);
}

static intmax_t microseconds(const struct timeval *tv)
{
	return (intmax_t)tv->tv_sec * 1000000 + tv->tv_usec;
}

void tr2_process_emit_usage(struct tr2_call *call)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		return;
	call->t_rel_ns = tr2_clock_since(tr2_region_start(call->thread),
					 call->now_ns);
	emit_number(call, "maxrss_kib", usage.ru_maxrss);
	emit_number(call, "utime_us", microseconds(&usage.ru_utime));
	emit_number(call, "stime_us", microseconds(&usage.ru_stime));
}
