/* Kinds of errors; see kinds.h. */
/* SPDX-License-Identifier: MIT */
#include "kinds.h"

#include <stdlib.h>
#include <string.h>

#include "kit/state/grow.h"
#include "worst.h"

#define KIND_MAX_LEN 160u

/* ---- texts */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static void strip(const char **io_text, size_t *io_len)
{
  while (*io_len && is_blank(**io_text)) {
    ++*io_text;
    --*io_len;
  }
  while (*io_len && is_blank((*io_text)[*io_len - 1])) --*io_len;
}

const char *kind_of_error(const char *error, size_t len, size_t *out_len)
{
  static const char traceback[] = "Traceback (most recent call last)";
  const size_t head = sizeof traceback - 1;
  strip(&error, &len);
  bool last = len >= head && memcmp(error, traceback, head) == 0;
  const char *line = error, *end = error + len;
  for (const char *p = error; p < end; p++) {
    if (*p != '\n') continue;
    if (last)
      line = p + 1;
    else
      end = p;
  }
  len = (size_t)(end - line);
  strip(&line, &len);
  *out_len = text_cut(line, len, KIND_MAX_LEN);
  return line;
}

/* ---- the map */

static int compare_texts(MillText a, MillText b)
{
  size_t both = a.len < b.len ? a.len : b.len;
  int order = both ? memcmp(a.text, b.text, both) : 0;
  return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* The index of a text, or where it belongs. */
static uint32_t find(const Kinds *k, MillText text, bool *out_found)
{
  uint32_t from = 0, to = k->n;
  *out_found = false;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    int order = compare_texts(text, k->items[middle].text);
    if (order == 0) *out_found = true;
    if (order == 0) return middle;
    if (order < 0)
      to = middle;
    else
      from = middle + 1;
  }
  return from;
}

static void free_text(const MillHost *common, const Kind *kind)
{
  array_free(common, (char *)kind->text.text);
}

static void forget_last(Kinds *k)
{
  Kind *last = &k->items[--k->n];
  k->other += last->count;
  free_text(k->common, last);
}

static bool insert(Kinds *k, uint32_t at, MillText text, int64_t count)
{
  bool fits = array_reserve(k->common, &k->items, &k->capacity, k->n + 1, sizeof *k->items);
  char *copy = fits ? mill_new(k->common, text.len + 1) : NULL;
  if (!copy) return false;
  memcpy(copy, text.text, text.len);
  memmove(&k->items[at + 1], &k->items[at], (k->n - at) * sizeof *k->items);
  k->items[at] = (Kind){ { copy, text.len }, count };
  k->n++;
  if (k->n > KINDS_KEPT) forget_last(k);
  return true;
}

bool kinds_add(Kinds *k, const char *text, size_t len, int64_t count)
{
  bool found;
  if (len == strlen(KINDS_OTHER) && memcmp(text, KINDS_OTHER, len) == 0) {
    k->other += count;
    return true;
  }
  uint32_t at = find(k, (MillText){ text, len }, &found);
  if (!found && at == KINDS_KEPT) {
    k->other += count;
    return true;
  }
  if (!found) return insert(k, at, (MillText){ text, len }, count);
  k->items[at].count += count;
  return true;
}

void kinds_clear(Kinds *k)
{
  for (uint32_t i = 0; i < k->n; i++) free_text(k->common, &k->items[i]);
  k->n = 0;
  k->other = 0;
}

static int by_count(const void *a, const void *b)
{
  const Kind *x = a, *y = b;
  if (x->count != y->count) return x->count < y->count ? 1 : -1;
  return compare_texts(x->text, y->text);
}

void kinds_reduce(Kinds *k, uint32_t most)
{
  if (k->n) qsort(k->items, k->n, sizeof *k->items, by_count);
  while (k->n > most) forget_last(k);
}

/* ---- saved state */

static bool take_kind(void *owner, const void *element)
{
  Kinds *const k = owner;
  const Kind *kind = element;
  bool fits = kinds_add(k, kind->text.text, kind->text.len, kind->count);
  free_text(k->common, kind);
  return fits;
}

static const StateField kind_fields[] = { STATE_FIRST(Kind, text), STATE_FIRST(Kind, count) };
static const StateType kind_state = STATE_TYPE(Kind, kind_fields);

static const StateField kinds_fields[] = {
  STATE_SUM(Kinds, other),
  STATE_TAKEN(Kinds, items, n, kind_state, take_kind),
};
const StateType kinds_state = STATE_TYPE(Kinds, kinds_fields);
