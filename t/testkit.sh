# SPDX-License-Identifier: MIT
#
# The entry to the test kit for other projects. A test script begins with
#
#	test_description='its subject'
#	. "${TESTKIT:=/usr/share/trace2-testkit}/testkit.sh"
#
# and continues as with t/test-lib.sh here. $TESTKIT is this directory,
# $TEST_DIRECTORY that of the script, wherever it is run; trash directories are
# created there. Programs are found by the $PATH of the caller.
#
# shellcheck shell=sh

if test -z "${TESTKIT-}" || ! test -f "$TESTKIT/t/test-lib.sh"
then
	echo >&2 "error: TESTKIT='${TESTKIT-}' is not where the test kit of" \
		"trace2 is (see pkg-config --variable=testkit trace2-testkit)"
	exit 1
fi
TESTKIT=$(cd "$TESTKIT" && pwd) || exit 1
test_kit_=$TESTKIT
TEST_DIRECTORY=$(cd "$(dirname "$0")" && pwd) || exit 1
GIT_BUILD_DIR=${TEST_DIRECTORY%/*}
. "$TESTKIT/t/test-lib.sh"
