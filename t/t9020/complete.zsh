#!/usr/bin/env zsh
# SPDX-License-Identifier: MIT
#
# complete.zsh FPATH LINE: print the completions of an interactive zsh for Tab
# after LINE, one per line. FPATH is the directory with the file _trace2.
#
# The inner zsh has its own terminal. Its completion functions are replaced to
# print the completions instead of showing them, between two marks.
zmodload zsh/zpty || exit 3
zpty inner "PS1= zsh -f -i"
feed () { zpty -w inner "$1" }
wait_for () {
	local line
	REPLY=
	while zpty -r inner line; do
		[[ $line = *$1* ]] && return
		REPLY+=$line
	done
	print -u2 "zsh ended: $REPLY"
	exit 1
}
feed "fpath=(${(q)1} \$fpath)"
feed "PATH=${(q)PATH}"
feed "autoload -Uz compinit && compinit -C -u -d ${(q)1}/dump"
feed 'zstyle ":completion:*" list-grouped false'
feed 'zle_offer () {
	compadd () {
		local -a hits
		if [[ ${@[1,(i)(-|--)]} = *-(O|A|D)\ * ]]; then
			builtin compadd "$@"
			return
		fi
		builtin compadd -A hits "$@"
		print -rl -- ${hits/#/OFFER:}
		builtin compadd "$@"
	}
	print BEG""IN
	_main_complete
	print E""ND
	compstate[insert]= compstate[list]=
}'
feed 'zle -C offer complete-word zle_offer; bindkey "^I" offer; print REA""DY'
wait_for READY
zpty -w -n inner "$2"$'\t'
wait_for BEGIN
wait_for END
print -r -- "$REPLY" | tr -d '\r' | sed -n 's/^OFFER://p' | LC_ALL=C sort -u
zpty -d inner
