#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='a program with raised privileges is not traced, and writes nowhere

The user who starts the program controls its environment and its config files.
New files of other programs have the modes that the documentation and the umask
give them.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"
. "$TEST_DIRECTORY/lib-faults.sh"

# ASan finds leaks through a process that traces the program, which the kernel
# refuses if privileges are raised; and gcc's version ignores its options then.

# A copy owned by another user, in a file system that permits setuid.
test_lazy_prereq SETUID '
	test_have_prereq ROOT &&
	cp "$(command -v id)" id &&
	chown 65534 id &&
	chmod 4755 id &&
	test "$(./id -u)" = 65534
'

test_expect_success SETUID 'setup: a copy of test-tool that runs as another user' '
	cp "$GIT_BUILD_DIR/t/helper/test-tool" raised &&
	chown 65534 raised &&
	chmod 4755 raised &&
	mkdir d &&
	chmod 777 . d &&
	: >f &&
	chmod 666 f
'

# Try every kind of destination.
test_expect_success SETUID,!ASAN 'a set-user-ID program writes no trace and reads no settings' '
	unharmed GIT_TRACE2="$(pwd)/n" GIT_TRACE2_PERF="$(pwd)/d" \
		GIT_TRACE2_EVENT="$(pwd)/f" GIT_TRACE2_DST_DEBUG=1 \
		GIT_TRACE2_PARENT_SID=forged \
		./raised trace2 016allevents &&
	test_path_is_missing n &&
	test_must_be_empty f &&
	test_dir_is_empty d &&
	unharmed GIT_TRACE2=1 GIT_TRACE2_EVENT=9 ./raised trace2 003error x &&
	printf "[trace2]\n\teventTarget = %s\n" "$(pwd)/f" >config &&
	unharmed GIT_CONFIG_GLOBAL="$(pwd)/config" \
		./raised trace2 001return 3 &&
	ended code 3 &&
	test_must_be_empty f
'

test_expect_success SETUID,!INSTRUMENTED 'a set-user-ID program makes no system call for a trace' '
	if strace -o log true
	then
		# Without -u the privileges are not raised under strace.
		GIT_TRACE2_EVENT="$(pwd)/f" strace -u "$(id -un)" -o log \
			./raised trace2 093session_id >out &&
		! grep -e gitconfig -e "$(pwd)/f" log
	fi
'

test_expect_success SETUID,!ASAN 'a set-user-ID program has no session, and passes no SID to children' '
	GIT_TRACE2_EVENT="$(pwd)/f" ./raised trace2 093session_id >actual &&
	echo "0 " | test_cmp - actual &&
	GIT_TRACE2_EVENT="$(pwd)/f" GIT_TRACE2_PARENT_SID=outer \
		./raised trace2 092env GIT_TRACE2_PARENT_SID >actual &&
	echo "GIT_TRACE2_PARENT_SID=outer" | test_cmp - actual &&
	test_must_be_empty f
'

test_expect_success SETUID 'a program without the set-user-ID bit is traced' '
	chmod 755 raised &&
	GIT_TRACE2_EVENT="$(pwd)/f" ./raised trace2 001return 0 &&
	test_file_not_empty f
'

# The kernel marks setgid and capabilities of a file by the same bit.
test_expect_success SETUID 'a set-group-ID program has no session' '
	: >g &&
	chown 0:65534 raised &&
	chmod 2755 raised &&
	unharmed GIT_TRACE2_EVENT="$(pwd)/g" ./raised trace2 016allevents &&
	test_must_be_empty g
'

test_lazy_prereq SETCAP '
	test_have_prereq ROOT && cp "$(command -v id)" id &&
	setcap cap_net_bind_service+ep id &&
	setpriv --reuid=65534 --regid=65534 --clear-groups ./id
'

test_expect_success SETCAP,SETUID 'a program with capabilities writes nothing, for users other than root' '
	: >c &&
	chown 65534 c raised &&
	chmod 755 raised &&
	setcap cap_net_bind_service+ep raised &&
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		env GIT_TRACE2_EVENT="$(pwd)/c" ./raised trace2 001return 0 &&
	test_must_be_empty c
'

# In a directory writable for all users, a predictable name may be a link:
# t/unit/dest.c. A file that the user names may be one.
test_expect_success POSIXPERM 'new files in a target directory have the mode that the umask gives' '
	for mask in 077 027 022
	do
		rm -rf m &&
		mkdir m &&
		(umask $mask && GIT_TRACE2_EVENT="$(pwd)/m" test-tool trace2 001return 0) &&
		ls -l m | sed -n "s/^\(-[rwx-]*\).*/\1/p" >actual &&
		case $mask in
		077) echo "-rw-------" ;;
		027) echo "-rw-r-----" ;;
		022) echo "-rw-r--r--" ;;
		esac >expect &&
		test_cmp expect actual || return 1
	done
'

test_done
