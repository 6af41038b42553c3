/* A list of frequencies; see freq-found.h. */
/* SPDX-License-Identifier: MIT */
#include "freq-found.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kit/state/grow.h"
#include "clock/lib/micros.h"

enum {
  LISTED = 16,
  REST_MAX = 64
}; /* bytes that a name does not need: the frequency, or how many more there are */

static char *joined(const MillHost *common, const char *input, const char *process)
{
  size_t n = strlen(input), m = strlen(process);
  char *name = mill_new(common, n + m + 10);
  if (!name) return NULL;
  memcpy(name, input, n);
  if (m > 0) {
    memcpy(name + n, " process ", 9);
    memcpy(name + n + 9, process, m);
  }
  return name;
}

bool freq_found_add(const MillHost *common, FreqFound *f, const char *input, const char *process,
                    double mhz, int64_t drift_ns)
{
  if (!array_reserve(common, &f->items, &f->capacity, f->n + 1, sizeof *f->items)) return false;
  char *name = joined(common, input, process);
  if (!name) return false;
  f->items[f->n++] = (FreqFoundOne){ name, mhz, drift_ns };
  return true;
}

static const StateField one_fields[] = {
  STATE_FIRST(FreqFoundOne, name),
  STATE_FIRST(FreqFoundOne, mhz),
  STATE_FIRST(FreqFoundOne, drift_ns),
};
static const StateType one_state = STATE_TYPE(FreqFoundOne, one_fields);
static const StateField found_fields[] = { STATE_LIST(FreqFound, items, n, capacity, one_state) };
const StateType freq_found_state = STATE_TYPE(FreqFound, found_fields);

bool freq_found_agree(const FreqFound *f, double off_mhz)
{
  for (size_t i = 1; i < f->n; i++)
    if (fabs(f->items[i].mhz - f->items[0].mhz) > off_mhz) return false;
  return true;
}

int64_t freq_found_drift_ns(const FreqFound *f)
{
  int64_t drift_ns = 0;
  for (size_t i = 0; i < f->n; i++)
    if (llabs(f->items[i].drift_ns) > llabs(drift_ns)) drift_ns = f->items[i].drift_ns;
  return drift_ns;
}

static size_t put(char *out, const char *text)
{
  size_t n = strlen(text);
  memcpy(out, text, n);
  return n;
}

const char *freq_found_list(const MillHost *common, const FreqFound *f, size_t *out_len)
{
  size_t len = 0, size = REST_MAX;
  for (size_t i = 0; i < f->n && i < LISTED; i++) size += strlen(f->items[i].name) + REST_MAX;
  char *list = common->scratch(common, size);
  for (size_t i = 0; list && i < f->n && i < LISTED; i++) {
    list[len++] = '\n';
    len += put(list + len, f->items[i].name);
    len += put(list + len, ": --set soc-mhz=");
    len += micros_write(list + len, (int64_t)(f->items[i].mhz * 1000 + 0.5)); /* kHz as MHz */
  }
  if (list && f->n > LISTED) len += put(list + len, "\nand more: see the table frequencies");
  *out_len = len;
  return list;
}
