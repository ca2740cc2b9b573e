#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='states of threads: as recorded, and as the program knows them'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-perf.sh"

hosts=$GIT_BUILD_DIR/build/hosts

# Compare the recording in r with what the program printed.
compare () {
	"$GIT_BUILD_DIR/build/unit/tool-states" r/trace2.data >dump &&
	"$PERL_PATH" "$TEST_DIRECTORY/t3122/known.perl" r/known dump "$@" \
		>table || {
		cat table
		return 1
	}
}

# recorded_as_known "[COMMAND...]" OPTION...
recorded_as_known () {
	as=$1 &&
	shift &&
	rm -rf r &&
	mkdir -m 777 r &&
	(cd r && $as trace2 record -- "$hosts/states" >known) &&
	compare "$@"
}

test_expect_success WAKERS 'each state, its cause, and who woke whom' '
	recorded_as_known "" --causes --wakers
'

test_expect_success STATES,ORDINARY_USER,PARANOID_2 'without privileges: each state' '
	recorded_as_known as_ordinary
'

# A machine that other work stops for a moment disturbs one recording, not three.
test_expect_success EXPENSIVE,WAKERS 'each state lasts as long as the program knows' '
	recorded_as_known "" --times ||
	recorded_as_known "" --times ||
	recorded_as_known "" --times
'

# in_bounds HOW PID LEAST MOST: SPAWN of a child is as long as the program knows.
in_bounds () {
	jq -e ".processes[] | select(.pid == $2) | .spawn_ns |
		$3 <= . and . <= $4" report || {
		echo "$1: not from $3 to $4"
		jq "[.processes[] | {pid, spawn_ns}]" report
		return 1
	}
}

test_expect_success JQ,WAKERS 'how long a parent waits for children to start, and to be reaped' '
	trace2 record -o spawner "$hosts/spawner" >known &&
	test_line_count = 4 known &&
	trace2 report --format=json spawner >report &&
	while read -r how pid least most
	do
		in_bounds $how $pid $least $most || return 1
	done <known
'

test_done
