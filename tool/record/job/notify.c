/* SPDX-License-Identifier: MIT */
/* Send datagrams to a service manager. */
#include "record/job/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define VARIABLE "NOTIFY_SOCKET"

/*
 * Set the address to a path, or to an abstract name that begins with @. 0: it
 * is neither.
 */
static socklen_t address_of(struct sockaddr_un *un, const char *name)
{
	size_t len = name ? strlen(name) : 0;

	if (len < 2 || len >= sizeof(un->sun_path) ||
	    (*name != '/' && *name != '@'))
		return 0;
	memset(un, 0, sizeof(*un));
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path, name, len);
	if (*name == '@')
		un->sun_path[0] = '\0';
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len);
}

bool tr2_notify_wanted(void)
{
	struct sockaddr_un un;

	return address_of(&un, getenv(VARIABLE)) != 0;
}

void tr2_notify(const char *text)
{
	struct sockaddr_un un;
	socklen_t len = address_of(&un, getenv(VARIABLE));
	int fd;

	if (!len)
		return;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	sendto(fd, text, strlen(text), MSG_DONTWAIT | MSG_NOSIGNAL,
	       (const struct sockaddr *)&un, len);
	close(fd);
}
