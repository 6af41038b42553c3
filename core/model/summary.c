/* A stage's mergeable state as bytes: type mark, then a zigzag varint, 8 bytes, or length and text. */
/* SPDX-License-Identifier: MIT */
#include "model/summary.h"

#include <glib.h>
#include <string.h>

enum { MARK_INT = 'i', MARK_REAL = 'r', MARK_TEXT = 't' };

#define CHARGED_FROM (64u << 10)

static void charge(Summary *s)
{
  if (!s->budget || s->max < CHARGED_FROM) return;
  budget_take(s->budget, USE_SUMMARIES, s->max - s->charged);
  s->charged = s->max;
}

static uint8_t *reserve(Summary *s, size_t n)
{
  if (s->len + n > s->max) {
    s->max = MAX(s->max * 2, s->len + n + 64);
    s->bytes = g_realloc(s->bytes, s->max);
    charge(s);
  }
  return s->bytes + s->len;
}

static void put_varint(Summary *s, uint64_t v)
{
  uint8_t *p = reserve(s, 10);
  while (v >= 0x80) {
    *p++ = (uint8_t)(v | 0x80);
    v >>= 7;
    s->len++;
  }
  *p = (uint8_t)v;
  s->len++;
}

static void put_mark(Summary *s, uint8_t mark)
{
  *reserve(s, 1) = mark;
  s->len++;
}

void summary_clear(Summary *s)
{
  g_free(s->bytes);
  if (s->charged) budget_give(s->budget, USE_SUMMARIES, s->charged);
  *s = (Summary){ 0 };
}

void summary_put_int(Summary *s, int64_t v)
{
  put_mark(s, MARK_INT);
  put_varint(s, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

void summary_put_real(Summary *s, double v)
{
  put_mark(s, MARK_REAL);
  memcpy(reserve(s, 8), &v, 8);
  s->len += 8;
}

void summary_put_text(Summary *s, const char *text, size_t len)
{
  put_mark(s, MARK_TEXT);
  put_varint(s, len);
  uint8_t *to = reserve(s, len + 1);
  if (len) memcpy(to, text, len); /* text may be NULL then */
  s->len += len;
  s->bytes[s->len++] = '\0';
}

void summary_put_string(Summary *s, const char *text)
{
  summary_put_int(s, text != NULL);
  if (text) summary_put_text(s, text, strlen(text));
}

void summary_set_bytes(Summary *s, const void *bytes, size_t len, Budget *budget)
{
  *s = (Summary){ .budget = budget };
  if (!len) return;
  memcpy(reserve(s, len), bytes, len);
  s->len = len;
}

void summary_rewind(Summary *s)
{
  s->pos = 0;
  s->broken = false;
}

static bool take_mark(Summary *s, uint8_t mark)
{
  if (s->broken || s->pos >= s->len || s->bytes[s->pos] != mark) {
    s->broken = true;
    return false;
  }
  s->pos++;
  return true;
}

static uint64_t get_varint(Summary *s)
{
  uint64_t v = 0;
  for (unsigned shift = 0; shift < 64 && s->pos < s->len; shift += 7) {
    uint8_t byte = s->bytes[s->pos++];
    v |= (uint64_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) return v;
  }
  s->broken = true;
  return 0;
}

int64_t summary_get_int(Summary *s)
{
  if (!take_mark(s, MARK_INT)) return 0;
  uint64_t v = get_varint(s);
  return (int64_t)(v >> 1 ^ -(v & 1));
}

double summary_get_real(Summary *s)
{
  double v = 0;
  if (!take_mark(s, MARK_REAL)) return 0;
  if (s->len - s->pos < 8) {
    s->broken = true;
    return 0;
  }
  memcpy(&v, s->bytes + s->pos, 8);
  s->pos += 8;
  return v;
}

const char *summary_get_text(Summary *s, size_t *out_len)
{
  uint64_t len = take_mark(s, MARK_TEXT) ? get_varint(s) : 0;
  if (s->broken || s->len - s->pos < len + 1 || len >= s->len || s->bytes[s->pos + len]) {
    s->broken = true;
    if (out_len) *out_len = 0;
    return "";
  }
  const char *text = (const char *)s->bytes + s->pos;
  s->pos += len + 1;
  if (out_len) *out_len = len;
  return text;
}

char *summary_get_string(Summary *s)
{
  return summary_get_int(s) == 1 ? g_strdup(summary_get_text(s, NULL)) : NULL;
}

bool summary_more(const Summary *s) { return !s->broken && s->pos < s->len; }

uint64_t summary_get_count(Summary *s, size_t min_bytes)
{
  uint64_t n = (uint64_t)summary_get_int(s);
  if (!s->broken && n <= (s->len - s->pos) / MAX(min_bytes, 1)) return n;
  s->broken = true;
  return 0;
}
