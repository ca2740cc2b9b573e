# SPDX-License-Identifier: MIT
#
# Run programs on a terminal. After
#	. "$TEST_DIRECTORY"/lib-terminal.sh
# tests may use prerequisite TTY and test_terminal.
#
# shellcheck shell=sh

# test_terminal COMMAND...: run COMMAND with terminals as standard input, output
# and error. Its output is passed on unchanged, without a terminal's carriage
# returns.
test_terminal () {
	"$PERL_PATH" "$TEST_LIB_DIRECTORY/lib-terminal.perl" "$@" 2>&7
} 7>&2 2>&4

test_lazy_prereq TTY '
	test_terminal sh -c "test -t 0 && test -t 1 && test -t 2"
'
