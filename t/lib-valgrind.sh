# SPDX-License-Identifier: MIT
#
# --valgrind[=TOOL]: our programs run under valgrind.  A program with an error
# exits 126, which test_must_fail does not accept; and as an exit code can get
# lost, in a pipe or in the background, valgrind's logs are looked at after
# each test, which fails if they tell of an error.  $VALGRIND_OPTS is
# valgrind's own variable for more options; t/valgrind.supp has suppressions.
#
# shellcheck shell=sh

# Quotes a word for a shell.
test_quote_ () {
	printf '%s\n' "$1" | sed "s/'/'\\\\''/g; s/^/'/; s/\$/'/"
}

# Makes a script that runs PROGRAM under valgrind, in front of it in $PATH.
test_valgrind_wrap_ () {
	local name="${1##*/}" supp=
	if test -f "$TEST_DIRECTORY/valgrind.supp"
	then
		supp=$(test_quote_ "--suppressions=$TEST_DIRECTORY/valgrind.supp")
	fi
	write_script "$test_valgrind_dir_/bin/$name" <<-EOT
	exec $test_valgrind_command_ $test_valgrind_options_ $supp \\
		--log-file=$(test_quote_ "$test_valgrind_dir_/logs/$name.%p") \\
		$(test_quote_ "$1") "\$@"
	EOT
}

test_valgrind_start () {
	local program
	test_valgrind_command_=$(command -v valgrind) ||
	error "--valgrind: valgrind is not installed"
	test_valgrind_options_="--tool=$valgrind --error-exitcode=126"
	test_valgrind_options_="$test_valgrind_options_ --num-callers=30"
	case "$valgrind" in
	memcheck)
		test_valgrind_options_="$test_valgrind_options_ \
--leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite"
		;;
	esac
	test_valgrind_dir_=$TRASH_DIRECTORY.valgrind
	test_remove_dir_ "$test_valgrind_dir_"
	mkdir -p "$test_valgrind_dir_/bin" "$test_valgrind_dir_/logs" ||
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
}

# Fails, with the logs as the reason, if valgrind found an error since the
# last time.
test_valgrind_check () {
	local log found=0
	for log in "$test_valgrind_dir_"/logs/*
	do
		test -f "$log" || continue
		if grep -q 'ERROR SUMMARY: [1-9]' "$log"
		then
			test_reason_="$test_reason_$(cat "$log")
"
			found=1
		fi
		rm -f "$log"
	done
	return $found
}
