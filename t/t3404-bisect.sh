#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='trace2 bisect: untouched files, claims and messages'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-stat.sh

PATH=$GIT_BUILD_DIR/build/bin:$PATH

test_skip_unless IO

# Five commits of a program; from the fourth on it reads more.
test_expect_success 'setup: make a repository of five commits' '
	git init -q -b main repo && (
		cd repo &&
		git config user.name A && git config user.email a@example.org &&
		mkdir sub && echo x >other &&
		for i in 1 2 3 4 5
		do
			calls=100 && { test $i -lt 4 || calls=101; } &&
			cat >sub/prog <<-EOF &&
			# $i
			open F, q(/dev/zero);
			sysread F, \$b, 1 for 1..$calls;
			EOF
			git add . && git commit -q -m "change $i" && git tag v$i || exit 1
		done
	) &&
	cat >search <<-EOF &&
	#!/bin/sh
	exec trace2 bisect -r 4 --only reads --good v3 --bad v5 \\
		--build "git status >/dev/null && git add -A && git rev-parse HEAD >built" \\
		"\$@" -- "$PERL_PATH" sub/prog
	EOF
	chmod +x search
'

state () {
	git rev-parse HEAD && git symbolic-ref HEAD && git status --porcelain &&
	git diff --cached && git diff
}

test_expect_success 'bisect in a hook leaves the staged changes of the user' '
	(
		cd repo && git checkout -q -b hooked &&
		cat >.git/hooks/pre-commit <<-EOF &&
		#!/bin/sh
		exec "$TRASH_DIRECTORY/search" >"$TRASH_DIRECTORY/out" 2>&1
		EOF
		chmod +x .git/hooks/pre-commit &&
		echo y >other && git commit -qam mine && rm .git/hooks/pre-commit &&
		grep "^$(git rev-parse v4) change 4" ../out &&
		test "$(git diff --name-only v5 HEAD)" = other &&
		git status --porcelain >status && sed -i /status/d status &&
		test_must_be_empty status && rm status
	)
'

test_expect_success 'bisect with GIT_INDEX_FILE or GIT_DIR set leaves index, HEAD and files' '
	(
		cd repo && git checkout -q -f -B staged v5 &&
		echo staged >other && git add other && echo not >sub/new &&
		git add sub/new && echo more >>sub/new && state >../before &&
		GIT_INDEX_FILE=$PWD/.git/index ../search >../out &&
		grep "^$(git rev-parse v4) change 4" ../out &&
		state >../after && test_cmp ../before ../after &&
		GIT_DIR=$PWD/.git GIT_WORK_TREE=$PWD ../search >../out &&
		grep "^$(git rev-parse v4) change 4" ../out &&
		state >../after && test_cmp ../before ../after &&
		test "$(git worktree list | wc -l)" = 1
	)
'

test_expect_success 'bisect: GIT_DIR selects the repository' '
	mkdir -p elsewhere && (
		cd elsewhere &&
		GIT_DIR=../repo/.git GIT_WORK_TREE=. ../search >../out &&
		grep "change 4" ../out && ls >../left
	) &&
	test_must_be_empty left
'

test_expect_success 'setup: a linked work tree' '
	git -C repo worktree add -q -b linked ../linked v5
'

test_expect_success EXPENSIVE 'bisect works in an alias and a hook of a linked work tree' '
	(
		cd repo &&
		git config alias.bi "!\"$TRASH_DIRECTORY/search\"" &&
		cd ../linked && echo staged >other && git add other &&
		state >../before && git bi >../out 2>&1 &&
		grep "change 4" ../out && state >../after &&
		test_cmp ../before ../after &&
		cat >../repo/.git/hooks/post-commit <<-EOF &&
		#!/bin/sh
		exec "$TRASH_DIRECTORY/search" >"$TRASH_DIRECTORY/out" 2>&1
		EOF
		chmod +x ../repo/.git/hooks/post-commit &&
		git commit -q -m linked && rm ../repo/.git/hooks/post-commit &&
		grep "change 4" ../out &&
		git status --porcelain >../status && test_must_be_empty ../status &&
		test "$(git diff --name-only v5 HEAD)" = other
	)
'

test_expect_success 'bisect sets PWD to the directory in which CMD runs' '
	(
		cd repo/sub &&
		for dir in . ..
		do
			cd $dir &&
			trace2 bisect -r 4 --only reads --good v3 --bad v5 -- \
				"$PERL_PATH" -MCwd -e "\$ENV{PWD} eq getcwd() or exit 9;
				do(-e q(prog) ? q(./prog) : q(./sub/prog))" >out &&
			grep "change 4" out && rm out || exit 1
		done
	)
'

test_expect_success 'bisect undoes changes of the build to tracked files' '
	(
		cd repo && git checkout -q -f main &&
		trace2 bisect -r 4 --only reads --good v3 --bad v5 \
			--build "echo >>other; echo >>sub/prog" \
			-- "$PERL_PATH" sub/prog >../out &&
		grep "change 4" ../out
	)
'

test_expect_success 'bisect names each unsuitable --good or --bad commit, and the cause' '
	says () {
		test_expect_code 128 trace2 bisect -r 4 "$@" -- \
			"$PERL_PATH" sub/prog >out 2>err &&
		test_must_be_empty out && test $(wc -l <err) = 1 && rm out
	} &&
	(
		cd repo && git checkout -q -f main && sha=$(git rev-parse v5 | cut -c1-9) &&
		says --good nosuch &&
		grep "^trace2: --good: this repository has no commit .nosuch.$" err &&
		says --good v1 --bad v2:other &&
		grep "^trace2: --bad .v2:other. names a blob of this repository, not" err &&
		says --good v5 &&
		grep "^trace2: --good .v5. ($sha) and --bad .HEAD. ($sha) are the same" err &&
		says --good v5 --bad v1 &&
		grep "^trace2: --bad .v1. (.*) comes before --good .v5. ($sha): exch" err &&
		mkdir -p build && cd build &&
		says --good v1 &&
		grep "^trace2: cannot measure .HEAD. ($sha): it has no directory .build/., the current one: go to one that all commits have$" err &&
		cd .. && rm -r build && git checkout -q --orphan other v5 &&
		git commit -q -m alone && git checkout -q -f main &&
		says --good v1 --bad other &&
		grep "^trace2: --bad .other. (.*) does not come from .*no commit in comm" err
	) &&
	git init -q empty && (
		cd empty && says --good x &&
		grep "has no commit .x.: nothing was committed yet" err
	) &&
	git clone -q --depth 2 "file://$PWD/repo" shallow && (
		cd shallow && git fetch -q --depth 1 origin tag v1 &&
		says --good v1 && grep "^trace2: --bad .HEAD. .*shallow.*--unsh" err &&
		says --good v2 && grep "no commit .v2.: this clone is shallow" err
	)
'

test_expect_success 'bisect fails outside of a repository' '
	mkdir outside && (
		cd outside &&
		GIT_CEILING_DIRECTORIES=$TRASH_DIRECTORY test_expect_code 128 \
			trace2 bisect --good v1 -- true 2>err &&
		grep "^trace2: there is no Git repository here: not a git repo" err
	)
'

test_expect_success 'bisect accepts a TMPDIR that is missing or relative' '
	(
		cd repo && git checkout -q -f main &&
		TMPDIR=/nonexistent test_expect_code 128 \
			trace2 bisect -r 4 --good v1 -- "$PERL_PATH" sub/prog 2>err &&
		grep "^trace2: cannot make a directory in ./nonexistent.: No such" err &&
		mkdir ../tmp && TMPDIR=../tmp ../search >out && grep "change 4" out &&
		rm out err
	) &&
	rmdir tmp
'

test_expect_success 'bisect: a commit subject cannot send escapes to the terminal' '
	(
		cd repo && git checkout -q -f -b esc v3 &&
		cp sub/prog prog && sed s/100/101/ prog >sub/prog && rm prog &&
		git commit -q -a -m "$(printf "red \\033[31m\\302\\233")" &&
		trace2 bisect -r 4 --only reads --good v1 --bad esc \
			-- "$PERL_PATH" sub/prog >out &&
		test "$(grep -c "red \\\\x1b\[31m\\\\xc2\\\\x9b" out)" = 2 &&
		! grep "$(printf "\\033")" out && rm out
	)
'

test_expect_success 'bisect shows skipped commits with reason and subject' '
	search_without () {
		test_expect_code 128 trace2 bisect -r 4 --only reads --good v1 \
			--bad v5 "$@" >out 2>err
	} &&
	(
		cd repo && git checkout -q -f main &&
		sha=$(git rev-parse v3 | cut -c1-9) &&
		search_without -- sh -c "! grep -q \"^# [34]\" sub/prog || kill -KILL \$\$
			exec \"$PERL_PATH\" sub/prog" &&
		grep "^skip  $sha  CMD was ended by SIGKILL  change 3$" out &&
		grep "^trace2: the commit was not found, because some were skipped: it is one of 3: " err &&
		grep "$(git rev-parse --short v3) (change 3)" err &&
		grep "$(git rev-parse --short v4) (change 4)" err &&
		grep "$(git rev-parse --short v5) (change 5)" err &&
		search_without --build "! grep -q \"^# 3\" sub/prog || exit 3" \
			-- "$PERL_PATH" sub/prog &&
		grep "^skip  $sha  --build failed with exit code 3  change 3$" out &&
		grep "it is one of 2: " err
	)
'

test_expect_success 'bisect reports a --good or --bad commit that cannot be measured, with the reason' '
	(
		cd repo && git checkout -q -f main && sha=$(git rev-parse v1 | cut -c1-9) &&
		test_expect_code 128 trace2 bisect --good v1 -- sh -c "exit 5" 2>err &&
		grep "^trace2: cannot measure .v1. ($sha): CMD failed with exit code 5 (it may need --build)$" err &&
		test_expect_code 128 trace2 bisect --good v1 --build "exit 6" -- true 2>err &&
		grep "^trace2: cannot measure .v1. ($sha): --build failed with exit code 6$" err &&
		test_expect_code 128 trace2 bisect --good $sha -- ./none 2>err &&
		grep "^trace2: cannot measure .$sha.: CMD cannot be run" err &&
		test_expect_code 128 trace2 bisect --good v1 -r 4 --build \
			": >\"\$(git rev-parse --git-dir)/index.lock\"" -- true 2>err &&
		grep "^trace2: cannot check .* out in ./.*: Unable to create .*index.lock.: File exists" err &&
		test "$(git worktree list | wc -l)" = 2
	)
'

test_expect_success 'bisect reports a merge base that is bad' '
	(
		cd repo && git checkout -q -f -b mended v5 &&
		git checkout -q v3 sub/prog && git commit -q -m mended &&
		git checkout -q -b other-way v5 && echo >>other &&
		git commit -qam other && git checkout -q main &&
		test_expect_code 128 trace2 bisect -r 4 --only reads \
			--good mended --bad other-way -- "$PERL_PATH" sub/prog >out 2>err &&
		test $(wc -l <err) = 1 &&
		grep "^trace2: the merge base $(git rev-parse v5 | cut -c1-9) (change 5) is bad already: " err
	)
'

# At that run CMD ends the command that runs it.
test_expect_success 'a signal ends bisect with a report of its progress' '
	cat >until <<-\EOF &&
	open F, ">>", $ARGV[0]; syswrite F, "x"; close F;
	kill TERM => getppid if -s $ARGV[0] == $ARGV[1];
	do "./sub/prog";
	EOF
	(
		cd repo && git checkout -q -f main && mkdir ../tmp &&
		ends_at () {
			: >../state &&
			TMPDIR=../tmp test_expect_code 130 trace2 bisect -r 4 \
				--only reads --good v1 --bad v5 -- "$PERL_PATH" \
				"$TRASH_DIRECTORY/until" "$TRASH_DIRECTORY/state" \
				$1 >out 2>err &&
			test $(wc -l <err) = 1
		} &&
		ends_at 6 &&
		grep "^trace2: interrupted before both ends were measured$" err &&
		ends_at 10 &&
		from=$(git rev-parse v1 | cut -c1-9) && to=$(git rev-parse v5 | cut -c1-9) &&
		grep "^trace2: interrupted after 2 commits: the commit is one of the 4 of .git log $from\.\.$to.$" err &&
		test "$(git worktree list | wc -l)" = 2
	) &&
	rmdir tmp
'

# The program reads as often, and computes for as long, as its commit and the number
# of runs say. How often it reads varies, but not by chance.
test_expect_success 'setup: a program that depends on earlier runs' '
	git init -q -b main times && (
		cd times &&
		git config user.name A && git config user.email a@example.org &&
		cat >prog <<-\EOF &&
		my ($state, $when) = @ARGV;
		open F, ">>", $state; syswrite F, "x"; close F;
		my ($runs, $version) = (-s $state, -s "version");
		open F, "/dev/zero";
		sysread F, $b, 1 for 0..$runs % 5;
		if (eval $when) {
			sysread F, $b, 1 for 1..100;
			if ($ENV{COMPUTE}) { $x += $_ for 1..800000 }
		}
		EOF
		for i in 1 2 3 4 5 6
		do
			printf x >>version &&
			git add . && git commit -q -m "time $i" && git tag t$i || exit 1
		done
	) &&
	cat >slow <<-EOF &&
	#!/bin/sh
	: >"$TRASH_DIRECTORY/times/.git/state"
	when=\$1 && shift
	exec trace2 bisect -r 6 --only "\$measure" --good t4 --bad t6 "\$@" -- \
		"$PERL_PATH" prog "$TRASH_DIRECTORY/times/.git/state" "\$when"
	EOF
	chmod +x slow &&
	measure=reads && test_export measure
'

test_expect_success 'bisect names no commit if the machine becomes slower' '
	(
		cd times &&
		test_expect_code 1 ../slow "\$runs > 6" >out 2>err &&
		! grep -E "^[0-9a-f]{40}" out &&
		grep -E "^trace2: (cannot tell|no commit between) .t4. .* and .t6. " err
	)
'

test_expect_success 'bisect names no commit if only --good and --bad differ' '
	(
		cd times && sha=$(git rev-parse t6 | cut -c1-9) &&
		test_expect_code 1 ../slow "\$version > 5 && \$runs <= 24" >out 2>err &&
		! grep -E "^[0-9a-f]{40}" out &&
		grep "^bad .* time 6$" out && grep "^good .* time 5$" out &&
		grep "^trace2: no commit between .t4. .* and .t6. .* is certain: the number of the ends differed by reads +.*, but a comparison of $sha with the commit before it does not confirm that (reads .*)" err
	)
'

test_expect_success EXPENSIVE,JQ 'bisect names no commit that differs in the other direction' '
	(
		cd times &&
		test_expect_code 1 ../slow "\$runs <= 24 ? \$version > 5 : \$version < 6" \
			--format=json >out 2>err &&
		grep "apart for certain.* (reads -" err &&
		jq -e "(.found | not) and (.steps | length > 2) and .verdict[0]" out
	)
'

test_expect_success 'bisect finds a commit that reads more, from values taken in turns' '
	(
		cd times &&
		../slow "\$version > 4" >out 2>err &&
		test_must_be_empty err &&
		grep "^$(git rev-parse t5) time 5" out && grep "reads +" out &&
		test "$(git worktree list | wc -l)" = 1
	)
'

# A busy machine may hide the difference.
test_expect_success EXPENSIVE 'bisect finds a commit that is slower' '
	(
		cd times &&
		COMPUTE=1 measure=task-clock ../slow "\$version > 4" >out 2>err &&
		test_must_be_empty err &&
		grep "^$(git rev-parse t5) time 5" out && grep "^slower: task-clock +" out &&
		test "$(git worktree list | wc -l)" = 1
	)
'

test_done
