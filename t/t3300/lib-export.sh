# SPDX-License-Identifier: MIT
#
# What the tests of trace2 export share; to be read after test-lib.sh.
#
# shellcheck shell=sh

MIX="$TEST_DIRECTORY/t3300/mix.event"
TRACES="$TEST_DIRECTORY/traces"
# shellcheck disable=SC2034 # for the scripts
CR=$(printf '\r')

if ! test_have_prereq JQ
then
	skip_all='jq is missing'
	test_done
fi
if ! test_have_prereq READS_STREAMS
then
	skip_all='built without simdjson'
	test_done
fi

test_lazy_prereq NODE 'node --version'
test_lazy_prereq DEV_FULL 'test -c /dev/full'
