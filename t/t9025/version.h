/* SPDX-License-Identifier: MIT */
/* What the adapter uses of this header of Git; written for the test. */
extern const char git_version_string[];
