/* A strict reader of JSON (RFC 8259, UTF-8) that shares no code with the program: it judges what sinks write. */
/* SPDX-License-Identifier: MIT */
#ifndef FUZZ_STRICT_JSON_H
#define FUZZ_STRICT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct StrictJson {
  const unsigned char *at, *end;
  uint32_t depth;
  uint64_t n_events; /* elements of the list that the outermost member "traceEvents" is */
} StrictJson;

static bool strict_value(StrictJson *j);

/* One more byte, or 256 at the end. */
static unsigned strict_byte(const StrictJson *j) { return j->at < j->end ? *j->at : 256; }

static bool strict_take(StrictJson *j, unsigned byte)
{
  if (strict_byte(j) != byte) return false;
  j->at++;
  return true;
}

static void strict_blanks(StrictJson *j)
{
  while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r'))
    j->at++;
}

static bool strict_word(StrictJson *j, const char *word)
{
  size_t len = strlen(word);
  if ((size_t)(j->end - j->at) < len || memcmp(j->at, word, len)) return false;
  j->at += len;
  return true;
}

/* Length of the character of UTF-8 at `p`; 0: none begins there. */
static size_t strict_character(const unsigned char *p, const unsigned char *end)
{
  static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
  size_t len = *p < 0x80 ? 1 : *p >> 5 == 6 ? 2 : *p >> 4 == 14 ? 3 : *p >> 3 == 30 ? 4 : 0;
  if (len <= 1) return len;
  uint32_t code = *p & (0x7fu >> len);
  if ((size_t)(end - p) < len) return 0;
  for (size_t i = 1; i < len; i++) {
    if (p[i] >> 6 != 2) return 0;
    code = code << 6 | (p[i] & 0x3f);
  }
  bool surrogate = code >= 0xd800 && code <= 0xdfff;
  return code >= least[len] && code <= 0x10ffff && !surrogate ? len : 0;
}

static bool strict_utf8(const char *text, size_t len)
{
  const unsigned char *p = (const unsigned char *)text, *end = p + len;
  while (p < end) {
    size_t n = strict_character(p, end);
    if (!n) return false;
    p += n;
  }
  return true;
}

static bool strict_escape(StrictJson *j)
{
  unsigned c = strict_byte(j);
  if (c == 256) return false;
  j->at++;
  if (c != 'u') return c && c < 256 && strchr("\"\\/bfnrt", (int)c);
  for (int i = 0; i < 4; i++, j->at++) {
    unsigned digit = strict_byte(j) | 0x20;
    if (!(digit >= '0' && digit <= '9') && !(digit >= 'a' && digit <= 'f')) return false;
  }
  return true;
}

static bool strict_string(StrictJson *j)
{
  if (!strict_take(j, '"')) return false;
  while (j->at < j->end && *j->at != '"') {
    if (*j->at < 0x20) return false;
    if (*j->at == '\\') {
      j->at++;
      if (!strict_escape(j)) return false;
      continue;
    }
    size_t len = strict_character(j->at, j->end);
    if (!len) return false;
    j->at += len;
  }
  return strict_take(j, '"');
}

static bool strict_digits(StrictJson *j)
{
  const unsigned char *first = j->at;
  while (j->at < j->end && *j->at >= '0' && *j->at <= '9') j->at++;
  return j->at > first;
}

static bool strict_number(StrictJson *j)
{
  strict_take(j, '-');
  if (!strict_take(j, '0') && !strict_digits(j)) return false;
  if (strict_take(j, '.') && !strict_digits(j)) return false;
  if (!strict_take(j, 'e') && !strict_take(j, 'E')) return true;
  if (!strict_take(j, '+')) strict_take(j, '-');
  return strict_digits(j);
}

static bool strict_list(StrictJson *j, uint64_t *out_n)
{
  j->at++;
  strict_blanks(j);
  if (strict_take(j, ']')) return true;
  do {
    ++*out_n;
    if (!strict_value(j)) return false;
  } while (strict_take(j, ','));
  return strict_take(j, ']');
}

static bool strict_object(StrictJson *j)
{
  static const char events[] = "\"traceEvents\"";
  j->at++;
  strict_blanks(j);
  if (strict_take(j, '}')) return true;
  do {
    strict_blanks(j);
    const unsigned char *key = j->at;
    if (!strict_string(j)) return false;
    bool is_events = j->depth == 1 && (size_t)(j->at - key) == strlen(events) &&
                     !memcmp(key, events, strlen(events));
    strict_blanks(j);
    if (!strict_take(j, ':')) return false;
    strict_blanks(j);
    uint64_t n = 0;
    if (is_events && strict_byte(j) == '[') {
      if (!strict_list(j, &n)) return false;
      j->n_events += n;
      strict_blanks(j);
    } else if (!strict_value(j)) {
      return false;
    }
  } while (strict_take(j, ','));
  return strict_take(j, '}');
}

/* With the blanks around it. */
static bool strict_value(StrictJson *j)
{
  uint64_t ignored = 0;
  bool good;
  strict_blanks(j);
  if (++j->depth > 2000) return false;
  switch (strict_byte(j)) {
  case '{': good = strict_object(j); break;
  case '[': good = strict_list(j, &ignored); break;
  case '"': good = strict_string(j); break;
  case 't': good = strict_word(j, "true"); break;
  case 'f': good = strict_word(j, "false"); break;
  case 'n': good = strict_word(j, "null"); break;
  default: good = strict_number(j);
  }
  j->depth--;
  strict_blanks(j);
  return good;
}

/* One document and nothing else. */
static bool strict_json(const char *text, size_t len, uint64_t *out_n_events)
{
  StrictJson j = { (const unsigned char *)text, (const unsigned char *)text + len, 0, 0 };
  bool good = strict_value(&j) && j.at == j.end;
  if (out_n_events) *out_n_events = j.n_events;
  return good;
}

#endif
