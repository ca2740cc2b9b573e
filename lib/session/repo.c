/* SPDX-License-Identifier: MIT */
/* Define repositories, also those that a parent defined before it forked. */
#include "session/repo.h"

#include <string.h>

/* A forked child can define this many of its parent's repositories. */
#define MAX_AGAIN 1024

/* A bit for each id: the repository is defined again in this session. */
static atomic_uint_fast64_t again[MAX_AGAIN / 64];

static void emit_repo(struct tr2_call *call, const struct trace2_repo *repo)
{
	const struct tr2_site *site = call->site;

	call->site = NULL;
	call->repo_id = repo->repo_id;
	TR2_EMIT(call, def_repo, .worktree.s = repo->worktree);
	call->site = site;
}

int tr2_repo_id_slow(struct tr2_call *call, const struct trace2_repo *repo)
{
	unsigned int id = (unsigned int)repo->repo_id;
	uint_fast64_t bit = UINT64_C(1) << id % 64;

	if (repo->repo_id <= 0 || id >= MAX_AGAIN || !repo->worktree)
		return TR2_REPO_UNDEFINED;
	if (!(atomic_fetch_or(&again[id / 64], bit) & bit))
		emit_repo(call, repo);
	return repo->repo_id;
}

void tr2_repo_define(struct tr2_call *call, struct trace2_repo *repo)
{
	if (repo->repo_id) {
		tr2_repo_id(call, repo);
		return;
	}
	repo->repo_id = atomic_fetch_add(&tr2_session.next_repo_id, 1) + 1;
	emit_repo(call, repo);
}

void tr2_repo_after_fork(void)
{
	tr2_session.course.nr_inherited_repos = tr2_session.next_repo_id;
	memset(again, 0, sizeof(again));
}
