#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='rings where there is no place for them, and forked processes'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

# The program behaves as without tracing: VERB prints nothing, ends with CODE,
# and prints the text in `expect` to stderr.
refused () {
	ring=$1 &&
	GIT_TRACE2_RING=$ring GIT_TRACE2_DST_DEBUG=1 GIT_TRACE2="$(pwd)/n" \
		test_expect_code 3 test-tool trace2 001return 3 >out 2>err &&
	test_must_be_empty out &&
	test_grep "atexit elapsed:[0-9.]* code:3" n &&
	rm n
}

test_expect_success 'an existing file is refused as ring, and unchanged' '
	echo precious >file &&
	cp file before &&
	refused "$(pwd)/file" &&
	test_cmp before file &&
	test_cmp - err <<-EOF
	warning: trace2: cannot use '\''GIT_TRACE2_RING'\'': '\''$(pwd)/file'\'': the file exists, and one is of one process: name a directory
	EOF
'

test_expect_success 'an empty file, a symbolic link and a fifo are refused as ring, and unchanged' '
	: >empty &&
	ln -s target link &&
	mkfifo fifo &&
	refused "$(pwd)/empty" &&
	test_must_be_empty empty &&
	refused "$(pwd)/link" &&
	test_path_is_missing target &&
	refused "$(pwd)/fifo"
'

test_expect_success 'a ring value that names no path is refused' '
	for value in 1 2 relative af_unix:/tmp/x
	do
		refused "$value" &&
		test_cmp - err <<-EOF || return 1
		warning: trace2: unknown value for '\''GIT_TRACE2_RING'\'': '\''$value'\'' (want the absolute path of a directory or a new file)
		EOF
	done
'

test_expect_success 'a ring in a directory that does not exist is refused' '
	refused "$(pwd)/missing/file" &&
	test_grep "missing/file.*: No such file or directory" err
'

test_expect_success SANITY 'a ring in a directory without write permission is refused' '
	mkdir closed &&
	chmod a-w closed &&
	test_when_finished "chmod a+w closed" &&
	refused "$(pwd)/closed" &&
	test_grep "closed.*: Permission denied" err
'

test_expect_success 'a ring in a directory with GIT_TRACE2_MAX_FILES files is refused' '
	mkdir many &&
	: >many/1 &&
	GIT_TRACE2_MAX_FILES=1 && export GIT_TRACE2_MAX_FILES &&
	test_when_finished "sane_unset GIT_TRACE2_MAX_FILES" &&
	refused "$(pwd)/many" &&
	ls many >names &&
	echo 1 | test_cmp - names
'

test_expect_success 'a ring is refused if the limit of file size is too small for one thread' '
	for bytes in 4096 196608 500000 1859583
	do
		GIT_TRACE2_RING="$(pwd)/small" GIT_TRACE2_DST_DEBUG=1 \
			test_expect_code 3 test-tool fault rlimit-fsize $bytes \
			test-tool trace2 001return 3 2>err &&
		test_path_is_missing small &&
		test_cmp - err <<-EOF || return 1
		warning: trace2: cannot use '\''GIT_TRACE2_RING'\'': '\''$(pwd)/small'\'': File too large
		EOF
	done
'

test_expect_success 'a limit of file size too small for two threads loses records, but no counts' '
	GIT_TRACE2_RING="$(pwd)/small" test-tool fault rlimit-fsize 2000000 \
		test-tool trace2 101timer 2 0 2 &&
	test-tool ring dump small >dump.txt &&
	rm small &&
	test_grep "^arena exited .*lost\[4\]=[1-9][0-9]* lost\[5\]=2\$" dump.txt &&
	test_grep "^0 timer test/test2 4 " dump.txt &&
	test_grep "^1 atexit .*lost=[1-9]" dump.txt
'

test_expect_success 'counters work in a process that has no space for a ring' '
	GIT_TRACE2_RING="$(pwd)/small" GIT_TRACE2="$(pwd)/n" test_expect_code 0 \
		test-tool fault rlimit-fsize 800000 \
		test-tool trace2 201counter 5 7 3 &&
	test_grep "counter test/test2 value:36" n &&
	rm -f n small
'

test_expect_success TMPFS 'a disk that is full from the start, or soon, does no harm to the host' '
	mkdir -p mnt &&
	write_script full.sh <<-\EOF &&
	mount -t tmpfs -o size="$1" none mnt || exit 99
	GIT_TRACE2_RING=$(pwd)/mnt GIT_TRACE2=$(pwd)/n
	export GIT_TRACE2_RING GIT_TRACE2
	test-tool trace2 201counter 5 7 3 || exit
	for file in mnt/*
	do
		test ! -f "$file" || test-tool ring dump "$file" >dump.txt || exit
		echo "$1: $(ls mnt | wc -l | tr -d " ")" >>full
	done
	EOF
	for size in 16k 40k 64k 136k 160k 3000k
	do
		unshare -rm ./full.sh $size &&
		test_grep "counter test/test2 value:36" n &&
		rm n || return 1
	done &&
	test_write_lines "16k: 0" "40k: 0" "64k: 0" "136k: 1" "160k: 1" \
		"3000k: 1" >expect &&
	test_cmp expect full
'

# A program whose ring needs 256 KB, with 64 KB of space.
test_expect_success TMPFS 'the mode decides if a ring keeps the oldest or newest records on a full disk' '
	mkdir -p mnt &&
	write_script becomes-full.sh <<-\EOF &&
	mount -t tmpfs -o size=160k none mnt || exit 99
	GIT_TRACE2_RING=$(pwd)/mnt/r GIT_TRACE2_RING_MODE=$1
	export GIT_TRACE2_RING GIT_TRACE2_RING_MODE
	test-tool trace2 031nest 2000 || exit
	test-tool ring dump mnt/r >dump.txt
	EOF
	unshare -rm ./becomes-full.sh overwrite &&
	test_grep "^arena exited status=0 " dump.txt &&
	test_grep "^1 slot .*overwritten=[1-9]" dump.txt &&
	test_grep ! "region_enter .*label=\"r1\"" dump.txt &&
	test_grep "^1 atexit .*lost=0" dump.txt &&
	grep -c "^1 region_leave" dump.txt >newest &&
	unshare -rm ./becomes-full.sh consume &&
	test_grep "^arena exited status=0 " dump.txt &&
	test_grep "^1 slot .*overwritten=0 lost\[0\]=[1-9]" dump.txt &&
	test_grep "label=\"r1\"" dump.txt &&
	grep -c "^1 region_enter" dump.txt >oldest &&
	cat newest oldest &&
	test "$(cat newest)" -gt 10 &&
	test "$(cat oldest)" -gt 300
'

# A ring allocates its space step by step. If one of these steps touches a page
# too many, the kernel sends SIGBUS.
test_expect_success TMPFS 'a disk that becomes full at any time raises no SIGBUS, and the ring is valid' '
	mkdir -p mnt &&
	write_script any-time.sh <<-\EOF &&
	step=44
	test -z "$GIT_TEST_LONG" || step=4
	for kb in $(seq 8 $step 1000) 8192
	do
		mount -t tmpfs -o size=${kb}k none mnt || exit 99
		GIT_TRACE2_RING=$(pwd)/mnt/r GIT_TRACE2_RING_SIZE=64k \
			"$@" use-ring 2 >out
		code=$?
		test ! -f mnt/r || test-tool ring dump mnt/r >dump.txt || code=98
		umount mnt
		echo "$kb KB: $code, $(cat out)"
	done
	EOF
	unshare -rm ./any-time.sh "$GIT_BUILD_DIR/build/hosts/resources" >ends &&
	cat ends &&
	test_line_count -gt 20 ends &&
	test_grep ! -v ": 0, used\$" ends &&
	# The last disk had enough space.
	test_grep " timer resources/1.149 40 " dump.txt
'

test_expect_success 'a process with few events needs little space' '
	rm -f r &&
	GIT_TRACE2_RING="$(pwd)/r" test-tool trace2 001return 0 &&
	du -k r >size &&
	cat size &&
	test "$(sed "s/[^0-9].*//" size)" -lt 136 &&
	rm -f r &&
	GIT_TRACE2_RING="$(pwd)/r" test-tool trace2 031nest 2000 &&
	du -k r >size &&
	test "$(sed "s/[^0-9].*//" size)" -gt 256
'

test_expect_success 'a record larger than a quarter of the ring is lost, and counted' '
	rm -f r &&
	long=$(printf "%01500d" 0) &&
	GIT_TRACE2_RING="$(pwd)/r" GIT_TRACE2_RING_SIZE=4k \
		test-tool trace2 006data a key "$long" b k2 v2 &&
	test-tool ring dump r >dump.txt &&
	test_grep "^0 slot .*lost\[1\]=1" dump.txt &&
	test_grep "^1 slot .*lost\[1\]=1" dump.txt &&
	grep " LOST " dump.txt >losses &&
	test_write_lines "0 LOST id=1 lost=1" "1 LOST id=1 lost=1" | test_cmp - losses &&
	test_grep "^1 data .*key=\"k2\" value=\"v2\"" dump.txt &&
	test_grep "^1 atexit .*lost=2" dump.txt
'

test_expect_success 'a full ring keeps the newest or the oldest records, by mode' '
	rm -f r &&
	GIT_TRACE2_RING="$(pwd)/r" GIT_TRACE2_RING_SIZE=4k \
		test-tool trace2 031nest 100 &&
	test-tool ring dump r >dump.txt &&
	test_grep "^1 slot .*overwritten=[1-9]" dump.txt &&
	! grep "region_enter .*label=\"r1\"" dump.txt &&
	test_grep "^0 version " dump.txt &&
	test_grep "^1 atexit .*lost=0" dump.txt &&
	rm -f r &&
	GIT_TRACE2_RING="$(pwd)/r" GIT_TRACE2_RING_SIZE=4k \
		GIT_TRACE2_RING_MODE=consume test-tool trace2 031nest 100 &&
	test-tool ring dump r >dump.txt &&
	test_grep "^1 slot .*overwritten=0 lost\[0\]=[1-9]" dump.txt &&
	test_grep "label=\"r1\"" dump.txt &&
	! grep "^1 atexit " dump.txt
'

test_expect_success 'a forked child has a separate ring file in a directory' '
	mkdir forks &&
	GIT_TRACE2_RING="$(pwd)/forks" test_expect_code 5 test-tool trace2 070fork &&
	ls forks >names &&
	test_line_count = 2 names &&
	for name in $(cat names)
	do
		test-tool ring dump forks/"$name" || return 1
	done >dump.txt &&
	sed -n "s/^arena.* pid=\([0-9]*\) ppid=\([0-9]*\) .*/\1 \2/p" dump.txt >pids &&
	parent=$(sed -n "1s/ .*//p" pids) &&
	child=$(sed -n "2s/ .*//p" pids) &&
	test -n "$parent" && test -n "$child" &&
	test_grep "^0 FORK pid=$child ppid=$parent tid=$child ptid=$parent time" dump.txt &&
	test_grep "data .* tid=$child .*value=\"child\"" dump.txt &&
	test_grep "data .* tid=$parent .*value=\"parent\"" dump.txt &&
	test_prints grep "counter test/test1" dump.txt <<-\EOF
	0 counter test/test1 1
	0 counter test/test1 100
	EOF
'

test_expect_success 'a broken ring beside a file leaves the file whole' '
	GIT_TRACE2_RING="$(pwd)/ring" test_expect_code 5 test-tool trace2 070fork &&
	ls ring ring.2* >names &&
	test_line_count = 2 names
'

test_expect_success 'records of threads beyond the 256 slots of a ring are counted as lost' '
	mkdir crowd &&
	GIT_TRACE2_RING="$(pwd)/crowd" GIT_TRACE2_RING_SIZE=4k \
		test-tool trace2 051threads 300 300 &&
	test-tool ring dump crowd/* >dump.txt &&
	test_grep "^arena exited .*lost\[4\]=[1-9]" dump.txt &&
	grep -c "^[0-9]* slot " dump.txt >slots &&
	echo 256 | test_cmp - slots &&
	test_grep "atexit .*lost=[1-9]" dump.txt
'

test_done
