#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='settings: variables, config files, and their order

These tests set each variable and each config key of the documentation, check
the order in which they count, and use invalid values.
'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

# Let the system file be read; the test has one of its own.
sane_unset GIT_CONFIG_NOSYSTEM
GIT_CONFIG_SYSTEM=$TRASH_DIRECTORY/system
export GIT_CONFIG_SYSTEM
: >system

# set_system KEY VALUE, set_global KEY VALUE
set_in () {
	printf "[%s]\n\t%s = \"%s\"\n" "${2%%.*}" "${2#*.}" "$3" >>"$1"
}
set_system () {
	set_in "$TRASH_DIRECTORY/system" "$@"
}
set_global () {
	set_in "$HOME/.gitconfig" "$@"
}
no_config () {
	: >"$TRASH_DIRECTORY/system"
	rm -rf "$HOME/.gitconfig" "$HOME/.config"
	rm -f "$TRASH_DIRECTORY"/[npe] "$TRASH_DIRECTORY"/[npe].*
}

# Print which of the files n, p, e contain a trace, as a word such as "ne".
traces () {
	for file in n p e
	do
		test ! -s "$TRASH_DIRECTORY/$file" || printf %s "$file"
	done
}

# expect_traces WHICH ARG...: test-tool with ARG writes these traces, and no
# others.
expect_traces () {
	want=$1 &&
	shift &&
	rm -f "$TRASH_DIRECTORY"/[npe] &&
	test-tool "$@" trace2 001return 0 2>err &&
	got=$(traces) &&
	test "$got" = "$want" && return 0
	echo "traces of '$got', not of '$want'"
	cat err
	return 1
}

test_expect_success 'a program without settings writes nothing' '
	no_config &&
	expect_traces "" &&
	test_must_be_empty err &&
	test-tool trace2 093session_id >out &&
	test_grep "^0 " out
'

# rows <ROWS: each has the traces that test-tool writes, or -, and settings:
# first FILE:KEY=VALUE of config files, then variables. % is this directory.
# Nothing is said.
rows () {
	while read -r want words
	do
		no_config &&
		set -- &&
		for word in $words
		do
			value=${word#*=}
			test "$value" = "${value#%}" || value=$PWD${value#%}
			key=${word%%=*}
			case "$key" in
			system:*) set_system "${key#*:}" "$value" ;;
			global:*) set_global "${key#*:}" "$value" ;;
			*:*) set_in "${key%%:*}" "${key#*:}" "$value" ;;
			*) set -- "$@" "$key=$value" ;;
			esac || return 1
		done &&
		test_env "$@" expect_traces "${want#-}" &&
		test_must_be_empty err || {
			echo "with: $words"
			return 1
		}
	done
}

test_expect_success 'each target has its variable and its config key' '
	rows <<-\EOF
	n GIT_TRACE2=%/n
	p GIT_TRACE2_PERF=%/p
	e GIT_TRACE2_EVENT=%/e
	n system:trace2.normalTarget=%/n
	p system:trace2.perfTarget=%/p
	e system:trace2.eventTarget=%/e
	e system:TRACE2.EVENTTARGET=%/e
	n global:trace2.normalTarget=%/n
	p global:trace2.perfTarget=%/p
	e global:trace2.eventTarget=%/e
	e global:TRACE2.EVENTTARGET=%/e
	EOF
'

test_expect_success 'a variable overrides the global file, and the global overrides the system file' '
	rows <<-\EOF
	p system:trace2.eventTarget=%/n global:trace2.eventTarget=%/p
	e system:trace2.eventTarget=%/n GIT_TRACE2_EVENT=%/e
	e global:trace2.eventTarget=%/n GIT_TRACE2_EVENT=%/e
	e global:trace2.eventTarget=%/n global:trace2.eventTarget=%/e
	EOF
'

test_expect_success 'an empty variable counts as unset, an empty key switches a target off' '
	rows <<-\EOF
	e global:trace2.eventTarget=%/e GIT_TRACE2_EVENT=
	- global:trace2.eventTarget=%/e GIT_TRACE2_EVENT=0
	- global:trace2.eventTarget=%/e GIT_TRACE2_EVENT=false
	- system:trace2.eventTarget=%/e global:trace2.eventTarget=
	- system:trace2.eventTarget=%/e global:trace2.eventTarget=false
	EOF
'

test_expect_success 'config files are read in order, the one in HOME last' '
	mkdir -p keep/git &&
	set_in keep/git/config trace2.perfTarget "$(pwd)/p" &&
	set_in other trace2.perfTarget "$(pwd)/p" &&
	set_in included trace2.eventTarget "$(pwd)/e" &&
	rows <<-\EOF &&
	p XDG_CONFIG_HOME=%/keep
	n global:trace2.perfTarget=%/n XDG_CONFIG_HOME=%/keep
	p global:trace2.eventTarget=%/e GIT_CONFIG_GLOBAL=%/other
	- global:trace2.eventTarget=%/e GIT_CONFIG_GLOBAL=/dev/null
	- global:trace2.eventTarget=%/e GIT_CONFIG_GLOBAL=%/missing
	- global:trace2.eventTarget=%/e GIT_CONFIG_GLOBAL=
	e global:include.path=~/included
	e system:trace2.eventTarget=%/e GIT_CONFIG_NOSYSTEM=false
	e system:trace2.eventTarget=%/e GIT_CONFIG_NOSYSTEM=
	- system:trace2.eventTarget=%/e GIT_CONFIG_NOSYSTEM=1
	- system:trace2.eventTarget=%/e GIT_CONFIG_NOSYSTEM=true
	- system:trace2.eventTarget=%/e GIT_CONFIG_NOSYSTEM=maybe
	- system:trace2.eventTarget=%/e GIT_CONFIG_SYSTEM=%/missing
	EOF
	no_config &&
	mkdir -p .config/git &&
	set_in .config/git/config trace2.eventTarget "$(pwd)/e" &&
	expect_traces e
'

test_expect_success 'the config of a repository and GIT_CONFIG_COUNT are never read' '
	no_config &&
	mkdir -p repo/.git/objects repo/.git/refs &&
	echo "ref: refs/heads/main" >repo/.git/HEAD &&
	set_in repo/.git/config core.repositoryFormatVersion 0 &&
	set_in repo/.git/config trace2.eventTarget "$(pwd)/e" &&
	expect_traces "" --chdir=repo &&
	GIT_DIR="$(pwd)/repo/.git" expect_traces "" &&
	GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=trace2.eventTarget \
		GIT_CONFIG_VALUE_0="$(pwd)/e" \
		GIT_CONFIG_PARAMETERS="'\''trace2.eventTarget=$(pwd)/e'\''" \
		expect_traces ""
'

test_expect_success 'brief can be set by variable and by key' '
	for row in "GIT_TRACE2 n normal" "GIT_TRACE2_PERF p perf" \
		"GIT_TRACE2_EVENT e event"
	do
		set -- $row &&
		no_config &&
		test_env $1="$(pwd)/$2" test-tool trace2 001return 0 &&
		mv $2 $2.full &&
		test_env $1="$(pwd)/$2" ${1}_BRIEF=yes test-tool trace2 001return 0 &&
		mv $2 $2.brief &&
		set_global trace2.$3Brief true &&
		test_env $1="$(pwd)/$2" test-tool trace2 001return 0 &&
		mv $2 $2.key &&
		test_env $1="$(pwd)/$2" ${1}_BRIEF=no test-tool trace2 001return 0 &&
		mv $2 $2.no &&
		for kind in full no
		do
			test_grep "t/helper/test-tool\.c" $2.$kind || return 1
		done &&
		for kind in brief key
		do
			test_grep ! "t/helper/test-tool\.c" $2.$kind &&
			test_grep "test-tool 1\.0" $2.$kind || return 1
		done || return 1
	done
'

test_expect_success 'a key without a value is true where a boolean is expected' '
	no_config &&
	printf "[trace2]\n\tnormalBrief\n\tnormalTarget = %s/n\n" "$(pwd)" >.gitconfig &&
	expect_traces n &&
	test_grep "^version test-tool" n
'

test_expect_success 'invalid booleans leave the default' '
	no_config &&
	GIT_TRACE2="$(pwd)/n" GIT_TRACE2_BRIEF=maybe expect_traces n &&
	test_grep ! "^version" n
'

# Print the largest nesting in FILE.
deepest () {
	event_members nesting ".*" "$1" | sort -n | tail -n 1
}

test_expect_success JQ 'a config key sets the nesting limit' '
	no_config &&
	set_global trace2.eventTarget "$(pwd)/e" &&
	set_global trace2.eventNesting 3 &&
	test-tool trace2 031nest 5 &&
	test "$(deepest e)" = 3 &&
	rm e &&
	GIT_TRACE2_EVENT_NESTING=4 test-tool trace2 031nest 5 &&
	test "$(deepest e)" = 4 &&
	rm e &&
	GIT_TRACE2_EVENT_NESTING=1k test-tool trace2 031nest 5 &&
	test "$(deepest e)" = 6
'

test_expect_success JQ 'a config key selects the parameters to report' '
	no_config &&
	set_global trace2.eventTarget "$(pwd)/e" &&
	set_global trace2.configParams "user.*" &&
	set_global trace2.envVars SOME_VARIABLE,OTHER &&
	set_global user.name somebody &&
	SOME_VARIABLE=value test-tool trace2 001return 0 &&
	test_prints jq -c "select(.event == \"def_param\") | [.scope, .param, .value]" e <<-\EOF
	["global","user.name","somebody"]
	["command","SOME_VARIABLE","value"]
	EOF
'

test_expect_success 'a config key limits the number of files' '
	no_config &&
	mkdir dir &&
	: >dir/1 &&
	set_global trace2.eventTarget "$(pwd)/dir" &&
	set_global trace2.maxFiles 1 &&
	test-tool trace2 001return 0 &&
	test_write_lines 1 git-trace2-discard | test_prints ls dir
'

test_expect_success 'a config key selects the signals' '
	no_config &&
	set_global trace2.normalTarget "$(pwd)/n" &&
	set_global trace2.signals "USR1" &&
	test_expect_code 138 test-tool trace2 080raise USR1 &&
	test_grep "signal elapsed:[0-9.]* code:10\$" n
'

test_expect_success 'a program may choose another prefix than GIT_TRACE2 for variables' '
	no_config &&
	APP_TRACE="$(pwd)/n" APP_TRACE_EVENT="$(pwd)/e" APP_TRACE_BRIEF=1 \
		expect_traces ne --prefix=APP_TRACE &&
	test_grep "^version" n &&
	GIT_TRACE2="$(pwd)/n" expect_traces "" --prefix=APP_TRACE &&
	APP_TRACE=bogus expect_traces "" --prefix=APP_TRACE &&
	echo "warning: trace2: unknown value for '\''APP_TRACE'\'': '\''bogus'\''" >expect &&
	test_cmp expect err
'

test_expect_success 'a program that wants no config files reads and reports none' '
	no_config &&
	set_global trace2.eventTarget "$(pwd)/e" &&
	GIT_TRACE2="$(pwd)/n" expect_traces n --no-config-files &&
	no_config &&
	set_global user.name somebody &&
	GIT_TRACE2_CONFIG_PARAMS="user.*" GIT_TRACE2="$(pwd)/n" \
		expect_traces n --no-config-files &&
	test_grep ! def_param n &&
	GIT_TRACE2_CONFIG_PARAMS="user.*" GIT_TRACE2="$(pwd)/n" \
		expect_traces n &&
	test_grep def_param n
'

test_expect_success 'a program may name another system config file' '
	no_config &&
	set_system trace2.eventTarget "$(pwd)/e" &&
	set_in app.conf trace2.perfTarget "$(pwd)/p" &&
	set_in app.conf app.name value &&
	(
		sane_unset GIT_CONFIG_SYSTEM &&
		GIT_TRACE2_CONFIG_PARAMS="app.*" \
			expect_traces p --system-config="$(pwd)/app.conf"
	) &&
	test_grep "def_param .*scope:system .*app.name:value" p &&
	GIT_CONFIG_NOSYSTEM=1 \
		expect_traces "" --system-config="$(pwd)/app.conf" &&
	expect_traces e --system-config="$(pwd)/app.conf"
'

test_expect_success 'settings of a program come after variables and before config files' '
	no_config &&
	expect_traces e --config="TRACE2.eventTarget=$(pwd)/e" &&
	set_global trace2.eventTarget "$(pwd)/e.global" &&
	set_global trace2.perfTarget "$(pwd)/p" &&
	expect_traces pe --config="trace2.eventTarget=$(pwd)/e" \
		--config=trace2.eventTarge=x --config=trace2.eventTargets=x \
		--config= --config="=" --config=trace2.eventBrief &&
	test_path_is_missing e.global &&
	test_grep ! "\"file\"" e &&
	expect_traces e --no-config-files \
		--config="trace2.eventTarget=$(pwd)/e" &&
	GIT_TRACE2_EVENT="$(pwd)/n" expect_traces n --no-config-files \
		--config="trace2.eventTarget=$(pwd)/e" &&
	expect_traces p --config=trace2.eventTarget=
'

test_expect_success 'an invalid target: one warning, and the other targets are written' '
	no_config &&
	GIT_TRACE2=bogus GIT_TRACE2_EVENT="$(pwd)/e" expect_traces e &&
	echo "warning: trace2: unknown value for '\''GIT_TRACE2'\'': '\''bogus'\''" >expect &&
	test_cmp expect err &&
	for value in relative/path ./x 10 -1 yes " 2" "2 " af_inet:/x
	do
		GIT_TRACE2_PERF=$value expect_traces "" &&
		echo "warning: trace2: unknown value for '\''GIT_TRACE2_PERF'\'': '\''$value'\''" >expect &&
		test_cmp expect err || return 1
	done
'

test_expect_success 'a warning is one line, whatever characters the value has' '
	no_config &&
	GIT_TRACE2="$(printf "a\nb\033[1m")" expect_traces "" &&
	test_cmp - err <<-\EOF
	warning: trace2: unknown value for '\''GIT_TRACE2'\'': '\''a\nb\x1b[1m'\''
	EOF
'

test_expect_success 'an invalid form of af_unix: is refused, with one warning' '
	no_config &&
	GIT_TRACE2=af_unix:relative expect_traces "" &&
	test_line_count = 1 err &&
	test_grep "^warning: trace2: .*'\''GIT_TRACE2'\'': '\''af_unix:relative'\''" err &&
	GIT_TRACE2=af_unix:seqpacket:/x expect_traces "" &&
	test_line_count = 1 err
'

test_expect_success 'an unusable target is reported only under GIT_TRACE2_DST_DEBUG' '
	no_config &&
	GIT_TRACE2="$(pwd)/missing/n" expect_traces "" &&
	test_must_be_empty err &&
	GIT_TRACE2="$(pwd)/missing/n" GIT_TRACE2_DST_DEBUG=1 expect_traces "" &&
	cat >expect <<-EOF &&
	warning: trace2: cannot use '\''GIT_TRACE2'\'': '\''$(pwd)/missing/n'\'': No such file or directory
	EOF
	test_cmp expect err &&
	set_global trace2.destinationDebug true &&
	GIT_TRACE2="$(pwd)/missing/n" expect_traces "" &&
	test_cmp expect err &&
	GIT_TRACE2="$(pwd)/missing/n" GIT_TRACE2_DST_DEBUG=0 expect_traces "" &&
	test_must_be_empty err
'

test_expect_success 'a malformed file switches nothing on' '
	no_config &&
	set_global trace2.eventTarget "$(pwd)/e" &&
	echo "[broken" >>.gitconfig &&
	expect_traces "" &&
	test_must_be_empty err &&
	GIT_TRACE2="$(pwd)/n" expect_traces n &&
	test_must_be_empty err &&
	GIT_TRACE2_DST_DEBUG=1 expect_traces "" &&
	test_line_count = 1 err &&
	test_grep "^warning: trace2: cannot read '\''.*/\.gitconfig'\'': line 3: " err
'

test_expect_success SANITY 'an unreadable file switches nothing on' '
	no_config &&
	set_global trace2.eventTarget "$(pwd)/e" &&
	chmod 0 .gitconfig &&
	expect_traces "" &&
	test_must_be_empty err &&
	GIT_TRACE2_DST_DEBUG=1 expect_traces "" &&
	test_grep "^warning: trace2: cannot read '\''.*/\.gitconfig'\'': " err
'

test_expect_success 'a file that includes itself is read, and its includes end at a limit of depth' '
	no_config &&
	set_global include.path .gitconfig &&
	set_global trace2.eventTarget "$(pwd)/e" &&
	expect_traces e &&
	test_must_be_empty err &&
	GIT_TRACE2_DST_DEBUG=1 expect_traces e &&
	test_line_count = 1 err &&
	test_grep "^warning: trace2: .*: includes nest deeper than 10 files" err
'

test_expect_success 'an unset HOME, a missing HOME and a file as HOME are no errors' '
	no_config &&
	>file &&
	for home in missing file
	do
		HOME="$(pwd)/$home" GIT_TRACE2_DST_DEBUG=1 expect_traces "" &&
		test_must_be_empty err || return 1
	done &&
	(
		sane_unset HOME &&
		expect_traces "" &&
		GIT_TRACE2="$(pwd)/n" expect_traces n
	)
'

test_expect_success 'an invalid number leaves the default' '
	no_config &&
	rm -rf dir &&
	for value in -1 x 1x 99999999999999999999
	do
		mkdir dir &&
		GIT_TRACE2="$(pwd)/dir" GIT_TRACE2_MAX_FILES=$value \
			test-tool trace2 001return 0 2>err &&
		test_must_be_empty err &&
		test_path_is_missing dir/git-trace2-discard &&
		test_stdout_line_count = 1 ls dir &&
		rm -r dir || return 1
	done
'

test_done
