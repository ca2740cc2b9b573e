#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the pages of the command are true

Every line that begins with a prompt is run, page by page, in a repository like
that of the how-to.
'

. ./test-lib.sh

docs=$GIT_BUILD_DIR/Documentation
PATH=$GIT_BUILD_DIR/build/bin:$PATH
PAGES="howto-slow-git howto-slow-build howto-many-processes howto-ci
	howto-computing-or-waiting howto-slower howto-fleet trace2 $(trace2 help --commands | sed 's/^/trace2-/')"

# Print the commands of a page, one per line.
prompts () {
	sed -n 's/^    \$ //p' "$1"
}

# Print the headings of tables, without the space between the columns, without
# units, and without those that depend on what the kernel permits, on how much was
# recorded, on which waits were on the path, or that no CPU was free.
heads () {
	sed -n 's/\([A-Z0-9]\) [mu]*s\( \|$\)/\1\2/g
		s/^ *\([A-Z][A-Z0-9]*\( [A-Z ]*[A-Z0-9]*\)*\)$/\1/p' |
	grep ' ' | tr -s ' ' |
	sed 's/\( SHARE\) CPU WAIT\( READY\)*/\1/
		s/ CPU WAIT\( READY\)*/ SELF/
		s/ WALL CPU EXIT/ WALL EXIT/
		s/^ON PATH //; s/ WHY / /; s/ NO CPU / /; s/ SPAWN\( PROCESS\)/\1/; s/ SUM CPU / /
		s/ BY KIND$//; s/ AT MOST / /; s/ SUM SPAWN / /
		s/ P50 P90 P99 MAX / /' | sort -u
}

# shell_block START: print, as a script, the block of howto-many-processes whose
# first line begins with START.
shell_block () {
	echo "#!/bin/sh" &&
	sed -n "/^    $1/,/^\$/s/^    //p" "$docs"/howto-many-processes.adoc
}

# A clone whose hook runs two programs for each file, with files to commit and
# commits to fetch.
project () {
	mkdir template &&
	(
		cd template &&
		git init -q -b main upstream &&
		cd upstream &&
		git config user.name A &&
		git config user.email a@example.com &&
		mkdir -p src/1 &&
		for i in 1 2 3
		do
			echo "int f$i;" >src/1/f"$i".c || exit 1
		done &&
		write_script prog <<-\EOF &&
		cat src/1/f1.c
		EOF
		git add . &&
		git commit -q -m zeroth &&
		git tag v1.0 &&
		echo "cat src/1/f2.c" >>prog &&
		git add . &&
		git commit -q -m first &&
		git clone -q --bare . ../upstream.git &&
		git clone -q ../upstream.git ../project &&
		echo more >second &&
		git add . &&
		git commit -q -m more &&
		git push -q ../upstream.git main &&
		cd ../project &&
		git config user.name A &&
		git config user.email a@example.com &&
		git config remote.origin.url ../upstream.git &&
		printf "all: a b\na b:\n\tsort Makefile\n" >Makefile &&
		mkdir log &&
		printf "status: 1\nbytes: 2\n" | tee log/1.log >log/2.log &&
		shell_block "total=0" >sum.sh &&
		shell_block "awk " >sum2.sh &&
		chmod +x sum.sh sum2.sh &&
		mkdir t &&
		cat >t/1.t <<-\EOF &&
		print "1..1\nok ", 1 + system("sleep 0.01"), "\n";
		EOF
		cat >.git/hooks/pre-commit <<-\EOF &&
		#!/bin/sh
		for file in $(git diff --cached --name-only)
		do
			git show ":$file" | grep -q "DO NOT" && exit 1
		done
		exit 0
		EOF
		chmod +x .git/hooks/pre-commit &&
		for i in 1 2 3
		do
			echo "/* more */" >>src/1/f"$i".c || exit 1
		done
	)
}

# Make the recordings that the commands of pages need but do not make.
recordings () {
	trace2 record -- git status -s &&
	trace2 record -o ../status -- git status -s &&
	trace2 record -o ../build -- sleep 0.5 &&
	trace2 record -o ../commit -- git log -1 --stat
}

test_expect_success GIT 'setup: a repository with recordings' '
	project &&
	(cd template/project && recordings)
'

# Run the commands of a page, except those whose programs are missing here.
run_page () {
	prompts "$1" >commands &&
	rm -rf pages &&
	cp -Rp template pages &&
	(
		cd pages/project &&
		while read -r command
		do
			case "$command" in
			*sqlite*) test_have_prereq SQLITE3 || continue ;;
			*jq*) test_have_prereq JQ || continue ;;
			perf\ *) test_have_prereq PERF || continue ;;
			# Another user may be asked for a password.
			*--elevate*) test "$(id -u)" = 0 || continue ;;
			esac
			echo ">>> $command" &&
			eval "$command" </dev/null || exit 1
		done <../../commands
	) >out
}

test_expect_success 'each command has a manual page, listed in overview and README' '
	trace2 help --commands >commands &&
	test_line_count -gt 6 commands &&
	while read -r command
	do
		test_path_is_file "$docs/trace2-$command.adoc" &&
		test_grep "^= trace2-$command(1)$" \
			"$docs/trace2-$command.adoc" &&
		test_grep "^trace2-$command - " "$docs/trace2-$command.adoc" &&
		test_grep "^include::../build/generated/options-$command.adoc.tag=options" \
			"$docs/trace2-$command.adoc" &&
		test_grep "Documentation/trace2-$command.adoc" \
			"$GIT_BUILD_DIR"/README.md || return 1
	done <commands
'

# Print "COMMAND --option" for each option that a page mentions after a command.
named_options () {
	"$PERL_PATH" -ne "
		while (/\\btrace2 ([a-z]+)((?: (?!-- )[^|\`]*)?)/g) {
			my (\$command, \$rest) = (\$1, \$2);
			\$rest =~ s/ -- .*//;
			print qq(\$command \$1\\n) while \$rest =~ /(?<= )(--[a-z][a-z-]*)/g;
		}" "$@" | sort -u
}

test_expect_success 'options named in manual pages are options of the command' '
	for page in $PAGES
	do
		echo "$docs/$page.adoc" || return 1
	done >pages.list &&
	tr "\n" "\0" <pages.list | xargs -0 cat >all &&
	named_options all >options &&
	test_line_count -gt 10 options &&
	for command in $(cut -d " " -f 1 options | uniq)
	do
		trace2 "$command" -h >"help.$command" || return 1
	done &&
	while read -r command option
	do
		grep -q -e " $option\\([ =[]\|$\\)" "help.$command" ||
		{ echo "$command has no $option" && return 1; }
	done <options
'

# The examples in the page of top need a running process.
test_expect_success 'trace2-top(1): headings in the examples are those that t3500 expects' '
	sed "s/^    //" "$docs"/trace2-top.adoc | heads >shown &&
	test_line_count = 3 shown &&
	tr -d "\t" <"$TEST_DIRECTORY"/t3500-top.sh | heads >expected &&
	comm -23 shown expected >missing &&
	test_must_be_empty missing
'

for page in $PAGES
do
	needs=GIT
	case "$page" in
	# These compute, or measure many runs: make check does.
	howto-computing-*) needs=EXPENSIVE,$needs,STATES ;;
	howto-slower | trace2-stat | trace2-bisect | trace2-history)
		needs=EXPENSIVE,$needs ;;
	# Needs a running process; needs servers, which t3311 has.
	trace2-top | howto-fleet) continue ;;
	esac
	test_expect_success "$needs" "the examples of $page run" '
		run_page "$docs/$page.adoc" &&
		sed "s/^    //" "$docs/$page.adoc" | heads >shown &&
		heads <out >actual &&
		comm -23 shown actual >missing &&
		test_must_be_empty missing
	'
done

test_expect_success 'howto-slow-git shows the headings of at least two tables' '
	sed "s/^    //" "$docs"/howto-slow-git.adoc | heads >shown &&
	test_line_count -gt 1 shown
'

test_expect_success GIT 'README: the examples of the command run' '
	sed "/^## The library/q" "$GIT_BUILD_DIR"/README.md >README &&
	test_grep "trace2 record -- make" README &&
	run_page README &&
	sed "s/^    //" README | heads >shown &&
	test_line_count -gt 0 shown &&
	heads <out >actual &&
	comm -23 shown actual >missing &&
	test_must_be_empty missing
'

test_expect_success ASCIIDOCTOR 'HTML and manual pages are made without a warning' '
	for page in $PAGES
	do
		asciidoctor --failure-level=WARN -D html \
			"$docs/$page.adoc" 2>err &&
		test_must_be_empty err || return 1
	done &&
	for page in $PAGES
	do
		case "$page" in
		howto-*) continue ;;
		esac &&
		asciidoctor --failure-level=WARN -b manpage -D man \
			"$docs/$page.adoc" 2>err &&
		test_must_be_empty err &&
		test_path_is_file "man/$page.1" || return 1
	done
'

test_done
