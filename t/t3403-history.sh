#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='costs of a command at each commit: stat --note, history, bisect'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stat.sh

PATH=$GIT_BUILD_DIR/build/bin:$PATH

test_skip_unless IO

# Eight commits of a program: it reads $calls times, and computes.
test_expect_success 'setup: the fifth commit reads more, the sixth fails to build' '
	git init -q repo && (
		cd repo &&
		git config user.name A && git config user.email a@example.org &&
		mkdir sub &&
		for i in 1 2 3 4 5 6 7 8
		do
			calls=100 && { test $i -lt 5 || calls=101; } &&
			code=0 && { test $i -ne 6 || code=1; } &&
			cat <<-EOF || exit 1
			commit refs/heads/all
			author A U Thor <author@example.com> $((1700000000 + i)) +0000
			committer A <a@example.org> $((1700000000 + i)) +0000
			data <<END
			change $i
			END
			M 644 inline build.sh
			data <<END
			cp sub/prog.in sub/prog && exit $code
			END
			M 644 inline sub/prog.in
			data <<END
			# $i
			open F, q(/dev/zero);
			sysread F, \$b, 1 for 1..$calls;
			print "ran\\n";
			END
			reset refs/tags/v$i
			from refs/heads/all
			EOF
		done >../commits &&
		git fast-import --quiet <../commits &&
		git checkout -q all
	)
'

test_expect_success 'stat --note keeps measures in a note of HEAD' '
	(
		cd repo &&
		for i in 1 2 4 5 6
		do
			git checkout -q v$i && cp sub/prog.in sub/prog &&
			trace2 stat -r 4 -q --note -- "$PERL_PATH" sub/prog >out 2>err &&
			test_must_be_empty err || exit 1
		done &&
		git notes --ref=trace2 show v5 >note &&
		grep "^command	.*perl sub/prog$" note &&
		grep "^runs	4$" note &&
		grep "^run		1	1	processes$" note &&
		grep "^run	ns	1	[0-9]*,[0-9]*,[0-9]*,[0-9]*	wall$" note
	)
'

# In a hook, GIT_INDEX_FILE names the index of a commit that is being made.
test_expect_success 'stat --note leaves the index unchanged' '
	(
		cd repo && git checkout -q v3 &&
		cat sub/prog.in >../same &&
		mv ../same sub/prog.in && cp .git/index before &&
		GIT_INDEX_FILE=$PWD/before trace2 stat -r 4 -q --note -- true >out &&
		cmp .git/index before && rm before &&
		git notes --ref=trace2 show v3 >note && grep "^command	true$" note &&
		git notes --ref=trace2 remove v3 && rm note out
	)
'

test_expect_success 'stat --note: a note has one block for each command, replaced by a later run' '
	(
		cd repo && git checkout -q v6 &&
		trace2 stat -r 4 -q --note -- true >out &&
		trace2 stat -r 5 -q --note -- "$PERL_PATH" sub/prog >out &&
		git notes --ref=trace2 show v6 >note &&
		test_prints grep "^command\|^runs" note <<-EOF &&
		command	true
		runs	4
		command	$PERL_PATH sub/prog
		runs	5
		EOF
		echo more >>build.sh &&
		test_expect_code 1 trace2 stat -q --note -- false >out 2>err &&
		grep "^trace2: warning: no note was kept: false failed (exit code 1)$" err &&
		trace2 stat -r 4 -q --note -- true >out 2>err &&
		grep "^trace2: warning: the work tree has changes that are not in HEAD" err &&
		git checkout -q build.sh
	)
'

test_expect_success 'setup: give the notes of all commits the same times' '
	(
		cd repo &&
		test_write_lines "commit refs/notes/trace2" \
			"committer A <a@example.org> 1700000100 +0000" \
			"data 0" "from refs/notes/trace2^0" >../notes &&
		for i in 1 2 4 5 6
		do
			git notes --ref=trace2 show v$i >../note &&
			sed "s/^\([a-z]*	ns	[^	]*	\)[^	]*/\15000000/" ../note >../same &&
			! cmp -s ../note ../same &&
			echo "N inline refs/tags/v$i" &&
			echo "data <<END" &&
			cat ../same &&
			echo END || exit 1
		done >>../notes &&
		git fast-import --quiet <../notes
	)
'

test_expect_success 'history has a row for each commit, and reports which of them changed the command' '
	(
		cd repo &&
		trace2 history -- "$PERL_PATH" sub/prog >out &&
		test_prints awk "/change [0-9]/ { print \$NF, /\\*/ }" out <<-\EOF &&
		1 0
		2 0
		4 0
		5 1
		6 0
		EOF
		v5=$(git rev-parse v5 | cut -c1-9) &&
		grep "^$v5 more work: +1 byte read, +1 read$" out &&
		grep "sub/prog: 5 commits, 1 of them changed it\. TIME is " out &&
		trace2 history -n 2 -- "$PERL_PATH" sub/prog >out &&
		grep "2 commits, 0 of them" out &&
		trace2 history --revs v4 -- "$PERL_PATH" sub/prog >out &&
		grep "3 commits, 0 of them" out
	)
'

test_expect_success JQ 'history prints JSON, and shows the newest command by default' '
	(
		cd repo &&
		trace2 history --format=json >out &&
		trace2 history --format=json -- "$PERL_PATH" sub/prog >actual &&
		test_cmp out actual &&
		test_prints jq -c ".history[] | [.subject, .runs, .change, .time_ns > 0]" out <<-\EOF
		["change 1",4,null,true]
		["change 2",4,null,true]
		["change 4",4,null,true]
		["change 5",4,"more work: +1 byte read, +1 read",true]
		["change 6",5,null,true]
		EOF
	)
'

test_expect_success 'history reports that there are no notes' '
	(
		cd repo &&
		test_expect_code 128 trace2 history -- false 2>err &&
		grep "^trace2: no commit has a note of false (.trace2 stat --note" err &&
		test_expect_code 128 trace2 history --revs nothing 2>err &&
		grep "git log nothing. failed" err
	)
'

# A step of time that stays, in notes of 12 commits; a lone one that does not.
test_expect_success 'history names the commit after which time stayed slower, not a single outlier' '
	git init -q times && (
		cd times &&
		for i in 1 2 3 4 5 6 7 8 9
		do
			ms=10 && { test $i -lt 6 || ms=12; } &&
			{ test $i -ne 2 || ms=30; } &&
			cat <<-EOF || exit 1
			commit refs/heads/times
			mark :$i
			committer A <a@example.org> $((1700000000 + i)) +0000
			data <<END
			time $i
			END
			commit refs/notes/trace2
			committer A <a@example.org> $((1700000000 + i)) +0000
			data 0
			N inline :$i
			data <<END
			command	x
			runs	5
			event	ns	1	${ms}000000,${ms}100000,${ms}200000,${ms}300000,${ms}400000	task-clock
			END
			EOF
		done >commits &&
		git fast-import --quiet <commits &&
		git checkout -q times &&
		trace2 history >out &&
		sed -n "/^\$/,\$p" out >actual &&
		v=$(git rev-parse HEAD~3 | cut -c1-9) &&
		test_cmp - actual <<-EOF &&

		$v slower: time +19.6%

		x: 9 commits, 1 of them changed it. TIME is task-clock, the median of the runs.
		EOF
		grep "^[0-9a-f]* *30.200  ############  *time 2$" out &&
		grep "^[0-9a-f]* *10.200  ####  *time 3$" out
	)
'

test_expect_success 'bisect finds a commit by an exact count, and skips one that does not build' '
	(
		cd repo && git checkout -q v8 && echo mine >untracked &&
		git rev-parse HEAD >../before && git status --porcelain -b >>../before &&
		trace2 bisect -r 4 --only reads --good v1 --bad v8 \
			--build "cat \"$PWD/out\" >>\"$PWD/seen\"; sh build.sh" \
			-- "$PERL_PATH" sub/prog >out 2>err &&
		# A line is there while the next commit is built.
		grep "^good .* change 1$" seen && rm seen &&
		grep "^good  [0-9a-f]*  reads [0-9]*  change 1$" out &&
		grep "^bad   [0-9a-f]*  reads [0-9]*  change 8$" out &&
		grep "^skip  $(git rev-parse v6 | cut -c1-9)  --build failed with exit code 1  change 6$" out &&
		! grep "^ran" out &&
		tail -n 2 out >actual &&
		grep "^$(git rev-parse v5) change 5 (A U Thor, " actual &&
		grep "^[a-z ]*: +1 read" actual &&
		git rev-parse HEAD >../after && git status --porcelain -b >>../after &&
		test_cmp ../before ../after &&
		test "$(git worktree list | wc -l)" = 1 &&
		test_must_fail git rev-parse -q --verify refs/bisect/bad
	)
'

test_expect_success JQ 'bisect prints JSON' '
	(
		cd repo &&
		trace2 bisect -r 4 --only reads --good v4 --bad v7 --format=json \
			--build "sh build.sh" -- "$PERL_PATH" sub/prog >../out &&
		git rev-parse v5 >../v5
	) &&
	jq -r "(.found[0] | .commit, .subject[:8], .kind, .name, .exact),
		(.steps[:2][] | .is, .subject),
		(.steps | (map(select(.is == \"bad\").value) | min) -
			(map(select(.is == \"good\").value) | max)),
		(.steps[] | select(.is == \"skip\") | .value, .subject),
		(.verdict[0] | .counts_more > 0, (.text | contains(\"+1 read\")))" out >actual &&
	{
		cat v5 &&
		test_write_lines "change 5" run reads true good "change 4" bad "change 7" \
			1 null "change 6" true true
	} >expect &&
	test_cmp expect actual
'

test_expect_success 'bisect runs CMD in the same subdirectory, and cleans up TMPDIR' '
	mkdir -p tmp && (
		cd repo/sub &&
		TMPDIR="$TRASH_DIRECTORY/tmp" trace2 bisect -r 4 --good v3 \
			--bad v6 -- "$PERL_PATH" prog.in >out 2>err &&
		grep "^$(git rev-parse v5) change 5" out &&
		rm out err
	) &&
	find tmp -mindepth 1 >left &&
	test_must_be_empty left
'

test_expect_success 'bisect reports good and bad commits without a difference, and usage errors' '
	(
		cd repo &&
		test_expect_code 1 trace2 bisect -r 4 --only reads --good v1 --bad v4 -- \
			"$PERL_PATH" sub/prog.in 2>err &&
		grep "^trace2: cannot tell .* and .* apart: neither an exact count nor a time" err &&
		test_expect_code 128 trace2 bisect --good v1 --bad v8 -- false 2>err &&
		grep "^trace2: cannot measure " err &&
		test_expect_code 2 trace2 bisect -- true 2>err &&
		grep "^trace2: needs --good REV and a command" err &&
		test_expect_code 2 trace2 bisect -r 3 --good v1 -- true 2>err &&
		grep "^trace2: -r must be at least 4" err &&
		test_expect_code 128 trace2 bisect --good none -- true 2>err &&
		grep "^trace2: --good: this repository has no commit .none." err &&
		test "$(git worktree list | wc -l)" = 1
	)
'

test_done
