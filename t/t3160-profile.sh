#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 record --profile: which functions compute'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-perf.sh"

# compiled NAME OPTION...: compile t3160/hot.c as NAME.
compiled () {
	local name="$1" && shift &&
	"${CC:-cc}" -O2 "$@" -o "$name" "$TEST_DIRECTORY/t3160/hot.c"
}

# Functions have names: trace2 was built with libdw.
test_lazy_prereq SAMPLE_NAMES '
	compiled probe -g &&
	trace2 record --no-states --profile -- ./probe 50 &&
	trace2 report --samples | grep " mix\$"
'

test_expect_success CC 'setup' '
	compiled fp -g -fno-omit-frame-pointer &&
	compiled no-fp -g -fomit-frame-pointer
'

# What stock perf says of the samples: PERCENT FUNCTION, the largest first.
perf_functions () {
	perf report -i "${1:-trace2.data}/kernel.data" --no-children --stdio \
		-g none -s symbol 2>/dev/null |
	sed -n "s/^ *\([0-9.]*\)% *\[[.k]\] */\1 /p" >functions
}

# share FUNCTION LOW HIGH: its part of the samples is between these.
share () {
	awk -v name="$1" -v low="$2" -v high="$3" '
		$2 == name { ok = $1 >= low && $1 <= high }
		END { exit !ok }' functions
}

# What stock perf finds on the way to functions: one line a sample, the
# innermost function first.
perf_paths () {
	perf script -i "${1:-trace2.data}/kernel.data" -F comm,event,ip,sym \
		2>/dev/null |
	awk "/task-clock/ { on = 1; path = \"\"; next }
		on && NF { path = path \" \" \$2; next }
		on { print path; on = 0 }" >paths
}

test_expect_success CC,TASKS,PERF_SCRIPT 'samples have functions, and their callers by frame pointers' '
	trace2 record --profile -- ./fp &&
	jq -e ".profile == \"kernel\" and .states == \"kernel\"" \
		trace2.data/meta.json &&
	perf_functions &&
	share mix 58 82 &&
	share three 18 42 &&
	perf_paths &&
	test "$(grep -c "mix.* both.* main" paths)" -gt 50
'

test_expect_success CC,TASKS,PERF_SCRIPT,X86_64 'and by copies of the stack, where there are none' '
	trace2 record --profile --call-graph dwarf -- ./no-fp &&
	perf_functions &&
	share mix 58 82 &&
	perf_paths &&
	test "$(grep -c "mix seven both main" paths)" -gt 50
'

test_expect_success CC,TASKS 'so many a second of CPU time' '
	trace2 record --no-states --profile=100 -- ./fp &&
	a=$("$PERL_PATH" "$TEST_DIRECTORY/t3120/records.perl" \
		trace2.data/kernel.data | awk "/^SAMPLE/ { print \$2 }") &&
	trace2 record --no-states --profile=2000 -- ./fp &&
	b=$("$PERL_PATH" "$TEST_DIRECTORY/t3120/records.perl" \
		trace2.data/kernel.data | awk "/^SAMPLE/ { print \$2 }") &&
	test "$b" -gt $((10 * a)) &&
	test "$b" -lt $((40 * a))
'

test_expect_success TASKS,PERF_SCRIPT '--no-states leaves samples alone' '
	trace2 record --no-states --profile -- sh -c ": | cat" &&
	jq -e ".states == \"not requested\" and .profile == \"kernel\"" \
		trace2.data/meta.json &&
	"$PERL_PATH" "$TEST_DIRECTORY/t3120/records.perl" \
		trace2.data/kernel.data >records &&
	grep MMAP2 records &&
	test_grep ! SWITCH records
'

test_expect_success WAKERS,PERF_SCRIPT 'functions of the kernel are named in kernel.symbols' '
	trace2 record --no-states --profile=5000 -- \
		dd if=/dev/zero of=/dev/null bs=1M count=2000 &&
	perf_paths &&
	grep " do_syscall_64\$\|el0_svc\$" trace2.data/kernel.symbols
'

test_expect_success ORDINARY_USER,PARANOID_2,CC,TASKS,PERF_SCRIPT 'an ordinary user has samples outside of the kernel' '
	mkdir -p user &&
	chmod 777 user &&
	as_ordinary trace2 record --no-states --profile -o user/r -- ./fp 2>err &&
	grep "not recorded" err >refused &&
	cat >expect <<-EOF &&
	trace2 record: not recorded: samples in the kernel: perf_event_open: Permission denied (kernel.perf_event_paranoid is 2; at most 1, or CAP_PERFMON, is needed)
	EOF
	test_cmp expect refused &&
	jq -e ".profile == \"kernel\" and (.profile_kernel | test(\"paranoid\"))" \
		user/r/meta.json &&
	perf report -f -i user/r/kernel.data --no-children --stdio -g none \
		-s symbol 2>/dev/null |
	sed -n "s/^ *\([0-9.]*\)% *\[[.k]\] */\1 /p" >functions &&
	share mix 58 82
'

# The path that most samples have, of what `trace2 report` reads from a
# recording: the innermost function first.
main_path () {
	trace2 report --samples -i "${1:-trace2.data}" >out 2>err &&
	sed -n "/CALLED BY/,/^\$/p" out | awk "NR > 2 { print \$NF }" >names &&
	tr "\n" " " <names >path
}

test_expect_success CC,TASKS,SAMPLE_NAMES 'trace2 reads samples of programs without Trace2' '
	trace2 record --profile -- ./fp &&
	main_path &&
	grep "mix .*both main " path
'

test_expect_success CC,TASKS,SAMPLE_NAMES,X86_64 'and unwinds copies of stacks' '
	trace2 record --profile --call-graph dwarf -- ./no-fp &&
	main_path &&
	grep "mix seven both main " path
'

test_expect_success CC,TASKS,SAMPLE_NAMES 'a child that executes nothing has the mappings of its parent' '
	trace2 record --profile -- ./fp 300 fork &&
	main_path &&
	grep "mix .*both main " path
'

test_expect_success CC,TASKS,SAMPLE_NAMES 'what a process executes later has its own' '
	compiled other -g -fno-omit-frame-pointer -Dseven=siete -Dmix=mezcla &&
	trace2 record --profile -- sh -c "./fp 150; exec ./other 150" &&
	main_path &&
	test_grep " mix\$" out &&
	test_grep " mezcla\$" out
'

for args in "--profile=0" "--profile=10001" "--profile=1k" \
	"--profile --call-graph=lbr" "--profile --call-graph=dwarf,12" \
	"--profile --call-graph=dwarf,65536" "--call-graph=fp"
do
	test_expect_success "an error: $args" '
		test_expect_code 2 trace2 record $args -- true 2>err &&
		test_grep "trace2: --\(profile\|call-graph\) " err
	'
done

test_done
