/* SPDX-License-Identifier: MIT */
/*
 * The PMU of packages' energy, from powercap. A zone's counter wraps around at
 * its own range; each reading adds the difference to a sum. All events of a
 * process share the zones, so that reading one event updates the others.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "pmu/pmu.h"

#define POWERCAP "/sys/class/powercap"
#define CPUS "/sys/devices/system/cpu"
/* Use zones of this control type only: other types show the same packages
 * again. */
#define PREFIX "intel-rapl:"

#define MAX_ZONES 128
#define NR_KINDS (TRACE2_PERF_ENERGY_PSYS + 1)

static struct tr2_pmu_use use;

struct zone {
	char name[48]; /* name of the zone's directory, e.g. "intel-rapl:0:1" */
	unsigned int kind;
	int package; /* -1: no package */
	bool is_gone;
	uint64_t range_uj, last_uj;
	uint64_t total_uj; /* energy since the first reading */
};
TR2_LARGE struct zone tr2_power_zones[MAX_ZONES];
static unsigned int nr_zones;

static const char *powercap(void)
{
#ifdef TR2_DEVELOPER
	const char *dir = secure_getenv("TRACE2_POWERCAP_DIR");

	if (dir && *dir)
		return dir;
#endif
	return POWERCAP;
}

/* Read the first line of DIR/ENTRY/FILE. Return its length or a negative
 * errno. */
static int read_line(const char *dir, const char *entry, const char *file,
		     char *line, size_t size_bytes)
{
	char path[4096];
	int n = snprintf(path, sizeof(path), "%s/%s/%s", dir, entry, file), fd;

	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = (int)read(fd, line, size_bytes - 1);
	if (n < 0)
		n = -errno;
	close(fd);
	if (n < 0)
		return n;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return (int)strlen(line);
}

static int read_number(const char *entry, const char *file, uint64_t *value)
{
	char line[32], *end;
	int n = read_line(powercap(), entry, file, line, sizeof(line));

	if (n < 0)
		return n;
	if (*line < '0' || *line > '9')
		return -EIO;
	errno = 0;
	*value = strtoull(line, &end, 10);
	return errno || *end ? -EIO : 0;
}

/* Return the package in "package-1" or "package-1-die-0", or else -1. */
static int package_of(const char *name)
{
	return strncmp(name, "package-", 8) ? -1 : atoi(name + 8);
}

/* Return the kind of a name; NR_KINDS for an unknown name. */
static unsigned int kind_of(const char *name)
{
	static const char *const names[NR_KINDS] = { NULL, "core", "uncore",
						     "dram", "psys" };
	unsigned int kind;

	if (package_of(name) >= 0)
		return TRACE2_PERF_ENERGY_PKG;
	for (kind = 1; kind < NR_KINDS; kind++)
		if (!strcmp(names[kind], name))
			break;
	return kind;
}

/* Return the package of a part. The name of a part does not contain its
 * package. The directory of the package is named like the directory of the part
 * up to the last colon. */
static int package_of_part(const char *entry)
{
	char parent[sizeof(((struct zone *)0)->name)], name[64], *colon;

	memcpy(parent, entry, strlen(entry) + 1);
	colon = strrchr(parent, ':');
	if (!colon)
		return -1;
	*colon = '\0';
	if (read_line(powercap(), parent, "name", name, sizeof(name)) < 0)
		return -1;
	return package_of(name);
}

/* Add a zone. Return 0, or a negative errno if the zone exists but cannot be
 * used. */
static int add_zone(const char *entry)
{
	struct zone *zone = &tr2_power_zones[nr_zones];
	char name[64];
	int error;

	if (strncmp(entry, PREFIX, strlen(PREFIX)) || nr_zones == MAX_ZONES ||
	    strlen(entry) >= sizeof(zone->name) ||
	    read_line(powercap(), entry, "name", name, sizeof(name)) < 0 ||
	    kind_of(name) == NR_KINDS)
		return 0;
	memset(zone, 0, sizeof(*zone));
	error = read_number(entry, "energy_uj", &zone->last_uj);
	if (!error)
		error = read_number(entry, "max_energy_range_uj",
				    &zone->range_uj);
	if (error)
		return error;
	zone->kind = kind_of(name);
	zone->package = zone->kind == TRACE2_PERF_ENERGY_PKG ?
				package_of(name) :
				package_of_part(entry);
	memcpy(zone->name, entry, strlen(entry) + 1);
	nr_zones++;
	return 0;
}

/* Find the zones; this runs once. Return 0, or a negative errno, the reason why
 * there is no zone. */
static int find_zones(void)
{
	const struct dirent *entry;
	int error = 0, of_zone;
	DIR *dir;

	if (nr_zones)
		return 0;
	dir = opendir(powercap());
	if (!dir)
		return -EOPNOTSUPP;
	while ((entry = readdir(dir))) {
		of_zone = add_zone(entry->d_name);
		error = error ? error : of_zone;
	}
	closedir(dir);
	if (nr_zones)
		return 0;
	return error ? error : -EOPNOTSUPP;
}

/* Update a zone. A zone that disappeared keeps its sum; when it is back,
 * counting continues from its value at that time. */
static void update_zone(struct zone *zone)
{
	uint64_t now_uj;

	if (read_number(zone->name, "energy_uj", &now_uj)) {
		zone->is_gone = true;
		return;
	}
	if (zone->is_gone)
		zone->is_gone = false;
	else if (now_uj >= zone->last_uj)
		zone->total_uj += now_uj - zone->last_uj;
	else if (zone->range_uj >= zone->last_uj)
		zone->total_uj += zone->range_uj - zone->last_uj + now_uj;
	zone->last_uj = now_uj;
}

static bool is_counted(const struct trace2_perf *ev, const struct zone *zone)
{
	return zone->kind == ev->attr.config &&
	       (ev->package < 0 || ev->package == zone->package);
}

static uint64_t total(const struct trace2_perf *ev)
{
	uint64_t uj = 0;
	unsigned int i;

	for (i = 0; i < nr_zones; i++)
		if (is_counted(ev, &tr2_power_zones[i]))
			uj += tr2_power_zones[i].total_uj;
	return uj;
}

static int update_energy(const struct trace2_perf *ev)
{
	unsigned int i;

	for (i = 0; i < nr_zones; i++)
		if (is_counted(ev, &tr2_power_zones[i]))
			update_zone(&tr2_power_zones[i]);
	return 0;
}

static int find_package(int cpu, int *package)
{
	char entry[32], line[32];
	int n;

	snprintf(entry, sizeof(entry), "cpu%d", cpu);
	n = read_line(CPUS, entry, "topology/physical_package_id", line,
		      sizeof(line));
	if (n < 0)
		return -EINVAL;
	*package = atoi(line);
	return 0;
}

static int power_init(struct trace2_perf *ev)
{
	const struct trace2_perf_attr *attr = &ev->attr;
	unsigned int i;
	int error;

	if (attr->config1 || attr->config2 || attr->exclude_user ||
	    attr->exclude_kernel || attr->exclude_hv || attr->exclude_idle ||
	    attr->exclude_host || attr->exclude_guest || attr->enable_on_exec ||
	    attr->precise_ip || ev->cpu < -1)
		return -EINVAL;
	if (attr->config >= NR_KINDS)
		return -ENOENT;
	error = ev->cpu >= 0 ? find_package(ev->cpu, &ev->package) : 0;
	if (!error)
		error = find_zones();
	if (error)
		return error;
	for (i = 0; i < nr_zones && !is_counted(ev, &tr2_power_zones[i]);)
		i++;
	return i < nr_zones ? 0 : -EOPNOTSUPP;
}

static int power_read(struct trace2_perf *ev)
{
	return ev->counting ? update_energy(ev) : 0;
}

static int power_add(struct trace2_perf *ev)
{
	update_energy(ev);
	ev->base = total(ev);
	return 0;
}

static void power_del(struct trace2_perf *ev)
{
	update_energy(ev);
	ev->count += total(ev) - ev->base;
}

static uint64_t power_count(const struct trace2_perf *ev)
{
	return ev->count + (ev->counting ? total(ev) - ev->base : 0);
}

const struct tr2_pmu tr2_pmu_power = {
	.name = "power",
	.use = &use,
	.event_init = power_init,
	.add = power_add,
	.del = power_del,
	.read = power_read,
	.count = power_count,
};
