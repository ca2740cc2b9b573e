#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The config reader must accept the files that `git config -f FILE --list`
# accepts, with the same result. The files in t0310/good and t0310/bad are named
# after their peculiarity; good.expect and bad.expect have the expected results.

test_description='config files are read as Git reads them'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-config.sh

corpus=$TRASH_DIRECTORY/corpus

test_expect_success 'setup: unpack the files' '
	for kind in good bad
	do
		mkdir -p "$corpus/$kind" &&
		tar -C "$corpus/$kind" -xf "$TEST_DIRECTORY/t0310/$kind.tar" ||
		return 1
	done
'

test_expect_success PERL 'good config files are read with the expected keys and values' '
	for file in "$corpus"/good/*
	do
		printf "@ %s\0" "${file##*/}" &&
		list "$file" || return 1
	done >good.raw &&
	perl "$TEST_DIRECTORY/t0310/show.perl" <good.raw >good &&
	test_cmp "$TEST_DIRECTORY/t0310/good.expect" good
'

test_expect_success 'bad config files are refused, with line and reason' '
	for file in "$corpus"/bad/*
	do
		echo "@ ${file##*/}" &&
		test_expect_code 128 list "$file" 2>err >out &&
		test_must_be_empty out &&
		sed "s/^error: cannot read .*: line /line /" err || return 1
	done >bad &&
	test_cmp "$TEST_DIRECTORY/t0310/bad.expect" bad
'

test_expect_success GIT_SPACES 'Git reads the good config files as the library does' '
	same_as_git "$corpus"/good/* &&
	ls "$corpus"/good >names &&
	test_line_count = "$taken" names
'

test_expect_success GIT 'git refuses the bad config files' '
	same_as_git "$corpus"/bad/* &&
	test "$taken" = 0
'

test_expect_success 'test-tool config list without -z prints lines of key=value, or of key alone' '
	printf "[a \"B\"]\n\tc = d\n\te\n\tf =\n" >config &&
	test_prints test-tool config --file config list <<-\EOF
	a.B.c=d
	a.B.e
	a.B.f=
	EOF
'

test_expect_success PERL 'long names, values and lines are read whole' '
	perl -e "
		print qq([a]b=), q(x) x 70000, qq(\n);
		print qq([a \"), q(y) x 9000, qq(\"]c\n);
		print q([), q(z) x 5000, qq(]), q(k) x 5000, qq(=c\n);
		print q([a]d=), qq(\\\\\n) x 3000, q(c), q( ) x 5000, qq(d\n);
	" >long &&
	list long >out &&
	perl -0ne "chomp; print length, qq(\n)" out >actual &&
	test_write_lines 70004 9004 10003 5006 | test_cmp - actual
'

test_expect_success GIT,PERL 'Git reads long names, values and lines as the library does' '
	same_as_git long &&
	test "$taken" = 1
'

test_expect_success PERL 'one seed gives the same random config files each time' '
	mkdir one two &&
	perl "$TEST_DIRECTORY/t0310/generate.perl" 5 20 one &&
	perl "$TEST_DIRECTORY/t0310/generate.perl" 5 20 two &&
	cat one/* >one.all &&
	cat two/* >two.all &&
	test_cmp one.all two.all
'

files=40
test_have_prereq !EXPENSIVE || files=2000
test_expect_success GIT_SPACES,PERL "$files random config files are read as by git" '
	mkdir random &&
	perl "$TEST_DIRECTORY/t0310/generate.perl" 310 $files random &&
	same_as_git random/* &&
	echo "$taken were taken" &&
	test "$taken" -gt $((files * 4 / 10)) &&
	test "$taken" -lt $((files * 9 / 10))
'

test_expect_success 'a missing config file is refused with an error that names it' '
	refuse nosuch &&
	echo "error: cannot read '\''nosuch'\'': no such file" | test_cmp - refused.err &&
	refuse long/below-a-file
'

test_expect_success 'a directory is refused as config file' '
	mkdir directory &&
	refuse directory &&
	test_grep "is a directory" refused.err
'

test_expect_success PIPE 'a FIFO that nobody writes to is refused without waiting' '
	mkfifo fifo &&
	refuse fifo &&
	test_grep "not a regular file" refused.err
'

test_expect_success '/dev/null, and a link to it, is read as an empty file' '
	test_prints list /dev/null </dev/null &&
	ln -s /dev/null null &&
	test_prints list null </dev/null
'

test_expect_success 'a device other than /dev/null is refused' '
	refuse /dev/zero &&
	test_grep "not a regular file" refused.err
'

test_expect_success SANITY 'an unreadable config file is refused' '
	echo "[a]b" >unreadable &&
	chmod a= unreadable &&
	refuse unreadable &&
	test_grep "permission denied" refused.err
'

test_expect_success 'a config file of more than 1 MiB is refused' '
	dd if=/dev/null of=large bs=1 count=0 seek=1048576 2>err &&
	refuse large &&
	test_grep "more than 1 MiB" refused.err
'

test_expect_success PROC 'a config file may have a size of 0 according to stat(), as in /proc' '
	refuse /proc/version &&
	test_grep "line 1" refused.err
'

test_done
