/* Sums of operators; see sums.h. */
#include "sums.h"

#include <string.h>

#include "lib/clip.h"
#include "lib/moments.h"

void op_sum_add(OpSum *s, int64_t total_ns, int64_t subtree_ns, int64_t kernels)
{
  s->calls++;
  s->total_ns = add_clipped(s->total_ns, total_ns);
  s->subtree_ns = add_clipped(s->subtree_ns, subtree_ns);
  s->kernels += kernels;
}

void op_sum_add_part(OpSum *s, int64_t part_ns, bool is_first)
{
  s->calls += is_first;
  s->total_ns = add_clipped(s->total_ns, part_ns);
  s->kernels++;
}

void op_sum_add_category(OpSum *s, MillSym category)
{
  for (uint32_t i = 0; i < s->n_categories; i++)
    if (s->categories[i] == category) return;
  if (s->n_categories < MAX_CATEGORIES) s->categories[s->n_categories++] = category;
}

/* The number of the category that comes after `last` in the order of bytes; n_categories: none does. */
static uint32_t next_category(const MillHost *common, const OpSum *s, const char *last)
{
  size_t len;
  uint32_t next = s->n_categories;
  const char *best = NULL;
  for (uint32_t i = 0; i < s->n_categories; i++) {
    const char *text = common->symbol_text(common, s->categories[i], &len);
    if ((last && strcmp(text, last) <= 0) || (best && strcmp(text, best) >= 0)) continue;
    best = text;
    next = i;
  }
  return next;
}

MillText op_sum_categories(const MillHost *common, const OpSum *s)
{
  size_t len, at = 0, room = 1;
  for (uint32_t i = 0; i < s->n_categories; i++) {
    (void)common->symbol_text(common, s->categories[i], &len);
    room += len + 2;
  }
  char *text = common->scratch(common, room);
  if (!text) return (MillText){ NULL, 0 };
  const char *last = NULL;
  for (uint32_t i; (i = next_category(common, s, last)) < s->n_categories;) {
    if (last) {
      memcpy(text + at, ", ", 2);
      at += 2;
    }
    last = common->symbol_text(common, s->categories[i], &len);
    memcpy(text + at, last, len);
    at += len;
  }
  return (MillText){ text, at };
}

int64_t op_sum_total(const void *state) { return ((const OpSum *)state)->total_ns; }

/* Categories are saved as texts in the order of their bytes. */
static void save_categories(const OpSum *s, const MillStageHost *host)
{
  size_t len;
  const char *last = NULL;
  host->put_int(host, s->n_categories);
  for (uint32_t i; (i = next_category(host->common, s, last)) < s->n_categories;) {
    last = host->common->symbol_text(host->common, s->categories[i], &len);
    host->put_text(host, last, len);
  }
}

void op_sum_save(void *state, const MillStageHost *host)
{
  const OpSum *s = state;
  host->put_int(host, s->calls);
  host->put_int(host, s->total_ns);
  host->put_int(host, s->subtree_ns);
  host->put_int(host, s->kernels);
  save_categories(s, host);
}

bool op_sum_load(void *state, const MillStageHost *host, void *unused)
{
  OpSum *s = state;
  (void)unused;
  s->calls += host->get_int(host);
  s->total_ns = add_clipped(s->total_ns, host->get_int(host));
  s->subtree_ns = add_clipped(s->subtree_ns, host->get_int(host));
  s->kernels += host->get_int(host);
  for (uint64_t n = host->get_count(host, 3); n > 0; n--) {
    size_t len;
    const char *text = host->get_text(host, &len);
    op_sum_add_category(s, host->common->intern(host->common, text, len));
  }
  return true;
}

/* ---- by arguments */

bool args_sum_add(ArgsSum *s, Hists *hists, int64_t time_ns, int64_t kernels, int64_t first_ns)
{
  if (s->time.moments.n == 0 || first_ns < s->first_ns) s->first_ns = first_ns;
  s->kernels += kernels;
  return dist_add(&s->time, hists, time_ns);
}

int64_t args_sum_total(const void *state)
{
  return moments_sum(&((const ArgsSum *)state)->time.moments);
}

void args_sum_save(void *state, const MillStageHost *host)
{
  ArgsSum *s = state;
  host->put_int(host, s->kernels);
  host->put_int(host, s->first_ns);
  dist_save(&s->time, host);
}

bool args_sum_load(void *state, const MillStageHost *host, void *hists)
{
  ArgsSum *s = state;
  s->kernels += host->get_int(host);
  int64_t first_ns = host->get_int(host);
  if (s->time.moments.n == 0 || first_ns < s->first_ns) s->first_ns = first_ns;
  return dist_load(&s->time, hists, host);
}

void total_save(void *state, const MillStageHost *host)
{
  host->put_int(host, *(const int64_t *)state);
}

bool total_load(void *state, const MillStageHost *host, void *unused)
{
  int64_t *total = state;
  (void)unused;
  *total = add_clipped(*total, host->get_int(host));
  return true;
}
