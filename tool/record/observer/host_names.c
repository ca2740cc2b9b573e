/* SPDX-License-Identifier: MIT */
/* Read /etc/hosts. */
#include "record/observer/host_names.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Read at most this many names: longer files serve to block advertisements. */
#define MOST_NAMES 4096

struct tr2_host_names {
	size_t nr;
	struct host {
		struct in6_addr address;
		char name[64];
	} all[];
};

static bool parse_address(const char *text, struct in6_addr *out)
{
	struct in_addr v4;

	if (inet_pton(AF_INET, text, &v4) != 1)
		return inet_pton(AF_INET6, text, out) == 1;
	memset(out, 0, sizeof(*out));
	memset(out->s6_addr + 10, 0xff, 2);
	memcpy(out->s6_addr + 12, &v4, sizeof(v4));
	return true;
}

/* Parse `ADDRESS NAME ALIAS... # COMMENT`. A name that is too long is
 * ignored. */
static bool parse_line(char *line, struct host *host)
{
	char *save, *address, *name;

	line[strcspn(line, "#\n")] = '\0';
	address = strtok_r(line, " \t\r", &save);
	name = address ? strtok_r(NULL, " \t\r", &save) : NULL;
	if (!name || strlen(name) >= sizeof(host->name))
		return false;
	snprintf(host->name, sizeof(host->name), "%s", name);
	return parse_address(address, &host->address);
}

struct tr2_host_names *tr2_host_names_read(const char *path)
{
	struct tr2_host_names *names = NULL, *grown;
	FILE *f = fopen(path, "re");
	struct host host;
	char *line = NULL;
	size_t size = 0, nr = 0;

	while (f && nr < MOST_NAMES && getline(&line, &size, f) > 0) {
		if (!parse_line(line, &host))
			continue;
		grown = realloc(names, sizeof(*names) +
					       (nr + 1) * sizeof(host));
		if (!grown)
			break;
		names = grown;
		names->all[nr++] = host;
		names->nr = nr;
	}
	free(line);
	if (f)
		fclose(f);
	return names;
}

const char *tr2_host_name(const struct tr2_host_names *names,
			  const struct in6_addr *address)
{
	size_t i;

	for (i = 0; names && i < names->nr; i++)
		if (!memcmp(&names->all[i].address, address, sizeof(*address)))
			return names->all[i].name;
	return NULL;
}

void tr2_host_names_free(struct tr2_host_names *names)
{
	free(names);
}
