# SPDX-License-Identifier: MIT
#
# What the scripts here share, which source it: how options are read; and for
# `measure` and `faults` both Gits of --into, a repository with as many files as
# Git has, and a directory of their own.
#
# shellcheck shell=sh

die () {
	echo >&2 "${0##*/}: $*"
	exit 1
}

# read_option VALUED WORD...: $option is the first word, $words the number of
# its words, $value its value: the next word, or attached (--into=DIR, -j2).
# Options in the list VALUED have a value.
# shellcheck disable=SC2034 # the scripts read it
read_option () {
	valued=$1
	shift
	option=$1 value='' words=1
	case "$1" in
	--*=*) option=${1%%=*} value=${1#*=} ;;
	-[!-]?*) value=${1#-?} && option=${1%"$value"} ;;
	esac
	case " $valued " in
	*" $option "*) ;;
	*) option=$1 value='' && return ;;
	esac
	test "$option" = "$1" || return 0
	test $# -ge 2 || die "$1 needs a value"
	value=$2 words=2
}

# prepare DIR EXAMPLES: DIR is where `build` built, EXAMPLES where these files are.
prepare () {
	into=$(cd "$1" && pwd) || exit 1
	tmp=$(mktemp -d "${TMPDIR:-/dev/shm}/git-beside.XXXXXX") || exit 1
	trap 'rm -rf "$tmp"' EXIT
	trap 'exit 1' HUP INT TERM
	for name in stock adapted
	do
		test -x "$into/$name/git" ||
			die "$into/$name is not built: use build"
		cp "$2/events.c" "$into/$name/events.c" || exit 1
		make -C "$into/$name" -s PROGRAM_OBJS=events.o git-events >/dev/null ||
			die "git-events does not build in $into/$name"
	done
	# No file of the user's takes part.
	GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null HOME=$tmp LC_ALL=C
	export GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL HOME LC_ALL
	unset GIT_DIR GIT_WORK_TREE GIT_TRACE2 GIT_TRACE2_PERF \
		GIT_TRACE2_EVENT GIT_TRACE2_RING
	if ! cp -R "$into/source" "$tmp/repository" ||
		! cd "$tmp/repository" ||
		! "$into/stock/git" init -q --template= . ||
		! "$into/stock/git" add . ||
		! "$into/stock/git" -c user.name=A -c user.email=a@example.com \
			-c maintenance.auto=false commit -qm all
	then
		die "cannot make a repository"
	fi
}
