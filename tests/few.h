/* few.h - is this a build with sanitizers?
 *
 * They make a program 3 to 20 times as slow and are there for what it does with memory and threads,
 * so sweeps take a part of their cases.
 */
#ifndef TESTS_FEW_H
#define TESTS_FEW_H

#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#ifdef SANITIZED
enum { FEW = 1 };
#else
enum { FEW = 0 };
#endif

#endif
