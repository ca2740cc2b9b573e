/* SPDX-License-Identifier: MIT */
extern const char git_version_string[];
