# SPDX-License-Identifier: MIT
#
# For the tests of the config reader; read this after test-lib.sh:
#
#	list FILE [OPTION...]		print the keys of the file, as with -z
#	refuse FILE [OPTION...]		reading fails and delivers nothing
#	same_as_git FILE...		Git and the library read the same
#
# and the prerequisite GIT_SPACES.
#
# shellcheck shell=sh

# Git 2.45 and later keep a tab inside a value; before, it became a space.
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

# refuse FILE [OPTION...]: reading fails, and no key is delivered.
refuse () {
	test_must_fail list "$@" >refused 2>refused.err &&
	test_must_be_empty refused
}

# same_as_git FILE...: both accept or refuse each file, with the same result.
# Sets $taken to the number of accepted files. $options are for both.
options=
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
