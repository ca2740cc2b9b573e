#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='memory of programs that report how much they have

Each program takes memory in its own way, and holds it until the recorder has
seen it. The result must be right to 5 % (and 2 MiB, the memory of the programs
themselves). A peak that is shorter than the time between two looks may be
missed.
'

. ./test-lib.sh

test_skip_unless JQ

# memory_of DIR: print the latest memory of all processes, and the most, in MiB.
memory_of () {
	sed "/}\$/!d" "$1/tasks.jsonl" |
	jq -s -r '[.[] | select(.type == "memory") | .tree_bytes // empty |
		. / 1048576 | floor] | "\(last // 0) \(max // 0)"'
}

# has DIR MB: is MB the latest memory, to 5 %?
has () {
	memory_of "$1" 2>/dev/null >now &&
	read -r last most <now &&
	test "$last" -ge $(($2 * 95 / 100)) &&
	test "$last" -le $(($2 * 105 / 100 + 2))
}

# is_seen "MB [MB]" WORDS...: record the program `memory` until the recorder has
# seen this much; then let the program go on, to the second amount. The recorder
# never sees more than the larger one.
is_seen () {
	local levels="$1" most=0 level && shift &&
	rm -rf r go go.3 &&
	mkfifo go go.3 &&
	{ trace2 record -q -o r -- "$GIT_BUILD_DIR/build/hosts/memory" \
		"$@" <go 3<go.3 & } &&
	pid=$! &&
	exec 9>go 8>go.3 &&
	for level in $levels
	do
		test "$most" = 0 || exec 9>&- || return 1
		if ! wait_until has r "$level"
		then
			echo "expected $level, is $(memory_of r)" &&
			exec 9>&- 8>&- &&
			return 1
		fi
		test "$level" -le "$most" || most=$level
	done &&
	exec 9>&- 8>&- &&
	wait "$pid" &&
	memory_of r >now &&
	read -r last seen <now &&
	if test "$seen" -gt $((most * 105 / 100 + 2))
	then
		echo "had at most $most, was seen with $seen" &&
		return 1
	fi
}

# A program is several words.
# shellcheck disable=SC2086
while IFS='|' read -r when levels program title
do
	test_expect_success PLAIN_MEMORY$when "memory: $title" '
		is_seen "$levels" $program
	'
done <<-\EOF
	|200|take=50 take=50 take=50 take=50 hold=0|steps add up
	,EXPENSIVE|150|blocks=150 hold=0|small blocks add up
	,EXPENSIVE|128|huge=128 hold=0|huge pages count like others
	,EXPENSIVE|20|zeros=200 take=20 hold=0|pages that were only read do not count
	,EXPENSIVE|20|reserve=2000 take=20 hold=0|memory reserved but not used does not count
	|100|take=100 fork=20 hold=0|memory shared by forked workers counts once
	,EXPENSIVE|500|take=500 fork=50 hold=0|500 MiB shared by 50 workers count once
	|140|take=100 fork=4 take=10 hold=0|memory allocated by workers counts for each
	|220|take=100 fork=3 write=40 hold=0|shared memory that workers write to counts for each
	,EXPENSIVE|200|take=100 fork=1 write=100 hold=0 parent hold=0|a forked child that writes to all memory counts twice
	,EXPENSIVE|200|take=100 fork=1 hold=0 parent write=100 hold=0|memory that the parent writes to after fork counts twice
	,EXPENSIVE|80|fork=2 take=20 fork=2 take=10 hold=0 parent hold=0 parent hold=0|children of children add up
	|140|take=100 fork=8 hold=0 parent file=40 hold=0|a file mapped by one of several processes counts once
	,EXPENSIVE|140|take=100 file=40 fork=8 read=40 hold=0|a file mapped by all processes counts once
	,EXPENSIVE|60|file=60 hold=0|pages of a mapped file count
	,EXPENSIVE|60|private=60 hold=0|own copies of the pages of a file count
	,EXPENSIVE|180|private=60 fork=2 write=60 hold=0|each worker that writes has its own copy
	,EXPENSIVE|80|shared=80 hold=0|shared memory counts
	,EXPENSIVE|80|shared=80 fork=6 write=80 hold=0|memory mapped as shared by workers counts once
	,EXPENSIVE|80|memfd=80 fork=3 read=80 hold=0|a file in memory counts once
	,EXPENSIVE|30|unmapped=60 take=30 hold=0|a file in memory that nobody maps belongs to no process
	,EXPENSIVE|80|threads=8 take=10 hold=0 parent hold=0|memory of threads adds up
	,EXPENSIVE|100|threads=50 take=2 hold=0 parent hold=0|memory of many threads adds up
	|100 60|take=100 hold=0 exec take=60 hold=3|memory from before an exec does not count
	,EXPENSIVE|100 5|take=100 hold=0 drop=100 take=5 hold=3|memory that was freed does not count
	,EXPENSIVE|120 20|take=20 take=100 hold=0 forget=100 hold=3|memory that the kernel may drop does not count
	,EXPENSIVE|100 60|take=100 hold=0 drop=100 fork=1 take=60 hold=3 parent hold=3|memory freed before a fork does not add to that of the child
	,EXPENSIVE|80 30|fork=1 take=50 hold=0 parent take=30 hold=3|memory of a child does not count after its end
	,EXPENSIVE|80|fork=2 exec file=40 hold=0 parent hold=0|programs of one name map a file each
	,EXPENSIVE|100|fork=1 exec file=80 hold=0 parent fork=1 exec file=20 hold=0 parent hold=0|programs of one name map files of different sizes
	,EXPENSIVE|100|fork=4 exec take=25 hold=0 parent hold=0|programs of one name have memory each
EOF

test_done
