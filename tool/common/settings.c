/* SPDX-License-Identifier: MIT */
/* The table of settings, from lib/config/settings.def. */
#include "common/settings.h"

#include <strings.h>

#include "base/buf.h"
#include "common/options.h"
#include "config/config.h"

#define PREFIX "GIT_TRACE2"

const struct tr2_setting tr2_settings[TR2_NR_SETTINGS] = {
#define ROW(type, variable, key, fallback, help) \
	{ PREFIX variable, key, fallback, help, TR2_SETTING_IS_##type },
#define TARGET(name, variable, key, help) ROW(TARGET, variable, key, NULL, help)
#define BRIEF(name, variable, key, help) ROW(BOOLEAN, variable, key, NULL, help)
#define SETTING(type, member, variable, key, fallback, help) \
	ROW(type, variable, key, fallback, help)
#define INHERITED(variable, help) ROW(INHERITED, variable, NULL, NULL, help)
#include "config/settings.def"
#undef ROW
};

const struct tr2_setting *tr2_setting_find(const char *name)
{
	size_t i;

	for (i = 0; i < TR2_NR_SETTINGS; i++)
		if (!strcmp(tr2_settings[i].variable, name) ||
		    (tr2_settings[i].key &&
		     !strcasecmp(tr2_settings[i].key, name)))
			return &tr2_settings[i];
	return NULL;
}

bool tr2_setting_takes(const struct tr2_setting *s, const char *value)
{
	int number;

	switch (s->type) {
	case TR2_SETTING_IS_BOOLEAN:
		return !tr2_config_bool(value, &number);
	case TR2_SETTING_IS_POSITIVE:
		return !tr2_config_int(value, &number) && number >= 1;
	case TR2_SETTING_IS_COUNT:
		return !tr2_config_int(value, &number) && number >= 0;
	case TR2_SETTING_IS_RING_MODE:
		return !strcasecmp(value, "overwrite") ||
		       !strcasecmp(value, "consume");
	case TR2_SETTING_IS_TARGET:
	case TR2_SETTING_IS_TEXT:
	case TR2_SETTING_IS_INHERITED:
		break;
	}
	return true;
}

void tr2_setting_help(const struct tr2_setting *s, struct tr2_buf *out)
{
	tr2_buf_addstr(out, s->variable);
	if (s->key) {
		tr2_buf_addlit(out, ", ");
		tr2_buf_addstr(out, s->key);
	}
	if (s->fallback) {
		tr2_buf_addlit(out, " (default: ");
		tr2_buf_addstr(out, s->fallback);
		tr2_buf_addch(out, ')');
	}
	tr2_buf_addlit(out, "\n    ");
	tr2_options_add_wrapped(out, s->help, 4);
}

/* Add `text` as `+text+`, so that nothing in it is markup. */
static void add_literal(struct tr2_buf *b, const char *text, size_t len)
{
	tr2_buf_addlit(b, "`+");
	tr2_buf_add(b, text, len);
	tr2_buf_addlit(b, "+`");
}

static void add_asciidoc(struct tr2_buf *b, const char *help)
{
	while (*help) {
		size_t len = strcspn(help, "`");

		tr2_buf_add(b, help, len);
		help += len;
		if (!*help)
			return;
		help++;
		len = strcspn(help, "`");
		add_literal(b, help, len);
		help += len + (help[len] == '`');
	}
}

void tr2_settings_asciidoc(struct tr2_buf *out)
{
	size_t i;

	for (i = 0; i < TR2_NR_SETTINGS; i++) {
		const struct tr2_setting *s = &tr2_settings[i];

		tr2_buf_addch(out, '\n');
		add_literal(out, s->variable, strlen(s->variable));
		if (s->key) {
			tr2_buf_addlit(out, ", ");
			add_literal(out, s->key, strlen(s->key));
		}
		tr2_buf_addlit(out, "::\n\t");
		add_asciidoc(out, s->help);
		if (s->fallback) {
			tr2_buf_addlit(out, "; default ");
			add_literal(out, s->fallback, strlen(s->fallback));
		}
		tr2_buf_addch(out, '\n');
	}
}
