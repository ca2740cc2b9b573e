#!/bin/sh
# SPDX-License-Identifier: MIT
#
# `make demo`: record two real Git commands with trace2 and show where their
# time went; then treesum, a program that uses libtrace2, with its timers and
# counters. Needs git and the result of `make`. It writes only into a new
# temporary directory, which it removes.

cd "$(dirname "$0")/.." || exit 1
top=$PWD
PATH=$top/build/bin:$PATH
for program in build/bin/trace2 build/examples/treesum
do
	if ! test -x "$program"
	then
		echo >&2 "demo: there is no $program: run 'make' first"
		exit 1
	fi
done
if ! command -v git >/dev/null
then
	echo >&2 "demo: there is no git to record: Debian package git brings it"
	exit 1
fi

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT PIPE TERM

# Only these settings, so that the result does not depend on the user. A
# checkout owned by another user can be read, too.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_TRACE2 GIT_TRACE2_PERF
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_PAGER=cat
export GIT_CONFIG_COUNT=2
export GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'
export GIT_CONFIG_KEY_1=init.defaultBranch GIT_CONFIG_VALUE_1=main
export GIT_AUTHOR_NAME=demo GIT_AUTHOR_EMAIL=demo@example.com
export GIT_COMMITTER_NAME=demo GIT_COMMITTER_EMAIL=demo@example.com
export COLUMNS=80 LC_ALL=C.UTF-8

fail () {
	echo >&2 "demo: $*"
	exit 1
}

heading () {
	printf '\n--- %s\n\n' "$*"
}

# Commands can be longer than a terminal is wide.
shown () {
	sed 's/^\(.\{79\}\)..*$/\1+/' "$@"
}

# The project's own history, passed through a file: the process on the other
# side of a clone ignores safe.directory in the environment.
own_history () {
	git rev-parse --verify -q HEAD >/dev/null 2>&1 &&
	test "$(git rev-parse --show-toplevel)" = "$(pwd -P)" &&
	git bundle create -q "$work/history" HEAD &&
	git init -q --bare "$work/project.git" &&
	git -C "$work/project.git" fetch -q "$work/history" HEAD:main
}

# A tree without history, or with a part of it: a history of one commit.
no_history () {
	rm -rf "$work/project.git"
	mkdir "$work/copy" &&
	cp -R lib examples Documentation README.md "$work/copy" &&
	cd "$work/copy" &&
	git init -q &&
	git add . &&
	git commit -q -m 'The project as it is' &&
	git clone -q --bare . "$work/project.git"
}

own_history 2>/dev/null || (no_history) ||
	fail 'cannot make a repository of this project'
cd "$work" || exit 1

heading 'trace2 record -- git log --stat'
trace2 record -o log -- git -C project.git log --stat >log.txt ||
	fail "git log failed"
heading 'trace2 list; trace2 report'
{
	trace2 list log &&
	echo &&
	trace2 report log
} >report.txt || fail "there is no report of git log"
shown report.txt

heading 'trace2 record -- git clone'
trace2 record -o clone -- git clone -q --no-local project.git copy ||
	fail "git clone failed"
heading 'trace2 list; trace2 report: with the processes that a clone starts'
{
	trace2 list clone &&
	echo &&
	trace2 report clone
} >report.txt || fail "there is no report of git clone"
shown report.txt

heading 'A program with libtrace2: treesum, over the sources of the project'
trace2 record -o sum -- "$top/build/examples/treesum" -j 3 --sort \
	"$top/lib" "$top/tool" "$top/t" >table.txt || fail "treesum failed"
head -n 4 table.txt
heading 'trace2 report --threads --timers --counters'
trace2 report --threads --timers --counters sum >report.txt ||
	fail "there is no report of treesum"
shown report.txt

# The last line is computed from the recordings only.
count () {
	trace2 list --format=csv "$1" | awk 'END { print NR - 1 }'
}
wall () {
	trace2 list --format=csv "$1" |
	awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "wall_ns") k = i }
		NR == 2 { printf "%.0f ms", $k / 1e6 }'
}
printf '\ndemo: git log took %s, git clone %s in %d processes, treesum %s\n' \
	"$(wall log)" "$(wall clone)" "$(count clone)" \
	"$(wall sum)"
