# SPDX-License-Identifier: MIT
#
# Build the library and the command; 'make test' builds the programs for tests,
# too. 'make help' lists the targets. Sources are found by wildcard: a new file
# needs no line here. All paths are relative, so that the checkout may be in a
# directory with spaces in its name and __FILE__ is the same everywhere
# ("lib/session/exit.c").
#
# Variables that a caller may set:
#
#   CC, CXX            the compilers; CXX follows CC (clang, clang++)
#   CFLAGS, CPPFLAGS, LDFLAGS
#   DEVELOPER=1        warnings are errors, and the library checks itself
#   PREFIX_NAMES=my_   'make lib' as a library with names of your own:
#                      my_trace2.h, my_trace2_cmd_start(), libmy_trace2.a
#   BUILD=DIR          where 'make lib' and 'make static' put what they make
#                      (build, build/static)
#   SANITIZE=LIST      address,undefined or thread
#   LINT_DEEP=gcc      'make lint' runs gcc's analyzer, too, or clang's (clang)
#   V=1                show the commands
#   T='t0210 t03'      run only tests whose names begin with one of these
#   FUZZ, FUZZ_SECONDS fuzzers that 'make fuzz' runs, and how long each
#   CHECK='gcc-tsan'   run only these configurations of 'make check'
#   ROUNDS=3           run the suite three times in each of them
#   GIT_TEST_OPTS      options for the test scripts, such as '-v -i'
#   GIT_TEST_TRACE2    record 'make test' in this directory
#   TEST_SHELL_PATH    the shell that runs the test scripts
#   JOBS               how many tests run at once
#   DESTDIR, PREFIX (or prefix), bindir, libdir, includedir, datadir, mandir
#   bashdir, zshdir, fishdir   directories of the completions
#   pythondir, perldir where modules of Python and Perl are installed

# The only versions that the public header and the installed library share.
VERSION = 0.2.0
ABI = 1
SO_VERSION = $(ABI).0.0

ifeq ($(origin CC),default)
CC = cc
endif
ifeq ($(origin CXX),default)
# The C++ compiler beside the C compiler; musl-gcc has none.
CXX := $(if $(findstring musl,$(CC)),,$(patsubst cc,c++,$(subst \
	gcc,g++,$(subst clang,clang++,$(CC)))))
endif
# "aarch64-linux-gnu-" of a compiler for another machine: so begin the names of
# its other tools, too.
CROSS := $(filter-out musl-,$(patsubst %gcc,%,$(filter %-gcc,$(CC))))
ifeq ($(origin AR),default)
AR = $(CROSS)ar
endif
# Backtraces show files, lines and functions; a developer's debugger needs
# variables, too.
CFLAGS = -O2 $(if $(DEVELOPER),-g,-g1)
DEVELOPER =
SANITIZE =
PREFIX_NAMES =
BUILD = build
SHELL_PATH = /bin/sh
PERL_PATH = /usr/bin/perl
PYTHON_PATH = /usr/bin/python3
PKG_CONFIG = $(CROSS)pkg-config $(if $(STATIC),--static)
# Set by 'make static'.
STATIC =
INSTALL = install
# One more than there are processors: tests often wait for another process. With
# '=', each command of a make below `make test` would count them again.
JOBS ?= $(shell expr 1 + $$(nproc 2>/dev/null || echo 2))

prefix = /usr/local
PREFIX = $(prefix)
bindir = $(PREFIX)/bin
libdir = $(PREFIX)/lib
includedir = $(PREFIX)/include
datadir = $(PREFIX)/share
mandir = $(datadir)/man
bashdir = $(datadir)/bash-completion/completions
zshdir = $(datadir)/zsh/site-functions
fishdir = $(datadir)/fish/vendor_completions.d
kitdir = $(datadir)/trace2-testkit
# Below PREFIX where python3 and perl search, if they do.
pythondir = $(or $(shell python3 -c 'import sys; print(*[d for d in sys.path \
	if d.startswith("$(PREFIX)/lib/python3") and d.endswith("-packages")][:1])' \
	2>/dev/null),$(PREFIX)/lib/python3/dist-packages)
perldir = $(or $(shell $(PERL_PATH) -e \
	'print grep { m{^$(datadir)/perl} && !$$n++ } @INC'),$(datadir)/perl5)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

# ---------------------------------------------------------------------------
# Sources

# Linkers take objects nearly in this order: first those that each process uses,
# tracing or not; last those that few use; each behind one that refers to it, else
# it comes at the end. So the pages that a process touches are few.
LIB_SRC := $(sort $(wildcard lib/*/*.c))
START_SRC := lib/api/init.c lib/session/start.c lib/session/settings.c \
	$(filter lib/config/%,$(LIB_SRC)) $(patsubst %,lib/session/%.c,exit \
	thread_end session) lib/part/call_before_init.c \
	$(patsubst %,lib/base/%.c,clock mask buf)
USUAL_SRC := $(filter-out $(patsubst %,lib/%.c,api/control api/gauge \
	api/metric% api/perf api/region% api/sink api/span base/build_id \
	base/call_mark base/unwind event/pieces event/span session/control% \
	session/fastpath% session/ring span/items \
	target/dest_reopen target/ring target/blank_torn_line thread/emit_span \
	thread/sink), $(foreach dir,api session thread arena span event target \
	base,$(filter lib/$(dir)/%,$(LIB_SRC))) lib/metric/def.c $(patsubst \
	%,lib/part/%.c,children copies metrics pending_errors \
	spans tasks traceparent watch))
LIB_SRC := $(START_SRC) $(filter-out $(START_SRC),$(USUAL_SRC)) \
	$(filter-out $(START_SRC) $(USUAL_SRC),$(LIB_SRC))
PUBLIC_SRC := $(sort $(wildcard lib/*.h lib/*.hpp))
TEST_TOOL_SRC := $(sort $(wildcard t/helper/*.c))
UNIT_SRC := $(sort $(wildcard t/unit/*.c))
PERF_SRC := $(sort $(wildcard t/perf/*.c))
FUZZ_SRC := $(sort $(wildcard t/fuzz/*.c))
MODULE_SRC := $(sort $(wildcard t/helper/modules/*.c))
HOST_SRC := $(sort $(wildcard t/helper/hosts/*.c))
HOST_CXX_SRC := $(sort $(wildcard t/helper/hosts/*.cc))
EXAMPLE_SRC := $(sort $(wildcard examples/*.c))
TOOL_SRC := $(sort $(wildcard tool/*.c tool/*/*.c tool/*/*/*.c))
TOOL_CXX_SRC := $(sort $(wildcard tool/*/*/*.cc))
# The parts of the page of `trace2 report --html`; main.js runs after all other
# scripts.
HTML_SRC := $(addprefix tool/export/page/,page.html style.css) $(filter-out \
	%/main.js,$(sort $(wildcard tool/export/page/*.js))) tool/export/page/main.js
# The parts of trace2.sh: the first remains with tracing off, the last one begins
# the session.
SHELL_SRC := $(addprefix lang/shell/,$(addsuffix .sh,off clock text dest event \
	span child session))
DOC_SRC := $(sort $(wildcard Documentation/*.adoc Documentation/*/*.adoc))

HAVE_CXX := $(if $(CXX),$(shell command -v $(firstword $(CXX))))
HAVE_ASCIIDOCTOR := $(shell command -v asciidoctor)

# ---------------------------------------------------------------------------
# The libraries of the command: NAME,PKG-CONFIG-MODULE,DEBIAN-PACKAGE,PURPOSE.
# If pkg-config finds the module, HAVE_NAME is defined; else the feature is
# left out.

TOOL_FEATURES = \
	SIMDJSON,simdjson,libsimdjson-dev,the-fast-parser-of-JSON \
	SQLITE3,sqlite3,libsqlite3-dev,SQL-databases \
	LIBCURL,libcurl,libcurl4-openssl-dev,sending-over-HTTP \
	LIBDW,libdw,libdw-dev,symbol-names \
	PROTOBUF_C,libprotobuf-c,libprotobuf-c-dev+protobuf-c-compiler,traces-for-Perfetto
comma := ,
empty :=
space := $(empty) $(empty)
tab := $(empty)	$(empty)
field = $(word $(1),$(subst $(comma), ,$(2)))

# pkg-config finds libraries for the system's C library: none for musl.
TOOL_FEATURES := $(if $(findstring musl,$(CC)),,$(TOOL_FEATURES))
# In the static file are two of them: simdjson has no archive, curl's needs twenty
# others, and sqlite3's would be a third of the file. There are few for other machines.
ifneq ($(STATIC),)
TOOL_FEATURES := $(if $(CROSS),,$(subst dw-dev,dw-dev+libbz2-dev,$(filter \
	LIBDW$(comma)% PROTOBUF_C$(comma)%,$(TOOL_FEATURES))))
# It does not unwind its own stack.
TOOL_CFLAGS := -DTR2_STATIC=1 -fno-asynchronous-unwind-tables
endif
# The first needs a C++ compiler, the last one that of protobuf-c.
TOOL_WANTED := $(filter-out $(if $(HAVE_CXX),,SIMDJSON$(comma)%) \
	$(if $(shell command -v protoc-c),,PROTOBUF_C$(comma)%),$(TOOL_FEATURES))
TOOL_FOUND := $(shell for row in $(TOOL_WANTED); do IFS=,; set -- $$row; \
	$(PKG_CONFIG) --exists "$$2" 2>/dev/null $(if $(STATIC),&& IFS=' ' && \
	$(CC) -static -nostdlib -Wl$(comma)-r -o /dev/null \
	$$($(PKG_CONFIG) --libs "$$2") 2>/dev/null) && echo "$$row"; done)
TOOL_MISSING := $(filter-out $(TOOL_FOUND),$(TOOL_FEATURES))
TOOL_MODULES := $(foreach row,$(TOOL_FOUND),$(call field,2,$(row)))
ifneq ($(TOOL_MODULES),)
TOOL_CFLAGS += $(shell $(PKG_CONFIG) --cflags $(TOOL_MODULES))
TOOL_LIBS := $(shell $(PKG_CONFIG) --libs $(TOOL_MODULES))
endif
TOOL_CFLAGS += $(foreach row,$(TOOL_FOUND),-DHAVE_$(call field,1,$(row))=1) \
	-DTRACE2_VERSION='"$(VERSION)"' $(if $(filter PROTOBUF_C%,$(TOOL_FOUND)),-I$(BUILD)/proto)
TOOL_LIBS += -lm
ifeq ($(filter SIMDJSON%,$(TOOL_FOUND)),)
TOOL_CXX_SRC :=
endif

# ---------------------------------------------------------------------------
# Flags

WARNINGS = -Wall -Wextra
# Warnings for both C and C++, then those for C only.
STRICT = -Werror -Wshadow -Wpointer-arith -Wwrite-strings -Wundef -Wvla \
	-Wformat=2 -Wmissing-declarations -Wcast-align -Wredundant-decls
STRICT_C = -Wstrict-prototypes -Wold-style-definition -Wmissing-prototypes \
	-Wbad-function-cast

# Calls that are errors; the lists for the command, the tests and the library
# differ.
BANNED = $(if $(DEVELOPER),-include t/lint/banned.h)
BASE_FLAGS = -D_GNU_SOURCE -fvisibility=hidden -pthread -Ilib $(WARNINGS)
ifneq ($(DEVELOPER),)
BASE_FLAGS += $(STRICT) -DTR2_DEVELOPER=1
C_ONLY = $(STRICT_C)
endif
# musl-gcc does not search the directory of the kernel's headers, whose other
# headers belong to another C library.
ifneq ($(findstring musl,$(CC)),)
KERNEL := $(BUILD)/kernel-headers
KERNEL_DIRS := $(foreach name,linux asm asm-generic,$(firstword \
	$(wildcard /usr/include/$(name) /usr/include/*/$(name))))
$(shell mkdir -p $(KERNEL) && ln -sfn -t $(KERNEL) $(KERNEL_DIRS))
BASE_FLAGS += -idirafter $(KERNEL)
endif
ifneq ($(SANITIZE),)
SANITIZE_FLAGS = -fsanitize=$(SANITIZE) -fno-omit-frame-pointer
endif

C_FLAGS = -std=c11 $(BASE_FLAGS) $(C_ONLY) $(CPPFLAGS) $(CFLAGS) \
	$(SANITIZE_FLAGS)
CXX_FLAGS = -std=c++17 $(BASE_FLAGS) $(CPPFLAGS) $(CFLAGS) $(SANITIZE_FLAGS)
# The same objects are used for the archive and the shared library.
PIC_FLAGS = -fPIC -fno-semantic-interposition
# See lib/base/tls.h.
TLS_FLAGS := $(if $(filter x86_64%,$(shell $(CC) -dumpmachine)),-std=gnu11 \
	-mno-red-zone -fomit-frame-pointer -DTR2_NO_RED_ZONE)
LIB_FLAGS = $(PIC_FLAGS) $(TLS_FLAGS) $(BANNED) -DTR2_IN_LIBRARY \
	$(if $(PREFIX_NAMES),-include $(NAMES_H))
TOOL_FLAGS = -Itool $(TOOL_CFLAGS) $(BANNED)
TEST_FLAGS = $(BANNED) -DTR2_IN_TESTS -Wno-unused-parameter
LINK_FLAGS = -pthread $(SANITIZE_FLAGS) -Wl,--as-needed $(if \
	$(STATIC),-static -s $(addprefix -Wl$(comma)--wrap=,dlopen getpwuid)) $(LDFLAGS)
# With a sanitizer, whose runtime is in the program, the shared library has
# undefined symbols by design.
# Its calls of its own functions never reach a host's function of the same name.
# Variables have to give way: a program has copies of them.
SO_FLAGS = -shared -Wl,-Bsymbolic-functions,-z,relro,-z,now,-z,nodelete \
	$(if $(SANITIZE),,-Wl$(comma)-z$(comma)defs)
# Programs find the library relative to themselves, wherever the tree is.
RPATH = -Wl,-rpath,'$$ORIGIN/../lib'

# Names of the library begin with the prefix, public and private ones, so that
# it can be linked into a program that has functions of these names: public files
# by RENAME, its sources by the macros of NAMES_H.
P = $(PREFIX_NAMES)
P_UPPER := $(shell echo '$(P)' | tr a-z A-Z)
RENAME = sed -e 's/\<trace2_/$(P)trace2_/g' -e 's/\<TRACE2_/$(P_UPPER)TRACE2_/g' \
	-e 's/\<trace2\.h/$(P)&/g' -e 's/\<trace2::/$(P)&/g' \
	-e 's/namespace trace2/namespace $(P)trace2/'
NAMES_H = $(BUILD)/lib/$(P)names.h
# Only the library is built otherwise than by the variables above, or elsewhere.
LIB_ONLY := $(PREFIX_NAMES)$(if $(STATIC),,$(filter-out build,$(BUILD)))

# Each configuration has a directory for its objects, so that switching between
# two compiles nothing again.
quote = '$(subst ','\'',$(1))'
CONFIG_TEXT = $(CC) $(C_FLAGS) $(CXX) $(CXX_FLAGS) $(LIB_FLAGS)
CONFIG := $(notdir $(firstword $(CC)))$(if $(DEVELOPER),-dev)$(if \
	$(SANITIZE),-$(subst $(comma),-,$(SANITIZE)))-$(firstword \
	$(shell printf %s $(call quote,$(CONFIG_TEXT)) | cksum))
OBJ := $(BUILD)/obj/$(CONFIG)
TOOL_OBJ := $(subst $(space),-,$(OBJ)/with $(TOOL_MODULES) $(VERSION))

# ---------------------------------------------------------------------------
# How this was built, for shell scripts to read.  It is written only when
# its content changes, and all linked files depend on it.

define BUILD_OPTIONS
# Written by make: how this tree was built last.
CC=$(call quote,$(CC))
CXX=$(call quote,$(CXX))
CFLAGS=$(call quote,$(CFLAGS))
CPPFLAGS=$(call quote,$(CPPFLAGS))
LDFLAGS=$(call quote,$(LDFLAGS))
DEVELOPER=$(call quote,$(DEVELOPER))
SANITIZE=$(call quote,$(SANITIZE))
SHELL_PATH=$(call quote,$(SHELL_PATH))
PERL_PATH=$(call quote,$(PERL_PATH))
PYTHON_PATH=$(call quote,$(PYTHON_PATH))
TRACE2_VERSION=$(call quote,$(VERSION))
TRACE2_ABI=$(call quote,$(ABI))
TOOL_FEATURES=$(call quote,$(foreach row,$(TOOL_FOUND),$(call field,1,$(row))))
CONFIG=$(call quote,$(CONFIG))
LINK_FLAGS=$(call quote,$(LINK_FLAGS))
TOOL_OBJ=$(call quote,$(TOOL_OBJ))
TOOL_LIBS=$(call quote,$(TOOL_LIBS))
SOURCES=$(call quote,$(LIB_SRC) $(TEST_TOOL_SRC) $(TOOL_SRC) $(TOOL_CXX_SRC))
endef

ifneq ($(file <$(BUILD)/build-options),$(BUILD_OPTIONS))
$(BUILD)/build-options: FORCE
endif
$(BUILD)/build-options:
	@$(shell mkdir -p $(BUILD))$(file >$@,$(BUILD_OPTIONS)):

# ---------------------------------------------------------------------------
# Rules

ifeq ($(V),)
say = @echo '    $(1)' $@;
else
say =
endif

# $(call objects,SOURCES)
objects = $(addsuffix .o,$(addprefix $(OBJ)/,$(basename $(1))))

LIB_OBJ := $(call objects,$(LIB_SRC))
TEST_TOOL_OBJ := $(call objects,$(TEST_TOOL_SRC))
# Those called tool-NAME test the command.
UNIT_TOOL_SRC := $(filter t/unit/tool-%,$(UNIT_SRC))
UNIT_OBJ := $(call objects,$(filter-out $(UNIT_TOOL_SRC),$(UNIT_SRC))) \
	$(addprefix $(TOOL_OBJ)/,$(UNIT_TOOL_SRC:.c=.o))
PERF_OBJ := $(call objects,$(PERF_SRC))
MODULE_OBJ := $(call objects,$(MODULE_SRC))
HOST_OBJ := $(call objects,$(HOST_SRC))
HOST_CXX_OBJ := $(call objects,$(HOST_CXX_SRC))
EXAMPLE_OBJ := $(call objects,$(EXAMPLE_SRC))
TOOL_C_OBJ := $(addprefix $(TOOL_OBJ)/,$(TOOL_SRC:.c=.o))
TOOL_CXX_OBJ := $(addprefix $(TOOL_OBJ)/,$(TOOL_CXX_SRC:.cc=.o))
PROTO := $(if $(filter PROTOBUF_C%,$(TOOL_FOUND)),$(BUILD)/proto/perfetto.pb-c)
GENERATED_OBJ := $(TOOL_OBJ)/html-parts.o $(TOOL_OBJ)/syscall-names.o \
	$(if $(PROTO),$(TOOL_OBJ)/perfetto.pb-c.o)
FUZZ_OBJ := $(addprefix $(TOOL_OBJ)/,$(FUZZ_SRC:.c=.o))

A = $(BUILD)/lib/lib$(P)trace2.a
SO = $(BUILD)/lib/lib$(P)trace2.so
MAP = $(BUILD)/lib/lib$(P)trace2.map
INCLUDES = $(PUBLIC_SRC:lib/%=$(BUILD)/include/$(P)%)
TOOL = $(BUILD)/bin/trace2
COMPLETIONS = build/completion/bash build/completion/zsh build/completion/fish
TEST_TOOL = t/helper/test-tool
UNITS = $(patsubst t/unit/%.c,build/unit/%,$(UNIT_SRC))
PERFS = $(patsubst t/perf/%.c,build/perf/%,$(PERF_SRC))
MODULES = $(patsubst t/helper/modules/%.c,build/modules/%.so,$(MODULE_SRC))
HOSTS = $(patsubst t/helper/hosts/%.c,build/hosts/%,$(HOST_SRC))
HOSTS_CXX = $(if $(HAVE_CXX),$(patsubst \
	t/helper/hosts/%.cc,build/hosts/%,$(HOST_CXX_SRC)))
EXAMPLES = $(patsubst examples/%.c,build/examples/%,$(EXAMPLE_SRC))
REPLAY = build/fuzz/replay

.PHONY: all lib static tests test check accuracy bench fuzz fuzz-program lint generate demo picture docs install install-lib uninstall dist clean help
.PHONY: FORCE

## all: the library and the command (default)
all: $(if $(LIB_ONLY),,$(TOOL)) lib build/bin/trace2.sh

## lib: the library and its headers alone, in BUILD/lib and BUILD/include
lib: $(A) $(SO) $(INCLUDES)

## static: the command as one file, build/static/bin/trace2; CC=musl-gcc, CC=aarch64-linux-gnu-gcc
static:
	@+$(MAKE) --no-print-directory STATIC=1 \
		BUILD=$(if $(filter build,$(BUILD)),build/static,$(BUILD)) \
		$(if $(filter build,$(BUILD)),build/static,$(BUILD))/bin/trace2

## tests: the programs that tests run, too
tests: all $(EXAMPLES) $(TEST_TOOL) $(UNITS) $(MODULES) $(HOSTS) $(HOSTS_CXX) \
	$(REPLAY) build/generated/.stamp

# Calls of libc without the linkage table are faster: after a system call, each
# page and line of code is one that the processor must find again. But the dynamic
# linker looks up such functions at the start of the program, tracing or not, for
# 550 instructions each: so only in the files that frequent events pass.
HOT = api/region api/region_at event/render event/render_json event/render_text ring/ring \
	session/call session/fastpath thread/emit thread/enter thread/region
$(HOT:%=$(OBJ)/lib/%.o): LIB_FLAGS += -fno-plt
$(OBJ)/lib/base/bind.o: LIB_FLAGS += -fno-builtin
# The halves of a span's handle stay in two registers: to join them in a vector,
# the processor would wait for both to be on the stack.
SPANS = api/span span/items span/table thread/emit_span
$(SPANS:%=$(OBJ)/lib/%.o): LIB_FLAGS += -fno-tree-slp-vectorize

$(BUILD)/include/$(P)%: lib/% $(BUILD)/build-options
	@$(RENAME) $< >$@

$(MAP): lib/libtrace2.map $(BUILD)/build-options
	@$(RENAME) $< >$@

# Every word of the sources that may be a name, but macros.
$(NAMES_H): $(LIB_SRC) $(PUBLIC_SRC) $(wildcard lib/*/*.h lib/*/*.def) Makefile
	@sed -n 's/^ *# *define *\(tr[ace]*2_[a-z0-9_]*\).*/\1/p' $(filter \
		lib/%,$^) >$@.macros
	@cat $(filter lib/%,$^) | tr -cs A-Za-z0-9_ '\n' | \
		grep -e '^trace2_.' -e '^tr2_.' | sort -u | \
		grep -v -x -F -f $@.macros | sed 's/.*/#define & $(P)&/' >$@
	@rm $@.macros

$(if $(P),$(LIB_OBJ): $(NAMES_H))

$(OBJ)/lib/%.o: lib/%.c
	$(call say,CC)$(CC) $(C_FLAGS) $(LIB_FLAGS) -MMD -MP -c -o $@ $<

$(OBJ)/t/helper/modules/%.o: t/helper/modules/%.c
	$(call say,CC)$(CC) $(C_FLAGS) $(PIC_FLAGS) -MMD -MP -c -o $@ $<

# Keep functions as separate calls in samples, as the documents show them.
$(EXAMPLE_OBJ): C_FLAGS += -fno-inline-functions -fno-optimize-sibling-calls

$(OBJ)/%.o: %.c
	$(call say,CC)$(CC) $(C_FLAGS) $(TEST_FLAGS) -MMD -MP -c -o $@ $<

$(OBJ)/%.o: %.cc
	$(call say,CXX)$(CXX) $(CXX_FLAGS) -MMD -MP -c -o $@ $<

$(TOOL_OBJ)/tool/%.o: tool/%.c
	$(call say,CC)$(CC) $(C_FLAGS) $(TOOL_FLAGS) -MMD -MP -c -o $@ $<

$(TOOL_OBJ)/t/fuzz/%.o: t/fuzz/%.c
	$(call say,CC)$(CC) $(C_FLAGS) $(TOOL_FLAGS) $(TEST_FLAGS) -MMD -MP -c -o $@ $<

$(TOOL_OBJ)/t/unit/%.o: t/unit/%.c
	$(call say,CC)$(CC) $(C_FLAGS) $(TOOL_FLAGS) $(TEST_FLAGS) -MMD -MP -c -o $@ $<

$(TOOL_OBJ)/tool/%.o: tool/%.cc
	$(call say,CXX)$(CXX) $(CXX_FLAGS) -Itool $(TOOL_CFLAGS) -MMD -MP \
		-c -o $@ $<

# Only the reader and the model gain from more optimisation, which takes a
# third of the time of the compiler. A caller's CFLAGS hold everywhere.
$(filter-out $(addprefix $(TOOL_OBJ)/tool/,read/% format/% model/% common/%), \
	$(TOOL_C_OBJ)): CFLAGS := $(CFLAGS:-O2=-O1)

build/bin/trace2.sh: $(SHELL_SRC)
	@mkdir -p $(@D)
	$(call say,JOIN)cat $(SHELL_SRC) >$@.$$$$ && mv $@.$$$$ $@

# Turn text files into C strings, line by line.
$(BUILD)/html-parts.c: $(HTML_SRC) Makefile
	$(call say,GEN){ echo '#include "export/page/html.h"' && \
		echo 'const struct tr2_html_part tr2_html_parts[] = {' && \
		for file in $(HTML_SRC); do \
			printf '{ "%s",\n' "$$file" && \
			sed 's/[\\"]/\\&/g; s/?/\\?/g; s/.*/"&\\n"/' "$$file" && \
			echo '},' || exit 1; \
		done && echo '{ NULL, NULL } };'; } >$@

# System calls by number: each C library has its own list.
$(OBJ)/syscall-names.c: Makefile
	@mkdir -p $(@D)
	$(call say,GEN){ echo '#include <sys/syscall.h>' && \
		echo 'extern const char *const tr2_syscall_names[];' && \
		echo 'extern const unsigned int tr2_nr_syscall_names;' && \
		echo 'const char *const tr2_syscall_names[] = {' && \
		echo '#include <sys/syscall.h>' | $(CC) $(CFLAGS) -E -dM - | \
		sed -n '/_NR_arch_specific_syscall /d; /_NR_syscalls /d; s/^#define __NR_\([a-z][a-z0-9_]*\) .*/[__NR_\1] = "\1",/p' && \
		echo '}; const unsigned int tr2_nr_syscall_names = sizeof(tr2_syscall_names) / sizeof(*tr2_syscall_names);'; } >$@

# The part of Perfetto's format that is written, as structs.
ifneq ($(PROTO),)
$(PROTO).h: tool/export/profile/perfetto.proto Makefile
	@mkdir -p $(@D)
	$(call say,GEN)protoc-c --proto_path=$(<D) --c_out=$(@D) $(<F)
$(PROTO).c: $(PROTO).h ;
$(TOOL_OBJ)/tool/export/profile/perfetto.o: $(PROTO).h
$(TOOL_OBJ)/perfetto.pb-c.o: $(PROTO).c
endif

$(TOOL_OBJ)/html-parts.o: $(BUILD)/html-parts.c
$(TOOL_OBJ)/syscall-names.o: $(OBJ)/syscall-names.c
$(GENERATED_OBJ):
	$(call say,CC)$(CC) $(C_FLAGS) -Itool $(TOOL_CFLAGS) -MMD -MP -c -o $@ $<

$(A): $(LIB_OBJ) $(BUILD)/build-options
	@rm -f $@
	$(call say,AR)$(AR) rcs $@ $(LIB_OBJ)

$(SO).$(SO_VERSION): $(LIB_OBJ) $(MAP) $(BUILD)/build-options
	$(call say,LINK)$(CC) $(SO_FLAGS) -Wl,-soname,$(notdir $(SO)).$(ABI) \
		-Wl,--version-script=$(MAP) -o $@ $(LIB_OBJ) $(LINK_FLAGS)

$(SO): $(SO).$(SO_VERSION)
	@ln -sf $(<F) $@.$(ABI) && ln -sf $(<F) $@

# A module loaded by test-tool uses test-tool's copy of the library.
t/helper/test-tool: $(TEST_TOOL_OBJ) $(A) build/build-options
	$(call say,LINK)$(CC) -rdynamic -o $@ $(TEST_TOOL_OBJ) $(A) $(LINK_FLAGS)

# The files that take longest to compile come first.
$(TOOL): $(TOOL_CXX_OBJ) $(TOOL_C_OBJ) $(GENERATED_OBJ) $(A) $(BUILD)/build-options
	@$(foreach row,$(TOOL_MISSING),echo >&2 "trace2: built without $(subst \
		-, ,$(call field,4,$(row))): Debian package $(call \
		field,3,$(row)) brings it";) :
	$(call say,LINK)$(if $(TOOL_CXX_OBJ),$(CXX),$(CC)) -o $@ $(TOOL_C_OBJ) $(GENERATED_OBJ) \
		$(TOOL_CXX_OBJ) $(A) $(LINK_FLAGS) $(TOOL_LIBS)

# One called shared-NAME is linked with the shared library, as users do.
build/perf/shared-%: $(OBJ)/t/perf/shared-%.o $(SO) build/build-options
	$(call say,LINK)$(CC) -o $@ $< $(LINK_FLAGS) $(RPATH) \
		-Lbuild/lib -ltrace2

# Unit tests and benchmarks use private functions, so they need the archive.
UNITS_TOOL = $(UNIT_TOOL_SRC:t/%.c=build/%)
$(filter-out $(UNITS_TOOL),$(UNITS)) $(filter-out build/perf/shared-%,$(PERFS)): build/%: $(OBJ)/t/%.o $(A) build/build-options
	$(call say,LINK)$(CC) -o $@ $< $(A) $(LINK_FLAGS)

# A module called bare-NAME is linked without the library: its symbols are
# resolved in the program that loads it, or not at all.
build/modules/bare-%.so: $(OBJ)/t/helper/modules/bare-%.o build/build-options
	$(call say,LINK)$(CC) -shared -o $@ $< $(LINK_FLAGS)

# One called static-NAME contains the library.
build/modules/static-%.so: $(OBJ)/t/helper/modules/static-%.o $(A) \
		build/build-options
	$(call say,LINK)$(CC) -shared -o $@ $< $(A) $(LINK_FLAGS)

build/modules/%.so: $(OBJ)/t/helper/modules/%.o $(SO) build/build-options
	$(call say,LINK)$(CC) -shared -o $@ $< $(LINK_FLAGS) $(RPATH) \
		-Lbuild/lib -ltrace2

$(HOSTS): build/hosts/%: $(OBJ)/t/helper/hosts/%.o $(SO) build/build-options
	$(call say,LINK)$(CC) -o $@ $< $(LINK_FLAGS) $(RPATH) \
		-Lbuild/lib -ltrace2

$(HOSTS_CXX): build/hosts/%: $(OBJ)/t/helper/hosts/%.o $(SO) \
		build/build-options
	$(call say,LINK)$(CXX) -o $@ $< $(LINK_FLAGS) $(RPATH) \
		-Lbuild/lib -ltrace2

$(EXAMPLES): build/examples/%: $(OBJ)/examples/%.o $(SO) build/build-options
	$(call say,LINK)$(CC) -o $@ $< $(LINK_FLAGS) $(RPATH) \
		-Lbuild/lib -ltrace2

# All objects for fuzzers and unit tests: everything but the commands.
FUZZED = $(filter-out $(addprefix $(TOOL_OBJ)/tool/,main.o cmd/% report/% top/% \
	check/% script/% bisect/%),$(TOOL_C_OBJ)) \
	$(GENERATED_OBJ) $(TOOL_CXX_OBJ) $(LIB_OBJ)
LINK_FUZZ = $(if $(TOOL_CXX_OBJ),$(CXX),$(CC)) -o $@ $(filter-out \
	%/$(if $(1),replay,libfuzzer).o,$(FUZZ_OBJ)) $(FUZZED) $(LINK_FLAGS) \
	$(1) $(TOOL_LIBS)

$(UNITS_TOOL): build/%: $(TOOL_OBJ)/t/%.o $(FUZZED) build/build-options
	$(call say,LINK)$(if $(TOOL_CXX_OBJ),$(CXX),$(CC)) -o $@ $< $(FUZZED) \
		$(LINK_FLAGS) $(TOOL_LIBS)

build/fuzz/replay: $(FUZZ_OBJ) $(FUZZED) build/build-options
	$(call say,LINK)$(call LINK_FUZZ)

# In the directory of its objects: building it changes no other build.
$(OBJ)/fuzz: $(FUZZ_OBJ) $(FUZZED)
	$(call say,LINK)$(call LINK_FUZZ,-fsanitize=fuzzer)

fuzz-program: $(OBJ)/fuzz
	@mkdir -p build/fuzz && ln -f $< build/fuzz/fuzz

# Create directories before the files in them.
ifneq ($(LIB_ONLY),)
OBJECTS = $(LIB_OBJ)
PROGRAMS = $(A) $(SO).$(SO_VERSION)
else
OBJECTS = $(LIB_OBJ) $(TOOL_C_OBJ) $(TOOL_CXX_OBJ) $(GENERATED_OBJ) $(TEST_TOOL_OBJ) \
	$(UNIT_OBJ) $(PERF_OBJ) $(MODULE_OBJ) $(HOST_OBJ) $(HOST_CXX_OBJ) \
	$(EXAMPLE_OBJ) $(FUZZ_OBJ)
PROGRAMS = $(A) $(SO).$(SO_VERSION) $(TOOL) $(EXAMPLES) $(UNITS) $(PERFS) \
	$(MODULES) $(HOSTS) $(HOSTS_CXX) $(REPLAY) $(COMPLETIONS)
endif
PROGRAMS += $(INCLUDES) $(MAP) $(if $(P),$(NAMES_H))
DIRS := $(sort $(dir $(OBJECTS) $(PROGRAMS)))
$(OBJECTS) $(PROGRAMS): | $(DIRS)
$(DIRS):
	@mkdir -p $@

-include $(OBJECTS:.o=.d)

# ---------------------------------------------------------------------------
# Tests

## test: build everything and run the suite; T='t0210 t03' selects
test: tests
	@T=$(call quote,$(T)) JOBS=$(JOBS) $(SHELL_PATH) t/run-tests

## check: run the suite under every compiler, sanitizer, valgrind and shell
check:
	@MAKE=$(call quote,$(MAKE)) T=$(call quote,$(T)) \
		CHECK=$(call quote,$(CHECK)) ROUNDS=$(call quote,$(ROUNDS)) \
		$(SHELL_PATH) t/run-check

## bench: build the benchmarks and run t/perf/run, with the options in BENCH
bench: all $(PERFS) $(MODULES)
	@$(SHELL_PATH) t/perf/run $(BENCH)

## accuracy: compare critical paths, and what-if, with what they must be
accuracy: $(TOOL) build/unit/tool-states
	@mkdir -p build/accuracy
	@for name in programs busy; do \
		$(CC) -O1 -pthread -o build/accuracy/$$name t/accuracy/$$name.c || \
		exit 1; done
	@$(PERL_PATH) t/accuracy/run $(CURDIR)/$(TOOL) $(CURDIR)/build/unit/tool-states \
		$(CURDIR)/build/accuracy/programs \
		"$${TMPDIR:-/tmp}/trace2-accuracy"
	@echo
	@$(PERL_PATH) t/accuracy/what-if $(CURDIR)/$(TOOL) \
		$(CURDIR)/build/accuracy/busy "$${TMPDIR:-/tmp}/trace2-what-if"

## fuzz: run every fuzzer, or those in FUZZ, for FUZZ_SECONDS (60) each
fuzz:
	@MAKE=$(call quote,$(MAKE)) FUZZ=$(call quote,$(FUZZ)) \
		FUZZ_SECONDS=$(call quote,$(FUZZ_SECONDS)) JOBS=$(JOBS) \
		$(SHELL_PATH) t/fuzz/run

## lint: check the sources by the rules in t/lint
lint: tests
	@$(shell mkdir -p build/lint)$(file >build/lint/files,$(LINT_FILES)):
	@LINT_FLAGS=$(call quote,$(LINT_FLAGS)) LINT_DEEP=$(call quote,$(LINT_DEEP)) \
		JOBS=$(JOBS) $(SHELL_PATH) t/lint/run

## generate: update the scrubbers' copy of the table of events
generate: $(TEST_TOOL)
	@$(TEST_TOOL) events perl >build/Events.pm && \
		mv build/Events.pm scrub/lib/Trace2/Events.pm

## demo: record git log and git clone, and show where their time went
demo: all $(EXAMPLES)
	@$(SHELL_PATH) examples/demo.sh

# Where `make picture` writes to.
PICTURE = Documentation/picture/page.png

## picture: the picture of the page in README.md; needs Chromium and ChromeDriver
picture: $(TOOL)
	@$(PERL_PATH) t/t3600/picture.perl $(TOOL) \
		Documentation/picture/build.tar.gz $(call quote,$(PICTURE))

## docs: the documents as HTML and man pages, in build/docs
docs: $(if $(DOC_SRC),build/docs/.stamp)

# Parts of pages, made from the tables of events, settings and options.
build/generated/.stamp: $(TOOL) $(TEST_TOOL)
	@mkdir -p $(@D)
	@for name in meta tasks; do \
		$(PERL_PATH) t/helper/table-adoc.perl \
			tool/format/recording/$$name.def \
			>$(@D)/recording-$$name.adoc || exit 1; \
	done
	$(call say,GEN)cd $(@D) && ../../$(TEST_TOOL) events adoc >events.adoc && \
		set -- ../../$(TOOL) help && \
		"$$@" --asciidoc settings >settings.adoc && \
		"$$@" --asciidoc >commands.adoc && \
		for name in $$("$$@" --commands); do \
			"$$@" --asciidoc $$name >options-$$name.adoc || exit 1; \
		done && touch $(@F)

MAN_SRC = $(if $(DOC_SRC),$(shell grep -l '^:doctype: manpage' $(DOC_SRC)))
build/docs/.stamp: $(DOC_SRC) $(if $(HAVE_ASCIIDOCTOR),build/generated/.stamp)
	@if test -n "$(HAVE_ASCIIDOCTOR)"; then \
		mkdir -p $(@D) && \
		echo '    DOCS $(@D)' && \
		asciidoctor --failure-level=WARN -R Documentation -D $(@D) \
			$(DOC_SRC) && \
		$(if $(MAN_SRC),asciidoctor --failure-level=WARN -b manpage \
			-D $(@D)/man $(MAN_SRC) &&) \
		touch $@; \
	else \
		echo >&2 'trace2: documents left out: Debian package' \
			'asciidoctor brings what makes them'; \
	fi

# The files to analyse: each preceded by the dependencies of its object. They
# are analysed as shipped, whatever the last build was.
LINT_FLAGS = -std=c11 -D_GNU_SOURCE -Ilib -Itool $(filter-out \
	-DTRACE2_VERSION=%,$(TOOL_CFLAGS)) -DTRACE2_VERSION="0"
LINT_FILES = $(foreach object,$(LIB_OBJ) $(TOOL_C_OBJ) $(TEST_TOOL_OBJ) \
	$(UNIT_OBJ) $(FUZZ_OBJ) $(EXAMPLE_OBJ),$(object:.o=.d) $(patsubst \
	$(OBJ)/%.o,%.c,$(patsubst $(TOOL_OBJ)/%.o,%.c,$(object))))

# ---------------------------------------------------------------------------
# Installation

# Completions for shells. Two installations at the same time may both write
# them.
$(COMPLETIONS): $(TOOL)
	$(call say,MAKE)$(TOOL) help --completion $(@F) >$@.$$$$ && \
		mv $@.$$$$ $@

# The parts of the harness for use in any project.
KIT = $(addprefix t/,test-lib.sh test-lib-functions.sh lib-run.sh lib-prereq.sh \
	lib-leftover.sh lib-sanitizer.sh lib-timeline.sh \
	lib-valgrind.sh lib-terminal.sh lib-trace2.sh chainlint.awk)

# Directories in a .pc file are relative to its prefix if possible.
PC = $(RENAME) -e 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' \
	-e 's|@includedir@|$(includedir)|; s|@libdir@|$(libdir)|' \
	-e 's|@kitdir@|$(kitdir)|; s|=$(PREFIX)/|=$${prefix}/|' \
	-e 's/^\(Name\|Requires\): trace2/\1: $(P)trace2/; s/-ltrace2/-l$(P)trace2/'

# Quoted for the shell, as it may contain blanks; the directories below cannot.
DEST = $(call quote,$(DESTDIR))

# Update the loader's cache, if root installed into a directory of the loader's;
# in others it would not find the library even then.
UPDATE_LOADER = if test "$$(id -u)" = 0 && ldconfig -NXv 2>/dev/null | \
	sed -n 's|^\(/[^:]*\):.*|\1|p' | while read -r dir; do \
		test ! "$$dir" -ef "$(libdir)" || echo known; \
	done | grep -q known; then ldconfig; fi

# Say which variables a user needs so that the library and the modules are found.
SAY_UNSEARCHED = @pkg-config --exists trace2 2>/dev/null || \
	echo "for cc with pkg-config, set PKG_CONFIG_PATH=$(libdir)/pkgconfig"; \
	ldconfig -p 2>/dev/null | grep -q ' => $(libdir)/libtrace2' || \
	echo "for programs with -ltrace2, set LD_LIBRARY_PATH=$(libdir)"; \
	(cd / && python3 -c 'import trace2') 2>/dev/null || \
	echo "for Python's module trace2, set PYTHONPATH=$(pythondir)"; \
	$(PERL_PATH) -MApp::Prove::Plugin::Trace2 -e1 2>/dev/null || \
	echo "for prove -PTrace2, set PERL5LIB=$(perldir)"

# In the order of use: trace2.pc is required by the other.
MODULES_PC = trace2 trace2-perf

## install-lib: library and headers alone
install-lib: lib
	$(INSTALL) -d $(DEST)$(includedir) $(DEST)$(libdir)/pkgconfig
	$(INSTALL) -m 644 $(INCLUDES) $(DEST)$(includedir)
	$(INSTALL) -m 644 $(A) $(SO).$(SO_VERSION) $(DEST)$(libdir)
	ln -sf $(notdir $(SO)).$(SO_VERSION) $(DEST)$(libdir)/$(notdir $(SO)).$(ABI)
	ln -sf $(notdir $(SO)).$(ABI) $(DEST)$(libdir)/$(notdir $(SO))
	for name in $(MODULES_PC); do \
		$(PC) lib/$$name.pc.in >$(DEST)$(libdir)/pkgconfig/$(P)$$name.pc || \
		exit 1; \
	done
	$(if $(DESTDIR),,$(UPDATE_LOADER))

ifneq ($(LIB_ONLY),)
install: install-lib
else
## install: library, command, pages, completions, test kit under PREFIX (/usr/local), below DESTDIR
install: install-lib $(TOOL) $(COMPLETIONS) build/bin/trace2.sh docs
	$(INSTALL) -D -m 755 $(TOOL) $(DEST)$(bindir)/trace2
	$(INSTALL) -m 755 build/bin/trace2.sh $(DEST)$(bindir)
	$(INSTALL) -d $(DEST)$(pythondir)/trace2
	$(INSTALL) -m 644 lang/python/trace2/*.py $(DEST)$(pythondir)/trace2
	$(INSTALL) -D -m 644 lang/perl/App/Prove/Plugin/Trace2.pm \
		$(DEST)$(perldir)/App/Prove/Plugin/Trace2.pm
	$(INSTALL) -D -m 644 build/completion/bash $(DEST)$(bashdir)/trace2
	$(INSTALL) -D -m 644 build/completion/zsh $(DEST)$(zshdir)/_trace2
	$(INSTALL) -D -m 644 build/completion/fish $(DEST)$(fishdir)/trace2.fish
	for page in build/docs/man/*.[1-9]; do \
		test ! -f "$$page" || $(INSTALL) -D -m 644 "$$page" \
			$(DEST)$(mandir)/man"$${page##*.}/$${page##*/}" || \
		exit 1; \
	done
	$(INSTALL) -d $(DEST)$(kitdir)/t $(DEST)$(kitdir)/scrub/lib/Trace2 \
		$(DEST)$(datadir)/pkgconfig
	$(INSTALL) -m 644 t/testkit.sh $(DEST)$(kitdir)
	$(INSTALL) -m 644 $(KIT) $(DEST)$(kitdir)/t
	$(INSTALL) -m 755 t/lib-terminal.perl $(DEST)$(kitdir)/t
	$(INSTALL) -m 755 scrub/*.perl $(DEST)$(kitdir)/scrub
	$(INSTALL) -m 644 scrub/lib/Trace2/*.pm $(DEST)$(kitdir)/scrub/lib/Trace2
	$(PC) t/trace2-testkit.pc.in >$(DEST)$(datadir)/pkgconfig/trace2-testkit.pc
	$(if $(DESTDIR),,$(SAY_UNSEARCHED))
endif

# Install into an empty directory to find the files to remove.
## uninstall: remove the installed files
uninstall:
	rm -rf build/uninstall
	$(MAKE) -s install DESTDIR=build/uninstall
	find build/uninstall ! -type d | while read -r file; do \
		rm -f $(DEST)"$${file#build/uninstall}"; \
	done
	for dir in $(kitdir) $(pythondir)/trace2 $(perldir)/App; do \
		test ! -d $(DEST)$$dir || \
			find $(DEST)$$dir -type d -empty -delete; \
	done
	rm -rf build/uninstall

# The commit that a tarball is made from.
REF = v$(VERSION)

## dist: the release as build/trace2-VERSION.tar.gz, from its tag or from REF=HEAD
dist:
	@git rev-parse -q --verify $(call quote,$(REF)^{commit}) >/dev/null || { \
		echo >&2 "make dist: there is no commit $(REF):" \
			"tag the release, or give REF=HEAD"; exit 1; }
	@mkdir -p build
	git archive --prefix=trace2-$(VERSION)/ $(call quote,$(REF)) | \
		gzip -9n >build/trace2-$(VERSION).tar.gz

## clean: remove all built files
clean:
	rm -rf build t/helper/test-tool t/trash\ directory.*

## help: this list
help:
	@sed -n 's/^## //p' Makefile
	@echo
	@sed -n '/^# Variables that/,/^$$/s/^# *//p' Makefile
