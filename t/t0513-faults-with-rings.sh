#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='faults while rings, samples and counted events are on

The other scripts of faults use event streams alone. Here a program has all of
these at once, and behaves as without tracing.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-faults.sh"

test_skip_unless JQ

# The counters of test-tool and of the host; the others are reported as errors.
sample=app/test/test1/:2,app/plain/items/:3,app/plain/work:ns/:1000
counters=app/test/test1/,app/plain/items/,page-faults,task-clock,app/test/test2/

# Remove the streams of other runs.
afresh () {
	rm -rf rings e &&
	mkdir rings
}

# all_on COMMAND...: unharmed, with a ring in rings beside an event stream in e.
all_on () {
	unharmed GIT_TRACE2_RING="$(pwd)/rings" GIT_TRACE2_RING_SIZE=64k \
		GIT_TRACE2_SAMPLE="$sample" GIT_TRACE2_COUNTERS="$counters" \
		GIT_TRACE2_SIGNALS=PIPE GIT_TRACE2_EVENT="$(pwd)/e" "$@"
}

# Each ring can be read; their dumps are in dump.txt.
readable () {
	: >dump.txt &&
	set -- rings/* &&
	if test -f "$1"
	then
		test-tool ring dump "$@" >dump.txt
	fi
}

# Every second one of the verbs that may involve rings, and the allocations that
# fail: with GIT_TEST_LONG all. t0500 has all verbs without rings.
verbs='^0[4-8]|^[12]' every=2 step=9 loads=1000
if test_have_prereq EXPENSIVE
then
	verbs=. every=1 step=1 loads=3000
fi

test_expect_success 'ring, samples, counters: tracing changes no output, exit, descriptors or signals' '
	grep -E "$verbs" "$TEST_DIRECTORY/t0500/verbs" |
	awk "NR % $every == 0" >chosen &&
	test_line_count -gt 20 chosen &&
	afresh &&
	while read -r line
	do
		eval "set -- $line" &&
		all_on test-tool trace2 "$@" ||
		{
			echo "it was: $line"
			return 1
		}
	done <chosen &&
	intact e && readable
'

test_expect_success 'ring, samples, counters: every call keeps errno and the mask, and accepts NULL' '
	afresh &&
	all_on test-tool trace2 015errno &&
	all_on test-tool trace2 014nulls &&
	readable &&
	test_grep "key=\"last\"" dump.txt &&
	# If nothing else is on, the hot calls use their fast path.
	afresh &&
	GIT_TRACE2_RING="$(pwd)/rings" GIT_TRACE2_SAMPLE="$sample" \
		test-tool trace2 015errno &&
	GIT_TRACE2_RING="$(pwd)/rings" GIT_TRACE2_SAMPLE="$sample" \
		test-tool trace2 014nulls &&
	readable &&
	test_grep "key=\"last\"" dump.txt
'

test_expect_success INJECT 'ring, samples, counters: each of the first allocations may fail without harm' '
	afresh &&
	nr=1 &&
	while test $nr -le 60
	do
		all_on env LD_PRELOAD="$inject" INJECT_MEMORY_AT=$nr \
			"$hosts/plain" 7 &&
		ended code 7 ||
		{
			echo "it was: $nr"
			return 1
		} &&
		nr=$((nr + step)) || return 1
	done &&
	readable
'

test_expect_success INJECT 'ring, samples, counters: every second to seventh allocation, or all, may fail' '
	afresh &&
	for every in 1 2 3 4 5 6 7
	do
		all_on env LD_PRELOAD="$inject" INJECT_MEMORY=$every \
			"$hosts/plain" 7 &&
		ended code 7 || return 1
	done &&
	readable
'

test_expect_success 'a process with a ring is unharmed by a limit of few or no descriptors' '
	afresh &&
	for files in 3 4 5 6 7 8 9 10 12 16
	do
		all_on test-tool fault rlimit-nofile $files \
			test-tool trace2 201counter 5 7 3 &&
		all_on test-tool fault rlimit-nofile $files \
			test-tool trace2 070fork || return 1
	done &&
	readable
'

# With musl, 10 MiB have room for the host and a part of the library: too little for
# its threads beside that.
test_expect_success !INSTRUMENTED 'a process with a ring is unharmed by a limit of address space' '
	afresh &&
	case "$CC" in
	*musl*) limits="8 14 20 30 60 80" ;;
	*) limits="8 10 14 20 30 60 80" ;;
	esac &&
	for mb in $limits
	do
		all_on test-tool fault rlimit-as $((mb * 1024 * 1024)) \
			test-tool trace2 201counter 5 7 3 || return 1
	done &&
	readable
'

test_expect_success 'a process with a ring is unharmed by a limit of file size' '
	afresh &&
	for kb in 1 200 800 1400 2000 3000
	do
		all_on test-tool fault rlimit-fsize $((kb * 1024)) \
			test-tool trace2 201counter 5 7 3 || return 1
	done &&
	readable
'

# full KB: the trace goes to a disk of that size, the output of the host does
# not.
test_expect_success TMPFS 'a full disk, from the start or later, does no harm to a ring' '
	mkdir -p mnt &&
	write_script full.sh <<-\EOF &&
	mount -t tmpfs -o size="$1"k none mnt || exit 99
	GIT_TRACE2_RING=$(pwd)/mnt GIT_TRACE2_EVENT=$(pwd)/mnt/e
	export GIT_TRACE2_RING GIT_TRACE2_EVENT
	shift
	"$@" || exit
	for file in mnt/2*
	do
		test ! -f "$file" || test-tool ring dump "$file" >dump.txt || exit 98
	done
	EOF
	for kb in 4 64 100 200 500 2000
	do
		for verb in "201counter 5 7 3" "051threads 20"
		do
			GIT_TRACE2_SAMPLE="$sample" GIT_TRACE2_COUNTERS="$counters" \
				unshare -rm ./full.sh $kb test-tool trace2 $verb ||
			return 1
		done
	done
'

test_expect_success 'forked children of every kind have rings of their own' '
	afresh &&
	for verb in other-thread-first threads-at-once only-a-thread-counts \
		raw-clone in-a-silent-thread timer-runs names-itself \
		three-children
	do
		all_on "$hosts/forks" $verb || return 1
	done &&
	intact e && readable
'

test_expect_success !INSTRUMENTED,!MUSL 'ring, samples, counters: handlers may jump and fork, threads may be cancelled' '
	afresh &&
	all_on "$hosts/forks" handler-forks &&
	for verb in chained dies-in-thread child-ends jumps jumps-in-threads \
		cancels
	do
		all_on "$hosts/handlers" $verb || return 1
	done &&
	readable
'

modules=$GIT_BUILD_DIR/build/modules

test_expect_success !INSTRUMENTED,!MUSL 'ring, samples, counters: the library may be unloaded and loaded again' '
	afresh &&
	for verb in unload-before-thread unload-in-child reload
	do
		all_on "$hosts/plugins" $verb \
			"$modules/static-plugin.so" || return 1
	done
'

rounds=100
test_have_prereq !INSTRUMENTED || rounds=30

test_expect_success 'ring, samples, counters: threads that come and go while modules load lose no count' '
	afresh &&
	GIT_TRACE2_RING="$(pwd)/rings" GIT_TRACE2_RING_SIZE=64k \
		GIT_TRACE2_SAMPLE="$sample" GIT_TRACE2_COUNTERS="$counters" \
		GIT_TRACE2_EVENT="$(pwd)/e" \
		"$hosts/churn" "$modules/metrics.so" $rounds >out &&
	counted=$(sed -n "s/^counted //p" out) &&
	test "$counted" -ge $((rounds * 6)) &&
	readable && intact e &&
	trace2_jq "
		[.[] | select(.event == \"counter\" and .category != \"perf\")
			| {(.name): .count}] | add |
		.test1 == $counted + 100 * $rounds and
		.calls == $rounds and .items == 10 * $rounds" e
'

test_expect_success !MUSL 'a module may be unloaded while other threads start and stop sampling its counter' '
	"$hosts/modules" "$modules/bare-metrics.so" $loads >actual &&
	echo "used $loads times" | test_cmp - actual
'

test_done
