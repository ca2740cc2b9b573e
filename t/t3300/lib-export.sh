# SPDX-License-Identifier: MIT
#
# What the tests of trace2 export share; to be read after test-lib.sh.
#
# shellcheck shell=sh

MIX="$TEST_DIRECTORY/t3300/mix.event"
TRACES="$TEST_DIRECTORY/traces"
# shellcheck disable=SC2034 # for the scripts
CR=$(printf '\r')

# has_feature NAME: was the command built with that library?
has_feature () {
	case " ${TOOL_FEATURES-} " in
	*" $1 "*) ;;
	*) return 1 ;;
	esac
}

if ! test_have_prereq JQ
then
	skip_all='jq is missing'
	test_done
fi
if ! has_feature SIMDJSON
then
	skip_all='built without simdjson'
	test_done
fi

test_lazy_prereq NODE 'node --version'
test_lazy_prereq DEV_FULL 'test -c /dev/full'
test_lazy_prereq SQLITE3 'has_feature SQLITE3 && sqlite3 --version'
test_lazy_prereq LIBCURL 'has_feature LIBCURL'
