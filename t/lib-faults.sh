# SPDX-License-Identifier: MIT
#
# A host in a bad place, with tracing and without; to be read after
# lib-trace2.sh:
#
#	unharmed [VARIABLE=VALUE...] COMMAND...
#		runs COMMAND, then again with these variables, which switch
#		tracing on; what it prints, how it ends and what it has at its
#		end (see t/helper/host-state.h) must be the same. The traced
#		run leaves traced.out, traced.err, traced.ends, traced.state.
#	ended WORDS...
#		that run ended so: `code N` or `signal N`
#	intact FILE
#		an event stream, of processes that may have been killed: each
#		line is whole, and nothing is wrong before its end
#	lost_in FILE
#		prints the `lost` of its last atexit, or 0
#	whole_lines FILE
#		prints it without a last line that lacks its end
#
#	$inject
#		what LD_PRELOAD takes to make calls of the C library fail (INJECT_*,
#		see t/helper/modules/bare-inject.c), where INJECT is satisfied
#
# shellcheck shell=sh

# A blank in its path would be the end of it. A sanitizer wants to be the first
# to be loaded, and has an allocator itself.
inject=./inject.so
test_lazy_prereq INJECT '
	test_have_prereq !INSTRUMENTED,!MUSL &&
	cp "$GIT_BUILD_DIR/build/modules/bare-inject.so" inject.so &&
	env LD_PRELOAD="$inject" true 2>err &&
	test_must_be_empty err &&
	cp inject.so "$TRASH_DIRECTORY"
'

unharmed () {
	"$PERL_PATH" "$TEST_DIRECTORY/lib-faults.perl" "$(pwd)" "$@"
}

ended () {
	echo "$*" >expect.ends
	test_cmp expect.ends traced.ends
}

intact () {
	test $# = 1 || BUG "intact wants a file"
	expect_valid_stream --killed "$1" || return 1
	if test_have_prereq READS_STREAMS
	then
		{ trace2 check "$1" || :; } >check.out 2>&1
		! grep >&4 "error:" check.out
	fi
}

lost_in () {
	jq -s '[.[] | select(.event == "atexit")] | .[-1].lost // 0' "$1"
}

# whole_lines FILE: without a last line that lacks its end
whole_lines () {
	"$PERL_PATH" -ne 'print if /\n\z/' "$1"
}
