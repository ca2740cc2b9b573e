#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The files that are read: the system's and the user's, as Git reads them for
# its own trace2.* settings. t0300 has which of them counts.

test_description='config comes from the system and the user, in that order'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-config.sh

test_expect_success 'setup: config files of all scopes' '
	echo "[hit]x" >hit &&
	mkdir -p etc xdg/git "$HOME/.config/git" &&
	echo "[trace2]from=system" >etc/gitconfig &&
	echo "[trace2]from=xdg" >xdg/git/config &&
	echo "[trace2]from=dot-config" >"$HOME/.config/git/config" &&
	echo "[trace2]from=home" >"$HOME/.gitconfig" &&
	sane_unset GIT_CONFIG_NOSYSTEM &&
	GIT_CONFIG_SYSTEM=$TRASH_DIRECTORY/etc/gitconfig &&
	export GIT_CONFIG_SYSTEM
'

# settings_are LINE...
settings_are () {
	test_write_lines "$@" >expect &&
	test-tool config settings | tr "\t" " " >actual &&
	test_cmp expect actual
}

test_expect_success 'settings come from the system, then from the user' '
	settings_are "system trace2.from=system" \
		"global trace2.from=dot-config" "global trace2.from=home" &&
	XDG_CONFIG_HOME=$TRASH_DIRECTORY/xdg &&
	test_when_finished "unset XDG_CONFIG_HOME" &&
	export XDG_CONFIG_HOME &&
	settings_are "system trace2.from=system" \
		"global trace2.from=xdg" "global trace2.from=home"
'

test_expect_success 'config files are read while descriptor 0 is closed, which stays closed' '
	test-tool config settings >expect &&
	test-tool config settings <&- >actual &&
	test_cmp expect actual &&
	test-tool --no-init trace2 090fds <&- >expect &&
	GIT_TRACE2_EVENT="$(pwd)/e" test-tool trace2 090fds <&- >fds &&
	test_path_is_file e &&
	grep -v "^[1-9][0-9][0-9]* CLOEXEC\$" fds >actual &&
	test_cmp expect actual
'

test_expect_success 'settings come from section trace2 only, also with old-style subsections' '
	cat >sections <<-\EOF &&
	[trace2]a
	[trace]b
	[trace2.Sub]c
	[TRACE2 "Sub"]d
	[trace22]e
	[include]path=hit
	EOF
	cat >expect <<-\EOF &&
	global trace2.a
	global trace2.sub.c
	global trace2.Sub.d
	EOF
	for unchecked in "" --unchecked
	do
		GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=sections \
		test-tool config settings $unchecked trace2 >out &&
		tr "\t" " " <out >actual &&
		test_cmp expect actual || return 1
	done
'

test_expect_success 'settings --unchecked reports a malformed file only if it may hold settings' '
	printf "[a]b\n[bad\n" >malformed &&
	GIT_CONFIG_GLOBAL=malformed test-tool config settings \
		--unchecked trace2 2>err &&
	test_must_be_empty err &&
	GIT_CONFIG_GLOBAL=malformed test-tool config settings trace2 2>err &&
	test_grep "line 2" err &&
	for section in trace2 TRACE2.x include "trace2 \"x\""
	do
		printf "[a]b\n[%s]c\n[bad\n" "$section" >malformed &&
		GIT_CONFIG_GLOBAL=malformed test-tool config settings \
			--unchecked trace2 2>err &&
		test_grep "line 3" err || return 1
	done
'

test_expect_success 'a config file /dev/fd/N is read, even if the file was removed' '
	echo "[trace2]from=descriptor" >unnamed &&
	{
		rm unnamed &&
		for path in /dev/fd/9 /proc/self/fd/9
		do
			GIT_CONFIG_GLOBAL=$path settings_are "system trace2.from=system" \
				"global trace2.from=descriptor" || return 1
		done
	} 9<unnamed
'

test_expect_success 'a dangling link as config file is no error, a circle of links is reported' '
	ln -s nowhere dangling &&
	ln -s two one &&
	ln -s one two &&
	for name in dangling one
	do
		GIT_CONFIG_GLOBAL=$name GIT_TRACE2_DST_DEBUG=1 \
			test-tool trace2 001return 0 2>err.$name || return 1
	done &&
	test_must_be_empty err.dangling &&
	test_grep "too many levels of symbolic links" err.one
'

test_expect_success STRACE,!INSTRUMENTED 'a program opens each config file once at its start, and /dev/null not at all' '
	GIT_CONFIG_SYSTEM=/dev/null GIT_CONFIG_GLOBAL=/dev/null \
		strace -f -e trace=file -o calls test-tool trace2 001return 0 &&
	test_grep ! "null\|gitconfig" calls &&
	strace -f -e trace=file -o calls env -u XDG_CONFIG_HOME \
		test-tool trace2 001return 0 &&
	grep -e "gitconfig\"" -e "git/config\"" calls >actual &&
	test_line_count = 3 actual
'

test_expect_success GIT 'Git and the library list the same settings, scope by scope' '
	mkdir "$HOME/dir" &&
	printf "[a]b=2\n[include]path=dir/more\n" >"$HOME/.gitconfig" &&
	echo "[a]more" >"$HOME/dir/more" &&
	printf "[a]b=1\n[S \"S.s\"]k=\" x\"\n" >etc/gitconfig &&
	GIT_DIR=nosuch git config --list --show-scope >git.out &&
	test-tool config settings >our.out &&
	test_cmp git.out our.out &&
	test_line_count = 6 git.out
'

test_done
