/* One table of ideal cycles: its rows by the rules of the compiler's own tools. */
#include <string.h>

#include "base/num.h"
#include "compiler-log.h"

void clog_table_init(Table *t, const MillHost *common)
{
  *t = (Table){ .common = common,
                .by_name = { .common = common, .seed = hash_seed_or_fixed(NULL) } };
}

static void forget_kernels(Table *t)
{
  for (uint32_t i = 0; i < t->n_kernels; i++) {
    t->common->resize(t->common, t->kernels[i].name, 0);
    t->common->resize(t->common, t->kernels[i].category, 0);
  }
  t->n_kernels = 0;
  pair_table_clear(&t->by_name);
}

void clog_table_clear(Table *t)
{
  if (!t->common) return;
  forget_kernels(t);
  if (t->kernels) t->common->resize(t->common, t->kernels, 0);
}

void clog_note(const MillHost *common, uint32_t number, const char *what, size_t len)
{
  const MillNamed named = { "what", mill_text(what, len) };
  common->note(common, number, NULL, MILL_NO_EVENT, &named, 1);
}

void clog_table_begin(Table *t, const char *phase, uint64_t line)
{
  forget_kernels(t);
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

/* NULL: refused. */
static char *copy_of(const Table *t, const char *text)
{
  size_t size = strlen(text) + 1;
  char *copy = mill_new(t->common, size);
  return copy ? memcpy(copy, text, size) : NULL;
}

/* By its symbol. */
static int add_kernel(Table *t, MillSym symbol, const Kernel *kernel)
{
  Kernel k = *kernel;
  Kernel *larger =
      array_grow(t->common, t->kernels, t->n_kernels, &t->max_kernels, sizeof *t->kernels);
  if (!larger) return -MILL_LIMIT;
  t->kernels = larger;
  k.name = copy_of(t, kernel->name);
  k.category = k.name ? copy_of(t, kernel->category) : NULL;
  if (!k.category || !pair_table_put(&t->by_name, symbol, 0, t->n_kernels + 1)) return -MILL_LIMIT;
  t->kernels[t->n_kernels++] = k;
  return 0;
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
  MillSym symbol = t->common->intern(t->common, name, strlen(name));
  uint64_t known = pair_table_get(&t->by_name, symbol, 0);
  const Kernel k = { (char *)name, (char *)category, cycles, 1, line };
  if (!known) return add_kernel(t, symbol, &k);
  merge(t, &t->kernels[known - 1], category, cycles);
  return 0;
}

/* ---------------------------------------------------------------------- rows */

typedef struct Row {
  size_t name_len;
  const char *digits;
  size_t n_digits;
  bool is_odd; /* its name has other characters than those of kernels */
} Row;

static bool is_name_byte(char c) { return g_ascii_isalnum(c) || c == '_' || c == '-'; }

/* A name, blanks, digits, and perhaps blanks. */
static bool split_row(const char *line, size_t len, Row *out)
{
  size_t at = 0;
  *out = (Row){ 0 };
  for (; at < len && line[at] != ' '; at++) out->is_odd |= !is_name_byte(line[at]);
  out->name_len = at;
  while (at < len && line[at] == ' ') at++;
  out->digits = line + at;
  for (; at < len && g_ascii_isdigit(line[at]); at++) out->n_digits++;
  bool blank = out->digits > line + out->name_len;
  while (at < len && line[at] == ' ') at++;
  return at == len && out->name_len && blank && out->n_digits;
}

static const char *find(const char *text, size_t len, const char *word)
{
  return memmem(text, len, word, strlen(word));
}

/* The name before -opCat or a final -NA, and the category that these say. */
static void split_name(const char *name, size_t len, char **out_name, char **out_category)
{
  static const char mark[] = "-opCat";
  const char *at = find(name, len, mark);
  size_t base = len;
  if (at) {
    base = (size_t)(at - name);
    *out_category = g_strndup(at + strlen(mark), len - base - strlen(mark));
  } else if (len >= 3 && !memcmp(name + len - 3, "-NA", 3)) {
    base = len - 3;
    *out_category = g_strdup("NotAvailable");
  } else {
    *out_category = g_strdup("Total");
  }
  *out_name = g_strdup_printf("%.*s Cmpt Exec", (int)base, name);
}

int clog_table_line(Table *t, const char *line, size_t len, uint64_t number)
{
  Row row;
  int64_t cycles;
  g_autofree char *name = NULL, *category = NULL;
  if (!split_row(line, len, &row)) return 0;
  if (find(line, len, "Precompute") || find(line, len, "-LxPreload")) return 0;
  if (row.is_odd || !num_int(row.digits, row.n_digits, &cycles)) {
    clog_note(t->common, row.is_odd ? CLOG_NAME : CLOG_LARGE, line, MIN(row.name_len, 200u));
    return 0;
  }
  split_name(line, row.name_len, &name, &category);
  return clog_table_add(t, name, category, cycles, number);
}
