#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='completion in bash, zsh and fish

Each shell lists its completions. The expected ones are in the tests, or come
from the help of the command.
'

. ./test-lib.sh

test_lazy_prereq ZSH 'zsh -f -c "zmodload zsh/zpty && autoload -Uz compinit &&
	compinit -D -u"'
test_lazy_prereq FISH 'fish --version'

# script SHELL FILE: write what the command prints for the shell, once.
script () {
	test -s "$2" || trace2 help --completion "$1" >"$2"
}

# Each prints the completions that NAME_OF_SHELL offers after LINE, one per
# line. LINE ends with a blank if a new word begins.
offered_by_bash () {
	script bash completion.bash &&
	LINE="$1" bash --norc -c '
		. ./completion.bash
		# bash completes names of files itself.
		compopt () { COMPREPLY+=(FILES); }
		# Split words like readline.
		line=${LINE//=/ = }
		COMP_WORDS=($line)
		case $LINE in *" "|*=) COMP_WORDS+=("") ;; esac
		case $LINE in *=) unset "COMP_WORDS[-1]" ;; esac
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_trace2
		((${#COMPREPLY[@]})) && printf "%s\n" "${COMPREPLY[@]}"
	' | LC_ALL=C sort
}

offered_by_zsh () {
	mkdir -p functions &&
	script zsh functions/_trace2 &&
	zsh -f "$TEST_DIRECTORY/t9020/complete.zsh" functions "$1"
}

offered_by_fish () {
	script fish completion.fish &&
	LINE="$1" fish -c 'source completion.fish; complete -C "$LINE"' |
	cut -f1 | LC_ALL=C sort
}

# One table has the options of all commands: two shells are asked for those of three
# commands, by make check of all.
some_commands () {
	case "$1" in
	bash) cat ;;
	*) if test_have_prereq EXPENSIVE; then cat; else grep -x -e record -e report -e set; fi ;;
	esac
}

# offers SHELL LINE WORD...
offers () {
	shell=$1 line=$2 &&
	shift 2 &&
	printf "%s\n" "$@" >expect &&
	offered_by_"$shell" "$line" >actual &&
	test_cmp expect actual
}

cat >one.ev <<\EOF
{"event":"start","sid":"a","thread":"main","time":"2026-01-01T00:00:00.000000Z","t_abs":0,"argv":["x"]}
{"event":"exit","sid":"a","thread":"main","time":"2026-01-01T00:00:01.000000Z","t_abs":1,"code":0}
EOF

for shell in bash zsh fish
do
	PREREQ=$(echo $shell | tr '[:lower:]' '[:upper:]')

	test_expect_success "$PREREQ" "$shell: commands are completed" "
		trace2 help --commands | LC_ALL=C sort >commands &&
		offered_by_$shell 'trace2 ' >actual &&
		test_cmp commands actual &&
		offers $shell 'trace2 re' record report
	"

	test_expect_success "$PREREQ" "$shell: each option of each command is completed" "
		trace2 help --commands | some_commands $shell >commands &&
		test_file_not_empty commands &&
		while read -r command
		do
			trace2 help \$command |
			sed -n 's/^  \\(-., \\|    \\)\\(--[a-z-]*\\).*/\\2/p' |
			LC_ALL=C sort -u >expect &&
			test -s expect &&
			offered_by_$shell \"trace2 \$command --\" </dev/null |
			sed 's/=\$//' | grep ^-- | LC_ALL=C sort -u >actual &&
			test_cmp expect actual || return 1
		done <commands
	"

	test_expect_success "$PREREQ" "$shell: values of an option with a fixed list are completed" "
		offers $shell 'trace2 report --group ' attr: cmd mode region repo sid target &&
		offers $shell 'trace2 report -g ' attr: cmd mode region repo sid target &&
		offers $shell 'trace2 report --group m' mode
	"

	test_expect_success "$PREREQ" "$shell: columns are completed for report -s and top -s" "
		offered_by_$shell 'trace2 report -s ' >offered &&
		sort -u offered >once &&
		test_cmp once offered &&
		test_must_fail trace2 report -s nosuch one.ev 2>err &&
		sed 's/.*columns are //; s/, /\n/g' err | LC_ALL=C sort >columns &&
		test_grep -x self columns &&
		LC_ALL=C comm -23 columns offered >missing &&
		test_must_be_empty missing &&
		offers $shell 'trace2 report --sort on_p' on_path &&
		offered_by_$shell 'trace2 top --sort ' >offered &&
		test_grep -x cpu offered &&
		test_grep ! -x on_path offered
	"

	test_expect_success "$PREREQ" "$shell: no file is offered after --what-if=" "
		test_when_finished 'rm -r here' &&
		mkdir here &&
		>here/one.data &&
		(
			cd here &&
			offered_by_$shell 'trace2 report --what-if=' >actual &&
			test_must_be_empty actual
		)
	"

	test_expect_success "$PREREQ" "$shell: commands and settings are completed for help" "
		offers $shell 'trace2 help re' record report &&
		offers $shell 'trace2 help s' script set settings stat &&
		offers $shell 'trace2 help GIT_TRACE2_RING_' GIT_TRACE2_RING_BRIEF \
			GIT_TRACE2_RING_INSTEAD GIT_TRACE2_RING_MODE \
			GIT_TRACE2_RING_SIZE &&
		offers $shell 'trace2 help --completion ' bash fish zsh
	"

	test_expect_success "$PREREQ" "$shell: options of other commands are not offered" "
		offered_by_$shell 'trace2 version --gr' >actual &&
		test_must_be_empty actual
	"
done

test_expect_success BASH 'bash: a value after = is completed' '
	offers bash "trace2 report --group=" attr: cmd mode region repo sid target &&
	offers bash "trace2 report --group=m" mode
'

for shell in zsh fish
do
	PREREQ=$(echo $shell | tr '[:lower:]' '[:upper:]')

	test_expect_success "$PREREQ" "$shell: files are completed for arguments that are files" "
		test_when_finished 'rm -r here' &&
		mkdir here &&
		>here/one.data &&
		offered_by_$shell 'trace2 list -i here/' >actual &&
		test_grep 'one.data' actual &&
		offered_by_$shell 'trace2 list here/' >actual &&
		test_grep 'one.data' actual
	"

	test_expect_success "$PREREQ" "$shell: the recorded command and its arguments are completed" "
		test_when_finished 'rm -r bin here' &&
		mkdir bin here &&
		write_script bin/recorded-program </dev/null &&
		>here/one.data &&
		(
			PATH=\$PWD/bin:\$PATH &&
			offered_by_$shell 'trace2 record recorded-prog' >actual &&
			test_grep '^recorded-program' actual &&
			offered_by_$shell 'trace2 record -- recorded-prog' >actual &&
			test_grep '^recorded-program' actual &&
			offered_by_$shell 'trace2 record -- cat here/' >actual &&
			test_grep one.data actual
		)
	"
done

test_expect_success 'completion of an unsupported shell is refused by name' '
	test_expect_code 2 trace2 help --completion tcsh 2>err &&
	test_grep "tcsh.* is not a value of --completion: it takes bash|zsh|fish" err
'

test_done
