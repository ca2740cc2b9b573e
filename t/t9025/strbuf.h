/* SPDX-License-Identifier: MIT */
/* struct strbuf is in git-compat-util.h. */
