# SPDX-License-Identifier: MIT
#
# Spans, one inside the other. TRACEPARENT names the innermost one, or the session.
#
# shellcheck shell=dash disable=SC2034,SC2154,SC3028 # variables of other parts

# Set trace2_id_ to 16 hexadecimal digits.
trace2_random_id_ () {
	command read -r trace2_id_ 2>/dev/null </proc/sys/kernel/random/uuid || return
	trace2_t_=${trace2_id_##*-}
	trace2_id_=${trace2_id_%%-*}${trace2_t_%"${trace2_t_#????????}"}
}

# Make the session a part of the trace that TRACEPARENT names. trace2_context_
# is the place of the script in the trace: TRACE-SPAN-FLAGS.
trace2_open_trace_ () {
	trace2_spans_=0 trace2_context_=''
	case ${TRACEPARENT-} in
	*[!0-9a-f-]*|ff*|*-0000000000000000-*|*-00000000000000000000000000000000-*)
		return 0 ;;
	??-????????????????????????????????-????????????????-??) ;;
	*) return 0 ;;
	esac
	trace2_random_id_ || return 0
	trace2_t_=${TRACEPARENT#???}
	set -- "${trace2_t_%%-*}" "${trace2_t_#*-}" true
	[ "${2#*-}" = 01 ] || set -- "$1" "$2" false
	trace2_context_=$1-$trace2_id_-${2#*-}
	trace2_export_ TRACEPARENT "00-$trace2_context_"
	trace2_abs_of_
	trace2_emit_ data_json "$trace2_abs_,\"t_rel\":0.000000,\"nesting\":1,\"category\":\"trace2\",\"key\":\"trace\",\"value\":{\"trace_id\":\"$1\",\"span_id\":\"$trace2_id_\",\"parent_id\":\"${2%-*}\",\"sampled\":$3}"
}

# trace2_span_start CATEGORY NAME
trace2_span_start () {
	trace2_begin_ && trace2_random_id_ || return 0
	trace2_json_of_ "${2-}"
	trace2_names_=$trace2_json_
	trace2_json_of_ "${1-}"
	trace2_names_=",\"category\":\"$trace2_json_\",\"name\":\"$trace2_names_\""
	set -- "$trace2_id_" "$trace2_context_"
	if [ -n "$2" ]
	then
		trace2_context_=${2%%-*}-$1-${2##*-}
		trace2_t_=${2#*-}
		trace2_names_=",\"parent_id\":\"${trace2_t_%-*}\"$trace2_names_"
	else
		trace2_random_id_ || return 0
		trace2_context_=$trace2_id_
		trace2_random_id_ || return 0
		trace2_context_=$trace2_context_$trace2_id_-$1-01
	fi
	trace2_export_ TRACEPARENT "00-$trace2_context_"
	trace2_names_="{\"trace_id\":\"${trace2_context_%%-*}\",\"span_id\":\"$1\"$trace2_names_"
	trace2_spans_=$((trace2_spans_ + 1))
	eval "trace2_above_$trace2_spans_=\$2 trace2_span_$trace2_spans_=\$trace2_names_ trace2_since_$trace2_spans_=\$trace2_us_ trace2_set_$trace2_spans_="
}

# trace2_span_set KEY VALUE: set an attribute of the innermost span
trace2_span_set () {
	[ -n "$trace2_on_" ] && [ "$trace2_spans_" -gt 0 ] || return 0
	trace2_json_of_ "${1-}"
	trace2_names_=$trace2_json_
	trace2_json_of_ "${2-}"
	eval "trace2_set_$trace2_spans_=\"\$trace2_set_$trace2_spans_,\\\"\$trace2_names_\\\":\\\"\$trace2_json_\\\"\""
}

# trace2_span_end [REASON]: end the innermost span; REASON: it failed
trace2_span_end () {
	trace2_begin_ && [ "$trace2_spans_" -gt 0 ] || return 0
	trace2_json_of_ "${1-}"
	trace2_names_=${1:+",\"failed\":\"$trace2_json_\""}
	trace2_place_of_
	trace2_emit_span_ "$trace2_names_"
}

trace2_emit_span_ () {
	eval "trace2_since_=\$trace2_since_$trace2_spans_ trace2_t_=\$trace2_above_$trace2_spans_ trace2_ids_=\$trace2_span_$trace2_spans_ trace2_names_=\$trace2_set_$trace2_spans_"
	trace2_spans_=$((trace2_spans_ - 1))
	set -- "$1" "$trace2_context_"
	trace2_context_=$trace2_t_
	if [ -n "$trace2_context_" ]
	then
		trace2_export_ TRACEPARENT "00-$trace2_context_"
	else
		command unset TRACEPARENT 2>/dev/null || :
	fi
	# The sampled flag decides whether the span is recorded.
	[ "${2##*-}" = 01 ] || return 0
	trace2_seconds_ "$((trace2_since_ - trace2_start_))"
	set -- "$1" "${trace2_s_}000"
	trace2_abs_of_
	trace2_ids_="$trace2_ids_,\"start\":$2,\"end\":${trace2_s_}000$1${trace2_names_:+",\"attributes\":{${trace2_names_#,}}"},\"threads\":[[\"main\",$2,${trace2_s_}000]]}"
	trace2_seconds_ "$((trace2_us_ - trace2_since_))"
	trace2_emit_ data_json "$trace2_abs_,\"t_rel\":$trace2_s_,\"nesting\":$((trace2_depth_ + 1)),\"category\":\"trace2\",\"key\":\"span\",\"value\":$trace2_ids_"
}
