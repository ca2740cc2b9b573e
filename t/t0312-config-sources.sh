#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Which config is read: for the settings, the system's and the user's files;
# for GIT_TRACE2_CONFIG_PARAMS, all that Git would read.

test_description='config comes from the sources of Git, in their order'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-config.sh

# ---------------------------------------------------------------------------
# Settings: the system's and the user's files

test_expect_success 'set up files of all scopes' '
	echo "[hit]x" >hit &&
	make_repo Repo/.git &&
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

test_expect_success 'GIT_CONFIG_NOSYSTEM leaves the system out' '
	GIT_CONFIG_NOSYSTEM=yes test-tool config settings >actual &&
	test_grep ! system actual &&
	GIT_CONFIG_NOSYSTEM=0 test-tool config settings >actual &&
	test_grep system actual &&
	GIT_CONFIG_NOSYSTEM= test-tool config settings >actual &&
	test_grep system actual &&
	GIT_CONFIG_NOSYSTEM=bogus test-tool config settings >actual &&
	test_grep ! system actual
'

test_expect_success 'GIT_CONFIG_GLOBAL stands for both of the users files' '
	echo "[trace2]from=elsewhere" >elsewhere &&
	GIT_CONFIG_GLOBAL=elsewhere test-tool config settings >actual &&
	printf "%s\t%s\n" system trace2.from=system \
		global trace2.from=elsewhere >expect &&
	test_cmp expect actual &&
	for none in /dev/null nosuch ""
	do
		GIT_CONFIG_GLOBAL=$none test-tool config settings >actual &&
		echo "system	trace2.from=system" >expect &&
		test_cmp expect actual || return 1
	done
'

test_expect_success 'without HOME there are no files of the user' '
	(
		sane_unset HOME &&
		settings_are "system trace2.from=system"
	)
'

test_expect_success 'the repository has no say in settings' '
	echo "[trace2]from=local" >>Repo/.git/config &&
	(
		cd Repo &&
		test-tool config settings >../actual
	) &&
	test_grep ! local actual &&
	GIT_DIR=Repo/.git test-tool config settings >actual &&
	test_grep ! local actual &&
	(
		GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=trace2.from &&
		GIT_CONFIG_VALUE_0=command &&
		export GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 &&
		test-tool config settings >actual
	) &&
	test_grep ! command actual
'

test_expect_success 'a malformed file delivers nothing, the others do' '
	printf "[trace2]from=home\n[bad\n" >malformed &&
	GIT_CONFIG_GLOBAL=malformed test-tool config settings \
		>actual 2>err &&
	echo "system	trace2.from=system" >expect &&
	test_cmp expect actual &&
	cat >expect <<-\EOF &&
	error: cannot read '\''malformed'\'': line 2: section header is cut short
	EOF
	test_cmp expect err
'

test_expect_success 'a malformed include delivers nothing, its includer does' '
	printf "[trace2]a\n[include]path=malformed\n[trace2]b\n" >includer &&
	GIT_CONFIG_GLOBAL=includer test-tool config settings trace2 \
		>actual 2>err &&
	printf "%s\t%s\n" system trace2.from=system global trace2.a \
		global trace2.b >expect &&
	test_cmp expect actual &&
	test_grep "malformed.: line 2: " err
'

test_expect_success 'includes that go in circles deliver nothing at all' '
	printf "[trace2]a\n[include]path=round\n[trace2]b\n" >round &&
	GIT_CONFIG_GLOBAL=round test-tool config settings trace2 \
		>actual 2>err &&
	echo "system	trace2.from=system" >expect &&
	test_cmp expect actual &&
	test_grep "nest deeper" err &&
	test_line_count = 1 err
'

test_expect_success 'URLs of the user and the system count for both' '
	printf "[remote \"o\"]url=u\n" >"$HOME/.gitconfig" &&
	printf "[includeIf \"hasconfig:remote.*.url:u\"]path=%s\n" ../hit \
		>etc/gitconfig &&
	test-tool config settings hit >actual &&
	echo "system	hit.x" >expect &&
	test_cmp expect actual
'

test_expect_success 'one section is read, from old-style subsections too' '
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

test_expect_success 'unchecked, only a file that cannot matter goes unread' '
	printf "[a]b\n[bad\n" >malformed &&
	GIT_CONFIG_GLOBAL=malformed test-tool config settings \
		--unchecked trace2 2>err &&
	test_must_be_empty err &&
	GIT_CONFIG_GLOBAL=malformed test-tool config settings trace2 2>err &&
	test_grep "line 2" err &&
	for section in trace2 TRACE2.x include "INCLUDEif \"x\""
	do
		printf "[a]b\n[%s]c\n[bad\n" "$section" >malformed &&
		GIT_CONFIG_GLOBAL=malformed test-tool config settings \
			--unchecked trace2 2>err &&
		test_grep "line 3" err || return 1
	done
'

# ---------------------------------------------------------------------------
# All that Git would read

test_expect_success 'set up a repository with a worktree' '
	echo "[all]from=system" >etc/gitconfig &&
	rm -f "$HOME/.config/git/config" &&
	echo "[all]from=global" >"$HOME/.gitconfig" &&
	make_repo main/.git &&
	cat >>main/.git/config <<-\EOF &&
	[all]
		from = local
	[includeIf "onbranch:linked"]
		path = on-linked
	[includeIf "gitdir:worktrees/"]
		path = in-worktree
	EOF
	echo "[all]from=main-worktree" >main/.git/config.worktree &&
	echo "[all]from=on-linked" >main/.git/on-linked &&
	echo "[all]from=in-worktree" >main/.git/in-worktree &&
	mkdir -p main/.git/worktrees/w linked/sub &&
	echo "ref: refs/heads/linked" >main/.git/worktrees/w/HEAD &&
	echo ../.. >main/.git/worktrees/w/commondir &&
	echo "[all]from=linked-worktree" \
		>main/.git/worktrees/w/config.worktree &&
	echo "$TRASH_DIRECTORY/linked/.git" >main/.git/worktrees/w/gitdir &&
	echo "gitdir: ../main/.git/worktrees/w" >linked/.git
'

# all_from DIRECTORY WORD...: what lists there, as scope:value.
all_from () {
	(
		cd "$1" &&
		test-tool config all "all.*"
	) >all.out &&
	shift &&
	test_write_lines "$@" >expect &&
	sed "s/	all.from=/:/" all.out >actual &&
	test_cmp expect actual
}

test_expect_success 'system, global and local are listed' '
	all_from main system:system global:global local:local
'

test_expect_success 'the worktrees config counts where the repository says so' '
	printf "[extensions]\n\tworktreeConfig = true\n" >>main/.git/config &&
	all_from main system:system global:global local:local \
		worktree:main-worktree
'

test_expect_success 'a linked worktree has the common config and its own' '
	all_from linked/sub system:system global:global local:local \
		local:on-linked local:in-worktree worktree:linked-worktree
'

test_expect_success 'GIT_DIR may name the worktree, too' '
	GIT_DIR=$TRASH_DIRECTORY/main/.git/worktrees/w &&
	test_when_finished "unset GIT_DIR" &&
	export GIT_DIR &&
	all_from . system:system global:global local:local \
		local:on-linked local:in-worktree worktree:linked-worktree
'

test_expect_success 'a bare repository is found, and from below' '
	make_repo bare.git &&
	echo "[all]from=bare" >>bare.git/config &&
	all_from bare.git system:system global:global local:bare &&
	all_from bare.git/refs system:system global:global local:bare
'

test_expect_success 'a ceiling stops the search' '
	mkdir -p main/deep &&
	GIT_CEILING_DIRECTORIES=/nosuch:$TRASH_DIRECTORY/main/ &&
	test_when_finished "unset GIT_CEILING_DIRECTORIES" &&
	export GIT_CEILING_DIRECTORIES &&
	all_from main/deep system:system global:global &&
	all_from main system:system global:global local:local \
		worktree:main-worktree
'

test_expect_success 'a GIT_DIR that is none leaves the rest' '
	GIT_DIR=nosuch &&
	test_when_finished "unset GIT_DIR" &&
	export GIT_DIR &&
	all_from main system:system global:global
'

test_expect_success 'a malformed local file leaves the rest' '
	make_repo broken/.git &&
	printf "[all]from=broken\n[\n" >broken/.git/config &&
	all_from broken system:system global:global
'

test_expect_success ROOT 'the repository of somebody else needs safe.directory' '
	make_repo foreign/.git &&
	echo "[all]from=foreign" >>foreign/.git/config &&
	chown -R 12345 foreign &&
	all_from foreign system:system global:global &&
	chown -R "$(id -u)" foreign &&
	all_from foreign system:system global:global local:foreign &&
	chown 12345 foreign &&
	all_from foreign system:system global:global &&
	chown "$(id -u)" foreign &&
	chown 12345 foreign/.git &&
	all_from foreign system:system global:global &&
	printf "[safe]\n\tdirectory = %s\n" "$TRASH_DIRECTORY/foreign" \
		>>"$HOME/.gitconfig" &&
	all_from foreign system:system global:global local:foreign &&
	printf "[safe]\n\tdirectory =\n" >>"$HOME/.gitconfig" &&
	all_from foreign system:system global:global &&
	printf "[safe]\n\tdirectory = *\n" >>"$HOME/.gitconfig" &&
	all_from foreign system:system global:global local:foreign
'

test_expect_success 'GIT_CONFIG_COUNT adds pairs' '
	(
		GIT_CONFIG_COUNT=2 &&
		GIT_CONFIG_KEY_0=All.From GIT_CONFIG_VALUE_0=zero &&
		GIT_CONFIG_KEY_1=x.Y.Z GIT_CONFIG_VALUE_1= &&
		export GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 \
			GIT_CONFIG_KEY_1 GIT_CONFIG_VALUE_1 &&
		all_from main/.git/refs system:system global:global \
			local:local worktree:main-worktree command:zero &&
		test-tool config all x.y.z >actual &&
		echo "command	x.Y.z=" >expect &&
		test_cmp expect actual
	)
'

test_expect_success 'one bad pair makes all of them void' '
	for bad in 3 2x -1 99999999999999999999
	do
		(
			GIT_CONFIG_COUNT=$bad &&
			GIT_CONFIG_KEY_0=all.from GIT_CONFIG_VALUE_0=zero &&
			GIT_CONFIG_KEY_1=all.from GIT_CONFIG_VALUE_1=one &&
			export GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 \
				GIT_CONFIG_VALUE_0 GIT_CONFIG_KEY_1 \
				GIT_CONFIG_VALUE_1 &&
			all_from main/.git/refs system:system global:global \
				local:local worktree:main-worktree
		) || return 1
	done &&
	for key in plain .var sec. a.1b a.b_c "a b.c" a_b.c "a.x
y.c"
	do
		(
			GIT_CONFIG_COUNT=2 &&
			GIT_CONFIG_KEY_0=all.from GIT_CONFIG_VALUE_0=zero &&
			GIT_CONFIG_KEY_1=$key GIT_CONFIG_VALUE_1=one &&
			export GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 \
				GIT_CONFIG_VALUE_0 GIT_CONFIG_KEY_1 \
				GIT_CONFIG_VALUE_1 &&
			test-tool config all >actual &&
			test_grep ! command actual
		) || return 1
	done
'

# parameters TEXT LINE...
parameters () {
	(
		GIT_CONFIG_PARAMETERS=$1 &&
		export GIT_CONFIG_PARAMETERS &&
		shift &&
		test-tool config all "p.*" >actual &&
		: >expect &&
		for line
		do
			printf "command\t%s\n" "$line" >>expect || return 1
		done &&
		test_cmp expect actual
	)
}

test_expect_success 'GIT_CONFIG_PARAMETERS is read in both of its forms' "
	parameters \"'p.a=1' 'p.b' 'p.c='\" p.a=1 p.b p.c= &&
	parameters \"'p.a'='1' 'p.b'= 'p.c'=''\" p.a=1 p.b p.c= &&
	parameters \"'P.x=y.Z'='1'   'p.q=r'\" 'p.x=y.z=1' p.q=r &&
	parameters \"'p.a=it'\\\\''s'\\\\!''\" \"p.a=it's!\" &&
	parameters \"' p.a =b '\" 'p.a=b ' &&
	parameters ''
"

test_expect_success 'malformed GIT_CONFIG_PARAMETERS are void' "
	parameters \"'p.a=1' p.b=2\" &&
	parameters \"'p.a=1' 'p.b\" &&
	parameters \"'p.a=1''p.b=2'\" &&
	parameters \"'p.a'=1\" &&
	parameters \"'p.a'='1\" &&
	parameters \"'p.a'='1'x\" &&
	parameters \"'p.a'='1''p.b'='2'\" &&
	parameters \"'p.a=1' ''\" &&
	parameters \"'p.a=1' '=2'\" &&
	parameters \"'p.a=1' 'p'\"
"

test_expect_success 'relative includes must come from files' '
	echo "[p]near" >near &&
	parameters "'\''p.a=1'\'' '\''include.path=near'\''" p.a=1 &&
	parameters "'\''p.a=1'\'' '\''include.path=$TRASH_DIRECTORY/plus'\''" \
		p.a=1 &&
	echo "[p]b" >plus &&
	parameters "'\''p.a=1'\'' '\''include.path=$TRASH_DIRECTORY/plus'\''" \
		p.a=1 p.b
'

test_expect_success GIT 'git lists the same, scope by scope' '
	for dir in main main/deep linked linked/sub bare.git Repo .
	do
		git -C $dir config --list --show-scope >git.out &&
		(
			cd $dir &&
			test-tool config all
		) >our.out &&
		test_cmp git.out our.out || return 1
	done
'

test_expect_success GIT 'git -c is read as git means it' '
	git -c p.a=1 -c P.b -c "p.S.c=it'\''s ! \"q\" \\" \
		--config-env=p.d=HOME -c p.e= \
		-c "alias.dump=!test-tool config all \"p.*\"" dump >actual &&
	cat >expect <<-EOF &&
	command	p.a=1
	command	p.b
	command	p.S.c=it'\''s ! "q" \\
	command	p.d=$HOME
	command	p.e=
	EOF
	test_cmp expect actual
'

test_done
