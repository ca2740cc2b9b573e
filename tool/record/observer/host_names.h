/* SPDX-License-Identifier: MIT */
/*
 * host_names - the names that /etc/hosts has for addresses. Nobody else is asked:
 * a query would be traffic of the recorder's own.
 */
#pragma once

#include <netinet/in.h>

struct tr2_host_names;

/* Read the file. NULL: it has no names. */
struct tr2_host_names *tr2_host_names_read(const char *path);
/* Return the first name of an address, IPv4 as a mapped one, until the table is
 * freed; NULL: none. */
const char *tr2_host_name(const struct tr2_host_names *names,
			  const struct in6_addr *address);
void tr2_host_names_free(struct tr2_host_names *names);
