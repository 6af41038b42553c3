/* The TOML that settings of probes are written in: tables, dotted keys, strings of all kinds, numbers, truth values,
 * arrays and inline tables.  Dates and arrays of tables are refused, as is whatever is not TOML, with its place. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_TOML_H
#define KIT_TOML_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define TOML_MAX_BYTES ((size_t)4 << 20)
#define TOML_MAX_DEPTH 16u

typedef enum { TOML_STRING, TOML_INT, TOML_REAL, TOML_BOOL, TOML_ARRAY } TomlType;

typedef struct TomlValue {
  TomlType type;
  char *text;       /* of a string; else as it is written; NULL for an array */
  int64_t i;        /* of an int or bool */
  GPtrArray *items; /* of TomlValue; NULL unless an array */
} TomlValue;

typedef struct TomlEntry {
  char *table; /* "map.block_sched.regs", "" at the top */
  char *key;
  TomlValue *value;
  uint64_t line, column; /* of the key, from 1; columns count characters */
} TomlEntry;

typedef struct TomlTable {
  char *name;
  uint64_t line, column;
} TomlTable;

typedef struct Toml {
  GPtrArray
      *tables; /* of TomlTable, in the order of the text: those with a header, and inline ones */
  GPtrArray *entries; /* of TomlEntry, in the order of the text */
} Toml;

typedef struct TomlFault {
  uint64_t line, column;
  char *what; /* g_free */
} TomlFault;

/* toml_free; NULL: *out says why and where. */
Toml *toml_read(const char *text, size_t len, TomlFault *out);
void toml_free(Toml *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Toml, toml_free)

/* NULL: there is none. */
const TomlEntry *toml_find(const Toml *t, const char *table, const char *key);

#endif
