/* TOML: places, blanks, strings and words. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/num.h"
#include "kit/read/toml-parts.h"

#define SHOWN 40

void toml_place(const TomlText *t, const char *at, uint64_t *out_line, uint64_t *out_column)
{
  *out_line = *out_column = 1;
  for (const char *p = t->begin; p < at; p++) {
    if (*p == '\n') {
      ++*out_line;
      *out_column = 1;
    } else if (((unsigned char)*p & 0xc0) != 0x80) {
      ++*out_column;
    }
  }
}

bool toml_fault_at(TomlText *t, const char *at, const char *format, ...)
{
  va_list args;
  if (t->fault->what) return false;
  toml_place(t, at, &t->fault->line, &t->fault->column);
  va_start(args, format);
  t->fault->what = g_strdup_vprintf(format, args);
  va_end(args);
  return false;
}

void toml_skip_blanks(TomlText *t)
{
  while (t->p < t->end && (*t->p == ' ' || *t->p == '\t' || *t->p == '\r')) t->p++;
}

void toml_skip_empty(TomlText *t)
{
  for (;;) {
    toml_skip_blanks(t);
    if (t->p < t->end && *t->p == '#')
      while (t->p < t->end && *t->p != '\n') t->p++;
    if (t->p == t->end || *t->p != '\n') return;
    t->p++;
  }
}

/* ----------------------------------------------------------------- strings */

static bool is_triple(const TomlText *t, char quote)
{
  return t->end - t->p >= 3 && t->p[0] == quote && t->p[1] == quote && t->p[2] == quote;
}

/* \u1234 and \U12345678, after the letter. */
static bool read_code(TomlText *t, GString *out, int n_digits)
{
  const char *at = t->p;
  gunichar code = 0;
  for (int i = 0; i < n_digits; i++, t->p++) {
    int digit = t->p < t->end ? g_ascii_xdigit_value(*t->p) : -1;
    if (digit < 0) return toml_fault_at(t, at, "an escaped character has %d digits", n_digits);
    code = code << 4 | (gunichar)digit;
  }
  if (!code || !g_unichar_validate(code)) return toml_fault_at(t, at, "there is no such character");
  g_string_append_unichar(out, code);
  return true;
}

static bool read_escape(TomlText *t, GString *out, bool many_lines)
{
  static const char letters[] = "btnfre\"\\", means[] = "\b\t\n\f\r\033\"\\";
  const char *at = t->p++;
  if (t->p == t->end) return toml_fault_at(t, at, "a string has no end");
  char c = *t->p;
  const char *known = strchr(letters, c);
  if (many_lines && (c == '\n' || c == ' ' || c == '\t' || c == '\r')) {
    while (t->p < t->end && strchr(" \t\r\n", *t->p) && *t->p) t->p++;
    return true;
  }
  t->p++;
  if (c == 'u' || c == 'U') return read_code(t, out, c == 'u' ? 4 : 8);
  if (!c || !known) return toml_fault_at(t, at, "a string has no such escape");
  g_string_append_c(out, means[known - letters]);
  return true;
}

static bool read_quoted(TomlText *t, GString *out, char quote, bool triple)
{
  const char *at = t->p;
  t->p += triple ? 3 : 1;
  if (triple && t->p < t->end && *t->p == '\r') t->p++;
  if (triple && t->p < t->end && *t->p == '\n') t->p++;
  while (t->p < t->end) {
    if (triple ? is_triple(t, quote) : *t->p == quote) {
      t->p += triple ? 3 : 1;
      /* Up to two quotes may stand before the three that end it. */
      for (int i = 0; triple && i < 2 && t->p < t->end && *t->p == quote; i++, t->p++)
        g_string_append_c(out, quote);
      return true;
    }
    if (*t->p == '\n' && !triple) break;
    if (*t->p == 0) return toml_fault_at(t, t->p, "the text has a byte 0");
    if (*t->p == '\\' && quote == '"') {
      if (!read_escape(t, out, triple)) return false;
    } else {
      g_string_append_c(out, *t->p++);
    }
  }
  return toml_fault_at(t, at, "a string has no end");
}

bool toml_read_string(TomlText *t, char **out)
{
  GString *text = g_string_new(NULL);
  char quote = *t->p;
  bool fine = read_quoted(t, text, quote, is_triple(t, quote));
  *out = g_string_free(text, !fine);
  return fine;
}

/* ------------------------------------------------------------------- words */

/* Without the underscores between digits; false where one stands elsewhere. */
static bool plain_digits(const char *word, GString *out)
{
  for (const char *p = word; *p; p++) {
    if (*p != '_')
      g_string_append_c(out, *p);
    else if (p == word || !g_ascii_isxdigit(p[-1]) || !g_ascii_isxdigit(p[1]))
      return false;
  }
  return true;
}

static bool read_number(const char *word, TomlValue *out)
{
  g_autoptr(GString) plain = g_string_new(NULL);
  double real;
  const char *digits = word + (*word == '-' || *word == '+');
  if (!plain_digits(word, plain)) return false;
  if (!g_strcmp0(digits, "inf") || !g_strcmp0(digits, "nan")) {
    out->type = TOML_REAL;
    return true;
  }
  const char *dot = strchr(digits, '.');
  if (!g_ascii_isdigit(*digits) || (*digits == '0' && g_ascii_isdigit(digits[1]))) return false;
  if (dot && !g_ascii_isdigit(dot[1])) return false;
  out->type = TOML_INT;
  if (num_int(plain->str, plain->len, &out->i)) return true;
  out->type = TOML_REAL;
  return strpbrk(digits, ".eE") && num_real(plain->str, plain->len, &real);
}

bool toml_read_word(TomlText *t, TomlValue *out)
{
  const char *at = t->p;
  while (t->p < t->end && (g_ascii_isalnum(*t->p) || (*t->p && strchr("+-._:", *t->p)))) t->p++;
  out->text = g_strndup(at, (gsize)(t->p - at));
  out->type = TOML_BOOL;
  out->i = !strcmp(out->text, "true");
  if (out->i || !strcmp(out->text, "false")) return true;
  if (t->p == at) return toml_fault_at(t, at, "a value is expected");
  if (read_number(out->text, out)) return true;
  return toml_fault_at(t, at, "not a value: %.*s", SHOWN, out->text);
}
