#!/bin/sh
# SPDX-License-Identifier: MIT
#
# include.path and includeIf.*.path are followed as Git follows them with
# `git config -f FILE --list --includes`, and however files include each
# other, the reading ends.

test_description='config files include others'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-config.sh

test_expect_success 'includes are followed where they stand, relative to the file' '
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
	cat >expect <<-\EOF &&
	a.before=1
	include.path=sub/one
	one.x
	include.path=two
	two.y
	include.path=nosuch
	include.path=sub/one/deeper
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
	user=$(id -un) &&
	cat >expanded <<-EOF &&
	[include]
		path = ~/included
		path = ~$user/no/such/file
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
	mkdir directory &&
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

# A pattern, a URL, and whether they match.
cat >patterns <<\EOF
** a/b/c yes
* a yes
* a/b no
*/* a/b yes
*/b a/x/b no
**/b b yes
**/b a/b yes
**/b x/a/b yes
**/b ab no
**/b b/c no
a**/b ax/b yes
a**/b a/x/b no
a/**/b a/b yes
a/**/b a/x/y/b yes
a/**/b axb no
a/** a/b/c yes
a/** a no
a/**/b/**/c a/x/b/y/z/c yes
**/a*c/d x/ab/abc/d yes
**/x*z/b/**/c xyz/b/a/xz/b/c yes
*x/**/q ax/bx/c no
a*/**/*b ax/b/cb yes
a*c/**/b abc/x/y no
ab*/**/b abxb no
a?b a/b no
a[/]b a/b no
a[!x]b a/b no
a[!x]b ayb yes
**\/b b no
**\/b a/b yes
*** a/b yes
EOF

test_expect_success 'patterns of paths match as Git matches them' '
	i=0 &&
	while read -r pattern url verdict
	do
		i=$((i + 1)) &&
		quoted=$(printf "%s\n" "$pattern" | sed "s/\\\\/&&/g") &&
		{
			printf "[remote \"r\"]url=%s\n" "$url" &&
			printf "[includeIf \"%s:%s\"]path=hit\n" \
				"hasconfig:remote.*.url" "$quoted"
		} >pattern$i &&
		test-tool config --file pattern$i list --includes >out &&
		hit=no &&
		if grep "^hit.x" out >hits
		then
			hit=yes
		fi &&
		echo "$pattern $url $hit" || return 1
	done <patterns >actual &&
	test_cmp patterns actual
'

test_expect_success GIT 'git matches these patterns likewise' '
	options=--includes &&
	same_as_git pattern[1-9]* &&
	options= &&
	test_line_count = "$taken" patterns
'

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

test_expect_success 'the name of the directory is no pattern' '
	mkdir "x[1]" &&
	make_repo "x[1]/Repo/.git" &&
	condition "gitdir:./Repo/" "gitdir/i:./REPO/" >"x[1]/brackets" &&
	(
		cd "x[1]/Repo" &&
		test-tool config --file ../brackets list --includes >out &&
		grep hit.x out >hits &&
		test_line_count = 2 hits
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

test_done
