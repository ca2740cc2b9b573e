/* SPDX-License-Identifier: MIT */
/*
 * repo - ids of repositories. They are those of one session: a forked child
 * defines a repository of its parent again, with the same id, before its first
 * event about it.
 */
#pragma once

#include "base/macros.h"
#include "session/session.h"
#include "thread/emit.h"

/* Whether this session gave the repository its id. */
static inline bool tr2_repo_is_defined(const struct trace2_repo *repo)
{
	return repo->repo_id > tr2_session.course.nr_inherited_repos;
}

/* The same for one that has no id, or the parent's. */
__attribute__((cold)) int tr2_repo_id_slow(struct tr2_call *call, const struct trace2_repo *repo);

/* The id for an event; NULL: 0. Defines it, if the parent did. */
static inline int tr2_repo_id(struct tr2_call *call,
			      const struct trace2_repo *repo)
{
	if (likely(!repo))
		return 0;
	return likely(tr2_repo_is_defined(repo)) ? repo->repo_id :
						   tr2_repo_id_slow(call, repo);
}

/* Define it, unless this session has. */
void tr2_repo_define(struct tr2_call *call, struct trace2_repo *repo);

/* In a forked child. */
void tr2_repo_after_fork(void);
