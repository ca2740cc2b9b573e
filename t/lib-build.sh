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
		-L"$GIT_BUILD_DIR/build/lib" -ltrace2 -pthread
}
