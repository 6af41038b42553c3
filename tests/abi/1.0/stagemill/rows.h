/* Macros that fill the rows of a descriptor and export the module; types.h
 * includes them.  Read the struct that a row is: its comment says what goes in.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef STAGEMILL_ROWS_H
#define STAGEMILL_ROWS_H

#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------- all rows */
#define MILL_ROWS_OF(T) typedef struct T##Rows { const T *at; uint32_t n; uint32_t stride; } T##Rows
#define MILL_COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))
/* .options = MILL_ROWS(options) */
#define MILL_ROWS(array) { (array), MILL_COUNT(array), (uint32_t)sizeof((array)[0]) }
/* Row i of a list that the program hands out: MILL_AT(MillEntry, entries, i)->name */
#define MILL_AT(T, rows, i) ((const T *)(const void *)((const char *)(rows).at + (size_t)(i) * (rows).stride))

/* ----------------------------------------------------------------- options
 * MILL_INT_OPTION(Options, limit_ns, "limit-ns", "1000", "0:", "ns", "Longest slice that is normal")
 * Another type of the field does not compile. */
#ifdef __cplusplus
template <class A, class B> struct MillSame;
template <class A> struct MillSame<A, A> { enum { zero = 0 }; };
#define MILL_FIELD(S, field, T) ((uint32_t)offsetof(S, field) + (uint32_t)MillSame<decltype(S::field), T>::zero)
#else
#define MILL_FIELD(S, field, T) ((uint32_t)offsetof(S, field) + _Generic(((S *)0)->field, T : 0u))
#endif
#define MILL_OPTION(S, f, T, type, flags, name, def, range, unit, help) \
  { type, MILL_FIELD(S, f, T), flags, name, def, range, unit, help }
#define MILL_BOOL_OPTION(S, f, name, def, help) \
  MILL_OPTION(S, f, bool, MILL_OPT_BOOL, 0, name, def, NULL, NULL, help)
#define MILL_INT_OPTION(S, f, name, def, range, unit, help) \
  MILL_OPTION(S, f, int64_t, MILL_OPT_INT, 0, name, def, range, unit, help)
#define MILL_REAL_OPTION(S, f, name, def, range, unit, help) \
  MILL_OPTION(S, f, double, MILL_OPT_REAL, 0, name, def, range, unit, help)
#define MILL_STRING_OPTION(S, f, name, def, help) \
  MILL_OPTION(S, f, const char *, MILL_OPT_STRING, 0, name, def, NULL, NULL, help)
#define MILL_CHOICE_OPTION(S, f, name, def, choices, help) \
  MILL_OPTION(S, f, int64_t, MILL_OPT_CHOICE, 0, name, def, choices, NULL, help)
#define MILL_DURATION_OPTION(S, f, name, def, range, help) \
  MILL_OPTION(S, f, int64_t, MILL_OPT_DURATION, 0, name, def, range, "ns", help)
#define MILL_SIZE_OPTION(S, f, name, def, range, help) \
  MILL_OPTION(S, f, int64_t, MILL_OPT_SIZE, 0, name, def, range, "bytes", help)
#define MILL_REGEX_OPTION(S, f, name, def, help) \
  MILL_OPTION(S, f, const MillPattern *, MILL_OPT_REGEX, 0, name, def, NULL, NULL, help)
#define MILL_PATH_OPTION(S, f, name, def, help) \
  MILL_OPTION(S, f, const char *, MILL_OPT_PATH, 0, name, def, NULL, NULL, help)
#define MILL_LIST_OPTION(S, f, name, def, help) \
  MILL_OPTION(S, f, MillList, MILL_OPT_LIST, 0, name, def, NULL, NULL, help)
#define MILL_BY_OPTION(S, f) \
  MILL_OPTION(S, f, MillList, MILL_OPT_LIST, MILL_OPTION_GROUP_BY, "by", "", NULL, NULL, \
              "Tags whose values get rows of their own; none: all lanes together")

/* ----------------------------------------------------------------- notices */
#define MILL_WARNING(number, what, effect, help, explain) \
  { number, MILL_LEVEL_WARNING, what, effect, help, explain, 0 }
/* Of events that results are without: run.json counts them as left out. */
#define MILL_LEFT_OUT(number, what, effect, help, explain) \
  { number, MILL_LEVEL_WARNING, what, effect, help, explain, MILL_NOTICE_LEFT_OUT }
#define MILL_INFO(number, what, effect, help, explain) \
  { number, MILL_LEVEL_INFO, what, effect, help, explain, 0 }
/* The text of a failure, see MillFailure.number. */
#define MILL_ERROR(number, what, help, explain) { number, MILL_LEVEL_ERROR, what, NULL, help, explain, 0 }

/* ----------------------------------------------------------------- columns
 * MILL_COLUMN(KernelRow, dur_ns, "dur", "ns", MILL_COLUMN_BRIEF, "How long it ran")
 * The cell has the type of the field; a field that is no cell does not compile. */
#ifdef __cplusplus
#define MILL_CELL_TYPE(S, f) (uint32_t) MillCell<decltype(((S *)0)->f)>::type
#define MILL_CELL_FIELD(S, f) (uint32_t) MillCell<decltype(((S *)0)->f)>::field
#else
#define MILL_CELL_TYPE(S, f)                                                       \
  _Generic(((S *)0)->f, int64_t : MILL_INT, double : MILL_REAL, bool : MILL_BOOL,  \
           int8_t : MILL_BOOL, const char * : MILL_TEXT, MillText : MILL_TEXT,     \
           MillSym : MILL_TEXT)
#define MILL_CELL_FIELD(S, f)                                                      \
  _Generic(((S *)0)->f, int64_t : MILL_FIELD_INT, double : MILL_FIELD_REAL,        \
           bool : MILL_FIELD_BOOL, int8_t : MILL_FIELD_MAYBE,                      \
           const char * : MILL_FIELD_STRING, MillText : MILL_FIELD_TEXT,           \
           MillSym : MILL_FIELD_SYM)
#endif
#define MILL_COLUMN(S, f, name, unit, flags, help) \
  { name, unit, MILL_CELL_TYPE(S, f), flags, help, MILL_CELL_FIELD(S, f), \
    (uint32_t)offsetof(S, f), (uint32_t)sizeof(S) }
#define MILL_KEY(S, f, name, unit, help) MILL_COLUMN(S, f, name, unit, MILL_COLUMN_KEY, help)
#define MILL_BRIEF(S, f, name, unit, help) MILL_COLUMN(S, f, name, unit, MILL_COLUMN_BRIEF, help)
#define MILL_KEY_BRIEF(S, f, name, unit, help) \
  MILL_COLUMN(S, f, name, unit, MILL_COLUMN_KEY | MILL_COLUMN_BRIEF, help)
/* Of a table that has no struct of rows, because its columns depend on the input: `cells` fills it. */
#define MILL_CELL_COLUMN(name, unit, type, flags, help) { name, unit, type, flags, help, MILL_FIELD_NONE, 0, 0 }

/* ----------------------------------------------------------------- modules */
#if defined(__GNUC__)
#define MILL_EXPORT __attribute__((visibility("default")))
#else
#define MILL_EXPORT
#endif
#ifdef __cplusplus
#define MILL_DECLARE extern "C" MILL_EXPORT const MillModule
#else
#define MILL_DECLARE MILL_EXPORT extern const MillModule mill_module_v1; MILL_EXPORT const MillModule
#endif
/* 0, or it does not compile: x is a T. */
#ifdef __cplusplus
#define MILL_IS(T, x) ((uint32_t)(0 * sizeof(true ? &(x) : (const T *)NULL)))
#else
#define MILL_IS(T, x) _Generic(&(x), const T * : 0u, T * : 0u)
#endif
/* Use MILL_STAGE_MODULE, MILL_SOURCE_MODULE or MILL_SINK_MODULE. */
#define MILL_MODULE_OF(kind, T, descriptor, vendor, licence)                              \
  MILL_DECLARE mill_module_v1 = {                                                         \
    MILL_MAGIC, (uint32_t)sizeof(MillModule) + MILL_IS(T, descriptor), MILL_ABI, kind,    \
    &(descriptor), vendor, licence                                                        \
  }

#endif
