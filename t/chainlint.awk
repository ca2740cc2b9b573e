# SPDX-License-Identifier: MIT
#
# Parse the body of a test and find where its && chain is broken: commands whose
# failure the test would not notice.
#
#	awk -f chainlint.awk <body
#
# Prints a line for each place: "line N: the error: the line itself", N counted
# from 1. Exit code:
#	0  the chain holds
#	1  it does not, or the body cannot be parsed (which is printed)
#
#	awk -v whole=1 -f chainlint.awk script
#
# Prints the bodies in single quotes whose chain holds, each as "<BODY:>", so that
# not each of them needs a process. Bodies that it does not find, or that are
# broken, are left to the form above.
#
# Rules for each list of commands (the body itself, a subshell, a brace group,
# each part of an if, a loop or a case, a command substitution):
#  - a command followed by another one is joined to it by &&, || or |;
#  - or it ends in return, exit, continue or break, so that no failure gets
#    past it; or it is a single command in the background; or the next one
#    checks $?;
#  - or the list continues to false, return 1 or exit 1: it fails in any case;
#  - the last command in the body of a loop ends the test if it fails
#    ("|| return 1", in a subshell "|| exit 1"), since a loop loses its code.
# A here-document must end.
#
# The parser follows the grammar of the shell, one function for each rule. It is
# written for any POSIX awk: mawk, gawk, busybox.

whole { find_body($0); next }
{ L[NR] = $0 }

END {
	if (whole)
		exit 0
	code = lint(NR)
	for (i = 1; i <= LAST; i++)
		if (i in PROBLEM)
			printf "line %d: %s: %s\n", i, PROBLEM[i], trim(L[i])
	exit code
}

# Add LINE of a script to the body that it is in, if any.
function find_body(line,	n) {
	if (!FOUND) {
		if (line !~ /^[ \t]*test_expect_(success|failure) .*'$/)
			return
		n = split(line, QUOTED, "'")
		# The title, or the body, too, is on this line.
		L[FOUND = 1] = n % 2 ? QUOTED[n - 1] : ""
		if (n % 2)
			print_body()
	} else if (line ~ /^[ \t]*'$/) {
		L[++FOUND] = substr(line, 1, length(line) - 1)
		print_body()
	} else {
		gsub(/'\\''/, "'", line)
		L[++FOUND] = line
	}
}

function print_body(	i) {
	if (!lint(FOUND)) {
		printf "<"
		for (i = 1; i < FOUND; i++)
			print L[i]
		printf "%s:>", L[FOUND]
	}
	FOUND = 0
}

# Parse the body, the first `lines` elements of L; return the exit code above.
function lint(lines,	i) {
	LAST = lines; LN = 1; P = 1
	# The plain characters of a word. A string, since in /.../ the awks
	# differ over a slash within brackets.
	PLAIN = "^[]A-Za-z0-9_./=:,%+@^~*?!{}[-]+"
	NPENDING = 0	# here-documents whose text begins on the next line
	NGUARD = 0	# number of return, exit and $? so far, in this shell
	NSTATUS = 0	# number of $? so far
	FATAL = 0
	split("", PROBLEM)
	next_token()
	parse_list("")
	if (TYPE != "end")
		lost()
	for (i in PROBLEM)
		return 1
	return 0
}

function trim(s) {
	sub(/^[ \t]+/, "", s)
	return s
}

function problem(line, what) {
	if (!(line in PROBLEM))
		PROBLEM[line] = what
}

# Nothing after this can be parsed reliably, so no more errors are reported.
function lost(	what) {
	if (FATAL)
		return
	what = TYPE == "end" ? "the end" : TYPE == "nl" ? "the end of line" : \
		"'" TEXT "'"
	fatal(TLINE, "cannot be followed at " what)
}

function fatal(line, what) {
	if (FATAL)
		return
	FATAL = 1
	if (line > LAST)
		line = LAST
	problem(line, what)
	LN = LAST + 1
	P = 1
	TYPE = "end"
}

# ---------------------------------------------------------------------------
# Characters

# Return the character at the current place: "\n" at the end of a line, "" at
# the end of the text.
function peek() {
	if (LN > LAST)
		return ""
	if (P > length(L[LN]))
		return "\n"
	return substr(L[LN], P, 1)
}

function peek2() {
	return LN > LAST ? "" : substr(L[LN], P + 1, 1)
}

# Skip one character and return it.
function take(	c) {
	c = peek()
	if (c == "\n") {
		LN++
		P = 1
		if (NPENDING)
			skip_heredocs()
	} else if (c != "")
		P++
	return c
}

# Skip the text of the here-documents that the last line began.
function skip_heredocs(	i, n, s, start) {
	n = NPENDING
	NPENDING = 0
	for (i = 1; i <= n && !FATAL; i++) {
		start = HERE_LINE[i]
		for (; LN <= LAST; LN++) {
			s = L[LN]
			if (HERE_TABS[i])
				sub(/^\t+/, "", s)
			if (s == HERE_END[i])
				break
		}
		if (LN > LAST)
			fatal(start, "here-document without its end")
		else
			LN++
	}
}

# ---------------------------------------------------------------------------
# Words.  Each scan_ function skips one part of a word.

function scan_single(	c, line) {
	line = LN
	take()
	while ((c = take()) != "'")
		if (c == "")
			return fatal(line, "quote without its end")
}

function scan_double(	c, line) {
	line = LN
	take()
	while ((c = peek()) != "\"") {
		if (c == "")
			return fatal(line, "quote without its end")
		if (c == "\\") {
			take()
			take()
		} else if (c == "$")
			scan_dollar(1)
		else if (c == "`")
			scan_backquote()
		else
			take()
	}
	take()
}

function scan_backquote(	c, line) {
	line = LN
	take()
	while ((c = take()) != "`") {
		if (c == "")
			return fatal(line, "quote without its end")
		if (c == "\\")
			take()
	}
}

# ${...}, which may contain quotes and further substitutions. Within double
# quotes a single quote is a plain character.
function scan_brace(in_double,	c, line) {
	line = LN
	take()
	while ((c = peek()) != "}") {
		if (c == "")
			return fatal(line, "${ without its end")
		if (c == "\\") {
			take()
			take()
		} else if (c == "'" && !in_double)
			scan_single()
		else if (c == "\"")
			scan_double()
		else if (c == "$")
			scan_dollar(in_double)
		else if (c == "`")
			scan_backquote()
		else
			take()
	}
	take()
}

# $((...)): parentheses are counted until the two that close it.
function scan_arithmetic(	c, depth, line) {
	line = LN
	depth = 0
	do {
		c = peek()
		if (c == "")
			return fatal(line, "$(( without its end")
		if (c == "$") {
			scan_dollar(1)
			continue
		}
		if (c == "(")
			depth++
		else if (c == ")")
			depth--
		take()
	} while (depth > 0)
}

function scan_dollar(in_double,	c) {
	take()
	c = peek()
	if (c == "(")
		scan_parens()
	else if (c == "{")
		scan_brace(in_double)
	else if (c == "?") {
		NSTATUS++
		NGUARD++
		take()
	} else if (c ~ /[#$!@*0-9-]/)
		take()
	# A name may follow, which is scanned as plain text.
}

function scan_parens() {
	if (peek2() == "(")
		scan_arithmetic()
	else
		parse_substitution()
}

# A command substitution: commands within a word. Afterwards the parser
# continues with its current token.
function parse_substitution(	guards, pending) {
	guards = NGUARD
	take()
	next_token()
	parse_list(")")
	if (TYPE != "op" || TEXT != ")")
		lost()
	NGUARD = guards	# its exit does not end the test
}

# Skip a word; its text is in TEXT if it is on one line, which suffices to
# recognise a reserved word or a number.
function scan_word(	c, line, start) {
	line = LN
	start = P
	while (LN <= LAST) {
		if (match(substr(L[LN], P), PLAIN))
			P += RLENGTH
		c = peek()
		if (c == "'")
			scan_single()
		else if (c == "\"")
			scan_double()
		else if (c == "`")
			scan_backquote()
		else if (c == "$")
			scan_dollar(0)
		else if (c == "\\") {
			take()
			take()
		} else if (c ~ /^[ \t\n;&|<>()]?$/)
			break
		else
			take()
	}
	TYPE = "word"
	TLINE = LN
	if (LN == line)
		TEXT = substr(L[LN], start, P - start)
	else
		TEXT = "'"	# any text but a reserved word
}

# ---------------------------------------------------------------------------
# Tokens: TYPE is word, op, nl or end, TEXT its text, TLINE its line, TGUARD
# and TSTATUS the values of NGUARD and NSTATUS before it.

function skip_blanks(	c) {
	for (;;) {
		c = peek()
		if (c == " " || c == "\t")
			P++
		else if (c == "\\" && peek2() == "" && LN <= LAST) {
			P++
			take()
		} else
			break
	}
	if (c == "#")
		P = length(L[LN]) + 1
}

function next_token(	guards, status) {
	guards = NGUARD
	status = NSTATUS
	read_token()
	TGUARD = guards
	TSTATUS = status
}

function read_token(	c, s) {
	skip_blanks()
	TLINE = LN
	c = peek()
	TEXT = c
	if (c == "") {
		TYPE = "end"
		return
	}
	if (c == "\n") {
		TYPE = "nl"
		take()
		return
	}
	if (c !~ /[;&|<>()]/)
		return scan_word()
	TYPE = "op"
	s = substr(L[LN], P, 3)
	if (match(s, /^(<<-|&>>|&&|\|\||;;|;&|<<|>>|<&|>&|<>|>\||&>|.)/))
		TEXT = substr(s, 1, RLENGTH)
	P += length(TEXT)
}

# Return the end mark of a here-document without quotes.
function unquote(s) {
	gsub(/["'\\]/, "", s)
	return s
}

# The current token is a redirection: skip it and its target.
function parse_redirection(	op, line) {
	op = TEXT
	line = LN
	skip_blanks()
	if (peek() == "(")	# bash: <(command)
		parse_substitution()
	else {
		if (peek() ~ /^[\n;|)]?$/)
			return lost()
		scan_word()
	}
	if (op == "<<" || op == "<<-") {
		NPENDING++
		HERE_END[NPENDING] = unquote(TEXT)
		HERE_TABS[NPENDING] = (op == "<<-")
		HERE_LINE[NPENDING] = line
	}
	ENDLINE = LN
	next_token()
}

function is_redirection() {
	return TYPE == "op" && TEXT ~ /[<>]/
}

function is_op(text) {
	return TYPE == "op" && TEXT == text
}

function is_word(text) {
	return TYPE == "word" && TEXT == text
}

function skip_newlines() {
	while (TYPE == "nl")
		next_token()
}

# ---------------------------------------------------------------------------
# Grammar

# Does the current token end a list? ENDS contains the reserved words and
# operators that do, with a blank around each.
function at_end_of_list(ends) {
	if (TYPE == "end")
		return 1
	if (TYPE == "op")
		return TEXT == ")" || TEXT ~ /^;[;&]$/
	return TYPE == "word" && index(" " ends " ", " " TEXT " ")
}

# Parse a list up to one of ENDS, which stays the current token. Sets
# LIST_GUARDED: does a failure of the last command always get out of a loop?
function parse_list(ends,	broken, loose, n, guards, list_guards,
		    lines, i) {
	broken = ""	# lines of breaks, unless the list fails anyway
	guards = list_guards = TGUARD
	loose = -1	# the line of a command that must be the last
	for (;;) {
		while (TYPE == "nl" || is_op(";"))
			next_token()
		if (at_end_of_list(ends))
			break
		guards = TGUARD
		parse_and_or(ends)
		if (FATAL)
			return
		if (loose >= 0 && !FIRST_STATUS)
			broken = broken loose " "
		if (FAILS)
			broken = ""
		loose = SAFE ? -1 : ENDLINE
		if (is_op("&")) {
			if (PARTS == 1)
				loose = -1
			next_token()
		} else if (TYPE != "nl" && !is_op(";") && !at_end_of_list(ends))
			return lost()
	}
	n = split(broken, lines, " ")
	for (i = 1; i <= n; i++)
		problem(lines[i], "no && after the command that ends here")
	LIST_GUARDED = NGUARD > guards || ECHO_LAST || \
		HARMLESS && guards > list_guards
}

# Parse pipelines joined by && and ||. Sets for the list:
#	PARTS		how many pipelines
#	SAFE		no failure gets past its end
#	FAILS		it fails in any case
#	FIRST_STATUS	the first command checks $?
#	ENDLINE		the line of its last token
#	HARMLESS	the last command cannot fail
#	ECHO_LAST	it ends in "|| echo"
function parse_and_or(ends,	parts, op, status, first_status, first, arg, f) {
	status = TSTATUS
	parts = 0
	f = 0
	op = ""
	for (;;) {
		parse_pipeline(ends)
		if (FATAL)
			return
		if (!parts++) {
			first_status = NSTATUS > status
			f = FIRST == "false" || \
				(FIRST == "return" || FIRST == "exit") && \
				SECOND != "0"
		}
		if (!is_op("&&") && !is_op("||"))
			break
		op = TEXT
		next_token()
		skip_newlines()
	}
	PARTS = parts
	SAFE = FIRST ~ /^(return|exit|continue|break)$/
	FAILS = f && parts == 1
	FIRST_STATUS = first_status
	HARMLESS = FIRST ~ /^(echo|printf|:|true|shift)$/
	ECHO_LAST = op == "||" && FIRST == "echo"
}

# Sets FIRST and SECOND: the first words of its last command.
function parse_pipeline(ends) {
	for (;;) {
		while (is_word("!"))
			next_token()
		parse_command(ends)
		if (FATAL || !is_op("|"))
			return
		next_token()
		skip_newlines()
	}
}

function parse_command(ends) {
	FIRST = SECOND = ""
	if (TYPE != "word") {
		if (is_op("(")) {
			parse_subshell()
			return parse_after_compound()
		}
		if (is_redirection())
			return parse_simple()
		return lost()
	}
	if (TEXT == "{")
		parse_group()
	else if (TEXT == "if")
		parse_if()
	else if (TEXT == "for" || TEXT == "select")
		parse_for()
	else if (TEXT == "while" || TEXT == "until")
		parse_while()
	else if (TEXT == "case")
		parse_case()
	else if (TEXT ~ /^(then|do|done|fi|elif|else|esac|})$/)
		return lost()
	else
		return parse_simple()
	parse_after_compound()
}

function parse_after_compound() {
	FIRST = SECOND = ""
	while (!FATAL && (is_redirection() || \
			  TYPE == "word" && TEXT ~ /^[0-9]+$/)) {
		if (TYPE == "word")
			next_token()
		else
			parse_redirection()
	}
}

function parse_simple(	n, first, second, is_number) {
	n = 0
	first = second = ""
	while (!FATAL) {
		if (TYPE == "word") {
			ENDLINE = TLINE
			if (TEXT ~ /^[0-9]+$/ && peek() ~ /[<>]/)
				;	# 2>file
			else if (n == 0 && TEXT ~ /^[A-Za-z_][A-Za-z0-9_]*=/)
				;	# VAR=value command
			else if (++n == 1)
				first = TEXT
			else if (n == 2)
				second = TEXT
			if (n == 2 && first == "function") {
				next_token()
				if (is_op("("))
					next_token()
				return parse_function_body()
			}
			if (n == 1 && TEXT == first && first ~ /^(return|exit)$/)
				NGUARD++
			next_token()
		} else if (is_redirection()) {
			parse_redirection()
		} else if (n == 1 && is_op("(")) {
			next_token()
			if (!is_op(")"))
				return lost()
			return parse_function_body()
		} else
			break
	}
	FIRST = first
	SECOND = second
}

# The current token is the last one of a function's head, or bash's head has no
# more. A return of the function does not end the test.
function parse_function_body(	guards) {
	guards = NGUARD
	if (is_op(")"))
		next_token()
	skip_newlines()
	parse_command("")
	NGUARD = guards
}

# Skip WORD, which must be the current token.
function expect(text) {
	if (FATAL)
		return
	if (TEXT != text || TYPE != "word" && TYPE != "op")
		return lost()
	ENDLINE = TLINE
	next_token()
}

# "((" is parsed as two subshells, which also accepts arithmetic in bash.
function parse_subshell(	guards) {
	guards = NGUARD
	next_token()
	parse_list(")")
	expect(")")
	NGUARD = guards	# its exit does not end the test
}

function parse_group() {
	next_token()
	parse_list("}")
	expect("}")
}

function parse_if() {
	next_token()
	parse_list("then")
	expect("then")
	parse_list("elif else fi")
	while (is_word("elif")) {
		next_token()
		parse_list("then")
		expect("then")
		parse_list("elif else fi")
	}
	if (is_word("else")) {
		next_token()
		parse_list("fi")
	}
	expect("fi")
}

function parse_loop_body(	line) {
	skip_newlines()
	expect("do")
	parse_list("done")
	if (!FATAL && !LIST_GUARDED)
		problem(TLINE, "the loop's body does not end in || return 1" \
			" (in a subshell || exit 1)")
	expect("done")
}

function parse_for() {
	next_token()
	next_token()	# the variable
	skip_newlines()
	if (is_word("in")) {
		next_token()
		while (TYPE == "word")
			next_token()
	}
	while (is_op(";") || TYPE == "nl")
		next_token()
	parse_loop_body()
}

function parse_while() {
	next_token()
	parse_list("do")
	parse_loop_body()
}

function parse_case() {
	next_token()
	next_token()	# the word
	skip_newlines()
	expect("in")
	skip_newlines()
	while (!FATAL && !is_word("esac")) {
		while (TYPE == "word" || is_op("(") || is_op("|"))
			next_token()
		expect(")")
		parse_list("esac")
		if (TYPE == "op" && TEXT ~ /^;[;&]$/)
			next_token()
		else if (!is_word("esac"))
			return lost()
		skip_newlines()
	}
	expect("esac")
}
