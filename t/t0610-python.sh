#!/bin/sh
# SPDX-License-Identifier: MIT

test_description='the module trace2 of Python

The tests of the module run here, with the Python of the system, and their
streams are checked as all others are. pip installs the module, and the examples
of its page are true.
'

. ./test-lib.sh
. "$TEST_DIRECTORY"/lib-trace2.sh

test_skip_unless PYTHON

# A copy, which is compiled only once.
module=$PWD/module
cp -R "$GIT_BUILD_DIR/lang/python" "$module" &&
"$PYTHON_PATH" -m compileall -q "$module" || error "cannot compile $module"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE

test_lazy_prereq PIP '
	test_have_prereq EXPENSIVE &&
	"$PYTHON_PATH" -m pip --version && "$PYTHON_PATH" -c "import setuptools, wheel"
'

# With GIT_TEST_LONG the tests try all kinds of a thing; otherwise some of them.
TRACE2_FEW=1
test_have_prereq EXPENSIVE || export TRACE2_FEW

# Streams remain where the tests of all streams look for them.
run_tests () {
	TRACE2_KEEP="$PWD/kept-$1" TRACE2_TABLE="$PWD/table" \
		TRACE2_TEST_TOOL="$GIT_BUILD_DIR/t/helper/test-tool" \
		"$PYTHON_PATH" -W error -m unittest discover -v \
		-s "$module/tests" -p "test_$1.py" >out 2>&1 ||
	{ cat out && return 1; }
}

test_expect_success 'programs in Python have their events in the stream' '
	test-tool events json >table &&
	run_tests events &&
	test_grep "^OK$" out
'

test_expect_success 'a Python program behaves the same without the module' '
	run_tests host &&
	test_grep "^OK$" out
'

unchecked 'it ends where the limit is' 'kept-host/*limit_of_files*'

test_expect_success 'streams of Python programs are valid' '
	find kept-* -name stream -type f ! -path "*limit_of_files*" >streams &&
	test_line_count -gt 25 streams &&
	xargs cat <streams >all &&
	expect_valid_stream --killed all
'

test_expect_success PIP 'pip installs the Python module from the source' '
	cp -R "$GIT_BUILD_DIR/lang/python" source &&
	"$PYTHON_PATH" -m pip install --quiet --no-index --no-build-isolation \
		--no-deps --target installed ./source >out 2>&1 &&
	GIT_TRACE2_EVENT="$PWD/e" PYTHONPATH=installed "$PYTHON_PATH" -c "
import trace2
trace2.initialize()
assert trace2.__file__.startswith(\"$PWD/installed\")
" &&
	expect_valid_stream e &&
	ls -d installed/trace2-$TRACE2_VERSION.dist-info
'

test_expect_success 'the Python module has the version of the project' '
	sed -n "s/^version = \"\(.*\)\"/\1/p" "$module/pyproject.toml" >actual &&
	echo "$TRACE2_VERSION" | test_cmp - actual
'

test_expect_success 'the example of trace2-python runs' '
	page=$GIT_BUILD_DIR/Documentation/trace2-python.adoc &&
	awk "/^\\[source,python\\]\$/ { on = 1; next } on && /^----/ { on++ }
		on == 3 { exit } on && !/^----/" "$page" >sizes.py &&
	test_line_count -gt 20 sizes.py &&
	sed -n "s/^    [0-9].*  //p" "$page" >expect &&
	test_line_count = 2 expect &&
	GIT_TRACE2_EVENT="$PWD/trace.json" PYTHONPATH=$module \
		"$PYTHON_PATH" sizes.py . >out &&
	expect_valid_stream trace.json &&
	trace2 list trace.json | sed -n "s/^[0-9].*  //p" >actual &&
	test_cmp expect actual &&
	trace2 report --regions trace.json >report &&
	test_grep "sizes.*list" report
'

test_done
