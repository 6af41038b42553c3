/* Rules for categories; see category-file.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/text/fail.h"
#include "category-file.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

typedef struct CategoryRule {
  GRegex *pattern;
  MillSym category;
} CategoryRule;

typedef struct Reader {
  CategoryFile *file;
  const char *text;
  JsonCursor cursor;
} Reader;

static int fail_at(const Reader *r, const char *at, const char *why)
{
  char what[96];
  JsonPlace place = json_place(r->text, (size_t)(at - r->text));
  snprintf(what, sizeof what, "the category file has an error in line %u, column %u", place.line,
           place.column);
  return fail_option(r->file->common, what, why,
                     "it is like [{\"name\": \"^my::gemm\", \"category\": \"GEMM\"}]");
}

static int fail_token(const Reader *r) { return fail_at(r, r->cursor.error_at, r->cursor.error); }

static int set_pattern(Reader *r, CategoryRule *rule, const JsonToken *token, const char *text)
{
  GError *error = NULL;
  rule->pattern = g_regex_new(text, G_REGEX_OPTIMIZE, (GRegexMatchFlags)0, &error);
  if (rule->pattern) return 0;
  int status = fail_at(r, token->start, error->message);
  g_error_free(error);
  return status;
}

/* One member of a rule. */
static int read_member(Reader *r, CategoryRule *rule, const JsonToken *key)
{
  JsonToken value;
  JsonKind kind = json_skip(&r->cursor, &value);
  bool is_name = key->len == 6 && memcmp(key->start, "\"name\"", 6) == 0;
  bool is_category = key->len == 10 && memcmp(key->start, "\"category\"", 10) == 0;
  if (kind == JSON_ERROR) return fail_token(r);
  if (!is_name && !is_category) return fail_at(r, key->start, "a rule has only name and category");
  if (kind != JSON_STRING) return fail_at(r, value.start, "expected a text");
  if (is_name && rule->pattern) return fail_at(r, key->start, "the name is given twice");
  g_autoptr(GString) text = g_string_new(NULL);
  json_decode(&value, text);
  if (is_name) return set_pattern(r, rule, &value, text->str);
  rule->category = r->file->common->intern(r->file->common, text->str, text->len);
  return 0;
}

static int read_rule(Reader *r)
{
  JsonToken t;
  const char *start = r->cursor.pos;
  if (r->file->n == MAX_RULES) return fail_at(r, start, "there are more than 256 rules");
  CategoryRule *rule = &r->file->rules[r->file->n++];
  JsonKind kind;
  while ((kind = json_next(&r->cursor, &t)) == JSON_KEY) {
    int status = read_member(r, rule, &t);
    if (status < 0) return status;
  }
  if (kind != JSON_OBJECT_END) return fail_token(r);
  return rule->pattern && rule->category ? 0 : fail_at(r, start, "name or category is missing");
}

static int read_list(Reader *r)
{
  JsonToken t;
  JsonKind kind = json_next(&r->cursor, &t);
  if (kind != JSON_ARRAY) return fail_at(r, r->text, "expected a list");
  while ((kind = json_next(&r->cursor, &t)) == JSON_OBJECT) {
    int status = read_rule(r);
    if (status < 0) return status;
  }
  if (kind == JSON_ERROR) return fail_token(r);
  if (kind != JSON_ARRAY_END) return fail_at(r, t.start, "expected an object");
  return json_next(&r->cursor, &t) == JSON_ERROR ? fail_token(r) : 0;
}

int category_file_read(const MillHost *common, const char *text, CategoryFile *out)
{
  *out = (CategoryFile){ .common = common };
  while (*text && (unsigned char)*text <= ' ') text++;
  if (!*text) return 0;
  if (*text != '[')
    return mill_fail(common, MILL_STAGE_FAILED, "category-file is not a file of rules",
                     "it is a JSON list: [{\"name\": \"^my::gemm\", \"category\": \"GEMM\"}]");
  out->rules = mill_new(common, MAX_RULES * sizeof *out->rules);
  if (!out->rules) return -MILL_LIMIT;
  Reader r = { .file = out, .text = text };
  json_open(&r.cursor, text, strlen(text), true);
  return read_list(&r);
}

void category_file_close(CategoryFile *f)
{
  for (uint32_t i = 0; i < f->n; i++)
    if (f->rules[i].pattern) g_regex_unref(f->rules[i].pattern);
  f->n = 0;
}

MillSym category_file_find(CategoryFile *f, MillSym name)
{
  size_t len;
  MillSym category = 0;
  if (f->n == 0 || symmap_get(&f->known, name, &category)) return category;
  const char *text = f->common->symbol_text(f->common, name, &len);
  for (uint32_t i = 0; i < f->n && !category; i++)
    if (g_regex_match(f->rules[i].pattern, text, (GRegexMatchFlags)0, NULL))
      category = f->rules[i].category;
  symmap_put(f->common, &f->known, name, category);
  return category;
}
