# SPDX-License-Identifier: MIT
#
# Run a host under faults, with tracing and without; read this after
# lib-trace2.sh:
#
#	unharmed [VARIABLE=VALUE...] COMMAND...
#		runs COMMAND, then again with these variables, which switch
#		tracing on; its output, its exit status and its state at the
#		end (see t/helper/host-state.h) must be the same. The traced
#		run leaves traced.out, traced.err, traced.ends, traced.state.
#	ended WORDS...
#		that run ended with `code N` or `signal N`
#	intact FILE
#		an event stream, of processes that may have been killed: each
#		line is whole, and without errors up to its end
#	lost_in FILE
#		prints the `lost` of its last atexit, or 0
#	whole_lines FILE
#		prints it without an incomplete last line
#
#	$inject
#		the value of LD_PRELOAD that makes calls of the C library fail
#		(INJECT_*, see t/helper/modules/bare-inject.c), if prerequisite
#		INJECT is satisfied
#
# shellcheck shell=sh

# A blank in the path would end it: LD_PRELOAD is a list. A sanitizer must be
# loaded first, and has its own allocator.
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
	{ trace2 check "$1" || :; } >check.out 2>&1
	! grep >&4 "error:" check.out
}

lost_in () {
	awk '/"event":"atexit"/ {
		lost = 0
		if (match($0, /"lost":[0-9]+/))
			lost = substr($0, RSTART + 7, RLENGTH - 7)
	}
	END { print lost + 0 }' "$1"
}

# whole_lines FILE: print the file without an incomplete last line
whole_lines () {
	"$PERL_PATH" -ne 'print if /\n\z/' "$1"
}
