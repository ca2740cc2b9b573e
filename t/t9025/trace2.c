/* SPDX-License-Identifier: MIT */
/* A part of the tracer that is removed: it does not compile. */
#error "this is the tracer that the adapter replaces"
