/* SPDX-License-Identifier: MIT */
/* tool-host-names - names of addresses in a file like /etc/hosts. */
#include <arpa/inet.h>

#include "record/observer/host_names.h"
#include "tap.h"

static bool is(const struct tr2_host_names *names, const char *address,
	       const char *want)
{
	struct in6_addr a;
	const char *name;

	if (inet_pton(AF_INET6, address, &a) != 1)
		return false;
	name = tr2_host_name(names, &a);
	return want ? name && !strcmp(name, want) : !name;
}

int main(void)
{
	static const char text[] = "# 10.0.0.9 no\n127.0.0.1\tlocalhost "
				   "loop\n::1 six # six.example\n"
				   "10.0.0.1 first\n10.0.0.1 "
				   "second\n10.0.0.2\nno address\n10.0.0.3 "
				   "a-name-that-is-longer-than-any-name-of-a-"
				   "machine-can-be-in-the-dns"
				   "-at-all\n10.0.0.4 last";
	char path[] = "/tmp/host-names.XXXXXX";
	struct tr2_host_names *names;
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, text, sizeof(text) - 1) < 0)
		abort();
	close(fd);
	names = tr2_host_names_read(path);
	ok(is(names, "::ffff:127.0.0.1", "localhost"), "the name of IPv4");
	ok(is(names, "::1", "six"), "the name of IPv6");
	ok(is(names, "::ffff:10.0.0.1", "first"), "the first of two lines");
	ok(is(names, "::ffff:10.0.0.9", NULL), "a comment is no line");
	ok(is(names, "::ffff:10.0.0.2", NULL) &&
		   is(names, "::ffff:10.0.0.3", NULL),
	   "without a name, and with one that is too long");
	ok(is(names, "::ffff:10.0.0.4", "last"), "a line without an end");
	tr2_host_names_free(names);
	unlink(path);
	names = tr2_host_names_read(path);
	ok(!names && is(names, "::1", NULL), "no file");
	return done_testing();
}
