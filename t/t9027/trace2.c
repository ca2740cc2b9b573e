/* SPDX-License-Identifier: MIT */
#error "this is the tracer that the adapter replaces"
