/* Cutting names; see short-name.h. */
/* SPDX-License-Identifier: MIT */
#include "base/short-name.h"

#include <stdbool.h>
#include <string.h>

#define ANONYMOUS "(anonymous namespace)"

static bool begins_with(const char *at, const char *end, const char *word)
{
  const size_t n = strlen(word);
  return (size_t)(end - at) >= n && memcmp(at, word, n) == 0;
}

/* Of a template or a function; "operator<" and a namespace without a name are no arguments. */
static bool begins_arguments(const char *name, const char *at, const char *end)
{
  if (at == name || (*at != '<' && *at != '(')) return false;
  if (*at == '(') return !begins_with(at, end, ANONYMOUS);
  return at - name < 8 || memcmp(at - 8, "operator", 8) != 0;
}

/* Behind the bracket that closes this one. */
static const char *skip_arguments(const char *at, const char *end)
{
  size_t depth = 0;
  for (; at < end; at++) {
    if (*at == '<' || *at == '(') depth++;
    if (*at == '>' || *at == ')') depth--;
    if (depth == 0) return at + 1;
  }
  return end;
}

static size_t strip(char *out, const char *name, size_t len)
{
  const char *end = name + len, *at = begins_with(name, end, "void ") ? name + 5 : name;
  const char *begin = at;
  size_t n = 0;
  while (at < end)
    if (begins_arguments(begin, at, end))
      at = skip_arguments(at, end);
    else
      out[n++] = *at++;
  return n;
}

static bool is_within_character(char byte) { return (byte & 0xc0) == 0x80; }

size_t short_name(char *out, size_t most, const char *name, size_t len)
{
  static const char dots[] = "...";
  size_t n = strip(out, name, len);
  if (n > most) {
    size_t head = (most - 3 + 1) / 2, tail = n - (most - 3 - head);
    while (head > 0 && is_within_character(out[head])) head--;
    while (tail < n && is_within_character(out[tail])) tail++;
    memmove(out + head + 3, out + tail, n - tail);
    memcpy(out + head, dots, 3);
    n = head + 3 + n - tail;
  }
  out[n] = '\0';
  return n;
}
