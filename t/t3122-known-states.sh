#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='states of threads: as recorded, and as the program knows them'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-perf.sh"

hosts=$GIT_BUILD_DIR/build/hosts

# Compare the recording in r with what the program printed.
compare () {
	"$GIT_BUILD_DIR/build/unit/tool-states" r/trace2.data >dump &&
	"$PERL_PATH" "$TEST_DIRECTORY/t3122/known.perl" r/known dump "$@" \
		>table || {
		cat table
		return 1
	}
}

test_expect_success WAKERS 'each state, its cause, and who woke whom' '
	mkdir r &&
	(cd r && trace2 record -- "$hosts/states" >known) &&
	compare --causes --wakers
'

test_expect_success STATES,ORDINARY_USER,PARANOID_2 'without privileges: each state' '
	rm -rf r &&
	mkdir -m 777 r &&
	(cd r && as_ordinary trace2 record -- "$hosts/states" >known) &&
	compare
'
test_done
