#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the harness: its options, and the surroundings of a test'

TEST_NO_TEST_TOOL=t
. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-subtest.sh

test_expect_success 'setup: write a script that prints and fails' '
	write_subtest talk <<-\EOF
	test_expect_success "one" "
		echo to stdout &&
		echo to stderr >&2
	"
	test_expect_failure "two" "
		echo more &&
		false
	"
	test_expect_success MINGW "three" "true"
	test_done
	EOF
'

# ---------------------------------------------------------------------------
# Output

test_expect_success '-v shows the output of tests' '
	check_subtest 0 talk -v <<-\EOF &&
	expecting success of talk.1 '\''one'\'': 
	echo to stdout &&
	echo to stderr >&2

	to stdout
	ok 1 - one

	expecting failure of talk.2 '\''two'\'': 
	echo more &&
	false

	more
	not ok 2 - two # TODO known breakage

	ok 3 # skip three (missing MINGW)
	# still have 1 known breakage(s)
	# passed all remaining 2 test(s)
	1..3
	EOF
	test_grep "^to stderr$" err
'

test_expect_success '-v under prove keeps the output out of TAP' '
	(
		TEST_OUTPUT_DIRECTORY=$TRASH_DIRECTORY &&
		HARNESS_ACTIVE=1 &&
		export TEST_OUTPUT_DIRECTORY TEST_NO_TEST_TOOL HARNESS_ACTIVE &&
		sh talk.sh -v >out 2>err
	) &&
	test_grep ! "to stdout" out &&
	test_grep "^ok 1 - one" out &&
	test_grep "^to stdout" err
'

test_expect_success '-x traces commands, but not into output that tests capture' '
	write_subtest trace <<-\EOF &&
	test_untraceable=UnfortunatelyYes
	loud () {
		echo "a line" >&2 &&
		return 3
	}
	test_expect_success "captured" "
		test_expect_code 3 loud 2>err1 &&
		test_must_fail loud 2>err2 &&
		{ loud || : ; } 2>err3 &&
		(loud; test \$? = 3) 2>err4 &&
		test_env A=b loud 2>err5 || : &&
		echo \"a line\" >expect &&
		for i in 1 2 3 4 5
		do
			test_cmp expect err\$i || return 1
		done
	"
	test_done
	EOF
	(
		TEST_SHELL_PATH=$(command -v bash || echo "$SHELL_PATH") &&
		export TEST_SHELL_PATH &&
		run_subtest trace -x
	) &&
	test_grep "^ok 1 - captured" out &&
	if command -v bash
	then
		test_grep "^+.* test_cmp expect err1" err
	fi
'

test_expect_success '--help describes the script and the options' '
	run_subtest talk --help &&
	test_grep "^talk, a script to test the harness with" out &&
	for option in -v -x -i -d --run= --root= --valgrind -l -h
	do
		test_grep -e "^    .*$option" out || return 1
	done
'

test_expect_success 'bad options are refused' '
	for option in --nonsense -y stray --run -vy
	do
		test_expect_code 1 run_subtest talk $option &&
		test_must_be_empty out &&
		test_grep "^error: .*--help" err || return 1
	done
'

test_expect_success 'options come from GIT_TEST_OPTS as well, and letters may be combined' '
	(
		TEST_OUTPUT_DIRECTORY=$TRASH_DIRECTORY &&
		GIT_TEST_OPTS="-vd --run=1" &&
		export TEST_OUTPUT_DIRECTORY TEST_NO_TEST_TOOL \
			GIT_TEST_OPTS &&
		sane_unset HARNESS_ACTIVE &&
		"$TEST_SHELL_PATH" talk.sh >out 2>err
	) &&
	test_grep "^to stdout" out &&
	test_grep "^ok 2 # skip" out &&
	test_path_is_dir "trash directory.talk" &&
	run_subtest talk &&
	test_path_is_missing "trash directory.talk"
'

# ---------------------------------------------------------------------------
# Directories

test_expect_success '--root moves the trash directory' '
	write_subtest where <<-\EOF &&
	test_expect_success "one" "
		test \"\$(pwd -P)\" = \"\$(cd \"\$HOME\" && pwd -P)\" &&
		test \"\$HOME\" = \"\$TRASH_DIRECTORY\" &&
		pwd -P
	"
	test_done
	EOF
	for root in "$TRASH_DIRECTORY/a root/b" "a root"
	do
		run_subtest where -d -v --root="$root" &&
		test_grep "^TRASH/a root/.*trash directory.where\$" out || return 1
	done &&
	run_subtest where -d -v --root "a root" &&
	test_path_is_dir "a root/b/trash directory.where" &&
	test_path_is_dir "a root/trash directory.where"
'

test_expect_success 'a trash directory that cannot be made fails the script' '
	>file &&
	test_expect_code 1 run_subtest where --root=file &&
	test_grep "cannot make .TRASH/file/trash directory.where.: use --root=" \
		err
'

test_expect_success 'the trash directory of the last run is removed, even if read-only' '
	mkdir -p "trash directory.talk/sub" &&
	>"trash directory.talk/sub/file" &&
	chmod a-w "trash directory.talk/sub" &&
	run_subtest talk &&
	test_path_is_missing "trash directory.talk"
'

test_expect_success SYMLINKS 'a suite runs in a path with spaces and other characters' '
	dir="it'\''s a \$(false) \"odd\" path" &&
	mkdir -p "$dir/t" &&
	ln -s "$TEST_DIRECTORY"/*.sh "$TEST_DIRECTORY"/chainlint.awk "$dir/t/" &&
	cp talk.sh "$dir/t/t9999-talk.sh" &&
	(
		cd "$dir/t" &&
		sane_unset TEST_DIRECTORY GIT_BUILD_DIR TEST_LIB_RUN_ID &&
		TEST_NO_TEST_TOOL=t && export TEST_NO_TEST_TOOL &&
		sed "s|\"\$TEST_DIRECTORY/test-lib.sh\"|./test-lib.sh|" \
			t9999-talk.sh >tmp &&
		mv tmp t9999-talk.sh &&
		"$TEST_SHELL_PATH" t9999-talk.sh -x \
			>out 2>&1 || {
			cat out
			exit 1
		}
	)
'

test_expect_success 'the test library in a copied tree uses the paths of that tree' '
	mkdir -p tree/t &&
	cp "$TEST_DIRECTORY"/*.sh "$TEST_DIRECTORY"/chainlint.awk tree/t/ &&
	cat >tree/t/t9999-where.sh <<-\EOF &&
	test_description=where
	. ./test-lib.sh
	test_expect_success one "echo \$TEST_DIRECTORY,\$GIT_BUILD_DIR"
	test_done
	EOF
	(
		cd tree/t &&
		sane_unset HARNESS_ACTIVE &&
		TEST_NO_TEST_TOOL=t && export TEST_NO_TEST_TOOL &&
		sh t9999-where.sh -v >out
	) &&
	test_grep "^$TRASH_DIRECTORY/tree/t,$TRASH_DIRECTORY/tree\$" tree/t/out
'

test_lazy_prereq PLAIN_USER '
	test "$(id -u)" = 0 &&
	setpriv --reuid=65534 --regid=65534 --clear-groups \
		test -r "$TEST_DIRECTORY/test-lib.sh" -a -x "$TRASH_DIRECTORY"
'

test_expect_success PLAIN_USER 'a suite runs as a plain user' '
	mkdir plain &&
	chmod 777 plain &&
	write_subtest plain <<-\EOF &&
	test_expect_success NOT_ROOT,SANITY,!ROOT "one" "test \$(id -u) = 65534"
	test_expect_success "two" "
		mkdir closed &&
		>closed/file &&
		chmod a= closed
	"
	test_expect_success "three" "sleep 1000 &"
	test_done
	EOF
	cat >expect <<-\EOF &&
	ok 1 - one
	ok 2 - two
	ok 3 - three
	EOF
	(
		TEST_OUTPUT_DIRECTORY=$TRASH_DIRECTORY/plain &&
		export TEST_OUTPUT_DIRECTORY TEST_NO_TEST_TOOL &&
		test_expect_code 1 setpriv --reuid=65534 --regid=65534 \
			--clear-groups "$TEST_SHELL_PATH" plain.sh >out
	) &&
	grep ^ok out >actual &&
	test_cmp expect actual &&
	test_grep "left running: process [0-9]*: sleep 1000" out
'

# ---------------------------------------------------------------------------
# The environment

test_expect_success 'tests run in a clean environment' '
	write_subtest environment <<-\EOF &&
	test_expect_success "nothing of the outside" "
		env >env &&
		test_grep ! TRACE2 env &&
		test_grep ! ^GIT_DIR env &&
		test_grep ! ^GIT_INDEX_FILE env &&
		test_grep ! ^GIT_TEST_OPTS env &&
		test_grep ! ^XDG_ env &&
		test_grep ! ^CDPATH env &&
		test_grep ! ^GREP_OPTIONS env &&
		test_grep ! ^MAKEFLAGS env
	"
	test_expect_success "other variables of the caller are unchanged" "
		test \"\$GIT_TEST_KNOB\" = 1 &&
		test \"\$KEPT\" = kept
	"
	test_expect_success "locale, time zone and the like" "
		test_grep ^LANG=C\$ env &&
		test_grep ^LC_ALL=C.UTF-8\$ env &&
		test_grep ^TZ=UTC\$ env &&
		test_grep ^TERM=dumb\$ env &&
		test_grep ^GIT_CONFIG_NOSYSTEM=1\$ env &&
		test_grep \"^HOME=\$TRASH_DIRECTORY\\$\" env
	"
	test_expect_success "PATH finds our programs first" "
		case \"\$PATH\" in
		\"\$GIT_BUILD_DIR/t/helper:\$GIT_BUILD_DIR/build/bin:\"*) ;;
		*) false ;;
		esac
	"
	test_done
	EOF
	(
		GIT_TRACE2=1 GIT_TRACE2_EVENT=/dev/null MY_TRACE2_X=1 TRACE2_Y=2 &&
		GIT_DIR=x GIT_INDEX_FILE=y XDG_CONFIG_HOME=z CDPATH=. &&
		GREP_OPTIONS=-v MAKEFLAGS=j GIT_TEST_KNOB=1 KEPT=kept &&
		LC_ALL=POSIX TZ=Asia/Tokyo &&
		MULTI="a
	export LANG=de
	b='\''c" &&
		export GIT_TRACE2 GIT_TRACE2_EVENT MY_TRACE2_X TRACE2_Y GIT_DIR \
			GIT_INDEX_FILE XDG_CONFIG_HOME CDPATH GREP_OPTIONS \
			MAKEFLAGS GIT_TEST_KNOB KEPT LC_ALL TZ MULTI &&
		check_subtest 0 environment <<-\EOF
		ok 1 - nothing of the outside
		ok 2 - other variables of the caller are unchanged
		ok 3 - locale, time zone and the like
		ok 4 - PATH finds our programs first
		# passed all 4 test(s)
		1..4
		EOF
	)
'

test_expect_success 'prerequisites reflect how the project was built' '
	mkdir -p built/build &&
	echo "SANITIZE='\''address,undefined'\''" >built/build/build-options &&
	write_subtest sanitize <<-\EOF &&
	test_expect_success ASAN,UBSAN,SANITIZE_ADDRESS,SANITIZE_UNDEFINED "both" true
	test_expect_success TSAN "thread" false
	test_expect_success SANITIZE_THREAD "again" false
	test_done
	EOF
	(
		GIT_BUILD_DIR=$(pwd)/built &&
		export GIT_BUILD_DIR &&
		check_subtest 0 sanitize <<-\EOF
		ok 1 - both
		ok 2 # skip thread (missing TSAN)
		ok 3 # skip again (missing SANITIZE_THREAD)
		# passed all 3 test(s)
		1..3
		EOF
	)
'

# ---------------------------------------------------------------------------
# Valgrind and sanitizers

test_expect_success 'setup of a program with an error' '
	mkdir -p "prog dir/t/helper" &&
	cat >bad.c <<-\EOF &&
	#include <stdlib.h>
	int main(int argc, char **argv)
	{
		char *p = malloc(4);
		int code = argc > 1 && p[5] == 7 ? 3 : 1;
		free(p);
		return code;
	}
	EOF
	write_subtest memory <<-\EOF
	test_expect_success "fine" "test_must_fail test-bad"
	test_expect_success "error" "test_must_fail test-bad x"
	test_expect_success "hidden" "test-bad x || true"
	test_expect_success "fine again" "test_must_fail test-bad"
	test_done
	EOF
'

test_expect_success EXPENSIVE,VALGRIND,CC '--valgrind finds errors also in commands whose exit code a test ignores' '
	cc -g -o "prog dir/t/helper/test-bad" bad.c &&
	(
		GIT_BUILD_DIR="$TRASH_DIRECTORY/prog dir" &&
		export GIT_BUILD_DIR &&
		run_subtest memory &&
		test_expect_code 1 run_subtest memory --valgrind --run=2-4 &&
		test_grep "^not ok 2 - error" out &&
		test_grep "^not ok 3 - hidden" out &&
		test_grep "^ok 4 - fine again" out &&
		test_grep "^# .*Invalid read of size 1" out &&
		run_subtest memory --valgrind=none
	)
'

test_lazy_prereq CC_ASAN '
	echo "int main(void) { return 0; }" >main.c &&
	cc -fsanitize=address,undefined -o main main.c &&
	./main
'

test_expect_success CC_ASAN 'sanitizers find errors also in commands whose exit code a test ignores' '
	cc -g -fsanitize=address,undefined -o "prog dir/t/helper/test-bad" \
		bad.c &&
	mkdir -p "prog dir/build" &&
	echo "SANITIZE='\''address,undefined'\''" >"prog dir/build/build-options" &&
	(
		GIT_BUILD_DIR="$TRASH_DIRECTORY/prog dir" &&
		export GIT_BUILD_DIR &&
		test_expect_code 1 run_subtest memory &&
		test_grep "^ok 1 - fine" out &&
		test_grep "^not ok 2 - error" out &&
		test_grep "^not ok 3 - hidden" out &&
		test_grep "^ok 4 - fine again" out &&
		test_grep "^# .*heap-buffer-overflow" out
	)
'

test_done
