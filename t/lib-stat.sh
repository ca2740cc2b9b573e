# SPDX-License-Identifier: MIT
#
# Functions for the tests of stat and diff; read this after test-lib.sh:
#
#	runs DIR NAME=VALUE,... ...
#		makes a set of recordings with these numbers
#		(t3401/runs.perl)
#
# shellcheck shell=sh

# The kernel permits counting software events.
test_lazy_prereq COUNT 'trace2 stat -e list | grep "^page-faults.* yes "'
# The kernel counts what processes read and write.
test_lazy_prereq IO 'test -r /proc/self/io'

runs () {
	rm -rf "$1" &&
	"$PERL_PATH" "$TEST_DIRECTORY"/t3401/runs.perl "$@"
}
