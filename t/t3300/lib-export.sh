# SPDX-License-Identifier: MIT
#
# Functions for the tests of trace2 export; read this after test-lib.sh.
#
# shellcheck shell=sh

MIX="$TEST_DIRECTORY/t3300/mix.event"
# A server with spans of the program, and a process that one of them started.
# shellcheck disable=SC2034 # for the scripts
SPANS="$TEST_DIRECTORY/t3300/spans.event"
TRACES="$TEST_DIRECTORY/traces"
# shellcheck disable=SC2034 # for the scripts
CR=$(printf '\r')

if ! test_have_prereq JQ
then
	skip_all='jq is missing'
	test_done
fi

test_lazy_prereq NODE 'node --version'
test_lazy_prereq DEV_FULL 'test -c /dev/full'

# With the program that reads it.
test_lazy_prereq PERFETTO '
	case " ${TOOL_FEATURES-} " in *" PROTOBUF_C "*) protoc --version ;; *) false ;; esac
'

# collector [ANSWER...]: have a collector that gives these answers (see
# collector.js) or accepts all, until the next call; its URL is in $url. One
# program serves the whole script, since node takes long to start.
collector_pid=
# shellcheck disable=SC2034 # for the scripts
collector () {
	test $# -gt 0 || set -- 200
	rm -rf collector &&
	mkdir collector &&
	test_write_lines "$@" >collector/answers &&
	if test -z "$collector_pid"
	then
		{ node "$TEST_DIRECTORY"/t3300/collector.js collector \
			>collector.out 2>&1 & } &&
		collector_pid=$! &&
		test_atexit end_collector &&
		wait_until test -e collector/port &&
		collector_url=http://127.0.0.1:$(cat collector/port)
	fi &&
	url=$collector_url
}
end_collector () {
	test -z "$collector_pid" || {
		kill -KILL "$collector_pid"
		wait "$collector_pid"
	}
	collector_pid=
}

# The tables of csv and the databases.
TABLES=$(sed -n "s/^TR2_TABLE(\([a-z_]*\),.*/\1/p" \
	"$GIT_BUILD_DIR"/tool/export/tables.def | tr "\n" " ")
