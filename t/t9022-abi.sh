#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the ABI on which linked programs rely

Documentation/technical/abi.adoc lists the changes that are allowed. If a test
fails here, programs would have to be built again.
'

. ./test-lib.sh

if ! command -v nm >/dev/null
then
	skip_all='nm is missing'
	test_done
fi

so=$GIT_BUILD_DIR/build/lib/libtrace2.so
list=$GIT_BUILD_DIR/debian/libtrace2-1.symbols

test_expect_success !INSTRUMENTED 'abi: the library exports exactly the listed symbols, of one version' '
	nm -D --defined-only "$so" |
	awk "{ sub(/@@/, \"@\", \$3); print \$2 == \"A\" ? \$3 \"@\" \$3 : \$3 }" |
	LC_ALL=C sort >actual &&
	sed -n "s/^ \([^ ]*\) [0-9.]*$/\1/p" "$list" | LC_ALL=C sort >expect &&
	test_line_count -gt 60 expect &&
	test_cmp expect actual
'

test_expect_success !MUSL 'abi: each library has the ABI number in its version' '
	test_grep "^libtrace2.so.$TRACE2_ABI libtrace2-$TRACE2_ABI " "$list" &&
	sed -n "s/^ .*@\([^ ]*\) .*/\1/p" "$list" | sort -u >actual &&
	echo "TRACE2_$TRACE2_ABI" | test_cmp - actual &&
	LC_ALL=C readelf -d "$so" >dynamic &&
	test_grep "SONAME.*\[libtrace2.so.$TRACE2_ABI\]" dynamic
'

test_expect_success 'abi: the library needs libc only' '
	LC_ALL=C readelf -d "$so" >dynamic &&
	sed -n "s/.*(NEEDED).*\[\(.*\)\]/\1/p" dynamic |
	grep -v -e "^libc\." -e "^ld-" -e "^libasan" -e "^libtsan" \
		-e "^libubsan" -e "^libpthread" -e "^libdl" -e "^librt" \
		-e "^libm\." -e "^libgcc_s" -e "^libstdc++" -e "^libresolv" \
		>actual || : &&
	test_must_be_empty actual
'

cat >layout.c <<'EOT'
#include <stddef.h>
#include <stdio.h>
#include "trace2.h"
#include "trace2_perf.h"

#define SIZE(type) printf(#type " %zu\n", sizeof(struct type))
#define AT(type, member) \
	printf("  " #member " %zu\n", offsetof(struct type, member))

int main(void)
{
	SIZE(trace2_options);
	AT(trace2_options, version);
	AT(trace2_options, prefix);
	AT(trace2_options, flags);
	AT(trace2_options, system_config);
	AT(trace2_options, config);
	AT(trace2_options, sink);
	AT(trace2_options, sink_data);
	AT(trace2_options, reserved);
	SIZE(trace2_repo);
	AT(trace2_repo, worktree);
	AT(trace2_repo, repo_id);
	SIZE(trace2_child);
	AT(trace2_child, argv);
	AT(trace2_child, child_class);
	AT(trace2_child, hook_name);
	AT(trace2_child, cwd);
	AT(trace2_child, use_shell);
	AT(trace2_child, pid);
	AT(trace2_child, child_id);
	AT(trace2_child, child_state);
	AT(trace2_child, start_ns);
	SIZE(trace2_site);
	AT(trace2_site, file);
	AT(trace2_site, category);
	AT(trace2_site, name);
	AT(trace2_site, line);
	AT(trace2_site, number);
	AT(trace2_site, reserved);
	SIZE(trace2_timer);
	AT(trace2_timer, name);
	AT(trace2_timer, flags);
	AT(trace2_timer, index);
	SIZE(trace2_counter);
	AT(trace2_counter, index);
	SIZE(trace2_distribution);
	AT(trace2_distribution, unit);
	AT(trace2_distribution, flags);
	AT(trace2_distribution, index);
	SIZE(trace2_gauge);
	AT(trace2_gauge, unit);
	AT(trace2_gauge, flags);
	AT(trace2_gauge, index);
	SIZE(trace2_label);
	SIZE(trace2_metric_value);
	AT(trace2_metric_value, min);
	AT(trace2_metric_value, last);
	AT(trace2_metric_value, reserved);
	SIZE(trace2_span);
	AT(trace2_span, id);
	AT(trace2_span, place);
	SIZE(trace2_event);
	AT(trace2_event, sid);
	AT(trace2_event, thread);
	AT(trace2_event, file);
	AT(trace2_event, line);
	AT(trace2_event, repo_id);
	AT(trace2_event, nesting);
	AT(trace2_event, wall_us);
	AT(trace2_event, t_rel_ns);
	AT(trace2_event, fields);
	AT(trace2_event, nr_fields);
	SIZE(trace2_event_field);
	AT(trace2_event_field, type);
	AT(trace2_event_field, value);
	SIZE(trace2_perf_attr);
	AT(trace2_perf_attr, config);
	AT(trace2_perf_attr, wakeup_events);
	AT(trace2_perf_attr, sample_period);
	AT(trace2_perf_attr, sample_type);
	AT(trace2_perf_attr, read_format);
	AT(trace2_perf_attr, reserved);
	SIZE(trace2_perf_named);
	AT(trace2_perf_named, group);
	AT(trace2_perf_named, name);
	return 0;
}
EOT

test_expect_success LONG_IS_64BIT 'abi: public structures have not changed' '
	${CC:-cc} -I"$GIT_BUILD_DIR/lib" layout.c -o layout &&
	test_prints ./layout <<-\EOF
	trace2_options 72
	  version 0
	  prefix 8
	  flags 16
	  system_config 24
	  config 32
	  sink 40
	  sink_data 48
	  reserved 56
	trace2_repo 16
	  worktree 0
	  repo_id 8
	trace2_child 64
	  argv 0
	  child_class 8
	  hook_name 16
	  cwd 24
	  use_shell 32
	  pid 40
	  child_id 48
	  child_state 52
	  start_ns 56
	trace2_site 48
	  file 0
	  category 8
	  name 16
	  line 24
	  number 28
	  reserved 32
	trace2_timer 24
	  name 8
	  flags 16
	  index 20
	trace2_counter 24
	  index 20
	trace2_distribution 32
	  unit 16
	  flags 24
	  index 28
	trace2_gauge 32
	  unit 16
	  flags 24
	  index 28
	trace2_label 16
	trace2_metric_value 64
	  min 16
	  last 32
	  reserved 48
	trace2_span 16
	  id 0
	  place 8
	trace2_event 88
	  sid 8
	  thread 16
	  file 24
	  line 32
	  repo_id 36
	  nesting 40
	  wall_us 48
	  t_rel_ns 64
	  fields 72
	  nr_fields 80
	trace2_event_field 24
	  type 8
	  value 16
	trace2_perf_attr 96
	  config 8
	  wakeup_events 4
	  sample_period 32
	  sample_type 40
	  read_format 48
	  reserved 60
	trace2_perf_named 360
	  group 96
	  name 100
	EOF
'

cat >first.c <<'EOT'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "trace2.h"

/* trace2_options as the first version had it. */
struct first_options {
	const char *version, *prefix;
	unsigned int flags;
};

int main(void)
{
	struct first_options options = { "first", "APP", TRACE2_NO_SIGNALS };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = two + page;

	if (two == MAP_FAILED || mprotect(end, page, PROT_NONE))
		return 1;
	end -= sizeof(options);
	memcpy(end, &options, sizeof(options));
	trace2_initialize_with((const struct trace2_options *)(void *)end);
	return !trace2_is_enabled();
}
EOT

test_expect_success !INSTRUMENTED,LONG_IS_64BIT 'abi: the library reads no more of an options structure than its stated size' '
	${CC:-cc} -I"$GIT_BUILD_DIR/lib" first.c -o first \
		-L"$GIT_BUILD_DIR/build/lib" -ltrace2 -pthread &&
	LD_LIBRARY_PATH="$GIT_BUILD_DIR/build/lib" APP="$PWD/trace" ./first &&
	test_grep "version first" trace
'

cat >counts.c <<'EOT'
#include "trace2.h"

TRACE2_COUNTER(inlined, "abi", "counted", 0);
TRACE2_COUNTER(called, "abi", "counted", 0);

int main(void)
{
	trace2_initialize();
	trace2_counter_add(inlined, 1); /* gets the thread its cells */
	if (OLD_LIBRARY)
		trace2_mine_.counters = NULL;
	trace2_counter_add(inlined, 2);
	trace2_counter_add_on_(&called, 4); /* as headers of before call it */
	trace2_counter_add(inlined, (uint64_t)8 << 32);
	return 0;
}
EOT

test_expect_success !INSTRUMENTED,LONG_IS_64BIT 'abi: a counter has the same value with inline code as by function calls' '
	for old in 0 1
	do
		${CC:-cc} -O2 -DOLD_LIBRARY=$old -I"$GIT_BUILD_DIR/lib" \
			counts.c -o counts -L"$GIT_BUILD_DIR/build/lib" \
			-ltrace2 -pthread &&
		LD_LIBRARY_PATH="$GIT_BUILD_DIR/build/lib" \
			GIT_TRACE2="$PWD/counts.$old" ./counts &&
		test_grep "counter.*abi.*34359738375" counts.$old || return 1
	done
'

test_done
