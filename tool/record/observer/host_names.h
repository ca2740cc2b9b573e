/* SPDX-License-Identifier: MIT */
/*
 * host_names - find names of addresses in /etc/hosts. No name server is asked:
 * a query would be traffic of the recorder itself.
 */
#pragma once

#include <netinet/in.h>

struct tr2_host_names;

/* Read the file. Return NULL if it has no names. */
struct tr2_host_names *tr2_host_names_read(const char *path);
/* Return the first name of an address; pass IPv4 as a mapped address. The name
 * is valid until the table is freed. NULL: it has no name. */
const char *tr2_host_name(const struct tr2_host_names *names,
			  const struct in6_addr *address);
void tr2_host_names_free(struct tr2_host_names *names);
