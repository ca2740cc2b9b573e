# SPDX-License-Identifier: MIT
#
# For programs built with a sanitizer: its findings go to a log instead of
# stderr, and fail the test during which they occur. An exit code alone would
# not suffice: it gets lost in a pipe and in the background, and test_must_fail
# takes it for the expected failure.
#
# shellcheck shell=sh
# The quotes are for the sanitizers, which split options at blanks, too.
# shellcheck disable=SC2089,SC2090

test_sanitizer_start () {
	test_logs_dir_=$TRASH_DIRECTORY.logs
	test_logs_pattern_='ERROR: \|WARNING: ThreadSanitizer\|runtime error: '
	test_remove_dir_ "$test_logs_dir_"
	mkdir -p "$test_logs_dir_" || error "cannot make '$test_logs_dir_'"
	# A test that runs as another user must be able to write there.
	chmod 1777 "$test_logs_dir_"
	test_log_path_="log_path=\"$test_logs_dir_/log\""
	# The caller's options follow the defaults and so override them.
	ASAN_OPTIONS=detect_stack_use_after_return=1:${ASAN_OPTIONS-}
	UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:${UBSAN_OPTIONS-}
	# A child of a fork in a thread may start threads.
	TSAN_OPTIONS=halt_on_error=1:die_after_fork=0:${TSAN_OPTIONS-}
	ASAN_OPTIONS=abort_on_error=1:$ASAN_OPTIONS:$test_log_path_
	UBSAN_OPTIONS=abort_on_error=1:$UBSAN_OPTIONS:$test_log_path_
	TSAN_OPTIONS=abort_on_error=1:$TSAN_OPTIONS:$test_log_path_
	LSAN_OPTIONS=abort_on_error=1:${LSAN_OPTIONS-}:$test_log_path_
	export ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS LSAN_OPTIONS
}
