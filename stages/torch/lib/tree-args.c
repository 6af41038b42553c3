/* Argument lists as texts; see tree-args.h. */
/* SPDX-License-Identifier: MIT */
#include "torch/lib/tree-args.h"

#include "kit/text/symbol.h"
#include "kit/trace/attr-value.h"

static const char *const names[N_ARG_LISTS] = { "Input Dims", "Input type", "Input Strides",
                                                "Concrete Inputs" };

bool tree_args_open(TreeArgs *a, const MillHost *common, uint32_t most)
{
  *a = (TreeArgs){ .common = common, .most = most, .lists.common = common, .text.common = common };
  for (int i = 0; i < N_ARG_LISTS; i++) a->keys[i] = symbol_of(common, names[i]);
  a->numbers = keyed_new(common, sizeof(uint32_t));
  return a->numbers != NULL;
}

/* JSON without the blanks between its tokens, so that the layout of a file makes no difference. */
static bool add_compact(Buffer *b, const char *text, size_t len)
{
  bool quoted = false, fits = true;
  size_t from = 0;
  for (size_t i = 0; i < len && fits; i++) {
    if (text[i] == '\\' && quoted) {
      i++;
      continue;
    }
    if (text[i] == '"') quoted = !quoted;
    if (quoted || (unsigned char)text[i] > ' ') continue;
    fits = buffer_add(b, text + from, i - from);
    from = i + 1;
  }
  return fits && buffer_add(b, text + from, len - from);
}

static bool add_quoted(Buffer *b, const char *text, size_t len)
{
  return buffer_add(b, "\"", 1) && buffer_add(b, text, len) && buffer_add(b, "\"", 1);
}

static bool add_item(const TreeArgs *t, Buffer *b, const MillBatch *batch, const MillAttr *a)
{
  char digits[DIGITS_MAX];
  size_t len = 0;
  const char *text = mill_attr_text(batch, a, &len);
  if (text) return add_quoted(b, text, len);
  if ((a->type & MILL_ATTR_TYPE) == MILL_SYM) {
    text = t->common->symbol_text(t->common, a->u.sym, &len);
    return add_quoted(b, text, len);
  }
  if ((a->type & MILL_ATTR_TYPE) == MILL_REAL) return add_quoted(b, "real", 4);
  return buffer_add(b, digits, digits_write(digits, a->u.i));
}

/* A list came as JSON, as a text, or as its key repeated. */
static bool add_list(const TreeArgs *t, Buffer *b, const MillBatch *batch, const MillEvent *e,
                     MillSym key)
{
  size_t len = 0;
  const MillAttr *a = mill_attr(batch, e, key);
  if (!a) return true;
  uint32_t n = attr_run(batch, e, (uint32_t)(a - &batch->attrs[e->attrs]));
  const char *text = n == 1 ? mill_attr_text(batch, a, &len) : NULL;
  if (text && len && *text == '[') return add_compact(b, text, len);
  bool fits = buffer_add(b, "[", 1);
  for (uint32_t i = 0; i < n && fits; i++)
    fits = (i == 0 || buffer_add(b, ",", 1)) && add_item(t, b, batch, &a[i]);
  return fits && buffer_add(b, "]", 1);
}

/* The fields of the event as a->text; each begins with its length, so that the lists are written before. */
static bool write_fields(TreeArgs *a, const MillBatch *b, const MillEvent *e)
{
  size_t ends[N_ARG_LISTS] = { 0 }, from = 0;
  bool fits = true;
  a->lists.len = a->text.len = 0;
  for (int i = 0; i < N_ARG_LISTS && fits; i++) {
    fits = add_list(a, &a->lists, b, e, a->keys[i]);
    ends[i] = a->lists.len;
  }
  for (int i = 0; i < N_ARG_LISTS && fits; from = ends[i++])
    fits = fields_put(&a->text, a->lists.text + from, ends[i] - from);
  return fits;
}

static bool has_any(const TreeArgs *a, const MillBatch *b, const MillEvent *e)
{
  for (int i = 0; i < N_ARG_LISTS; i++)
    if (mill_attr(b, e, a->keys[i])) return true;
  return false;
}

static bool number_of(TreeArgs *a, Field text, uint32_t *out)
{
  const uint32_t *known = keyed_find(a->numbers, text.text, text.len);
  *out = 0;
  if (known) {
    *out = *known;
    return true;
  }
  if (a->n >= a->most) {
    a->n_left_out++;
    return true;
  }
  const KeyedEntry *entry = keyed_entry(a->numbers, text.text, text.len);
  if (!entry || !array_reserve(a->common, &a->texts, &a->capacity, a->n + 1, sizeof *a->texts))
    return false;
  a->texts[a->n++] = entry;
  *out = *(uint32_t *)entry->state = (uint32_t)a->n;
  return true;
}

bool tree_args_read(TreeArgs *a, const MillBatch *b, const MillEvent *e, uint32_t *out)
{
  *out = 0;
  if (!has_any(a, b, e)) return true;
  return write_fields(a, b, e) && number_of(a, (Field){ a->text.text, a->text.len }, out);
}

static const char no_args[] = "0:0:0:0:";

bool tree_args_again(TreeArgs *a, Field text, uint32_t *out)
{
  *out = 0;
  const bool is_none = text.len == sizeof no_args - 1 && !memcmp(text.text, no_args, text.len);
  return is_none || number_of(a, text, out);
}

Field tree_args_text(const TreeArgs *a, uint32_t number)
{
  if (number == 0) return (Field){ no_args, sizeof no_args - 1 };
  return (Field){ a->texts[number - 1]->key, a->texts[number - 1]->len };
}
