#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='a host that limits itself, reuses descriptors or has little stack

It changes after the library has begun, and finds what it finds without tracing.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

hosts=$GIT_BUILD_DIR/build/hosts

if ! test_have_prereq JQ || ! test -x "$hosts/changes"
then
	skip_all='jq and build/hosts/changes are needed'
	test_done
fi

# Address space that is reserved for threads to come is missing here.
test_expect_success !INSTRUMENTED 'a limit for memory that is set later: there is as much' '
	mkdir rings &&
	echo memory >expect &&
	"$hosts/changes" limit-memory >actual &&
	test_cmp expect actual &&
	GIT_TRACE2_EVENT="$(pwd)/e" "$hosts/changes" limit-memory >actual &&
	test_cmp expect actual &&
	trace2_jq "[.[] | select(.event == \"counter\").count] == [10]" e &&
	GIT_TRACE2_RING="$(pwd)/rings" "$hosts/changes" limit-memory >actual &&
	test_cmp expect actual
'

test_done
