/* One table of ideal cycles: its kernels, and what rows that repeat one say. */
#include <string.h>

#include "compiler-log.h"

void clog_table_init(Table *t, const MillHost *common)
{
  *t = (Table){ .common = common };
  t->texts = g_string_chunk_new(4096);
  t->by_name = g_hash_table_new(NULL, NULL);
  t->kernels = g_array_new(FALSE, FALSE, sizeof(Kernel));
}

void clog_table_clear(Table *t)
{
  if (!t->texts) return;
  g_hash_table_unref(t->by_name);
  g_array_unref(t->kernels);
  g_string_chunk_free(t->texts);
}

void clog_note(const MillHost *common, uint32_t number, const char *what, size_t len)
{
  const MillNamed named = { "what", mill_text(what, len) };
  common->note(common, number, NULL, MILL_NO_EVENT, &named, 1);
}

void clog_table_begin(Table *t, const char *phase, uint64_t line)
{
  g_hash_table_remove_all(t->by_name);
  g_array_set_size(t->kernels, 0);
  g_string_chunk_clear(t->texts);
  t->n_rows = t->ideal_cycles = 0;
  t->line = line;
  t->phase = phase;
  t->is_open = true;
}

static int too_many(const Table *t)
{
  const MillNotice *row = clog_notices;
  const MillFailure f = { .size = sizeof f,
                          .status = MILL_LIMIT,
                          .number = CLOG_TOO_MANY,
                          .line = __LINE__,
                          .file = __FILE__,
                          .what = row->what,
                          .help = row->help };
  return t->common->fail(t->common, &f);
}

/* By its symbol: names come from an input, and the host's table of them has a seed. */
static gpointer key_of(const Table *t, const char *name)
{
  return GUINT_TO_POINTER(t->common->intern(t->common, name, strlen(name)));
}

static Kernel *find_kernel(Table *t, gconstpointer key)
{
  guint at = GPOINTER_TO_UINT(g_hash_table_lookup(t->by_name, key));
  return at ? &g_array_index(t->kernels, Kernel, at - 1) : NULL;
}

static void merge(const Table *t, Kernel *k, const char *category, int64_t cycles)
{
  k->rows++;
  if (k->cycles && cycles && k->cycles != cycles)
    clog_note(t->common, CLOG_CYCLES, k->name, strlen(k->name));
  if (!k->cycles) k->cycles = cycles;
  if (strcmp(k->category, category)) clog_note(t->common, CLOG_CATEGORY, k->name, strlen(k->name));
}

int clog_table_add(Table *t, const char *name, const char *category, int64_t cycles, uint64_t line)
{
  if (t->n_rows == CLOG_MAX_ROWS) return too_many(t);
  t->n_rows++;
  if (strcmp(category, "Total") &&
      __builtin_add_overflow(t->ideal_cycles, cycles, &t->ideal_cycles))
    t->ideal_cycles = INT64_MAX;
  gpointer key = key_of(t, name);
  Kernel *known = find_kernel(t, key);
  if (known) {
    merge(t, known, category, cycles);
    return 0;
  }
  Kernel k = { g_string_chunk_insert(t->texts, name),
               g_string_chunk_insert_const(t->texts, category), cycles, 1, line };
  g_array_append_val(t->kernels, k);
  g_hash_table_insert(t->by_name, key, GUINT_TO_POINTER(t->kernels->len));
  return 0;
}

/* ---------------------------------------------------------------------- rows */

#define SHOWN 120u /* bytes of a line, in a notice */

/* The line at hand, by its number and how it begins. */
static void note_line(const Table *t, uint32_t number, const char *line, size_t len, uint64_t at)
{
  size_t front = clog_front(line, len);
  g_autofree char *what = g_strdup_printf("line %" G_GUINT64_FORMAT ": %.*s", at,
                                          (int)MIN(len - front, SHOWN), line + front);
  clog_note(t->common, number, what, strlen(what));
}

int clog_table_line(Table *t, const char *line, size_t len, uint64_t number)
{
  static const uint32_t notices[] = {
    [CLOG_IS_ODD] = CLOG_NAME, [CLOG_IS_LARGE] = CLOG_LARGE, [CLOG_IS_UNREADABLE] = CLOG_ROW
  };
  ClogRow row;
  int status = 0;
  ClogLine is = clog_row(line, len, &row);
  if (is == CLOG_IS_ROW)
    status = clog_table_add(t, row.name, row.category, row.cycles, number);
  else if (is != CLOG_IS_NOTHING)
    note_line(t, notices[is], line, len, number);
  clog_row_clear(&row);
  return status;
}
