# SPDX-License-Identifier: MIT
#
# Functions for the tests of counted and sampled events; read this after
# test-lib.sh:
#
#	sampled LIST COMMAND...
#		runs COMMAND with GIT_TRACE2_SAMPLE=LIST; its ring is in r, and
#		dumped
#	dump
#		writes the rings of r to dump.txt, their samples to samples
#	errors
#		prints the errors in dump.txt
#	copy_treesum
#		puts the example here, and a tree of 12 small files for it
#	run_example NAME HEADER RESULT
#		builds the program of trace2-perf(3) that begins with this
#		#include as NAME; its output is RESULT... of the manual
#	as_ordinary COMMAND...
#		runs COMMAND as a user without privileges
#
# shellcheck shell=sh

test_lazy_prereq PERF_RECORD '
	perf record -q -e page-faults:u -c 1 -o probe.data true &&
	test-tool perf faults 1 1 1
'
# The usual setting for users other than root.
test_lazy_prereq PARANOID_2 '
	test "$(cat /proc/sys/kernel/perf_event_paranoid)" = 2
'
# A tree below a home directory may not be readable for all users.
test_lazy_prereq ORDINARY_USER '
	chmod a+rx . &&
	as_ordinary ls "$(pwd)" >out &&
	as_ordinary test-tool perf run open process/threads/ >out &&
	test_must_be_empty out
'

# Take names only from this machine.
unset DEBUGINFOD_URLS

run_example () {
	awk "/^#include <$2>/ { on = 1 } /^----/ && on { exit } on" \
		"$GIT_BUILD_DIR"/Documentation/trace2-perf.adoc >"$1.c" &&
	test_line_count -gt 40 "$1.c" &&
	"${CC:-cc}" -D_GNU_SOURCE -Wall -Wextra -Werror -I"$GIT_BUILD_DIR"/lib \
		-o "$1" "$1.c" "$GIT_BUILD_DIR"/build/lib/libtrace2.a -pthread &&
	GIT_TRACE2=/dev/null "./$1" >actual &&
	sed -n "s/^    \($3\)/\1/p" \
		"$GIT_BUILD_DIR"/Documentation/trace2-perf.adoc >expect &&
	test_line_count -eq 1 expect &&
	test_cmp expect actual
}

as_ordinary () {
	if test_have_prereq ROOT
	then
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

sampled () {
	test_sampled_=$1 &&
	shift &&
	rm -rf r &&
	mkdir r &&
	GIT_TRACE2_SAMPLE="$test_sampled_" GIT_TRACE2_RING="$(pwd)/r" "$@" &&
	dump
}

dump () {
	test-tool ring dump r/* >dump.txt &&
	{ grep " SAMPLE " dump.txt >samples || :; }
}

errors () {
	sed -n 's/.* error .*msg="\(.*\)" fmt=.*/\1/p' dump.txt
}

# Let the copy find the library in the tree.
copy_treesum () {
	LD_LIBRARY_PATH=$GIT_BUILD_DIR/build/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} &&
	export LD_LIBRARY_PATH &&
	cp "$GIT_BUILD_DIR/build/examples/treesum" . &&
	mkdir tree &&
	for i in 1 2 3 4 5 6 7 8 9 10 11 12
	do
		echo x >tree/$i.txt || return 1
	done
}
