# SPDX-License-Identifier: MIT
#
# Runs programs on a terminal.  After
#	. "$TEST_DIRECTORY"/lib-terminal.sh
# tests may ask for prerequisite TTY and use test_terminal.
#
# shellcheck shell=sh

# test_terminal COMMAND...: COMMAND finds standard input, output and error to
# be terminals.  What it prints comes out here as it is, without the carriage
# returns of a terminal.
test_terminal () {
	"$PERL_PATH" "$TEST_LIB_DIRECTORY/lib-terminal.perl" "$@" 2>&7
} 7>&2 2>&4

test_lazy_prereq TTY '
	test_terminal sh -c "test -t 0 && test -t 1 && test -t 2"
'
