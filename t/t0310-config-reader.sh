#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The config reader must take what `git config -f FILE --list` takes and say
# the same.  The files in t0310/good and t0310/bad are named after what is odd
# about them; good.expect and bad.expect say what is read from them.

test_description='config files are read as Git reads them'

. ./test-lib.sh

corpus=$TEST_DIRECTORY/t0310

# Gits since 2.45 keep a tab inside a value; before, it became a space.
test_lazy_prereq GIT_SPACES '
	git version &&
	printf "[a]b=c\td\n" >config &&
	test "$(git config -f config --list)" = "a.b=c d"
'

# list FILE [OPTION...]
list () {
	list_file_=$1 &&
	shift &&
	test-tool config --file "$list_file_" list -z "$@"
}

# refuse FILE [OPTION...]: reading fails, and not a key of it is delivered.
refuse () {
	test_must_fail list "$@" >refused 2>refused.err &&
	test_must_be_empty refused
}

# same_as_git FILE...: each is taken or refused by both; when taken, they say
# the same.  Says how many were taken.  Options for both are in $options.
same_as_git () {
	taken=0 &&
	for file
	do
		git_code=0 our_code=0
		# shellcheck disable=SC2086 # words
		git config -f "$file" --list -z $options >git.out 2>git.err ||
		git_code=$?
		# shellcheck disable=SC2086
		list "$file" $options >our.out 2>our.err || our_code=$?
		if test "$git_code" != "$our_code"
		then
			echo "$file: git ends with $git_code, we with $our_code"
			return 1
		fi
		test "$git_code" = 0 || continue
		taken=$((taken + 1))
		cmp git.out our.out || {
			echo "$file: git and we do not read the same"
			return 1
		}
	done
}

options=

test_expect_success PERL 'good files say what is expected' '
	for file in "$corpus"/good/*
	do
		printf "@ %s\0" "${file##*/}" &&
		list "$file" || return 1
	done >good.raw &&
	perl "$corpus/show.perl" <good.raw >good &&
	test_cmp "$corpus/good.expect" good
'

test_expect_success 'bad files are refused, with line and reason' '
	for file in "$corpus"/bad/*
	do
		echo "@ ${file##*/}" &&
		test_expect_code 128 list "$file" 2>err >out &&
		test_must_be_empty out &&
		sed "s/^error: cannot read .*: line /line /" err || return 1
	done >bad &&
	test_cmp "$corpus/bad.expect" bad
'

test_expect_success GIT_SPACES 'git reads the good files likewise' '
	same_as_git "$corpus"/good/* &&
	ls "$corpus"/good >names &&
	test_line_count = "$taken" names
'

test_expect_success GIT 'git refuses the bad files' '
	same_as_git "$corpus"/bad/* &&
	test "$taken" = 0
'

test_expect_success 'without -z, a line is key=value or key' '
	printf "[a \"B\"]\n\tc = d\n\te\n\tf =\n" >config &&
	cat >expect <<-\EOF &&
	a.B.c=d
	a.B.e
	a.B.f=
	EOF
	test-tool config --file config list >actual &&
	test_cmp expect actual
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
	test_write_lines 70004 9004 10003 5006 >expect &&
	test_cmp expect actual
'

test_expect_success GIT,PERL 'git reads long names, values and lines likewise' '
	same_as_git long &&
	test "$taken" = 1
'

test_expect_success PERL 'the same seed makes the same files' '
	mkdir one two &&
	perl "$corpus/generate.perl" 5 20 one &&
	perl "$corpus/generate.perl" 5 20 two &&
	cat one/* >one.all &&
	cat two/* >two.all &&
	test_cmp one.all two.all
'

test_expect_success GIT_SPACES,PERL '500 files made at random are read as git does' '
	mkdir random &&
	perl "$corpus/generate.perl" 310 500 random &&
	same_as_git random/* &&
	echo "$taken were taken" &&
	test "$taken" -gt 200 &&
	test "$taken" -lt 450
'

test_expect_success 'a missing file is an error of its own' '
	refuse nosuch &&
	echo "error: cannot read '\''nosuch'\'': no such file" >expect &&
	test_cmp expect refused.err &&
	refuse long/below-a-file
'

test_expect_success 'a directory is no config file' '
	mkdir directory &&
	refuse directory &&
	test_grep "is a directory" refused.err
'

test_expect_success PIPE 'a FIFO that nobody writes to is refused, not waited for' '
	mkfifo fifo &&
	refuse fifo &&
	test_grep "not a regular file" refused.err
'

test_expect_success '/dev/null is an empty file, a symbolic link to it too' '
	list /dev/null >out &&
	test_must_be_empty out &&
	ln -s /dev/null null &&
	list null >out &&
	test_must_be_empty out
'

test_expect_success 'another device is refused' '
	refuse /dev/zero &&
	test_grep "not a regular file" refused.err
'

test_expect_success SANITY 'an unreadable file is refused' '
	echo "[a]b" >unreadable &&
	chmod a= unreadable &&
	refuse unreadable &&
	test_grep "permission denied" refused.err
'

test_expect_success 'a file of 16 MiB is too large' '
	dd if=/dev/null of=large bs=1 count=0 seek=16777216 2>err &&
	refuse large &&
	test_grep "larger than 16 MiB" refused.err
'

test_lazy_prereq PROC 'grep Linux /proc/version'

test_expect_success PROC 'a file need not say how large it is' '
	refuse /proc/version &&
	test_grep "line 1" refused.err
'

# ---------------------------------------------------------------------------
# Includes

test_expect_success 'includes are followed where they stand, relative to the file' '
	mkdir -p inc/sub &&
	cat >inc/top <<-\EOF &&
	[a]
		before = 1
	[include]
		path = sub/one
		path = nosuch
		path = sub/nosuch/deeper
	[a]
		after = 1
	EOF
	cat >inc/sub/one <<-\EOF &&
	[one]
		x
	[include]
		path = two
	EOF
	echo "[two]y" >inc/sub/two &&
	cat >expect <<-\EOF &&
	a.before=1
	include.path=sub/one
	one.x
	include.path=two
	two.y
	include.path=nosuch
	include.path=sub/nosuch/deeper
	a.after=1
	EOF
	test-tool config --file inc/top list --includes >actual &&
	test_cmp expect actual &&
	(
		cd inc &&
		test-tool config --file top list --includes >../actual
	) &&
	test_cmp expect actual
'

test_expect_success 'includes are not followed unless it is asked for' '
	test-tool config --file inc/top list >actual &&
	test_line_count = 5 actual
'

test_expect_success 'include paths are expanded' '
	echo "[home]x" >"$HOME/included" &&
	cat >expanded <<-\EOF &&
	[include]
		path = ~/included
		path = ~root/no/such/file
		path = %(prefix)/no/such/file
		path = "included "
	EOF
	test-tool config --file expanded list --includes >actual &&
	test_grep "^home.x$" actual &&
	test_line_count = 5 actual &&
	(
		sane_unset HOME &&
		refuse expanded --includes &&
		test_grep "cannot be expanded" refused.err
	)
'

test_expect_success 'what cannot be included fails the whole, and says nothing' '
	printf "[a]b\n[include]path=bad-include\n" >outer &&
	printf "[c]d\n[e" >bad-include &&
	refuse outer --includes &&
	test_grep "bad-include.: line 2: " refused.err &&
	printf "[a]b\n[include]path\n" >no-value &&
	refuse no-value --includes &&
	printf "[a]b\n[include]path=~nosuchuser/x\n" >no-user &&
	refuse no-user --includes &&
	printf "[a]b\n[include]path=directory\n" >of-directory &&
	refuse of-directory --includes &&
	ln -s loop loop &&
	printf "[a]b\n[include]path=loop\n" >of-loop &&
	refuse of-loop --includes &&
	test_grep "symbolic links" refused.err
'

test_expect_success 'includes nest 10 deep, and no deeper' '
	for i in $(test_seq 0 10)
	do
		printf "[n]k=%s\n[include]path=n%s\n" $i $((i + 1)) >n$i ||
		return 1
	done &&
	list n0 --includes >out &&
	echo "[n]last" >n11 &&
	list n1 --includes >out &&
	refuse n0 --includes &&
	test_grep "n11.: includes nest deeper than 10 files" refused.err
'

test_expect_success 'files that include themselves are refused, soon' '
	printf "[a]b\n[include]path=self\n[trace2]c=d\n" >self &&
	refuse self --includes &&
	test_grep "nest deeper than 10" refused.err &&
	printf "[include]path=self2\n%.0s" $(test_seq 100) >self2 &&
	refuse self2 --includes
'

test_expect_success 'no file causes more than 1000 others to be read' '
	>empty &&
	printf "[include]path=empty\n%.0s" $(test_seq 1000) >thousand &&
	list thousand --includes >out &&
	printf "[include]path=empty\n%.0s" $(test_seq 1001) >more &&
	refuse more --includes &&
	test_grep "more than 1000 files" refused.err
'

test_expect_success GIT 'git includes likewise' '
	options=--includes &&
	same_as_git inc/top expanded outer no-value no-user of-directory \
		of-loop n0 n1 n2 self self2 thousand &&
	options= &&
	test "$taken" = 5
'

test_expect_success 'outside a repository, conditions on it do not hold' '
	echo "[hit]x" >hit &&
	cat >conditions <<-\EOF &&
	[includeIf "gitdir:**"]
		path = hit
	[includeIf "gitdir/i:/"]
		path = hit
	[includeIf "onbranch:**"]
		path = hit
	[includeIf "unknown:x"]
		path = hit
	[includeIf]
		path = hit
	[include "x"]
		path = hit
	EOF
	GIT_CEILING_DIRECTORIES=$TRASH_DIRECTORY/.. \
		test-tool config --file conditions list --includes >actual &&
	test_line_count = 6 actual &&
	test_grep ! hit.x actual
'

test_expect_success 'hasconfig asks for the URLs of remotes' '
	cat >urls <<-\EOF &&
	[includeIf "hasconfig:remote.*.url:https://example.com/**"]
		path = hit
	[includeIf "hasconfig:remote.*.url:https://example.com/*"]
		path = never
	[include]
		path = remote
	EOF
	printf "[remote \"o\"]url=https://example.com/a/b\n" >remote &&
	echo "[never]x" >never &&
	cat >expect <<-\EOF &&
	includeif.hasconfig:remote.*.url:https://example.com/**.path=hit
	hit.x
	includeif.hasconfig:remote.*.url:https://example.com/*.path=never
	include.path=remote
	remote.o.url=https://example.com/a/b
	EOF
	test-tool config --file urls list --includes >actual &&
	test_cmp expect actual
'

test_expect_success 'what hasconfig includes must not hold such URLs' '
	printf "[includeIf \"hasconfig:remote.*.url:x\"]path=remote\n" >circle &&
	refuse circle --includes &&
	test_grep "must not hold the URL" refused.err
'

test_expect_success GIT 'git judges URLs likewise' '
	options=--includes &&
	same_as_git urls circle conditions &&
	options= &&
	test "$taken" = 2
'

# A repository as it is on disk, so that these tests need no Git.
make_repo () {
	mkdir -p "$1/refs" "$1/objects" &&
	echo "ref: refs/heads/topic/one" >"$1/HEAD" &&
	printf "[core]\n\trepositoryFormatVersion = 0\n" >"$1/config"
}

# condition CONDITION...: a file that includes "hit" under each.
condition () {
	for condition
	do
		printf "[includeIf \"%s\"]\n\tpath = \"%s\"\n" \
			"$condition" "$TRASH_DIRECTORY/hit" || return 1
	done
}

test_expect_success 'inside a repository, its directory and branch count' '
	make_repo Repo/.git &&
	mkdir -p Repo/sub/dir &&
	condition "gitdir:~/Repo/" "gitdir:Repo/" "gitdir:Repo/.git" \
		"gitdir:$TRASH_DIRECTORY/**/.git" "gitdir:**" \
		"gitdir:./Repo/" "gitdir:./*/.git" "gitdir/i:repo/" \
		"gitdir/i:./REPO/" "onbranch:topic/one" "onbranch:topic/" \
		"onbranch:*/one" "onbranch:**" "gitdir:" >holds &&
	condition "gitdir:repo/" "gitdir:Rep" "gitdir:~/other/" \
		"gitdir:./repo/" "gitdir:$TRASH_DIRECTORY/*" "gitdir:Repo" \
		"onbranch:topic" "onbranch:*" "onbranch:one" "ONBRANCH:**" \
		>does-not &&
	(
		cd Repo/sub/dir &&
		test-tool config --file ../../../holds list --includes >out &&
		grep hit.x out >hits &&
		test_line_count = 14 hits &&
		test-tool config --file ../../../does-not list --includes >out &&
		test_grep ! hit.x out
	)
'

test_expect_success GIT 'git judges directories and branches likewise' '
	(
		cd Repo/sub/dir &&
		options=--includes &&
		same_as_git "$TRASH_DIRECTORY/holds" \
			"$TRASH_DIRECTORY/does-not" &&
		test "$taken" = 2
	)
'

# ---------------------------------------------------------------------------
# Settings: the system's and the user's files

test_expect_success 'set up files of all scopes' '
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
	parameters \"'p.a=1' ''\" &&
	parameters \"'p.a=1' '=2'\" &&
	parameters \"'p.a=1' 'p'\"
"

test_expect_success 'relative includes must come from files' '
	parameters "'\''p.a=1'\'' '\''include.path=hit'\''" p.a=1 &&
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

# ---------------------------------------------------------------------------
# Patterns and values

matches () {
	test-tool config match "$1" "$2"
}

matches_not () {
	test_expect_code 1 test-tool config match "$1" "$2"
}

test_expect_success 'patterns match whole keys, whatever their case' '
	matches core.editor core.editor &&
	matches CORE.Editor core.editor &&
	matches core.editor CORE.EDITOR &&
	matches_not core core.editor &&
	matches_not editor core.editor &&
	matches_not core.editor core.editors &&
	matches "core.*" core.editor &&
	matches "*" remote.a/b.url &&
	matches "remote.*.url" remote.a/b.c.url &&
	matches_not "remote.*.url" remote.a.pushurl &&
	matches "*.*o*.e*r" core.foo.editor &&
	matches "c?re.editor" core.editor &&
	matches_not "c?re.editor" cre.editor &&
	matches "**.url" remote.a.url &&
	matches_not "" core.editor
'

test_expect_success 'patterns are a list' '
	matches "a.*,core.*" core.x &&
	matches "a.*, core.x ,b" core.x &&
	matches ",,core.x," core.x &&
	matches_not "a.*,b.*" core.x &&
	matches_not "a.*,core" core.x
'

test_expect_success 'patterns have sets' '
	matches "a.[bc]" a.b &&
	matches "a.[a-c]" a.b &&
	matches "a.[A-C]" a.b &&
	matches_not "a.[!a-c]" a.b &&
	matches_not "a.[^a-c]" a.b &&
	matches "a.[!x]" a.b &&
	matches "a.[]b]" a.b &&
	matches "a.[x-]" a.- &&
	matches "a.[\\]x]" a.] &&
	matches "a.[[:alpha:]]" a.b &&
	matches "a.[[:upper:]]" a.b &&
	matches "a.[x[:digit:]]1" a.21 &&
	matches_not "a.[[:digit:]]" a.b &&
	matches_not "a.[[:bogus:]]" a.b &&
	matches_not "a.[b" a.b &&
	matches_not "a.[a-" a.b &&
	matches "a.[[:]" a.: &&
	matches "a.\\*" "a.*" &&
	matches_not "a.\\*" a.b &&
	matches_not "a.\\" a.b
'

test_expect_success PERL 'a pattern of many stars comes to an end' '
	pattern=$(perl -e "print q(*a) x 200, q(b)") &&
	key=$(perl -e "print q(a) x 5000") &&
	test -n "$pattern" &&
	test -n "$key" &&
	matches_not "$pattern" "$key" &&
	perl -e "
		print qq([remote \"o\"]url=), q(a/) x 2000, qq(\n);
		print qq([includeIf \"hasconfig:remote.*.url:),
			q(**/*a*/) x 200, qq(b\"]path=nosuch\n);
	" >stars &&
	list stars --includes >out
'

test_expect_success GIT 'git chooses the same keys by pattern' '
	cat >keys <<-\EOF &&
	[core]
		editor = 1
	[remote "a/b"]
		url = 1
		pushUrl = 1
	[Sec "X[1]-*"]
		key = 1
		k2 = 1
	EOF
	GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=keys &&
	export GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL &&
	test_when_finished "unset GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL" &&
	total=0 &&
	for patterns in "*" "core.*,remote.*.url" "*URL" "*.[ku]*" "*[!l]" \
		"sec.x\\[1\\]*" "*[[:digit:]]*" "*[[:upper:]]*" "?e*" \
		"*-\\*.*" "remote.**" " core.* , *.k2" "[r-s]*" "*[*]*" \
		"[" "**/**" "core" ",,"
	do
		GIT_TRACE2_CONFIG_PARAMS=$patterns GIT_TRACE2="$(pwd)/stream" \
			git version >out &&
		sed -n "s/.*def_param scope:global \(.*\)/global	\1/p" \
			stream >expect &&
		test-tool config all "$patterns" >actual &&
		rm stream &&
		test_cmp expect actual &&
		total=$((total + $(wc -l <expect))) || return 1
	done &&
	test "$total" -gt 30
'

# or_dash COMMAND...: what it says, or - if it fails.
or_dash () {
	"$@" 2>err || echo -
}

# A value and what it means: as a boolean, as a number.
cat >values <<\EOF
1 true 1
0 false 0
-1 true -1
true true -
TRUE true -
yes true -
On true -
false false -
no false -
oFF false -
tru - -
2 true 2
+3 true 3
1k true 1024
1K true 1024
5m true 5242880
1g true 1073741824
-1g true -1073741824
2g - -
-2g - -
1t - -
1kb - -
k - -
- - -
0x10 true 16
010 true 8
08 - -
0x - -
1.5 - -
0k false 0
-0 false 0
2147483647 true 2147483647
2147483648 - -
-2147483647 true -2147483647
-2147483648 - -
2097151k true 2147482624
2097152k - -
99999999999999999999 - -
EOF

test_expect_success 'booleans and numbers' '
	while read -r value truth number
	do
		t=$(or_dash test-tool config bool "$value") &&
		n=$(or_dash test-tool config int "$value") &&
		echo "$value $t $n" || return 1
	done <values >actual &&
	test_cmp values actual
'

test_expect_success 'booleans without a value, empty, with spaces' '
	echo true >expect &&
	test-tool config bool >actual &&
	test_cmp expect actual &&
	echo false >expect &&
	test-tool config bool "" >actual &&
	test_cmp expect actual &&
	test_must_fail test-tool config bool " " &&
	test_must_fail test-tool config bool "1 " &&
	test_must_fail test-tool config int "" &&
	test_must_fail test-tool config int
'

test_expect_success GIT 'git takes the same values' '
	while read -r value truth number
	do
		t=$(or_dash git -c "a.b=$value" config --type=bool a.b) &&
		echo "$value $t" || return 1
	done <values >actual &&
	cut -d" " -f1,2 values >expect &&
	test_cmp expect actual
'

# ---------------------------------------------------------------------------
# Writing, for the tests' sake

test_expect_success 'set writes, replaces the last, and keeps the rest' '
	rm -f written &&
	test-tool config --file written set a.one 1 &&
	test-tool config --file written set a.Sub.two 2 &&
	test-tool config --file written set A.Three 3 &&
	test-tool config --file written set a.one 4 &&
	q_to_tab >expect <<-\EOF &&
	[a]
	Qone = 4
	Qthree = 3
	[a "Sub"]
	Qtwo = 2
	EOF
	test_cmp expect written &&
	echo "[a] one = 5" >>written &&
	test-tool config --file written set a.one 6 &&
	test-tool config --file written list >actual &&
	cat >expect <<-\EOF &&
	a.one=4
	a.three=3
	a.Sub.two=2
	a.one=6
	EOF
	test_cmp expect actual
'

test_expect_success 'unset removes all, and says 5 when there is none' '
	test-tool config --file written unset a.one &&
	test_expect_code 5 test-tool config --file written unset a.one &&
	test_expect_code 5 test-tool config --file nosuch unset a.one &&
	cat >expect <<-\EOF &&
	a.three=3
	a.Sub.two=2
	EOF
	test-tool config --file written list >actual &&
	test_cmp expect actual
'

test_expect_success 'all that is good survives being written' '
	for file in "$corpus"/good/*
	do
		cp "$file" copy &&
		case "$file" in
		*-nul)
			test_must_fail test-tool config --file copy \
				set last.Key value &&
			cmp "$file" copy || return 1
			continue ;;
		esac &&
		list copy >before &&
		test-tool config --file copy set last.Key "value" &&
		list copy >after &&
		printf "last.key\nvalue\0" >>before &&
		cmp before after || {
			echo "$file does not survive"
			return 1
		}
	done
'

test_expect_success 'odd values and sections are quoted so that Git reads them' '
	rm -f odd &&
	for value in "" " " " a" "a " "a  b" "#" ";" "a # b" "\"" "\\" "a
b" "a	b" "!x \"\$1\"; y" "\\n" "=" "[a]"
	do
		test-tool config --file odd set o.v "$value" &&
		list odd >actual &&
		printf "o.v\n%s\0" "$value" >expect &&
		cmp expect actual || return 1
		if test_have_prereq GIT
		then
			git config -f odd --list -z >actual &&
			cmp expect actual || return 1
		fi
	done &&
	test-tool config --file odd set "o.S \"x\\ .]#.v" 1 &&
	list odd >actual &&
	printf "o.v\n%s\0o.S \"x\\ .]#.v\n1\0" "[a]" >expect &&
	cmp expect actual
'

test_expect_success 'a malformed file is not written' '
	echo "[bad" >malformed &&
	cp malformed before &&
	test_must_fail test-tool config --file malformed set a.b c &&
	test_cmp before malformed
'

test_expect_success 'usage errors end with 129' '
	test_expect_code 129 test-tool config &&
	test_expect_code 129 test-tool config bogus &&
	test_expect_code 129 test-tool config list &&
	test_expect_code 129 test-tool config --file x list --bogus &&
	test_expect_code 129 test-tool config --file x set a.b &&
	test_expect_code 129 test-tool config --file x set plain value &&
	test_expect_code 129 test-tool config --file x unset &&
	test_expect_code 129 test-tool config match a &&
	test_path_is_missing x
'

test_done
