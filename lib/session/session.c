/* SPDX-License-Identifier: MIT */
/* The state of the session. */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/mask.h"

struct tr2_session tr2_session;

void tr2_session_keep_argv(const char *const *argv)
{
	static atomic_bool kept;
	struct tr2_mask before;
	size_t n = 0, i;
	char **copy;

	if (atomic_exchange(&kept, true))
		return;
	tr2_mask_begin(&before);
	while (argv && argv[n])
		n++;
	copy = calloc(n + 1, sizeof(*copy));
	for (i = 0; copy && i < n; i++)
		copy[i] = strdup(argv[i]);
	tr2_session.argv = copy;
	tr2_mask_end(&before);
}

static void release_argv(void)
{
	char **word;

	for (word = tr2_session.argv; word && *word; word++)
		free(*word);
	free(tr2_session.argv);
	tr2_session.argv = NULL;
}

void tr2_session_release(void)
{
	tr2_settings_release(&tr2_session.settings);
	free(tr2_session.version);
	tr2_session.version = NULL;
	release_argv();
}
