# SPDX-License-Identifier: MIT
#
# --valgrind[=TOOL]: run the project's programs under valgrind. A program with
# an error exits with 126, which test_must_fail does not accept; and since an
# exit code can get lost in a pipe or in the background, valgrind's logs are
# checked after each test, which fails if they contain an error. $VALGRIND_OPTS
# has more options; t/valgrind.supp has suppressions. Valgrind reads no file of
# options: tests count what is asked of the home and the current directory.
#
# shellcheck shell=sh

# Quote a word for a shell.
test_quote_ () {
	printf '%s\n' "$1" | sed "s/'/'\\\\''/g; s/^/'/; s/\$/'/"
}

# Write a script that runs PROGRAM under valgrind, at the front of $PATH.
test_valgrind_wrap_ () {
	local name="${1##*/}" supp=
	if test -f "$TEST_DIRECTORY/valgrind.supp"
	then
		supp=$(test_quote_ "--suppressions=$TEST_DIRECTORY/valgrind.supp")
	fi
	write_script "$test_valgrind_dir_/bin/$name" <<-EOT
	exec $test_valgrind_command_ $test_valgrind_options_ $supp \\
		--log-file=$(test_quote_ "$test_logs_dir_/$name.%p") \\
		\${VALGRIND_OPTS-} $(test_quote_ "$1") "\$@"
	EOT
}

test_valgrind_start () {
	local program
	test_valgrind_command_=$(command -v valgrind) ||
	error "--valgrind: valgrind is not installed"
	test_valgrind_options_="--command-line-only=yes --tool=$valgrind"
	test_valgrind_options_="$test_valgrind_options_ --error-exitcode=126"
	test_valgrind_options_="$test_valgrind_options_ --num-callers=30"
	case "$valgrind" in
	memcheck)
		test_valgrind_options_="$test_valgrind_options_ \
--leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite"
		;;
	esac
	test_valgrind_dir_=$TRASH_DIRECTORY.valgrind
	test_logs_dir_=$TRASH_DIRECTORY.logs
	test_logs_pattern_='ERROR SUMMARY: [1-9]'
	test_remove_dir_ "$test_valgrind_dir_"
	test_remove_dir_ "$test_logs_dir_"
	mkdir -p "$test_valgrind_dir_/bin" "$test_logs_dir_" ||
	error "--valgrind: cannot make '$test_valgrind_dir_'"
	for program in "$GIT_BUILD_DIR"/t/helper/* "$GIT_BUILD_DIR"/build/bin/*
	do
		if test -f "$program" && test -x "$program" &&
		   test "$(head -c 2 "$program")" != '#!'
		then
			test_valgrind_wrap_ "$program"
		fi
	done 2>/dev/null
	PATH=$test_valgrind_dir_/bin:$PATH
	# A test that runs as another user must be able to write there.
	chmod 1777 "$test_logs_dir_"
}
