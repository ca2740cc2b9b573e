#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='config files that might never answer are not asked for

A file system of FUSE is a program, which may be stopped. One is mounted here that
notes each request: none comes from a host that starts.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

sane_unset GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL XDG_CONFIG_HOME
GIT_CONFIG_SYSTEM=$(pwd)/system
export GIT_CONFIG_SYSTEM

test_expect_success 'setup' '
	mkdir mnt &&
	: >system &&
	printf "[trace2]\n\tnormalTarget = %s\n" "$(pwd)/trace" >content
'

# with_fuse COMMAND...: mnt/.gitconfig is `content`; log has all requests.
type=fuse
with_fuse () {
	test-tool fault fuse "$type" mnt content log "$@"
}

test_lazy_prereq FUSE '
	mkdir mnt &&
	: >content &&
	test-tool fault fuse fuse mnt content log true
'

# not_asked VARIABLE=VALUE...: the start of a host makes no request there.
not_asked () {
	rm -f trace &&
	: >log &&
	with_fuse env "$@" test-tool trace2 001return 0 2>err &&
	test_must_be_empty err &&
	test_must_be_empty log &&
	test_path_is_missing trace
}

# home_not_asked MOUNT HOME: neither does that of one with this home, of a file
# system that is mounted at MOUNT.
home_not_asked () {
	: >log &&
	test-tool fault fuse fuse "$1" content log \
		env HOME="$2" test-tool trace2 001return 0 &&
	test_must_be_empty log
}

test_expect_success FUSE 'the file is there, and asking for it is noticed' '
	with_fuse cat mnt/.gitconfig >actual &&
	test_cmp content actual &&
	test_file_not_empty log
'

test_expect_success FUSE 'a home directory' '
	for type in fuse fuse.trial
	do
		not_asked HOME="$(pwd)/mnt" || return 1
	done
'
type=fuse

test_expect_success FUSE 'each of the files, by each variable' '
	not_asked XDG_CONFIG_HOME="$(pwd)/mnt" &&
	for variable in GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM
	do
		for path in "$(pwd)/mnt/.gitconfig" "$(pwd)/mnt//x/.gitconfig" \
			"$(pwd)//mnt/./.gitconfig" mnt/.gitconfig \
			../"${PWD##*/}"/mnt/.gitconfig
		do
			not_asked $variable="$path" || return 1
		done
	done
'

test_expect_success FUSE 'through links' '
	ln -s mnt/.gitconfig to-file &&
	ln -s "$(pwd)/mnt" to-dir &&
	mkdir deep &&
	ln -s ../to-dir deep/to-link &&
	ln -s deep/../to-file to-link &&
	for path in to-file to-dir/.gitconfig deep/to-link/.gitconfig to-link
	do
		not_asked GIT_CONFIG_GLOBAL="$path" &&
		not_asked GIT_CONFIG_GLOBAL="$(pwd)/$path" || return 1
	done
'

test_expect_success FUSE 'a file system mounted below a usual home gets no request' '
	mkdir -p one/.config two/.config/git three four/.config &&
	ln -s "$(pwd)/mnt" three/.config &&
	ln -s ../../mnt four/.config/git &&
	for mount in one/.config two/.config/git mnt
	do
		for home in one two three four
		do
			home_not_asked $mount "$(pwd)/$home" || return 1
		done || return 1
	done
'

# Valgrind, and the shell that starts it, ask for the current directory.
test_expect_success FUSE,!UNDER_VALGRIND 'from a current directory that is there' '
	rm -f trace &&
	with_fuse sh -c "
		cd mnt && : >../log &&
		GIT_CONFIG_GLOBAL=.gitconfig test-tool trace2 001return 0 &&
		GIT_CONFIG_GLOBAL=./.gitconfig test-tool trace2 001return 0
	" &&
	test_must_be_empty log &&
	test_path_is_missing trace
'

test_expect_success FUSE 'though the kernel knows the file already' '
	rm -f trace &&
	with_fuse sh -c "
		cat mnt/.gitconfig >out && ls -la mnt >out && : >log &&
		HOME=\$PWD/mnt test-tool trace2 001return 0
	" &&
	test_must_be_empty log &&
	test_path_is_missing trace
'

test_expect_success FUSE,ROOT 'a single file that is mounted from there' '
	rm -f trace &&
	: >here &&
	with_fuse sh -c "
		mount --bind mnt/.gitconfig here && : >log &&
		GIT_CONFIG_GLOBAL=\$PWD/here test-tool trace2 001return 0
	" &&
	test_must_be_empty log &&
	test_path_is_missing trace
'

test_expect_success FUSE 'a mount whose name is longer than a block of the list of mounts' '
	name=$(printf "%0200d" 0) &&
	dir=$name/$name/$name/$name/$name/$name &&
	mkdir -p "$dir" &&
	home_not_asked "$dir" "$(pwd)/$dir" &&
	test_path_is_missing trace
'

test_expect_success FUSE 'a file that includes one there is read itself' '
	printf "[trace2]\n\tnormalTarget = %s\n[include]\n\tpath = mnt/.gitconfig\n" \
		"$(pwd)/mine" >includer &&
	not_asked GIT_CONFIG_GLOBAL="$(pwd)/includer" &&
	test_path_is_file mine
'

test_expect_success FUSE 'keys to report are not looked for there, either' '
	: >log &&
	with_fuse env HOME="$(pwd)/mnt" GIT_TRACE2="$(pwd)/trace" \
		GIT_TRACE2_CONFIG_PARAMS="*" test-tool trace2 001return 0 &&
	test_must_be_empty log &&
	test_grep "^version\|version" trace &&
	test_grep ! def_param trace
'

test_expect_success FUSE 'the reason is reported on request' '
	reason="on a file system of FUSE, which may never answer" &&
	with_fuse env HOME="$(pwd)/mnt" GIT_TRACE2_DST_DEBUG=1 \
		test-tool trace2 001return 0 2>err &&
	test_grep "^warning: trace2: cannot read .*/mnt/.gitconfig.: $reason" err &&
	: >log &&
	test_expect_code 1 test-tool fault fuse fuse mnt content log \
		env HOME="$(pwd)/mnt" trace2 check --env >out 2>err &&
	test_grep "^trace2: cannot read .*/mnt/.gitconfig.: $reason" err &&
	test_must_be_empty log
'

# ---------------------------------------------------------------------------
# Others are read, wherever they are.

# read_by PATH: the settings of that file apply.
read_by () {
	rm -f trace &&
	GIT_CONFIG_GLOBAL=$1 GIT_TRACE2_DST_DEBUG=1 \
		test-tool trace2 001return 0 2>err &&
	test_must_be_empty err &&
	test_path_is_file trace
}

# A file system other than the root's.
elsewhere=/dev/shm/trace2-test.$$
test_lazy_prereq ELSEWHERE '
	test "$(stat -c %d /dev/shm)" != "$(stat -c %d /)" &&
	: >"$elsewhere.try" &&
	rm "$elsewhere.try"
'

test_expect_success ELSEWHERE 'another file system than the one of the root' '
	test_when_finished "rm -rf \"$elsewhere\"" &&
	mkdir -p "$elsewhere/dir" &&
	cp content "$elsewhere/file" &&
	ln -s ../file "$elsewhere/dir/relative" &&
	ln -s "$elsewhere/dir" "$elsewhere/to-dir" &&
	ln -s "$elsewhere/to-dir/relative" link-elsewhere &&
	for path in "$elsewhere/file" "$elsewhere/dir/../file" \
		"$elsewhere/dir/relative" "$elsewhere//to-dir/relative" \
		"$(pwd)/link-elsewhere" link-elsewhere
	do
		read_by "$path" || return 1
	done &&
	(
		cd "$elsewhere/dir" &&
		GIT_CONFIG_GLOBAL=../file test-tool trace2 001return 0
	)
'

test_expect_success ELSEWHERE,FUSE 'a mount below a home that is read' '
	test_when_finished "rm -rf \"$elsewhere\"" &&
	mkdir -p "$elsewhere/.config/git" "$elsewhere/mnt" &&
	cp content "$elsewhere/.config/git/config" &&
	echo "[include]path=mnt/.gitconfig" >"$elsewhere/.gitconfig" &&
	rm -f trace &&
	home_not_asked "$elsewhere/mnt" "$elsewhere" &&
	test_path_is_file trace
'

test_expect_success ELSEWHERE 'links that lead nowhere, or in circles' '
	test_when_finished "rm -rf \"$elsewhere\"" &&
	mkdir "$elsewhere" &&
	ln -s nowhere "$elsewhere/dangling" &&
	ln -s two "$elsewhere/one" &&
	ln -s one "$elsewhere/two" &&
	for name in dangling none one
	do
		rm -f trace &&
		GIT_CONFIG_GLOBAL=$elsewhere/$name GIT_TRACE2_DST_DEBUG=1 \
			test-tool trace2 001return 0 2>err.$name || return 1
	done &&
	test_path_is_missing trace &&
	test_must_be_empty err.dangling &&
	test_must_be_empty err.none &&
	test_grep "too many levels of symbolic links" err.one
'

test_expect_success 'a descriptor, also of a file that has no name any more' '
	cp content unnamed &&
	{
		read_by /dev/fd/9 &&
		rm unnamed &&
		read_by /proc/self/fd/9
	} 9<unnamed
'

test_expect_success STRACE,!INSTRUMENTED 'a start with no config files opens none' '
	GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_GLOBAL=/dev/null \
		strace -f -e trace=file -o calls test-tool trace2 001return 0 &&
	grep -v -e "execve(" -e "exited" -e "ld.so" -e "libc.so" calls >actual || : &&
	test_grep ! "null\|gitconfig\|mountinfo" actual
'

test_lazy_prereq ON_ROOT '
	test "$(awk "\$5 == \"/\" { print \$1 }" /proc/self/mountinfo | tail -n 1)" = \
		"$(findmnt -n -o ID -T .)"
'

test_expect_success STRACE,ON_ROOT,!INSTRUMENTED 'on the file system of the root, one call finds a file' '
	GIT_CONFIG_GLOBAL="$(pwd)/content" GIT_CONFIG_SYSTEM="$(pwd)/none" \
		strace -f -o calls test-tool trace2 001return 0 &&
	grep -e content -e none -e mountinfo -e statx calls >actual &&
	test_line_count = 2 actual &&
	test_grep "openat2(AT_FDCWD, \"$(pwd)/none\"" actual &&
	test_grep "openat2(AT_FDCWD, \"$(pwd)/content\"" actual
'

test_done
