/* Names and numbers of all-reduce strategies, and options; see allreduce-names.h. */
/* SPDX-License-Identifier: MIT */
#include "tune/lib/allreduce-names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

static const char *const strategies[] = { "NCCL",           "MIN_LATENCY", "UB",           "AUTO",
                                          "ONESHOT",        "TWOSHOT",     "LOWPRECISION", "MNNVL",
                                          "NCCL_SYMMETRIC", "SYMM_MEM" };

int64_t ar_number_of(const char *name, size_t len)
{
  for (size_t i = 0; i < MILL_COUNT(strategies); i++)
    if (strlen(strategies[i]) == len && !memcmp(strategies[i], name, len)) return (int64_t)i;
  return INT64_MIN;
}

const char *ar_name_of(int64_t number)
{
  return number >= 0 && number < (int64_t)MILL_COUNT(strategies) ? strategies[number] : NULL;
}

/* ----------------------------------------------------------------- options */

static int fail(const MillHost *common, const char *option, const char *text, const char *help)
{
  char what[200];
  snprintf(what, sizeof what, "the option %s cannot be understood: \"%.100s\"", option, text);
  return mill_fail(common, MILL_STAGE_FAILED, what, help);
}

static int read_known(const MillHost *common, const char *text, MillSym *out_name,
                      int64_t *out_number)
{
  const char *equals = strchr(text, '=');
  size_t len = equals ? (size_t)(equals - text) : strlen(text);
  *out_name = common->intern(common, text, len);
  if (len == 0) return fail(common, "known", text, "NAME or NAME=NUMBER");
  if (equals) {
    if (num_int(equals + 1, strlen(equals + 1), out_number) && *out_number >= 0 &&
        *out_number <= INT32_MAX)
      return 0;
    return fail(common, "known", text, "the number of a strategy is a whole number of 31 bits");
  }
  *out_number = ar_number_of(text, len);
  if (*out_number != INT64_MIN) return 0;
  return fail(common, "known", text, "a strategy of a newer library needs its number: NAME=NUMBER");
}

int ar_known_read(const MillHost *common, const MillList *list, ArKnown *out)
{
  *out = (ArKnown){ .common = common, .n = list->n };
  if (list->n == 0) return fail(common, "known", "", "a table needs a strategy");
  out->names = mill_new(common, list->n * sizeof *out->names);
  out->numbers = mill_new(common, list->n * sizeof *out->numbers);
  if (!out->names || !out->numbers) return -MILL_LIMIT;
  int status = 0;
  for (uint32_t i = 0; i < list->n && status == 0; i++)
    status = read_known(common, list->items[i], &out->names[i], &out->numbers[i]);
  return status;
}

bool ar_known_number(const ArKnown *known, MillSym strategy, int64_t *out)
{
  for (uint32_t i = 0; i < known->n; i++)
    if (known->names[i] == strategy) {
      *out = known->numbers[i];
      return true;
    }
  return false;
}

int ar_axis_read(const MillHost *common, const char *option, const MillList *list, ArAxis *out)
{
  for (uint32_t i = 0; i < list->n; i++) {
    int64_t value;
    const char *text = list->items[i];
    if (!num_int(text, strlen(text), &value) || value < 1 || value > INT32_MAX)
      return fail(common, option, text, "a list of whole numbers from 1");
    if (!ar_axis_add(common, out, value)) return -MILL_LIMIT;
  }
  return out->n ? 0 : fail(common, option, "", "a table needs a value on each axis");
}

int ar_percent_read(const MillHost *common, const char *option, const char *text, double *out)
{
  size_t len = strlen(text);
  if (len && text[len - 1] == '%') len--;
  if (num_real(text, len, out) && *out >= 0) return 0;
  return fail(common, option, text, "percent, such as 5%");
}

static bool read_size(const char *from, const char *to, int64_t *out)
{
  return num_int(from, (size_t)(to - from), out) && *out >= 1;
}

static int fail_shape(const MillHost *common, const char *text, const char *part)
{
  char help[120];
  snprintf(help, sizeof help, "TP,FUSION,HIDDEN,TOKENS, such as 8,NONE,4096,16: %s", part);
  return fail(common, "shape", text, help);
}

int ar_shape_read(const MillHost *common, const char *text, ArShape *out)
{
  const char *comma[4];
  const char *p = text;
  *out = (ArShape){ .is_given = *text != '\0' };
  if (!*text) return 0;
  for (size_t i = 0; i < 4; i++) {
    comma[i] = strchr(p, i < 3 ? ',' : '\0');
    if (!comma[i]) return fail_shape(common, text, "it has fewer than four parts");
    p = comma[i] + 1;
  }
  out->fusion = common->intern(common, comma[0] + 1, (size_t)(comma[1] - comma[0] - 1));
  if (!read_size(text, comma[0], &out->tp))
    return fail_shape(common, text, "TP is no whole number from 1");
  if (!read_size(comma[1] + 1, comma[2], &out->hidden))
    return fail_shape(common, text, "HIDDEN is no whole number from 1");
  if (!read_size(comma[2] + 1, comma[3], &out->tokens))
    return fail_shape(common, text, "TOKENS is no whole number from 1, or more parts follow");
  return 0;
}
