/* Symbols of the ids that tables hold: texts of StringIds, labels of enumerations, names of calls without their version. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num-digits.h"
#include "nsys-sqlite.h"

enum {
  OF_STRING,
  OF_CALL,
  OF_ENUM
}; /* kinds of ids in the map; those of enumerations from OF_ENUM on */
#define OF_METRIC ((uint64_t)1 << 40)
#define DRIVER_BIT ((uint64_t)1 << 32)

bool names_is_text(const char *text, size_t len)
{
  return !memchr(text, 0, len) && g_utf8_validate(text, (gssize)len, NULL);
}

MillSym names_text(Source *s, const char *text, size_t len)
{
  if (names_is_text(text, len)) return s->common->intern(s->common, text, len);
  g_autofree char *mended = g_utf8_make_valid(text, (gssize)len);
  mill_note(s->common, NSQL_BAD_TEXT);
  return s->common->intern(s->common, mended, strlen(mended));
}

static MillSym nameless(Source *s, int64_t id)
{
  g_autofree char *made = g_strdup_printf("(string %" G_GINT64_FORMAT ")", id);
  mill_note(s->common, NSQL_NAMELESS);
  return s->common->intern(s->common, made, strlen(made));
}

static int read_string(Source *s, int64_t id, const char **out_text, size_t *out_len)
{
  int found = database_string(s, id, out_text, out_len);
  if (found < 0) s->failed = found;
  return found;
}

MillSym names_string(Source *s, int64_t id)
{
  const char *text;
  size_t len;
  uint64_t *known = pairmap_at(&s->names, OF_STRING, (uint64_t)id);
  if (!known) return 0;
  if (*known) return (MillSym)(*known - 1);
  MillSym name = read_string(s, id, &text, &len) > 0 ? names_text(s, text, len) : nameless(s, id);
  *known = (uint64_t)name + 1;
  return name;
}

/* The length without "_v3020" and "_ptsz": what names the version of an interface.  "_v2" belongs to the name. */
static size_t without_version(const char *text, size_t len)
{
  static const char *const endings[] = { "_ptsz", "_ptds" };
  for (size_t i = 0; i < MILL_COUNT(endings); i++)
    if (len > 5 && !memcmp(text + len - 5, endings[i], 5)) return without_version(text, len - 5);
  size_t digits = 0;
  while (digits < len && g_ascii_isdigit(text[len - digits - 1])) digits++;
  bool is_version = digits >= 4 && len > digits + 2 && !memcmp(text + len - digits - 2, "_v", 2);
  return is_version ? without_version(text, len - digits - 2) : len;
}

/* cuLaunchKernel is of the driver, cudaLaunchKernel of the runtime. */
static bool is_driver(const char *text, size_t len)
{
  return len > 2 && text[0] == 'c' && text[1] == 'u' && g_ascii_isupper(text[2]);
}

MillSym names_call(Source *s, int64_t id, bool *out_is_driver)
{
  const char *text;
  size_t len;
  uint64_t *known = pairmap_at(&s->names, OF_CALL, (uint64_t)id);
  *out_is_driver = false;
  if (!known) return 0;
  if (!*known && read_string(s, id, &text, &len) > 0)
    *known = ((uint64_t)names_text(s, text, without_version(text, len)) + 1) |
             (is_driver(text, len) ? DRIVER_BIT : 0);
  else if (!*known)
    *known = (uint64_t)nameless(s, id) + 1;
  *out_is_driver = *known & DRIVER_BIT;
  return (MillSym)((*known & (DRIVER_BIT - 1)) - 1);
}

/* What a statement finds for these ids; 0: nothing. */
static MillSym look_up(Source *s, const char *sql, int64_t id, int64_t other)
{
  MillSym name = 0;
  sqlite3_stmt *query = NULL;
  int found = database_prepare(s, sql, &query);
  bool bound = !found && !sqlite3_bind_int64(query, 1, id) &&
               (sqlite3_bind_parameter_count(query) < 2 || !sqlite3_bind_int64(query, 2, other));
  if (!found) found = bound ? database_step(s, query) : database_broken(s);
  const char *text = found > 0 ? (const char *)sqlite3_column_text(query, 0) : NULL;
  if (text) name = names_text(s, text, strlen(text));
  if (found < 0) s->failed = found;
  sqlite3_finalize(query);
  return name;
}

/* The label in the table of that enumeration, which may be missing. */
static MillSym label_in(Source *s, const char *table, int64_t id)
{
  const char *column = schema_has(s, table, "label") ? "label" : "name";
  if (!schema_has(s, table, "id") || !schema_has(s, table, column)) return 0;
  g_autofree char *sql = g_strdup_printf("SELECT %s FROM %s WHERE id = ?1", column, table);
  return look_up(s, sql, id, 0);
}

static MillSym metric_in(Source *s, int64_t id, int64_t type)
{
  static const char table[] = "TARGET_INFO_GPU_METRICS";
  static const char *const columns[] = { "metricName", "metricId", "typeId" };
  for (size_t i = 0; i < MILL_COUNT(columns); i++)
    if (!schema_has(s, table, columns[i])) return 0;
  return look_up(
      s, "SELECT metricName FROM TARGET_INFO_GPU_METRICS WHERE metricId = ?1 AND typeId = ?2", id,
      type);
}

static MillSym numbered(Source *s, const char *word, int64_t id)
{
  g_autofree char *made = g_strdup_printf("%s %" G_GINT64_FORMAT, word, id);
  return s->common->intern(s->common, made, strlen(made));
}

MillSym names_metric(Source *s, int64_t id, int64_t type)
{
  uint64_t *known = pairmap_at(&s->names, OF_METRIC ^ (uint64_t)type, (uint64_t)id);
  if (!known) return 0;
  if (*known) return (MillSym)(*known - 1);
  MillSym name = metric_in(s, id, type);
  if (!name) name = numbered(s, "metric", id);
  *known = (uint64_t)name + 1;
  return name;
}

MillSym names_label(Source *s, const TableSpec *spec, int64_t id)
{
  uint64_t *known = pairmap_at(&s->names, OF_ENUM + (uint64_t)spec->kind, (uint64_t)id);
  if (!known) return 0;
  if (*known) return (MillSym)(*known - 1);
  MillSym name = label_in(s, spec->labels, id);
  if (!name) name = numbered(s, spec->word, id);
  *known = (uint64_t)name + 1;
  return name;
}

static const char *memory_kind(int64_t kind)
{
  static const char *const kinds[] = { "Pageable", "Pinned",        "Device",         "Array",
                                       "Managed",  "Device Static", "Managed Static", "Unknown" };
  return kind >= 0 && kind < (int64_t)MILL_COUNT(kinds) ? kinds[kind] : "Unknown";
}

static const char *copy_kind(int64_t kind)
{
  static const char *const kinds[] = {
    "<unknown>", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD",
    "DtoA",      "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD"
  };
  return kind >= 0 && kind < (int64_t)MILL_COUNT(kinds) ? kinds[kind] : kinds[0];
}

/* As Kineto writes it; -1: not known. */
MillSym names_copy(Source *s, int64_t kind, int64_t from, int64_t to)
{
  char name[100];
  if (from < 0 || to < 0)
    g_snprintf(name, sizeof name, "Memcpy %s", copy_kind(kind));
  else
    g_snprintf(name, sizeof name, "Memcpy %s (%s -> %s)", copy_kind(kind), memory_kind(from),
               memory_kind(to));
  return s->common->intern(s->common, name, strlen(name));
}

MillSym names_fill(Source *s, int64_t kind)
{
  char name[60] = "Memset";
  if (kind >= 0) g_snprintf(name, sizeof name, "Memset (%s)", memory_kind(kind));
  return s->common->intern(s->common, name, strlen(name));
}
