# Find slices of a thread that reach beyond the one around them: there must be none.
def ns: . * 1000 | round;
[.traceEvents[] | select(.ph == "X")]
| if length == 0 then "\(input_filename): there are no slices" else
	group_by([.pid, .tid])[]
	| reduce (to_entries | sort_by(.value.ts, -.value.dur, .key)
			| .[].value) as $slice ({open: [], bad: []};
		($slice.ts | ns) as $from
		| (($slice.ts + $slice.dur) | ns) as $to
		| until((.open | length == 0) or .open[-1] > $from;
			.open |= .[:-1])
		| if (.open | length > 0) and .open[-1] < $to
			then .bad += [$slice] else . end
		| .open += [$to])
	| .bad[] | "\(input_filename): \(.)"
end
