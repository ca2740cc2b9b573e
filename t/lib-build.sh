# SPDX-License-Identifier: MIT
#
# Programs that tests write, compiled with the public headers.
#
# shellcheck shell=sh

# build COMPILER SOURCE FLAG...: ./program, with the shared library.
build () {
	compiler=$1 source=$2 &&
	shift 2 &&
	"$compiler" "$@" -Wall -Wextra -Wpedantic -Werror -Wshadow -Wundef \
		-I"$GIT_BUILD_DIR/lib" "$source" -o program \
		-L"$GIT_BUILD_DIR/build/lib" -ltrace2 -pthread \
		-Wl,-rpath,"$GIT_BUILD_DIR/build/lib"
}

# compilers COMPILER...: print those whose programs run with the library as it
# was built. A library for musl allows only its own compiler.
compilers () {
	if ! test_have_prereq MUSL
	then
		for compiler_
		do
			! command -v "$compiler_" >/dev/null || echo "$compiler_"
		done
	elif test "$1" = gcc
	then
		echo "$CC"
	fi
}

# first_of COMPILER...: print the first one that is installed.
first_of () {
	for compiler_
	do
		command -v "$compiler_" >/dev/null && echo "$compiler_" && return
	done
}

# turns COMPILER NR: set $rare to the prerequisite EXPENSIVE if the other
# compiler builds with the flags of this number in a usual run. Each compiler
# has every second number, or all if the other is missing.
turns () {
	rare=
	case "$1 $(($2 % 2))" in
	"gcc 0") ! command -v clang ;;
	"clang 1") ! command -v gcc ;;
	"g++ 0") ! command -v clang++ ;;
	"clang++ 1") ! command -v g++ ;;
	esac >/dev/null || rare=,EXPENSIVE
}
