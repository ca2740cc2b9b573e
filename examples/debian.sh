# SPDX-License-Identifier: MIT
#
# For the scripts of examples that build a program of Debian's, which source it:
# sources and programs of the release that this machine has. They come through
# apt, which verifies the signature of the release and from there on the sums of
# all files. All is in $into; the system's lists and packages stay as they are.
# $top: this tree; $jobs: the number of compilers at once.
#
# shellcheck shell=sh
: "${into:=}" "${top:=}" "${jobs:=1}"

die () {
	echo >&2 "${0##*/}: $*"
	exit 1
}

private_apt () {
	apt-get -o Dir::Etc::SourceList="$into/apt/sources.list" \
		-o Dir::Etc::SourceParts=/dev/null -o Dir::State="$into/apt/state" \
		-o Dir::Cache="$into/apt/cache" -o APT::Sandbox::User= \
		-o APT::Get::AllowUnauthenticated=false -q "$@"
}

# Read the lists of packages, once.
debian_lists () {
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	suite=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	if ! test -f "$keyring" || ! command -v dpkg-source >/dev/null ||
		test -z "$suite"
	then
		die "this needs Debian, as root:" \
			"apt-get install dpkg-dev debian-archive-keyring"
	fi
	test ! -f "$into/apt/sources.list" || return 0
	mkdir -p "$into/apt/state/lists/partial" \
		"$into/apt/cache/archives/partial" || exit 1
	for type in deb deb-src
	do
		echo "$type [signed-by=$keyring] http://deb.debian.org/debian $suite main"
	done >"$into/apt/sources.list.new"
	if ! mv "$into/apt/sources.list.new" "$into/apt/sources.list" ||
		! private_apt update
	then
		rm -f "$into/apt/sources.list"
		die "cannot read Debian's lists"
	fi
}

# debian_source PACKAGE: put its source, with Debian's patches, into
# $into/source.
debian_source () {
	test ! -d "$into/source" || return 0
	debian_lists
	(
		cd "$into/apt" && rm -f ./*.dsc && rm -rf "$into/source.new" &&
		private_apt source --download-only "$1" &&
		dpkg-source --no-check -x ./*.dsc "$into/source.new" &&
		mv "$into/source.new" "$into/source"
	) || die "cannot get the source of $1"
}

# debian_programs PACKAGE...: put their files into $into/programs.
debian_programs () {
	test ! -d "$into/programs" || return 0
	debian_lists
	(
		cd "$into/apt" && rm -f ./*.deb && private_apt download "$@" &&
		for package in ./*.deb
		do
			dpkg-deb -x "$package" "$into/programs.new" || exit 1
		done &&
		mv "$into/programs.new" "$into/programs"
	) || die "cannot get: $*"
}

# Put the library as a program gets it into $into/library, and the command into
# $top/build.
build_library () {
	if ! make -C "$top" -s -j"$jobs" lib BUILD="$into/library" ||
		! make -C "$top" -s -j"$jobs"
	then
		die "cannot build libtrace2"
	fi
}

# copy_source NAME FILE...: a copy of the source in $into/NAME, unless it is
# there, and made with the same FILEs, which change it.
copy_source () {
	copy=$into/$1
	shift
	cat /dev/null "$@" | cksum >"$into/sum" || exit 1
	! cmp -s "$into/sum" "$copy/.sum" || return 1
	rm -rf "$copy" && cp -Rp "$into/source" "$copy" || exit 1
}

copy_done () {
	mv "$into/sum" "$1/.sum"
}
