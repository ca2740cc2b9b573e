/* SPDX-License-Identifier: MIT */
/* The state of the session. */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/fork_guard.h"
#include "base/mask.h"
#include "base/raw.h"
#include "thread/stream.h"

struct tr2_session tr2_session;

/* Memory for the copy of a usual command line: only a longer one needs
 * malloc(). */
static union {
	char *argv[128];
	char text[1024];
} usual;

static char **allocate_words(size_t bytes)
{
	struct tr2_mask before;
	char **copy;

	if (bytes <= sizeof(usual))
		return usual.argv;
	tr2_mask_begin(&before);
	copy = malloc(bytes);
	tr2_mask_end(&before);
	return copy;
}

void tr2_session_await_pause(void)
{
	while (tr2_session.state == TR2_SESSION_PAUSING) {
		tr2_await(&tr2_session.state, TR2_SESSION_PAUSING);
		/* A handler may have forked during the wait. */
		tr2_fork_guard_look();
	}
}

/* Copy argv into one block of memory: the pointers, then the words. */
void tr2_session_keep_argv(const char *const *argv)
{
	static atomic_bool kept;
	size_t n = 0, bytes = sizeof(*argv), i;
	char **copy, *text;

	if (!argv || atomic_exchange(&kept, true))
		return;
	for (; argv[n]; n++)
		bytes += sizeof(*argv) + strlen(argv[n]) + 1;
	copy = allocate_words(bytes);
	if (!copy)
		return;
	text = (char *)&copy[n + 1];
	for (i = 0; i < n; i++) {
		bytes = strlen(argv[i]) + 1;
		copy[i] = memcpy(text, argv[i], bytes);
		text += bytes;
	}
	copy[n] = NULL;
	tr2_session.argv = copy;
}

void tr2_session_begin_again(uint64_t now_ns)
{
	tr2_stream.start_ns = now_ns;
	tr2_stream.generation++;
	tr2_stream.lost = 0;
	tr2_stream.is_joined = true;
	tr2_session.part = 0;
	tr2_session.exit_code = 0;
	tr2_session.course.has_start = true;
	tr2_session.course.has_exit = false;
	tr2_session.course.open_execs = 0;
	tr2_session.course.listed_config =
		tr2_session.course.listed_env = false;
}

void tr2_session_release(void)
{
	tr2_settings_release(&tr2_session.settings);
	free(tr2_session.version);
	tr2_session.version = NULL;
	if (tr2_session.argv != usual.argv)
		free(tr2_session.argv);
	tr2_session.argv = NULL;
}
