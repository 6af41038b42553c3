/* Kinds of errors; see kinds.h. */
#include "kinds.h"

#include <stdlib.h>
#include <string.h>

#include "lib/grow.h"
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

static int compare_texts(const char *a, size_t a_len, const char *b, size_t b_len)
{
  size_t both = a_len < b_len ? a_len : b_len;
  int order = both ? memcmp(a, b, both) : 0;
  return order ? order : (a_len > b_len) - (a_len < b_len);
}

/* The index of a text, or where it belongs. */
static uint32_t find(const Kinds *k, const char *text, size_t len, bool *out_found)
{
  uint32_t from = 0, to = k->n;
  *out_found = false;
  while (from < to) {
    uint32_t middle = from + (to - from) / 2;
    int order = compare_texts(text, len, k->items[middle].text, k->items[middle].len);
    if (order == 0) *out_found = true;
    if (order == 0) return middle;
    if (order < 0)
      to = middle;
    else
      from = middle + 1;
  }
  return from;
}

static void forget_last(Kinds *k)
{
  Kind *last = &k->items[--k->n];
  k->other += last->count;
  array_free(k->common, last->text);
}

static bool insert(Kinds *k, uint32_t at, const char *text, size_t len, int64_t count)
{
  bool fits = array_reserve(k->common, &k->items, &k->capacity, k->n + 1, sizeof *k->items);
  char *copy = fits ? mill_new(k->common, len + 1) : NULL;
  if (!copy) return false;
  memcpy(copy, text, len);
  memmove(&k->items[at + 1], &k->items[at], (k->n - at) * sizeof *k->items);
  k->items[at] = (Kind){ copy, len, count };
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
  uint32_t at = find(k, text, len, &found);
  if (!found && at == KINDS_KEPT) {
    k->other += count;
    return true;
  }
  if (!found) return insert(k, at, text, len, count);
  k->items[at].count += count;
  return true;
}

void kinds_clear(Kinds *k)
{
  for (uint32_t i = 0; i < k->n; i++) array_free(k->common, k->items[i].text);
  k->n = 0;
  k->other = 0;
}

static int by_count(const void *a, const void *b)
{
  const Kind *x = a, *y = b;
  if (x->count != y->count) return x->count < y->count ? 1 : -1;
  return compare_texts(x->text, x->len, y->text, y->len);
}

void kinds_reduce(Kinds *k, uint32_t most)
{
  if (k->n) qsort(k->items, k->n, sizeof *k->items, by_count);
  while (k->n > most) forget_last(k);
}

/* ---- summaries */

void kinds_save(const Kinds *k, const MillStageHost *host)
{
  host->put_int(host, k->other);
  host->put_int(host, k->n);
  for (uint32_t i = 0; i < k->n; i++) {
    host->put_text(host, k->items[i].text, k->items[i].len);
    host->put_int(host, k->items[i].count);
  }
}

bool kinds_merge(Kinds *k, const MillStageHost *host)
{
  size_t len;
  k->other += host->get_int(host);
  int64_t n = host->get_int(host);
  for (int64_t i = 0; i < n && host->get_more(host); i++) {
    const char *text = host->get_text(host, &len);
    int64_t count = host->get_int(host);
    if (!kinds_add(k, text, len, count)) return false;
  }
  return true;
}
