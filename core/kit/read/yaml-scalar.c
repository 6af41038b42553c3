/* Types and values of YAML scalars, by the rules of YAML 1.1; see yaml-doc.h. */
/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/num-digits.h"
#include "base/num.h"
#include "kit/read/yaml-parts.h"

#define DIGITS "0123456789"

static bool as_null(YamlNode *node)
{
  static const char *const words[] = { "", "~", "null", "Null", "NULL", NULL };
  if (!g_strv_contains(words, node->text)) return false;
  node->type = YAML_IS_NULL;
  return true;
}

static bool as_bool(YamlNode *node)
{
  static const char *const yes[] = { "yes",  "Yes", "YES", "true", "True",
                                     "TRUE", "on",  "On",  "ON",   NULL };
  static const char *const no[] = { "no",    "No",  "NO",  "false", "False",
                                    "FALSE", "off", "Off", "OFF",   NULL };
  bool is_yes = g_strv_contains(yes, node->text);
  if (!is_yes && !g_strv_contains(no, node->text)) return false;
  node->type = YAML_IS_BOOL;
  node->u.b = is_yes;
  return true;
}

/* --------------------------------------------------------------- numbers */

static void set_int(YamlNode *node, int64_t value)
{
  node->type = YAML_IS_INT;
  node->u.i = value;
}

static void set_real(YamlNode *node, double value)
{
  node->type = YAML_IS_REAL;
  node->u.r = value;
}

/* Digits of base 2, 8 or 16, in which integers beyond 64 bits become reals. */
static bool read_power(YamlNode *node, const char *digits, unsigned base, bool negative)
{
  const char *end = digits + strlen(digits), *after;
  uint64_t whole;
  double real = 0;
  if (!*digits) return false;
  after = digits_scan(digits, end, base, INT64_MAX, &whole);
  if (after == end) set_int(node, negative ? -(int64_t)whole : (int64_t)whole);
  if (after) return after == end;
  for (const char *p = digits; *p; p++) {
    if (digit_value(*p) >= base) return false;
    real = real * base + digit_value(*p);
  }
  set_real(node, negative ? -real : real);
  return true;
}

/* `text` has no underscores any more. */
static bool read_decimal(YamlNode *node, const char *text, const char *digits)
{
  size_t len = strlen(text);
  int64_t whole;
  double real;
  if (!*digits || digits[strspn(digits, DIGITS)]) return false;
  if (num_int(text, len, &whole))
    set_int(node, whole);
  else if (num_real(text, len, &real))
    set_real(node, real);
  else
    set_real(node, *text == '-' ? -INFINITY : INFINITY);
  return true;
}

static bool read_int(YamlNode *node, const char *text)
{
  bool negative = *text == '-';
  const char *digits = text + (negative || *text == '+');
  if (*digits != '0' || !digits[1]) return read_decimal(node, text, digits);
  if (digits[1] == 'x') return read_power(node, digits + 2, 16, negative);
  if (digits[1] == 'b') return read_power(node, digits + 2, 2, negative);
  return read_power(node, digits + 1, 8, negative);
}

static bool read_special(YamlNode *node)
{
  static const char *const infinite[] = { ".inf", ".Inf", ".INF", NULL };
  static const char *const none[] = { ".nan", ".NaN", ".NAN", NULL };
  bool sign = *node->text == '-' || *node->text == '+';
  if (g_strv_contains(infinite, node->text + sign))
    set_real(node, *node->text == '-' ? -INFINITY : INFINITY);
  else if (!sign && g_strv_contains(none, node->text))
    set_real(node, NAN);
  else
    return false;
  return true;
}

/* Digits with a point or an exponent (08 has neither and is a text); what lies beyond a double is
 * infinite. */
static bool read_real(YamlNode *node, const char *text)
{
  const char *p = text + (*text == '-' || *text == '+');
  double real;
  p += strspn(p, DIGITS);
  if (*p != '.' && *p != 'e' && *p != 'E') return false;
  if (*p == '.') p += 1 + strspn(p + 1, DIGITS);
  if (*p == 'e' || *p == 'E') {
    p += 1 + (p[1] == '-' || p[1] == '+');
    if (!*p) return false;
    p += strspn(p, DIGITS);
  }
  if (*p) return false;
  if (!num_real(text, strlen(text), &real)) real = *text == '-' ? -INFINITY : INFINITY;
  set_real(node, real);
  return true;
}

/* The text without underscores, which may be between digits: 10_000. */
static char *without_underscores(const YamlNode *node)
{
  char *plain = g_strdup(node->text), *to = plain;
  for (const char *from = plain; *from; from++)
    if (*from != '_') *to++ = *from;
  *to = '\0';
  return plain;
}

static bool as_number(YamlNode *node)
{
  const char *p = node->text + (*node->text == '-' || *node->text == '+');
  if (!g_ascii_isdigit(*p) && !(*p == '.' && g_ascii_isdigit(p[1]))) return read_special(node);
  g_autofree char *plain = without_underscores(node);
  return read_int(node, plain) || read_real(node, plain);
}

static bool as_text(YamlNode *node)
{
  node->type = YAML_IS_TEXT;
  return true;
}

static bool as_int(YamlNode *node) { return as_number(node) && node->type == YAML_IS_INT; }

static bool as_real(YamlNode *node)
{
  if (!as_number(node)) return false;
  if (node->type == YAML_IS_INT) set_real(node, (double)node->u.i);
  return true;
}

bool yaml_scalar_type(YamlNode *node, const char *tag, bool plain)
{
  static const struct {
    const char *tag;
    bool (*read)(YamlNode *);
  } tags[] = {
    { YAML_STR_TAG, as_text }, { YAML_NULL_TAG, as_null },  { YAML_BOOL_TAG, as_bool },
    { YAML_INT_TAG, as_int },  { YAML_FLOAT_TAG, as_real }, { YAML_TIMESTAMP_TAG, as_text },
    { "!", as_text }
  };
  if (!tag && plain && (as_null(node) || as_bool(node) || as_number(node))) return true;
  if (!tag) return as_text(node);
  for (size_t i = 0; i < G_N_ELEMENTS(tags); i++)
    if (!strcmp(tag, tags[i].tag)) return tags[i].read(node);
  return false;
}
