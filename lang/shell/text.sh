# SPDX-License-Identifier: MIT
#
# Text of events: JSON strings, and secrets.
#
# shellcheck shell=dash disable=SC2034,SC2154,SC3028 # variables of other parts

# The characters of JSON, listed so that they are right in each locale; and the
# characters of strings without secrets. "[" must not stand before ".", ":" or
# "=", which would begin a class.
trace2_simple_='][!#$%&()*+,./;<>?@^_`{|}~ 0123456789abcdefghijklmnopqrstuvwxyz'
trace2_simple_=$trace2_simple_"'ABCDEFGHIJKLMNOPQRSTUVWXYZ-"
trace2_plain_=${trace2_simple_%-}:=-

# Set trace2_json_ to the inside of a JSON string.
trace2_json_of_ () {
	trace2_json_=$1
	if [ -n "$trace2_redact_" ]
	then
		case $1 in
		*[!$trace2_simple_]*|????????????????????*) ;;
		*) return 0 ;;
		esac
		trace2_redact_ "$1"
	fi
	case $trace2_json_ in
	*[!$trace2_plain_]*) trace2_escape_ "$trace2_json_" ;;
	esac
}

# Hide secrets: all that the library hides, and more.
trace2_redact_ () {
	case $1 in
	*://*@*|*:\\/\\/*@*|*[Aa][Uu][Tt][Hh][Oo][Rr][Ii][Zz][Aa][Tt][Ii][Oo][Nn]*:*|*[Cc][Oo][Oo][Kk][Ii][Ee]*:*|*"PRIVATE KEY"*|\
	*[-\"]*[Tt][Oo][Kk][Ee][Nn]*[\ :]*|*[-\"]*[Ss][Ee][Cc][Rr][Ee][Tt]*[\ :]*|\
	*[-\"]*[Pp][Aa][Ss][Ss]*[\ :]*|*[-\"]*[Kk][Ee][Yy]*[\ :]*|\
	*gh[opusr]_????????????????????*|*github_pat_*|*glpat-*|*xox[abps]-*|\
	*AKIA????????????????*|*ASIA????????????????*|*sk-????????????????????*|\
	*[rs]k_live_*|*sk_test_*|*npm_????????????????????*|*pypi-AgE*|\
	*AIza????????????????????*|*hf_????????????????????*|*dop_v1_*|\
	*dckr_pat_*|*tskey-*|*eyJ*.eyJ*)
		trace2_json_='<REDACTED>' ;;
	*[Tt][Oo][Kk][Ee][Nn]*=*|*[Ss][Ee][Cc][Rr][Ee][Tt]*=*|*[Pp][Aa][Ss][Ss]*=*|\
	*[Pp][Ww][Dd]*=*|*[Kk][Ee][Yy]*=*|*[Ss][Ii][Gg]*=*)
		trace2_json_="${1%%=*}=<REDACTED>" ;;
	esac
}

# Escape a string. Characters are bytes here, to distinguish invalid UTF-8 from
# valid.
trace2_escape_ () {
	trace2_locale_=${LC_ALL-unset}
	LC_ALL=C
	[ -n "${trace2_bytes_-}" ] || trace2_bytes_start_
	trace2_json_='' trace2_rest_=$1 trace2_wanted_=0
	# shellcheck disable=SC2295 # it is a part of the pattern
	while trace2_t_=${trace2_rest_%%[!$trace2_plain_]*}
	do
		if [ -n "$trace2_t_" ]
		then
			trace2_sequence_end_
			trace2_json_=$trace2_json_$trace2_t_
			trace2_rest_=${trace2_rest_#"$trace2_t_"}
		fi
		[ -n "$trace2_rest_" ] || break
		trace2_c_=${trace2_rest_%"${trace2_rest_#?}"}
		trace2_rest_=${trace2_rest_#?}
		trace2_escape_byte_ "$trace2_c_"
	done
	trace2_sequence_end_
	if [ "$trace2_locale_" = unset ]
	then
		unset LC_ALL
	else
		LC_ALL=$trace2_locale_
	fi
}

# The bytes 1 to 31 and 127 to 255, in this order.
trace2_bytes_start_ () {
	trace2_bytes_=$(
		i=0
		while [ "$((i += 1))" -lt 256 ]
		do
			[ "$i" -lt 32 ] || [ "$i" -gt 126 ] || continue
			# shellcheck disable=SC2059 # the format is an octal number
			command printf "\\$((i / 64))$((i / 8 % 8))$((i % 8))"
		done
		command echo .
	)
	trace2_bytes_=${trace2_bytes_%.}
}

trace2_escape_byte_ () {
	case $1 in
	\") trace2_sequence_end_; trace2_json_=$trace2_json_\\\" ; return ;;
	\\) trace2_sequence_end_; trace2_json_=$trace2_json_\\\\ ; return ;;
	esac
	trace2_t_=${trace2_bytes_%%"$1"*}
	set -- "$1" "$((${#trace2_t_} + 1))"
	if [ "$2" -ge 32 ]
	then
		trace2_utf8_byte_ "$1" "$(($2 + 95))"
		return
	fi
	trace2_sequence_end_
	case $2 in
	9) trace2_json_=$trace2_json_\\t ;;
	10) trace2_json_=$trace2_json_\\n ;;
	13) trace2_json_=$trace2_json_\\r ;;
	*) trace2_hex_ "$2" 4; trace2_json_=$trace2_json_\\u$trace2_hex_text_ ;;
	esac
}

# Read a byte of UTF-8, given with its value. trace2_sequence_ holds the begun
# character. trace2_wanted_ more bytes must follow, and the next one must be in
# a range.
trace2_utf8_byte_ () {
	if [ "$trace2_wanted_" -gt 0 ] && [ "$2" -ge "$trace2_low_" ] &&
		[ "$2" -le "$trace2_high_" ]
	then
		trace2_sequence_=$trace2_sequence_$1
		trace2_wanted_=$((trace2_wanted_ - 1))
		trace2_low_=128 trace2_high_=191
		[ "$trace2_wanted_" -gt 0 ] ||
		trace2_json_=$trace2_json_$trace2_sequence_
		return 0
	fi
	trace2_sequence_end_
	trace2_sequence_=$1 trace2_low_=128 trace2_high_=191
	case $2 in
	127) trace2_json_=$trace2_json_$1; return ;;
	19[4-9]|20?|21?|22[0-3]) trace2_wanted_=1; return ;;
	22[4-9]|23?) trace2_wanted_=2 ;;
	24[0-4]) trace2_wanted_=3 ;;
	*) trace2_json_=$trace2_json_\\ufffd; return ;;
	esac
	case $2 in
	224) trace2_low_=160 ;;
	237) trace2_high_=159 ;;
	240) trace2_low_=144 ;;
	244) trace2_high_=143 ;;
	esac
}

# An unfinished character is invalid.
trace2_sequence_end_ () {
	[ "$trace2_wanted_" = 0 ] || trace2_json_=$trace2_json_\\ufffd
	trace2_wanted_=0
}

# Set trace2_hex_text_ to a number in this many hexadecimal digits.
trace2_hex_ () {
	trace2_hex_text_='' trace2_n_=$1
	set -- "$2"
	while [ "${#trace2_hex_text_}" -lt "$1" ]
	do
		case $((trace2_n_ % 16)) in
		10) trace2_t_=a ;; 11) trace2_t_=b ;; 12) trace2_t_=c ;;
		13) trace2_t_=d ;; 14) trace2_t_=e ;; 15) trace2_t_=f ;;
		*) trace2_t_=$((trace2_n_ % 16)) ;;
		esac
		trace2_hex_text_=$trace2_t_$trace2_hex_text_
		trace2_n_=$((trace2_n_ / 16))
	done
}

# Set trace2_argv_ to a JSON array of strings. A word after an option for a
# secret is a secret.
trace2_argv_of_ () {
	trace2_argv_='' trace2_before_='' trace2_program_=${1##*/}
	for trace2_word_
	do
		case $trace2_redact_$trace2_program_:$trace2_before_:$trace2_word_ in
		t*:-*:-*|t*:-*=*:*) trace2_json_of_ "$trace2_word_" ;;
		t*:-*[Tt][Oo][Kk][Ee][Nn]*:*|t*:-*[Ss][Ee][Cc][Rr][Ee][Tt]*:*|t*:-*[Pp][Aa][Ss][Ss]*:*|\
		t*:-*[Kk][Ee][Yy]*:*|tcurl:-[uU]:*|tcurl:--user:*|\
		tcurl:--proxy-user:*|tsshpass:-p:*) trace2_json_='<REDACTED>' ;;
		*) trace2_json_of_ "$trace2_word_" ;;
		esac
		trace2_argv_="$trace2_argv_,\"$trace2_json_\""
		trace2_before_=$trace2_word_
	done
	trace2_argv_="[${trace2_argv_#,}]"
}
