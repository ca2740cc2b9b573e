#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='recording onto a disk that is full'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless READS_STREAMS,TMPFS 'no file system of its own can be mounted, or simdjson is missing'

# Two pages are left, for .gitignore and the initial meta.json.
test_expect_success 'lost events are not counted as recorded' '
	mkdir small &&
	write_script on-small-disk <<-\EOF &&
	mount -t tmpfs -o size=16k none small &&
	head -c 8192 /dev/zero >small/fill &&
	trace2 record -o small/r -- sh -c "/bin/true; /bin/true; exit 5"
	EOF
	test_expect_code 5 unshare -rm ./on-small-disk 2>err &&
	test_grep "[1-9][0-9]* lost, exit 5 ]" err &&
	test_grep ! "trace2 list" err
'

test_done
