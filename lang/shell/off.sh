#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Trace a shell script: source this file in dash, bash or busybox sh.
#
#	. trace2.sh
#
# The functions trace2_* without a '_' at the end are the interface; trace2-shell(7)
# describes them. With tracing on, an event is one printf and starts no process.
# Names that end in '_' are private. The script's IFS, options, traps and
# positional parameters stay as they are; it may use set -eu.
#
# The script may have functions by the names of commands: "[" is used in place of
# test, and "command" before all that is neither a keyword nor a special builtin.
# Arithmetic is quoted: IFS may have digits.
#
# make joins lang/shell/*.sh to this file. The first part has what remains with
# tracing off.
#
# shellcheck shell=dash disable=SC2034

# A file that the script reads may read this file, too: then the session
# continues.
[ "${trace2_reader_-}" != "$$" ] || ! command -v trace2_end_ >/dev/null || return 0

# These functions stay if tracing is off. A child is a program, never a
# function, which would run without set -e here.
trace2_region_enter () { :; }
trace2_region_leave () { :; }
trace2_data () { :; }
trace2_error () { :; }
trace2_cmd_name () { :; }
trace2_cmd_mode () { :; }
trace2_span_start () { :; }
trace2_span_set () { :; }
trace2_span_end () { :; }
trace2_child () {
	[ "$1" != -c ] || shift 2
	(exec "$@")
}
trace2_exec () { exec "$@"; }
# shellcheck disable=SC2064 # the argument is a command
trace2_on_exit () { trap "$1" EXIT; }

trace2_on_=
case ${GIT_TRACE2_EVENT-} in
''|0|[Ff][Aa][Ll][Ss][Ee]) return 0 ;;
esac
# Do not trace an interactive shell.
case $- in *i*) return 0 ;; esac
