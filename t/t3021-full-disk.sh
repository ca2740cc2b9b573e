#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='recording onto a disk that is full'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless TMPFS 'no file system of its own can be mounted'

# Two pages are left, for .gitignore and the initial meta.json.
test_expect_success 'record: events lost to a full disk are not counted as recorded' '
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

test_expect_success 'record: the end of a recording is written although the command filled the disk' '
	mkdir filled &&
	write_script on-filled-disk <<-\EOF &&
	mount -t tmpfs -o size=512k none filled &&
	trace2 record -o filled/r -- sh -c "cat /dev/zero >filled/all"
	status=$?
	cp filled/r/meta.json .
	ls filled/r >names
	exit $status
	EOF
	test_expect_code 1 unshare -rm ./on-filled-disk 2>err &&
	test_grep "No space left on device" err &&
	test_grep ! "still running" err &&
	test_grep "\"state\":\"complete\"" meta.json &&
	test_grep ! "meta.json.tmp" names
'

test_expect_success 'stat fails if a run cannot be written, even the last one' '
	mkdir stat &&
	write_script on-stat-disk <<-\EOF &&
	mount -t tmpfs -o size=512k none stat &&
	trace2 stat -q -o stat/s -- sh -c "test-tool trace2 001return 0; cat /dev/zero >stat/all 2>/dev/null; :"
	EOF
	test_expect_code 128 unshare -rm ./on-stat-disk >out 2>err &&
	test_grep "No space left on device" err &&
	test_grep "some runs could not be read" out
'

test_expect_success 'record: a task list that does not fit on the disk leaves the rest complete' '
	mkdir many &&
	write_script on-many-disk <<-\EOF &&
	mount -t tmpfs -o size=512k none many &&
	trace2 record --no-states -o many/r -- sh -c "
		i=0
		while test \$i -lt 200
		do
			(:)
			i=\$((i + 1))
		done
		cat /dev/zero >many/all"
	cp many/r/meta.json many.json
	EOF
	unshare -rm ./on-many-disk 2>err &&
	test_grep ! "still running" err &&
	test_grep "\"state\":\"complete\"" many.json &&
	test_grep "\"unlisted_tasks\":202,\"tasks\":\[\]" many.json
'

# With -p no command has an exit code of its own.
test_expect_success TASKS,PIPE 'record -p exits with 128 on a full disk' '
	mkdir attached &&
	mkfifo go said &&
	write_script on-attached-disk <<-\EOF &&
	mount -t tmpfs -o size=16k none attached &&
	head -c 8192 /dev/zero >attached/fill &&
	{ sh -c "read -r line" <go & } &&
	{ trace2 record -o attached/r -p $! 2>said & } &&
	{ read -r line; echo >go; cat; } <said >err
	wait $!
	EOF
	test_expect_code 128 unshare -rm ./on-attached-disk &&
	test_grep "attached/r/tasks.jsonl. is incomplete: No space left" err &&
	test_grep "[1-9][0-9]* lost, exit 128 ]" err
'

test_done
