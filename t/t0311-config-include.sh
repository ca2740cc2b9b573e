#!/bin/sh
# SPDX-License-Identifier: MIT
#
# include.path is followed as by `git config -f FILE --list --includes`, and the
# reader ends however files include each other. Includes at which Git would die
# are left out.

test_description='config files include others'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-config.sh

test_expect_success 'includes are read where they stand, by paths relative to the including file' '
	mkdir -p inc/sub &&
	cat >inc/top <<-\EOF &&
	[a]
		before = 1
	[include]
		path = sub/one
		path = nosuch
		path = sub/one/deeper
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
	test_prints test-tool config --file inc/top list --includes <<-\EOF &&
	a.before=1
	include.path=sub/one
	one.x
	include.path=two
	two.y
	include.path=nosuch
	include.path=sub/one/deeper
	a.after=1
	EOF
	(
		cd inc &&
		test-tool config --file top list --includes >../actual
	) &&
	test_cmp expect actual
'

test_expect_success 'includes are followed on request only' '
	test-tool config --file inc/top list >actual &&
	test_line_count = 5 actual
'

test_expect_success 'an include path may begin with ~/' '
	echo "[home]x" >"$HOME/included" &&
	cat >expanded <<-\EOF &&
	[include]
		path = ~/included
		path = "included "
	EOF
	test-tool config --file expanded list --includes >actual 2>err &&
	test_must_be_empty err &&
	test_grep "^home.x$" actual &&
	test_line_count = 3 actual
'

test_expect_success 'include paths that begin with ~user or %(prefix) are skipped with a warning' '
	for path in "~root/x" "~" "%(prefix)/x"
	do
		printf "[a]b\n[include]path = \"%s\"\n[c]d\n" "$path" >other &&
		test-tool config --file other list --includes >actual 2>err &&
		test_line_count = 3 actual &&
		test_grep "cannot be expanded" err || return 1
	done &&
	(
		sane_unset HOME &&
		test-tool config --file expanded list --includes >out 2>err &&
		test_grep "cannot be expanded" err
	)
'

# shellcheck disable=SC2283 # a test, not an assignment
# left_out REASON FILE: the keys before and after its include are read.
left_out () {
	list "$2" --includes >out 2>err &&
	tr "\0" "\n" <out >actual &&
	test_grep "^first.x$" actual &&
	test_grep "^last.x$" actual &&
	test_line_count = 1 err &&
	test_grep "$1" err
}

# includer PATH: print a file with an include in the middle.
includer () {
	printf "[first]x\n[include]path = \"%s\"\n[last]x\n" "$1"
}

test_expect_success 'includes of unreadable files are skipped' '
	includer bad-include >outer &&
	printf "[c]d\n[e" >bad-include &&
	left_out "bad-include.: line 2: " outer &&
	test_grep ! "^c.d$" actual &&
	printf "[first]x\n[include]path\n[last]x\n" >no-value &&
	left_out "has no value" no-value &&
	mkdir directory &&
	includer directory >of-directory &&
	left_out "is a directory" of-directory &&
	ln -s loop loop &&
	includer loop >of-loop &&
	left_out "symbolic links" of-loop
'

test_expect_success 'includes nest at most 10 deep' '
	for i in $(test_seq 0 10)
	do
		printf "[n]k=%s\n[include]path=n%s\n[last]x\n" $i $((i + 1)) \
			>n$i || return 1
	done &&
	echo "[first]x" >n11 &&
	test-tool config --file n1 list --includes >out 2>err &&
	test_must_be_empty err &&
	test_grep "^first.x$" out &&
	test-tool config --file n0 list --includes >out 2>err &&
	test_grep ! "^first.x$" out &&
	test_grep "^n.k=10$" out &&
	echo "error: cannot read '\''n11'\'': includes nest deeper than 10 files" \
		>expect &&
	test_cmp expect err
'

test_expect_success 'files that include themselves do not loop' '
	includer self >self &&
	left_out "nest deeper than 10" self &&
	printf "[include]path=self2\n%.0s" $(test_seq 100) >self2 &&
	printf "[first]x\n[last]x\n" >>self2 &&
	left_out "nest deeper than 10" self2
'

test_expect_success 'at most 100 files are included' '
	printf "[first]x\n" >one &&
	{
		printf "[include]path=one\n%.0s" $(test_seq 100) &&
		printf "[last]x\n"
	} >hundred &&
	list hundred --includes >out 2>err &&
	test_must_be_empty err &&
	printf "[include]path=one\n" >>hundred &&
	left_out "more than 100 files" hundred &&
	grep first actual >ones &&
	test_line_count = 100 ones
'

test_expect_success 'config files with includes are read up to 1 MiB in all' '
	{
		printf "[big]x = " &&
		dd if=/dev/zero bs=1000 count=500 2>/dev/null | tr "\0" x &&
		echo
	} >half &&
	includer half >first-half &&
	list first-half --includes >out 2>err &&
	test_must_be_empty err &&
	printf "[include]path=first-half\n[include]path=half\n" >both &&
	printf "[include]path=half\n[last]x\n" >>both &&
	list both --includes >out 2>err &&
	tr "\0" "\n" <out >actual &&
	test_grep "^last.x$" actual &&
	grep "^big.x$" actual >halves &&
	test_line_count = 2 halves &&
	echo "error: cannot read '\''half'\'': more than 1 MiB of configuration" \
		>expect &&
	test_cmp expect err
'

test_expect_success GIT 'Git and the library include the same files' '
	rm n11 &&
	options=--includes &&
	same_as_git inc/top expanded n1 &&
	options= &&
	test "$taken" = 3
'

test_expect_success 'conditional includes are not read' '
	echo "[hit]x" >hit &&
	cat >conditions <<-\EOF &&
	[includeIf "gitdir:**"]
		path = hit
	[includeIf "gitdir/i:/"]
		path = hit
	[includeIf "onbranch:**"]
		path = hit
	[includeIf "hasconfig:remote.*.url:**"]
		path = hit
	[remote "x"]
		url = y
	[include "x"]
		path = hit
	[include]
		other = hit
	EOF
	test-tool config --file conditions list --includes >actual &&
	test_line_count = 7 actual &&
	test_grep ! hit.x actual
'

test_done
