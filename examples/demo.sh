#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `make demo`: runs treesum over this project's own tree with tracing on, and
# shows what its trace says. Needs what `make` built, and nothing else.

cd "$(dirname "$0")/.." || exit 1
treesum=build/examples/treesum
if ! test -x "$treesum"
then
	echo >&2 "demo: there is no $treesum: run 'make' first"
	exit 1
fi

# All but what was built.
set --
for directory in */
do
	test "$directory" = build/ || set -- "$@" "${directory%/}"
done

traces=$(mktemp -d) || exit 1
trap 'rm -rf "$traces"' EXIT

# Each variable switches one target on; all three can be on at once. Brief
# leaves out the time of day and the place in the source.
if ! GIT_TRACE2="$traces/normal" GIT_TRACE2_BRIEF=1 \
	GIT_TRACE2_PERF="$traces/perf" GIT_TRACE2_PERF_BRIEF=1 \
	GIT_TRACE2_EVENT="$traces/event" GIT_TRACE2_EVENT_BRIEF=1 \
	"$treesum" -j 3 --sort "$@" >"$traces/table"
then
	echo >&2 "demo: '$treesum -j 3 --sort $*' failed"
	exit 1
fi

heading () {
	printf '\n--- %s\n\n' "$*"
}

heading 'What treesum printed: extension, files, bytes, checksum'
head -n 6 "$traces/table"

# Trailing blanks go, empty columns shrink: the lines then fit a terminal.
heading 'perf: who did what when (thread, event, since start, took, what)'
grep -v -E '(th_)?(timer|counter) ' "$traces/perf" |
awk -F ' *[|] *' '
	$3 == "version" || $3 == "cmd_ancestry" { next }
	{ printf "%-10s %-12s %9s %9s  %s %s\n", $2, $3, $5, $6, $7, $8 }
' |
sed 's/ *$//'

heading 'perf: timers and counters, of each thread and then of all'
awk -F ' *[|] *' '
	$3 ~ /^(th_)?(timer|counter)$/ {
		printf "%-10s %-10s %s %s\n", $2, $3, $7, $8
	}
' "$traces/perf"

heading 'normal: the same run for people, in short'
cat "$traces/normal"

heading 'event: the same run for programs; how long the reads took, by length'
grep '"event":"timer"' "$traces/event" |
sed -e 's/"sid":"[^"]*",//' -e 's/\("histogram":\[\(\[[^]]*\],\)\{3\}\).*/\1 .../' |
fold -w 100

# The last line is made from the trace alone.
awk -F ' *[|] *' '
	$3 == "thread_start" { threads++ }
	$3 == "child_exit" { children++ }
	$3 == "atexit" { seconds = $5 }
	$3 == "counter" {
		split($8, word, /[ :]/)
		sum[word[2]] = word[4]
	}
	END {
		printf "\ndemo: treesum summed %s bytes in %s files with" \
			" %d threads and %d child in %.3f s," \
			" as its trace tells\n", sum["bytes"], sum["files"],
			threads, children, seconds
	}
' "$traces/perf"
