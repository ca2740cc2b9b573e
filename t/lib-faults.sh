# SPDX-License-Identifier: MIT
#
# A host in a bad place, with tracing and without; to be read after
# lib-trace2.sh:
#
#	unharmed [VARIABLE=VALUE...] COMMAND...
#		runs COMMAND, then again with these variables, which switch
#		tracing on; what it prints, how it ends and what it has at its
#		end (see t/helper/host-state.h) must be the same. The traced
#		run leaves traced.out, traced.err, traced.ends, traced.state.
#	ended WORDS...
#		that run ended so: `code N` or `signal N`
#	intact FILE
#		an event stream, of processes that may have been killed: each
#		line is whole, and nothing is wrong before its end
#	lost_in FILE
#		prints the `lost` of its last atexit, or 0
#	whole_lines FILE
#		prints it without a last line that lacks its end
#
# shellcheck shell=sh
# "local" is not POSIX, but dash, bash and busybox sh all have it.
# shellcheck disable=SC3043

# What ran the suite may have ignored signals, as a shell does in the
# background.  A program that asks for its parent's descriptors gets them.
# shellcheck disable=SC2016 # the dollars are for perl
fault_run_='
	$SIG{$_} = "DEFAULT" for qw(HUP INT QUIT PIPE ALRM TERM USR1 USR2 XFSZ);
	$^F = 255;
	open(my $ends, ">", shift) or die;
	my $pid = fork;
	exec { $ARGV[0] } @ARGV or exit 127 if !$pid;
	waitpid($pid, 0);
	print $ends $? & 127 ? "signal " . ($? & 127) : "code " . ($? >> 8), "\n";
'

# fault_run_as_ NAME COMMAND...
fault_run_as_ () {
	local name="$1"
	shift
	rm -f "$name.state" "$name.out" "$name.err" "$name.ends"
	: >"$name.state"
	HOST_STATE="$(pwd)/$name.state" "$PERL_PATH" -e "$fault_run_" \
		"$name.ends" "$@" >"$name.out" 2>"$name.err" </dev/null
}

unharmed () {
	local nr=0 word kind
	for word
	do
		case "$word" in
		[A-Z]*=*) nr=$((nr + 1)) ;;
		*) break ;;
		esac
	done
	test "$nr" -gt 0 && test "$nr" -lt $# ||
	BUG "unharmed: variables, then a command: $*"
	fault_run_as_ traced env "$@"
	shift "$nr"
	fault_run_as_ untraced env "$@"
	for kind in out err ends state
	do
		test_cmp "untraced.$kind" "traced.$kind" || return 1
	done
}

ended () {
	echo "$*" >expect.ends
	test_cmp expect.ends traced.ends
}

intact () {
	test $# = 1 || BUG "intact wants a file"
	expect_valid_stream --killed "$1" || return 1
	if test_have_prereq READS_STREAMS
	then
		{ trace2 check "$1" || :; } >check.out 2>&1
		! grep >&4 "error:" check.out
	fi
}

lost_in () {
	jq -s '[.[] | select(.event == "atexit")] | .[-1].lost // 0' "$1"
}

# whole_lines FILE: without a last line that lacks its end
whole_lines () {
	"$PERL_PATH" -ne 'print if /\n\z/' "$1"
}
