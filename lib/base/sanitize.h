/* SPDX-License-Identifier: MIT */
/*
 * TR2_TSAN is 1 in a build for ThreadSanitizer, which does not see inline
 * assembly or fences; in other builds tr2_fence() is a fence. TR2_ASAN is 1 in
 * a build for AddressSanitizer, which may keep variables outside the stack.
 */
#pragma once

#if defined(__SANITIZE_THREAD__)
#define TR2_TSAN 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TR2_ASAN 1
#endif
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TR2_TSAN 1
#endif
#if __has_feature(address_sanitizer)
#define TR2_ASAN 1
#endif
#endif
#ifndef TR2_TSAN
#define TR2_TSAN 0
#endif
#ifndef TR2_ASAN
#define TR2_ASAN 0
#endif

#if TR2_TSAN
#define tr2_fence(order) __atomic_signal_fence(order)
#else
#define tr2_fence(order) __atomic_thread_fence(order)
#endif
