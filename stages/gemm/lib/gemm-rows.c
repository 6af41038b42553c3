/* Rows of GEMM calls; see gemm-rows.h. */
/* SPDX-License-Identifier: MIT */
#include "gemm/lib/gemm-rows.h"

#include <stdlib.h>
#include <string.h>

#include "kit/numbers/clip.h"
#include "kit/state/grow.h"
#include "kit/state/sort.h"

/* ---- keys */

static bool put_size(Buffer *b, bool known, double size)
{
  char digits[DIGITS_MAX];
  return fields_put(b, digits, known ? digits_write(digits, (int64_t)size) : 0);
}

static bool put_item(Buffer *b, bool known, Field list, uint32_t i)
{
  Field item = op_item(list, known ? i : MAX_OPERANDS);
  return fields_put(b, item.text, item.len);
}

static bool put_types(Buffer *b, bool known, Field types, uint32_t first)
{
  char digits[DIGITS_MAX + 1];
  Field x = op_item(types, first), y = op_item(types, first + 1);
  if (!known || (x.len == 0 && y.len == 0)) return fields_put(b, "", 0);
  size_t n = digits_write(digits, (int64_t)(x.len + y.len + 1));
  digits[n++] = ':';
  return buffer_add(b, digits, n) && buffer_add(b, x.text, x.len) && buffer_add(b, ",", 1) &&
         buffer_add(b, y.text, y.len);
}

static bool put_key(Buffer *b, const TreeRow *row, const OpWork *w, const char *transpose)
{
  const OpProduct *p = &w->product;
  const char *bias = p->bias ? "1" : "0";
  b->len = 0;
  return fields_put(b, row->at[ROW_NAME].text, row->at[ROW_NAME].len) &&
         put_size(b, w->known, p->m) && put_size(b, w->known, p->n) &&
         put_size(b, w->known, p->k) && put_size(b, w->known, p->batch) &&
         fields_put(b, bias, w->known) && put_item(b, w->known, row->at[ROW_STRIDES], p->first) &&
         put_item(b, w->known, row->at[ROW_STRIDES], p->first + 1) &&
         put_types(b, w->known, row->at[ROW_TYPES], p->first) &&
         fields_put(b, transpose, strlen(transpose));
}

static int64_t number_of(Field f)
{
  int64_t number;
  return f.len && digits_read(f.text, f.len, &number) ? number : MILL_NO_INT;
}

GemmKey gemm_key(const char *key, size_t len)
{
  Field f[GEMM_KEYS];
  const char *at = key, *end = key + len;
  for (int i = 0; i < GEMM_KEYS; i++) f[i] = fields_next(&at, end);
  int64_t bias = number_of(f[GEMM_BIAS]);
  return (GemmKey){ .op = f[GEMM_OP],
                    .m = number_of(f[GEMM_M]),
                    .n = number_of(f[GEMM_N]),
                    .k = number_of(f[GEMM_K]),
                    .batch = number_of(f[GEMM_BATCH]),
                    .bias = bias == MILL_NO_INT ? -1 : bias != 0,
                    .stride_a = f[GEMM_STRIDE_A],
                    .stride_b = f[GEMM_STRIDE_B],
                    .dtype = f[GEMM_DTYPE],
                    .transpose = f[GEMM_TRANSPOSE] };
}

/* ---- transposition */

static bool is_lower(const char *p, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (p[i] < 'a' || p[i] > 'z') return false;
  return true;
}

/* Cijk_Alik_Bljk: a name of Tensile's, of which A and B tell the order of their indices. */
static bool tensile(const char *p, size_t len, char *out)
{
  for (size_t i = 0; i + 14 <= len; i++) {
    const char *q = p + i;
    if (q[0] != 'C' || !is_lower(q + 1, 3) || memcmp(q + 4, "_A", 2) != 0 || !is_lower(q + 6, 3))
      continue;
    if (memcmp(q + 9, "_B", 2) != 0 || !is_lower(q + 11, 3)) continue;
    out[0] = memcmp(q + 6, "lik", 3) == 0 ? 'T' : memcmp(q + 6, "ilk", 3) == 0 ? 'N' : 0;
    out[1] = memcmp(q + 11, "jlk", 3) == 0 ? 'T' : memcmp(q + 11, "ljk", 3) == 0 ? 'N' : 0;
    return out[0] && out[1];
  }
  return false;
}

static bool is_flag(char c) { return c == 'T' || c == 'N'; }

/* nvjet_..._TNT: the last part begins with both. */
static bool nvjet(const char *p, size_t len, char *out)
{
  size_t at = len;
  if (len < 5 || memcmp(p, "nvjet", 5) != 0) return false;
  while (at > 0 && p[at - 1] != '_') at--;
  if (at == 0 || len - at < 2 || !is_flag(p[at]) || !is_flag(p[at + 1])) return false;
  out[0] = p[at];
  out[1] = p[at + 1];
  return true;
}

void gemm_transpose(const char *kernel, size_t len, char out[TRANSPOSE_BYTES])
{
  memset(out, 0, TRANSPOSE_BYTES);
  if (!tensile(kernel, len, out) && !nvjet(kernel, len, out)) memset(out, 0, TRANSPOSE_BYTES);
}

/* As a class of the kernel's name: 1 none, then one for each of the four. */
static uint8_t transpose_class(GemmRows *r, MillSym kernel)
{
  char flags[TRANSPOSE_BYTES];
  size_t len;
  uint8_t known = symclass_get(&r->transposes, kernel);
  if (known) return known;
  const char *text = r->common->symbol_text(r->common, kernel, &len);
  gemm_transpose(text, len, flags);
  known = *flags ? (uint8_t)(2 + (flags[0] == 'T') * 2 + (flags[1] == 'T')) : 1;
  symclass_put(r->common, &r->transposes, kernel, known);
  return known;
}

static uint8_t call_transpose(GemmRows *r, const GemmCall *call)
{
  uint8_t class = 1;
  for (uint32_t i = 0; i < call->n_parts && class == 1; i++)
    class = transpose_class(r, r->of->parts[call->first_part + i].kernel);
  return class;
}

/* ---- rows */

static bool new_row(GemmRows *r, const OpCall *does, const GemmCall *call)
{
  const KeyedEntry *e = keyed_entry(r->by_key, r->text.text, r->text.len);
  if (!e || !array_reserve(r->common, &r->rows, &r->capacity, r->n + 1, sizeof *r->rows))
    return false;
  GemmRow *row = &r->rows[r->n++];
  *row = (GemmRow){
    .family = does->family, .key = e->key, .key_len = e->len, .tree_row = call->tree_row
  };
  op_rates_set(&row->rates, &does->work);
  op_rates_spec(does->family, &does->work, row->spec);
  *(uint32_t *)e->state = (uint32_t)r->n;
  return true;
}

static bool find_row(GemmRows *r, const GemmCall *call, uint8_t class, uint32_t *out)
{
  static const char *const flags[] = { "", "", "NN", "NT", "TN", "TT" };
  size_t len;
  OpCall does;
  const char *text = r->common->symbol_text(r->common, call->tree_row, &len);
  const TreeRow tree = tree_row(text, len);
  if (!op_rates_work(r->common, &tree, NULL, &does) ||
      !put_key(&r->text, &tree, &does.work, flags[class]))
    return false;
  const uint32_t *known = keyed_find(r->by_key, r->text.text, r->text.len);
  if (!known && !new_row(r, &does, call)) return false;
  *out = known ? *known : (uint32_t)r->n;
  return true;
}

/* Host-tree's rows, each with its transposition, are looked up once. */
static bool assign(GemmRows *r, GemmCall *call)
{
  char key[DIGITS_MAX + 1];
  uint8_t class = call_transpose(r, call);
  size_t n = digits_write(key, (int64_t)call->tree_row);
  key[n++] = (char)('0' + class);
  uint32_t *known = keyed_get(r->by_tree, key, n);
  if (!known || (*known == 0 && !find_row(r, call, class, known))) return false;
  call->row = *known - 1;
  return true;
}

static int order_of(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int by_start(const void *p, const void *q)
{
  const GemmCall *a = p, *b = q;
  int order = order_of(a->start_ns, b->start_ns);
  return order ? order : order_of((int64_t)a->seq, (int64_t)b->seq);
}

static int by_row(const void *p, const void *q)
{
  const GemmCall *a = p, *b = q;
  return a->row != b->row ? (a->row > b->row ? 1 : -1) : by_start(p, q);
}

static int by_total(const void *p, const void *q)
{
  const GemmRow *a = *(GemmRow *const *)p, *b = *(GemmRow *const *)q;
  int order = order_of(moments_sum(&b->rates.time.moments), moments_sum(&a->rates.time.moments));
  return order ? order : order_of((int64_t)a->first, (int64_t)b->first);
}

static void find_calls(GemmRows *r)
{
  for (size_t i = 0; i < r->of->n; i++) {
    GemmRow *row = &r->rows[r->of->calls[i].row];
    if (row->n++ == 0) row->first = i;
  }
}

/* ---- kernels */

static bool add_total(GemmRows *r, const GemmPart *p)
{
  uint32_t number = symmap_number(r->common, &r->kernels, p->kernel);
  if (number == MILL_FAILED ||
      !array_reserve_at(r->common, &r->totals, &r->n_totals, number, sizeof *r->totals))
    return false;
  r->totals[number] = add_clipped(r->totals[number], p->end_ns - p->start_ns);
  return true;
}

static int64_t *total_of(const GemmRows *r, MillSym kernel)
{
  return &r->totals[symmap_value(&r->kernels, kernel) - 1];
}

/* Of equal totals the first by name. */
static bool is_larger(const GemmRows *r, MillSym kernel, MillSym than)
{
  size_t len;
  if (than == 0) return true;
  int64_t total = *total_of(r, kernel), other = *total_of(r, than);
  if (total != other) return total > other;
  const char *text = r->common->symbol_text(r->common, kernel, &len);
  return strcmp(text, r->common->symbol_text(r->common, than, &len)) < 0;
}

static void each_part(GemmRows *r, GemmRow *row, bool clear)
{
  for (size_t i = 0; i < row->n; i++) {
    const GemmCall *call = gemm_rows_call(r, row, i);
    for (uint32_t k = 0; k < call->n_parts; k++) {
      MillSym kernel = r->of->parts[call->first_part + k].kernel;
      if (clear)
        *total_of(r, kernel) = 0;
      else if (is_larger(r, kernel, row->kernel))
        row->kernel = kernel;
    }
  }
}

static bool find_kernel(GemmRows *r, GemmRow *row)
{
  for (size_t i = 0; i < row->n; i++) {
    const GemmCall *call = gemm_rows_call(r, row, i);
    for (uint32_t k = 0; k < call->n_parts; k++)
      if (!add_total(r, &r->of->parts[call->first_part + k])) return false;
  }
  each_part(r, row, false);
  each_part(r, row, true);
  return true;
}

bool gemm_rows_make(GemmRows *r)
{
  GemmCalls *c = r->of;
  r->text.common = r->common;
  r->by_tree = keyed_new(r->common, sizeof(uint32_t));
  r->by_key = keyed_new(r->common, sizeof(uint32_t));
  if (!r->by_tree || !r->by_key) return false;
  sort_unless_in_order(c->calls, c->n, sizeof *c->calls, by_start);
  for (size_t i = 0; i < c->n; i++)
    if (!assign(r, &c->calls[i])) return false;
  sort_unless_in_order(c->calls, c->n, sizeof *c->calls, by_row);
  find_calls(r);
  for (size_t i = 0; i < c->n; i++)
    if (!op_rates_add(&r->rows[c->calls[i].row].rates, r->hists, c->calls[i].time_ns)) return false;
  r->sorted = mill_new(r->common, (r->n + 1) * sizeof *r->sorted);
  if (!r->sorted) return false;
  for (size_t i = 0; i < r->n; i++) {
    r->sorted[i] = &r->rows[i];
    if (!find_kernel(r, &r->rows[i])) return false;
  }
  if (r->n) qsort(r->sorted, r->n, sizeof *r->sorted, by_total);
  return true;
}

/* ---- those that differ most */

int64_t gemm_row_spread(const GemmRow *row)
{
  const Moments *m = &row->rates.time.moments;
  return m->n ? m->max - m->min : 0;
}

typedef struct Pick {
  const GemmRow *row;
  size_t position;
} Pick;

static int by_spread(const void *p, const void *q)
{
  const Pick *a = p, *b = q;
  int order = order_of(gemm_row_spread(b->row), gemm_row_spread(a->row));
  return order ? order : order_of((int64_t)a->position, (int64_t)b->position);
}

const GemmRow **gemm_rows_pick(const GemmRows *r, int64_t most, size_t *out_n)
{
  size_t n = 0;
  Pick *picks = r->common->scratch(r->common, (r->n + 1) * sizeof *picks);
  const GemmRow **rows = r->common->scratch(r->common, (r->n + 1) * sizeof *rows);
  if (!picks || !rows) return NULL;
  for (size_t i = 0; i < r->n; i++)
    if (r->sorted[i]->kernel) picks[n++] = (Pick){ r->sorted[i], i };
  if (n) qsort(picks, n, sizeof *picks, by_spread);
  *out_n = most > 0 && n > (size_t)most ? (size_t)most : n;
  for (size_t i = 0; i < *out_n; i++) rows[i] = picks[i].row;
  return rows;
}
