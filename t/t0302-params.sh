#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='config keys and variables that a trace reports'

. ./test-lib.sh
. "$TEST_DIRECTORY/lib-trace2.sh"

test_skip_unless JQ

sane_unset GIT_CONFIG_NOSYSTEM
GIT_CONFIG_SYSTEM=$TRASH_DIRECTORY/system
export GIT_CONFIG_SYSTEM
# Ignore the project's own repository, in which this runs.
GIT_CEILING_DIRECTORIES=$TRASH_DIRECTORY

# params FILE: print the content of def_param events, in their order.
params () {
	sed -n '/^{"event":"def_param"/ {
		s/.*,"scope":\("[^"]*"\),"param":\(".*"\),"value":\(".*"\)}$/[\1,\2,\3]/p
		s/.*,"scope":\("[^"]*"\),"param":\(".*"\)}$/[\1,\2,null]/p
	}' "$1"
}

# expect_params ARG... <EXPECT: the parameters that test-tool reports with ARG.
expect_params () {
	cat >expect &&
	rm -f "$TRASH_DIRECTORY/e" &&
	GIT_TRACE2_EVENT="$TRASH_DIRECTORY/e" test-tool "$@" trace2 001return 0 &&
	params "$TRASH_DIRECTORY/e" >actual &&
	test_cmp expect actual
}

test_expect_success 'setup: keys in each scope' '
	cat >system <<-\EOF &&
	[core]
		pager = less
	[alias]
		co = checkout
	EOF
	cat >.gitconfig <<-\EOF &&
	[user]
		name = A U Thor
		Email = a@example.com
	[valueless]
		key
		empty =
	[remote "Origin"]
		url = one
		URL = two
	EOF
	mkdir -p repo/.git/objects repo/.git/refs repo/sub/dir &&
	echo "ref: refs/heads/main" >repo/.git/HEAD &&
	cat >repo/.git/config <<-\EOF &&
	[core]
		repositoryFormatVersion = 0
		bare = false
	[user]
		name = Local
	EOF
	mkdir outside
'

test_expect_success 'parameters are reported only on request' '
	expect_params --chdir=repo </dev/null
'

test_expect_success 'config keys are found without regard to case' '
	GIT_TRACE2_CONFIG_PARAMS=USER.Email expect_params --chdir=outside <<-\EOF
	["global","user.email","a@example.com"]
	EOF
'

test_expect_success 'reported keys come in the order of the config files, not of the patterns' '
	GIT_TRACE2_CONFIG_PARAMS="user.*,core.*" expect_params --chdir=outside <<-\EOF &&
	["system","core.pager","less"]
	["global","user.name","A U Thor"]
	["global","user.email","a@example.com"]
	EOF
	GIT_TRACE2_CONFIG_PARAMS=" core.* , user.name " expect_params --chdir=outside <<-\EOF
	["system","core.pager","less"]
	["global","user.name","A U Thor"]
	EOF
'

test_expect_success 'def_param: a bare key has no value, a key with an empty value has an empty one' '
	GIT_TRACE2_CONFIG_PARAMS="valueless.*" expect_params --chdir=outside <<-\EOF &&
	["global","valueless.key",null]
	["global","valueless.empty",""]
	EOF
	trace2_jq "[.[] | select(.param == \"valueless.key\") | has(\"value\")] == [false]" e
'

test_expect_success 'all values of a key are reported, with the case of the subsection kept' '
	GIT_TRACE2_CONFIG_PARAMS="remote.*.url" expect_params --chdir=outside <<-\EOF &&
	["global","remote.Origin.url","one"]
	["global","remote.Origin.url","two"]
	EOF
	GIT_TRACE2_CONFIG_PARAMS="REMOTE.ORIGIN.URL" expect_params --chdir=outside <<-\EOF
	["global","remote.Origin.url","one"]
	["global","remote.Origin.url","two"]
	EOF
'

test_expect_success 'wildcards *, ? and brackets match keys' '
	GIT_TRACE2_CONFIG_PARAMS="user.n?me" expect_params --chdir=outside <<-\EOF &&
	["global","user.name","A U Thor"]
	EOF
	GIT_TRACE2_CONFIG_PARAMS="user.[a-f]*" expect_params --chdir=outside <<-\EOF &&
	["global","user.email","a@example.com"]
	EOF
	GIT_TRACE2_CONFIG_PARAMS="user.[!a-f]*" expect_params --chdir=outside <<-\EOF &&
	["global","user.name","A U Thor"]
	EOF
	GIT_TRACE2_CONFIG_PARAMS="name,user,user.,*.nam" expect_params --chdir=outside </dev/null
'

test_expect_success 'patterns select no keys from a repository or from GIT_CONFIG_COUNT' '
	GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=user.name GIT_CONFIG_VALUE_0=Zero \
		GIT_TRACE2_CONFIG_PARAMS="core.*,user.name" \
		expect_params --chdir=repo/sub/dir <<-\EOF
	["system","core.pager","less"]
	["global","user.name","A U Thor"]
	EOF
'

test_expect_success 'variables are reported in the order of the list, without unset and empty ones' '
	ONE=1 TWO="a b,c" EMPTY= GIT_TRACE2_ENV_VARS="TWO,MISSING,EMPTY,ONE" \
		expect_params --chdir=outside <<-\EOF &&
	["command","TWO","a b,c"]
	["command","ONE","1"]
	EOF
	ONE=1 TWO=2 GIT_TRACE2_ENV_VARS=" ONE ,	TWO,," \
		expect_params --chdir=outside <<-\EOF
	["command","ONE","1"]
	["command","TWO","2"]
	EOF
'

test_expect_success 'parameters are reported once, after the first name of the command' '
	traced env ONE=1 GIT_TRACE2_ENV_VARS=ONE \
		GIT_TRACE2_CONFIG_PARAMS=user.name test-tool --chdir=outside trace2 \
		call cmd_name again , cmd_list_config , cmd_list_env_vars &&
	jq -r "select(.event | test(\"cmd_name|def_param\")) | .name // .param" e >actual &&
	test_write_lines trace2 user.name ONE again | test_cmp - actual
'

test_expect_success 'a program without cmd_name reports parameters by explicit calls' '
	traced env ONE=1 GIT_TRACE2_ENV_VARS=ONE \
		GIT_TRACE2_CONFIG_PARAMS=user.name test-tool --no-init --chdir=outside trace2 call initialize , \
		cmd_list_env_vars , cmd_list_config , cmd_list_config &&
	test_prints params e <<-\EOF
	["command","ONE","1"]
	["global","user.name","A U Thor"]
	EOF
'

test_expect_success 'cmd_set_config emits a key only if GIT_TRACE2_CONFIG_PARAMS selects it' '
	traced env GIT_TRACE2_CONFIG_PARAMS="user.*" \
		test-tool --chdir=outside trace2 call cmd_set_config user.x 1 , \
		cmd_set_config core.pager cat &&
	params e >actual &&
	test_grep "\[\"[a-z]*\",\"user.x\",\"1\"\]" actual &&
	test_grep ! core.pager actual
'

test_expect_success 'a program that reports its own configuration can ask whether a key is wanted' '
	traced env ONE=1 GIT_TRACE2_ENV_VARS=ONE \
		GIT_TRACE2_CONFIG_PARAMS="user.*,core.x" test-tool --own-params --chdir=outside trace2 call cmd_name x , \
		wants_config , wants_config USER.name , wants_config core.xy &&
	test_prints params e </dev/null &&
	jq -r "select(.event == \"printf\") | .msg" e >actual &&
	test_write_lines wants:1 wants:1 wants:0 | test_cmp - actual &&
	rm e &&
	GIT_TRACE2_EVENT="$(pwd)/e" \
		test-tool --own-params trace2 call wants_config &&
	echo wants:0 | test_prints jq -r "select(.event == \"printf\") | .msg" e
'

test_expect_success 'def_param has the name of each scope, and unknown for any other' '
	traced test-tool trace2 call def_param system p 1 , \
		def_param global p 1 , def_param local p 1 , def_param worktree p 1 , \
		def_param command p 1 , def_param submodule p 1 , \
		def_param unknown p 1 , def_param 99 p 1 , def_param -1 p 1 &&
	jq -r "select(.event == \"def_param\") | .scope" e >actual &&
	test_write_lines system global local worktree command submodule unknown \
		unknown unknown >expect &&
	test_cmp expect actual
'

# ---------------------------------------------------------------------------
# The same settings: outside of a repository Git reports the same parameters.

# compare: git and test-tool report the same.
compare () {
	rm -f git.e ours.e &&
	GIT_TRACE2_EVENT="$(pwd)/git.e" GIT_DIR=nosuch git config --list \
		>/dev/null &&
	GIT_TRACE2_EVENT="$(pwd)/ours.e" test-tool trace2 001return 0 &&
	params git.e | sed "s/^\[\"unknown\"/[\"command\"/" >expect &&
	params ours.e >actual &&
	test_file_not_empty expect &&
	test_cmp expect actual
}

test_expect_success GIT 'setup: a file with all that is read' '
	git config --global user.local yes &&
	git config --global --add user.several 1 &&
	git config --global --add user.several "2 # ; \"x\"" &&
	printf "[include]\n\tpath = more\n[Section \"Sub Section\"]\n\tName =\n\tOther = a \\\\\n b\n" \
		>>.gitconfig &&
	printf "[more]\n\tcowbell = yes\n" >more &&
	# Some versions of Git crash when they should report a key without a
	# value.
	git config --global --unset valueless.key
'

test_expect_success GIT 'patterns select all keys that Git selects' '
	GIT_TRACE2_CONFIG_PARAMS="*" compare
'

test_expect_success GIT 'patterns match as in Git' '
	for patterns in "user.*" "USER.*" "*.local,core.*" "section.*" \
		"Section.Sub*.name" "u[rs]er.*" "more.cowbell,if.gitdir" \
		"**" "*.*.*" "?ser.local"
	do
		GIT_TRACE2_CONFIG_PARAMS=$patterns compare ||
		{
			echo "with the patterns $patterns"
			return 1
		}
	done
'

# A variable has the scope of newer versions of Git.
test_expect_success GIT 'variables are reported as in Git' '
	ONE=1 TWO="x y" EMPTY= GIT_TRACE2_ENV_VARS="TWO,ONE,EMPTY,NONE" \
		GIT_TRACE2_CONFIG_PARAMS="user.name" compare
'

test_done
