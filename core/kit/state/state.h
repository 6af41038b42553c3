/* What of a struct is saved, and how two are merged: a table beside the struct.
 *
 *   typedef struct Sums {
 *     int64_t calls, longest_ns;
 *     Keyed *kernels;
 *   } Sums;
 *   static const StateField sums_fields[] = {
 *     STATE_SUM(Sums, calls),
 *     STATE_MOST(Sums, longest_ns),
 *     STATE_KEYED(Sums, kernels, kernel_state),
 *   };
 *   const StateType sums_state = STATE_TYPE(Sums, sums_fields);
 *
 * Fields are integers of any width, bool, double, a text or a MillText; those of symbols, tracks and values
 * say so.  A field of another type does not compile.  Sums stop at the ends of their type. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_STATE_H
#define KIT_STATE_H

#include <stagemill/stage.h>
#include <stddef.h>

typedef struct StateType StateType;
typedef struct StateField StateField;
struct Hists;

enum { STATE_TABLES = 2 };   /* of names, in one type */
typedef struct StateNumbers { /* what each number of a table of names that was saved is here */
  const uint32_t *here;
  uint64_t n;
} StateNumbers;

typedef struct StateIo {
  const MillStageHost *host;
  struct Hists *hists; /* those of the instance, once its STATE_HISTS was there */
  StateNumbers numbers[STATE_TABLES]; /* once its STATE_NAMES was there */
} StateIo;

/* How a field of its own kind is saved and loaded.  `owner` is the struct, `at` the field in it.  `is_new`: nothing
 * was there, so what comes is taken as it is.  False: memory was refused, or what was saved is not whole. */
typedef struct StateOps {
  void (*save)(StateIo *, const StateField *, void *owner, void *at);
  bool (*load)(StateIo *, const StateField *, void *owner, void *at, bool is_new);
  uint32_t min_bytes; /* the smallest that it takes */
} StateOps;

enum { /* StateField.rule: what becomes of a field when another is merged into it */
  STATE_ADD = 1,
  STATE_LOWER,
  STATE_HIGHER,
  STATE_KEEP, /* the first stays */
  STATE_AGREE /* see STATE_SAME */
};

struct StateField {
  uint32_t offset, each; /* so many of one kind, one behind the other */
  uint8_t kind, rule;
  uint8_t n_size;        /* of a list's number of elements */
  uint32_t n, capacity;  /* offsets in the struct; capacity of size_t, or STATE_EXACT */
  const StateType *of;   /* elements, or what is nested */
  const StateOps *ops;
  bool (*take)(void *owner, const void *element); /* of a list; NULL: appends */
};

struct StateType {
  uint32_t size;
  uint32_t n_fields;
  const StateField *fields;
};
#define STATE_TYPE(S, fields_) { sizeof(S), MILL_COUNT(fields_), (fields_) }

enum {
  STATE_BOOL = 1,
  STATE_I8,
  STATE_U8,
  STATE_I16,
  STATE_U16,
  STATE_I32,
  STATE_U32,
  STATE_I64,
  STATE_U64,
  STATE_WIDE,
  STATE_REAL,
  STATE_STRING, /* the copy lives as long as the instance */
  STATE_TEXT,
  STATE_SYMBOL,
  STATE_ROW,
  STATE_VALUE,
  STATE_NUMBERED,
  STATE_NESTED,
  STATE_MANY,
  STATE_PACKED,
  STATE_OWN
};
#define STATE_KIND(field_)              \
  (uint8_t) _Generic((field_),          \
      bool: STATE_BOOL,                 \
      int8_t: STATE_I8,                 \
      uint8_t: STATE_U8,                \
      int16_t: STATE_I16,               \
      uint16_t: STATE_U16,              \
      int32_t: STATE_I32,               \
      uint32_t: STATE_U32,              \
      int64_t: STATE_I64,               \
      uint64_t: STATE_U64,              \
      __int128: STATE_WIDE,             \
      unsigned __int128: STATE_WIDE,    \
      double: STATE_REAL,               \
      char *: STATE_STRING,             \
      const char *: STATE_STRING,       \
      MillText: STATE_TEXT)
#define STATE_OF(S, f) (((S *)NULL)->f)
#define STATE_PLAIN(S, f, rule_) \
  { .offset = offsetof(S, f), .each = 1, .kind = STATE_KIND(STATE_OF(S, f)), .rule = (rule_) }
/* The same of each element of an array in the struct. */
#define STATE_ARRAY(S, f, rule_)                                     \
  { .offset = offsetof(S, f),                                        \
    .each = sizeof STATE_OF(S, f) / sizeof STATE_OF(S, f[0]),        \
    .kind = STATE_KIND(STATE_OF(S, f[0])),                           \
    .rule = (rule_) }

#define STATE_SUM(S, f) STATE_PLAIN(S, f, STATE_ADD)
#define STATE_LEAST(S, f) STATE_PLAIN(S, f, STATE_LOWER)
#define STATE_MOST(S, f) STATE_PLAIN(S, f, STATE_HIGHER) /* of two truths: either */
#define STATE_FIRST(S, f) STATE_PLAIN(S, f, STATE_KEEP)
#define STATE_SAME(S, f) STATE_PLAIN(S, f, STATE_AGREE) /* an integer; 0: not known, -1: two were known and differ */
#define STATE_SUMS(S, f) STATE_ARRAY(S, f, STATE_ADD)
#define STATE_LEASTS(S, f) STATE_ARRAY(S, f, STATE_LOWER)
#define STATE_MOSTS(S, f) STATE_ARRAY(S, f, STATE_HIGHER)
#define STATE_FIRSTS(S, f) STATE_ARRAY(S, f, STATE_KEEP)

/* Numbers of symbols and of rows are good within one instance only: their texts are saved. */
#define STATE_FIRST_OF(S, f, kind_) { .offset = offsetof(S, f), .each = 1, .kind = (kind_), .rule = STATE_KEEP }
#define STATE_SYM(S, f) STATE_FIRST_OF(S, f, STATE_SYMBOL)  /* MillSym; the first stays */
#define STATE_TRACK(S, f) STATE_FIRST_OF(S, f, STATE_ROW)   /* uint32_t; MILL_FAILED: none */
#define STATE_CELL(S, f) STATE_FIRST_OF(S, f, STATE_VALUE)  /* MillValue: none, an integer or a symbol */

/* Texts by number, see names.h: those that come are numbered anew, and so are the fields (uint32_t) behind it that
 * hold numbers of its.  `table` is 0, or 1 where there are two; the first number stays. */
#define STATE_NAMES(S, f, table) { .offset = offsetof(S, f), .each = (table), .kind = STATE_OWN, .ops = &state_of_names }
#define STATE_NUMBER(S, f, table) \
  { .offset = offsetof(S, f), .each = 1, .kind = STATE_NUMBERED, .rule = STATE_KEEP, .n = (table) }

/* A struct in this one, or an array of them. */
#define STATE_PART(S, f, type_) \
  { .offset = offsetof(S, f), .each = sizeof STATE_OF(S, f), .kind = STATE_NESTED, .of = &(type_) }

/* Elements behind a pointer, with their number; what is merged is appended.  STATE_TAKEN hands each to `take`
 * instead, which puts it where it belongs. */
#define STATE_EXACT UINT32_MAX /* no capacity: as much memory as there are elements */
#define STATE_ELEMENTS(S, f, n_, capacity_, type_, take_) \
  { .offset = offsetof(S, f),                             \
    .kind = STATE_MANY,                                   \
    .n_size = sizeof STATE_OF(S, n_),                     \
    .n = offsetof(S, n_),                                 \
    .capacity = (capacity_),                              \
    .of = &(type_),                                       \
    .take = (take_) }
#define STATE_LIST(S, f, n_, capacity_, type_) STATE_ELEMENTS(S, f, n_, offsetof(S, capacity_), type_, NULL)
#define STATE_EXACT_LIST(S, f, n_, type_) STATE_ELEMENTS(S, f, n_, STATE_EXACT, type_, NULL)
#define STATE_TAKEN(S, f, n_, type_, take_) STATE_ELEMENTS(S, f, n_, STATE_EXACT, type_, take_)
/* Elements that are numbers alone, with no byte between them, saved at once: every lane reads what was decided of all. */
#define STATE_ROWS(S, f, n_)                \
  { .offset = offsetof(S, f),               \
    .each = sizeof STATE_OF(S, f[0]),       \
    .kind = STATE_PACKED,                   \
    .n_size = sizeof STATE_OF(S, n_),       \
    .n = offsetof(S, n_),                   \
    .capacity = STATE_EXACT }
extern const StateType state_of_int;  /* for lists of int64_t */
extern const StateType state_of_real; /* of double */
extern const StateType state_of_sym;  /* of MillSym */
extern const StateType state_of_sum;  /* of int64_t that are added up: for Keyed */

/* A field that has its own way. */
#define STATE_BY(S, f, ops_) { .offset = offsetof(S, f), .kind = STATE_OWN, .ops = &(ops_) }
#define STATE_KEYED(S, f, type_) \
  { .offset = offsetof(S, f), .kind = STATE_OWN, .of = &(type_), .ops = &state_of_keyed } /* Keyed * */
#define STATE_HISTS(S, f) STATE_BY(S, f, state_of_hists) /* before all distributions that belong to them */
#define STATE_HIST(S, f) STATE_BY(S, f, state_of_hist)
#define STATE_DIST(S, f) STATE_PART(S, f, dist_state)
#define STATE_MOMENTS(S, f) STATE_BY(S, f, state_of_moments)
extern const StateOps state_of_keyed, state_of_hists, state_of_hist, state_of_moments, state_of_names;
extern const StateType dist_state, moments_state; /* for arrays of them: STATE_PART */

void state_save(const MillStageHost *host, const StateType *type, void *from);
/* False: memory was refused, or what was saved is not whole.  `load` takes what was saved as it is; `merge` adds it to what is there. */
bool state_load(const MillStageHost *host, const StateType *type, void *to);
bool state_merge(const MillStageHost *host, const StateType *type, void *into);

/* save_result and merge_result of an instance that has `host`: all of it is in the type. */
#define STATE_RESULT(S, type_)                                     \
  static int save_result(void *instance)                           \
  {                                                                \
    S *const x = instance;                                         \
    state_save(x->host, &(type_), x);                              \
    return 0;                                                      \
  }                                                                \
  static int merge_result(void *instance)                          \
  {                                                                \
    S *const x = instance;                                         \
    return state_merge(x->host, &(type_), x) ? 0 : -MILL_LIMIT;    \
  }

/* save_decision and load_decision in the same way. */
#define STATE_DECISION(S, type_)                                   \
  static int save_decision(void *instance)                         \
  {                                                                \
    S *const x = instance;                                         \
    state_save(x->host, &(type_), x);                              \
    return 0;                                                      \
  }                                                                \
  static int load_decision(void *instance)                         \
  {                                                                \
    S *const x = instance;                                         \
    return state_load(x->host, &(type_), x) ? 0 : -MILL_LIMIT;     \
  }

/* For ops. */
void state_put(StateIo *io, const StateType *type, void *from);
bool state_get(StateIo *io, const StateType *type, void *to, bool is_new);
uint32_t state_min_bytes(const StateType *type);

#endif
