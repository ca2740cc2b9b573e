/* SPDX-License-Identifier: MIT */
/* Report config keys and variables, by the patterns of the settings. */
#include "session/params.h"

#include <stdlib.h>

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
