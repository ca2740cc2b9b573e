/* SPDX-License-Identifier: MIT */
/* Find the cause of a refusal: a filter, a setting of the kernel, or a security
 * module. */
#include "record/refusal.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/procfs.h"
#include "record/elevate.h"

#define SETTING(name) "/proc/sys/kernel/" name
#define PARANOID "perf_event_paranoid"

/* Older versions of <linux/capability.h> lack these capabilities. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

/* For each right, the highest level of perf_event_paranoid at which the kernel
 * grants the right without a capability. */
static const int most[] = {
	[TR2_RIGHT_USER] = 2,
	[TR2_RIGHT_KERNEL] = 1,
	[TR2_RIGHT_TRACEPOINTS] = -1,
};

/* Return the value of a setting of the kernel; -1: the value is not known. */
static int setting(const char *path)
{
	FILE *f = fopen(path, "re");
	int value;

	if (!f)
		return -1;
	if (fscanf(f, "%d", &value) != 1)
		value = -1;
	fclose(f);
	return value;
}

/* Return a number in /proc/self/status; 0: the number is not known. */
static uint64_t of_status(const char *key, int base)
{
	char text[4096];
	const char *at;

	if (!tr2_procfs_text((int32_t)getpid(), 0, "status", text,
			     sizeof(text)))
		return 0;
	at = strstr(text, key);
	return at ? strtoull(at + strlen(key), NULL, base) : 0;
}

static bool has_seccomp_filter(void)
{
	return of_status("\nSeccomp:", 10) == 2;
}

/* Call perf_event_open() with unknown flags, and return its errno. The kernel
 * itself checks flags first and returns EINVAL; another errno may be a
 * filter's. */
static int probe(void)
{
	return syscall(SYS_perf_event_open, NULL, 0, -1, -1, ~0UL) < 0 ?
		       errno : EINVAL;
}

static bool is_filtered(void)
{
	return probe() != EINVAL && has_seccomp_filter();
}

bool tr2_in_first_namespace(const char *kind)
{
	const char *number = *kind == 'p' ? "4026531836" : "4026531837";
	char link[40], first[40], target[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/ns/%s", kind);
	snprintf(first, sizeof(first), "%s:[%s]", kind, number);
	n = readlink(link, target, sizeof(target) - 1);
	target[n < 0 ? 0 : n] = '\0';
	return n < 0 || !strcmp(target, first);
}

/* Is this process outside of the first user namespace? In any other,
 * perf_event_open() ignores the process's capabilities. */
static bool in_user_namespace(void)
{
	return !tr2_in_first_namespace("user");
}

static bool has_capability(int one, int other)
{
	return !in_user_namespace() &&
	       of_status("\nCapEff:", 16) & (UINT64_C(1) << one |
					     UINT64_C(1) << other);
}

/* Does the container permit one of two capabilities only to root? The
 * container's other users start without capabilities. */
static bool is_left_to_root(int one, int other)
{
	return geteuid() && (prctl(PR_CAPBSET_READ, one, 0, 0, 0) == 1 ||
			     prctl(PR_CAPBSET_READ, other, 0, 0, 0) == 1);
}

static bool has_perfmon(void)
{
	return has_capability(CAP_PERFMON, CAP_SYS_ADMIN);
}

/* Does the kernel's own limit, perf_event_paranoid, refuse the right? */
static bool is_above(int level, enum tr2_right right)
{
	return level > most[right] && !has_perfmon();
}

void tr2_refusal_cause(char *text, size_t size, enum tr2_right right)
{
	int level = setting(SETTING(PARANOID));

	if (is_filtered())
		snprintf(text, size, "a seccomp filter refuses it");
	else if (is_above(level, right))
		snprintf(text, size, "kernel." PARANOID " is %d", level);
	else
		snprintf(text, size, "a security module refuses it");
}

static void explain_perf(char *text, size_t size, enum tr2_right right, int err)
{
	int level = setting(SETTING(PARANOID));
	char cause[80], needed[80] = "";

	if (!is_filtered() && is_above(level, right))
		snprintf(needed, sizeof(needed), "; at most %d, or "
			 "CAP_PERFMON%s, is needed", most[right],
			 in_user_namespace() ? " outside of user namespaces" :
					       "");
	if (err == ENOSYS) {
		snprintf(text, size, "this kernel%s has no perf_event_open",
			 has_seccomp_filter() ? ", or a seccomp filter," : "");
	} else if (err == EACCES || err == EPERM) {
		tr2_refusal_cause(cause, sizeof(cause), right);
		snprintf(text, size, "perf_event_open: %s (%s%s)",
			 strerror(err), cause, needed);
	} else {
		snprintf(text, size, "perf_event_open: %s", strerror(err));
	}
}

/* Explain why addresses are hidden. With kptr_restrict 0, the kernel shows them
 * to users who may profile. */
static void explain_kallsyms(char *text, size_t size)
{
	int restricted = setting(SETTING("kptr_restrict"));

	snprintf(text, size, "/proc/kallsyms has no addresses (kernel.%s is "
		 "%d; %s, or CAP_SYSLOG, is needed)",
		 restricted ? "kptr_restrict" : PARANOID,
		 restricted ? restricted : setting(SETTING(PARANOID)),
		 restricted ? "0" : "at most 1");
}

void tr2_refusal_explain(char *text, size_t size, enum tr2_right right, int err)
{
	if (right == TR2_RIGHT_KALLSYMS)
		explain_kallsyms(text, size);
	else if (right == TR2_RIGHT_TRACEFS)
		snprintf(text, size, "/sys/kernel/tracing: %s (%s, and "
			 "CAP_PERFMON, is needed)", strerror(err),
			 err == ENOENT ? "a mounted tracefs" : "access to it");
	else
		explain_perf(text, size, right, err);
}

enum remedy {
#define TR2_REMEDY(name, command) REMEDY_##name,
#include "record/remedies.def"
	REMEDY_NONE
};

static const char *const remedies[] = {
#define TR2_REMEDY(name, command) command,
#include "record/remedies.def"
	NULL
};

/* Return the remedy for the container of this process; REMEDY_NONE: the process
 * is not in a known container. Images of virtual machines may have the marks of
 * containers, too. */
static enum remedy of_container(void)
{
	if (tr2_in_first_namespace("pid"))
		return REMEDY_NONE;
	return getenv("KUBERNETES_SERVICE_HOST") ? REMEDY_KUBERNETES :
	       !access("/run/.containerenv", F_OK) ? REMEDY_PODMAN :
	       !access("/.dockerenv", F_OK) ? REMEDY_DOCKER : REMEDY_NONE;
}

static enum remedy find_remedy(void)
{
	enum remedy container = of_container();
	int level = setting(SETTING(PARANOID));

	if (is_filtered())
		return container != REMEDY_NONE ? container : REMEDY_FILTER;
	if (probe() == ENOSYS)
		return REMEDY_NONE;
	if (container != REMEDY_NONE && !in_user_namespace() &&
	    !has_perfmon() && is_left_to_root(CAP_PERFMON, CAP_SYS_ADMIN))
		return REMEDY_CONTAINER_ROOT;
	if (container != REMEDY_NONE && !in_user_namespace() &&
	    !has_capability(CAP_SYSLOG, CAP_SYSLOG))
		return container;
	if (in_user_namespace())
		return level > 1 ? REMEDY_OUTSIDE_SYSCTL : REMEDY_OUTSIDE;
	if (!has_perfmon() && container != REMEDY_NONE)
		return container;
	if (!has_perfmon() && level > 1 && !tr2_elevate_was_used())
		return REMEDY_SYSCTL;
	return geteuid() && !tr2_elevate_was_used() ? REMEDY_ROOT : REMEDY_NONE;
}

const char *tr2_refusal_remedy(void)
{
	return remedies[find_remedy()];
}
