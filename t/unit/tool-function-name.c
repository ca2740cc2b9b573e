/* SPDX-License-Identifier: MIT */
/* tool-function-name - names of C++ without their arguments. */
#include "out/function_name.h"
#include "tap.h"

static const struct tr2_output text = { .format = TR2_FORMAT_TEXT,
					.piped_width = 100 };

static void folds(const char *name, const char *want, const char *what)
{
	const char *got = tr2_function_name(&text, name);

	is_text(got, strlen(got), want, what);
}

static void stays(const char *name, const char *what)
{
	folds(name, name, what);
}

int main(void)
{
	static const char name[] = "f(std::vector<int, std::allocator<int> >&)";
	const struct tr2_output json = { .format = TR2_FORMAT_JSON };
	const struct tr2_output wide = { .format = TR2_FORMAT_TEXT,
					 .wide = true, .piped_width = 100 };

	setenv("LC_ALL", "C", 1); /* the ellipsis is a tilde */
	folds("std::vector<long, std::allocator<long> >::push_back(long "
	      "const&)",
	      "std::vector<~>::push_back(~)",
	      "arguments of a template and a call");
	folds("void sort<int, bool (*)(int, int)>(int*, bool (*)(int, int))",
	      "void sort<~>(~)", "brackets inside of others");
	folds("(anonymous namespace)::find_all(std::string const&, int) const",
	      "(anonymous namespace)::find_all(~) const",
	      "a namespace without a name is no argument");
	folds("main::{lambda(std::string const&)#2}::operator()(long) const",
	      "main::{lambda(~)#2}::operator()(~) const", "operator()");
	folds("std::ostream& operator<< <char>(std::ostream&, char const*)",
	      "std::ostream& operator<< <~>(~)", "operator<<");
	folds("std::unique_ptr<a_long_name, deleter_of_it>::operator->()",
	      "std::unique_ptr<~>::operator->()", "operator->");
	folds("f<decltype(std::declval<first_of_all>()->second)>(int)",
	      "f<~>(~)", "an arrow closes nothing");
	stays("f(std::vector<int>&)", "a name that is short");
	stays("github.com/somebody/something.(*Server).Serve",
	      "a method of Go");
	stays("<alloc::vec::Vec<T> as core::ops::Drop>::drop", "one of Rust");
	stays("LazyCompile:~ operators with a > b and c < d",
	      "brackets in no pairs");
	stays("a_function_of_C_whose_name_is_as_long_as_many", "a name of C");
	ok(tr2_function_name(&json, name) == name, "all of it in JSON");
	ok(tr2_function_name(&wide, name) == name, "all of it with --wide");
	return done_testing();
}
