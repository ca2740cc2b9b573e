/* SPDX-License-Identifier: MIT */
/*
 * repo - ids of repositories, valid in one session. A forked child defines a
 * repository of its parent again, with the same id, before its first event
 * about it.
 */
#pragma once

#include "base/macros.h"
#include "session/session.h"
#include "thread/emit.h"

/* Return whether this session gave the repository its id. */
static inline bool tr2_repo_is_defined(const struct trace2_repo *repo)
{
	return repo->repo_id > tr2_session.course.nr_inherited_repos;
}

/* The slow path of tr2_repo_id(): the repository has no id, or an id from the
 * parent's session. */
__attribute__((cold)) int tr2_repo_id_slow(struct tr2_call *call,
					   const struct trace2_repo *repo);

/* Return the id for an event; 0 for NULL. Define the repository again if the
 * parent defined it. */
static inline int tr2_repo_id(struct tr2_call *call,
			      const struct trace2_repo *repo)
{
	if (likely(!repo))
		return 0;
	return likely(tr2_repo_is_defined(repo)) ? repo->repo_id :
						   tr2_repo_id_slow(call, repo);
}

/* Define the repository, unless this session has defined it. */
void tr2_repo_define(struct tr2_call *call, struct trace2_repo *repo);

/* Call it in a forked child. */
void tr2_repo_after_fork(void);
