/* Which vector instructions there are: those of every processor of the kind, and wider ones of newer processors. */
/* SPDX-License-Identifier: MIT */
#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

#if defined(SCAN_PORTABLE) || defined(SCAN_NO_VECTOR)
/* plain byte loops */
#elif defined(__SSE2__)
#define SCAN_SSE2 1
#include <immintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define SCAN_NEON 1
#include <arm_neon.h>
#endif

/* Functions that are SCAN_WIDE_CODE may use more instructions than every processor has, and may
 * only be called when scan_wide_here. */
#if defined(SCAN_SSE2) && defined(__x86_64__) && defined(__GNUC__)
#define SCAN_WIDE_CODE __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt,pclmul")))
#define SCAN_WIDE_INLINE SCAN_WIDE_CODE static inline __attribute__((always_inline))
#endif

#endif
