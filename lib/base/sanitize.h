/* SPDX-License-Identifier: MIT */
/*
 * TR2_TSAN is 1 in a build for ThreadSanitizer, which sees neither inline
 * assembly nor fences; tr2_fence() is one elsewhere.
 */
#ifndef TR2_BASE_SANITIZE_H
#define TR2_BASE_SANITIZE_H

#if defined(__SANITIZE_THREAD__)
#define TR2_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TR2_TSAN 1
#endif
#endif
#ifndef TR2_TSAN
#define TR2_TSAN 0
#endif

#if TR2_TSAN
#define tr2_fence(order) __atomic_signal_fence(order)
#else
#define tr2_fence(order) __atomic_thread_fence(order)
#endif

#endif
