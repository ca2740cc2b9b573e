/* SPDX-License-Identifier: MIT */
/* What the adapter uses of this header of Git; written for the test. */
struct repository;
enum config_scope {
	CONFIG_SCOPE_UNKNOWN,
	CONFIG_SCOPE_SYSTEM,
	CONFIG_SCOPE_GLOBAL,
	CONFIG_SCOPE_LOCAL,
	CONFIG_SCOPE_WORKTREE,
	CONFIG_SCOPE_COMMAND,
	CONFIG_SCOPE_SUBMODULE
};
struct key_value_info {
	enum config_scope scope;
};
struct config_context {
	const struct key_value_info *kvi;
};
typedef int config_fn_t(const char *, const char *,
			const struct config_context *, void *);
char *git_system_config(void);
void read_early_config(struct repository *repo, config_fn_t *fn, void *data);
