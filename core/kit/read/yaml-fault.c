/* What is wrong with a YAML text, in plain words and with its place; see yaml-doc.h. */
/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "kit/read/yaml-parts.h"

typedef struct Words {
  const char *theirs, *ours;
} Words;

static const Words known[] = {
  { "mapping values are not allowed in this context",
    "\": \" is where no value can begin; text that holds it needs quotes" },
  { "could not find expected ':'", "a line among \"key: value\" lines has no colon" },
  { "did not find expected key",
    "the lines are not indented alike, or a quote or bracket is open" },
  { "did not find expected '-' indicator", "the entries of a list are not indented alike" },
  { "block sequence entries are not allowed in this context",
    "\"- \" is where no entry of a list can begin" },
  { "found unexpected end of stream", "a quote is opened and never closed" },
  { "did not find expected ',' or ']'", "a [ is opened and never closed, or a comma is missing" },
  { "did not find expected ',' or '}'", "a { is opened and never closed, or a comma is missing" },
  { "did not find expected <document start>",
    "a second document begins, or text follows the end of the first" },
  { "found character that cannot start any token",
    "a value that begins with this character needs quotes" },
  { "did not find expected node content",
    "a value is missing, or a bracket is opened and never closed" },
  { "found undefined tag handle", "a tag is not known" },
};

static const char *words_for(const char *theirs)
{
  for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
    if (!strcmp(known[i].theirs, theirs)) return known[i].ours;
  return NULL;
}

/* Bytes that cannot be read have an offset and no mark.  In UTF-16 the low byte of a unit gives a
 * line break: characters beyond Latin that end in 0x0A are counted too, in such a broken text. */
static void place_of_offset(const yaml_parser_t *parser, const char *text, size_t len,
                            YamlFault *out)
{
  bool wide =
      parser->encoding == YAML_UTF16LE_ENCODING || parser->encoding == YAML_UTF16BE_ENCODING;
  size_t step = wide ? 2 : 1, low = parser->encoding == YAML_UTF16BE_ENCODING;
  size_t end = MIN(parser->problem_offset, len);
  out->line = out->column = 1;
  for (size_t i = wide ? 2 : 0; i + step <= end; i += step) {
    bool follows = !wide && ((unsigned char)text[i] & 0xc0) == 0x80;
    if (text[i + low] == '\n') {
      out->line++;
      out->column = 1;
    } else if (!follows) {
      out->column++;
    }
  }
}

static const char *start_of_line(size_t line, const char *text, const char *end)
{
  const char *p = text;
  for (; line && p; line--) {
    p = memchr(p, '\n', (size_t)(end - p));
    if (p) p++;
  }
  return p ? p : end;
}

/* A tab among the blanks that a line begins with, or at the mark. */
static bool is_at_tab(const yaml_mark_t *mark, const char *text, size_t len)
{
  const char *end = text + len, *p = start_of_line(mark->line, text, end);
  bool leading = true;
  for (size_t column = 0; p < end && column <= mark->column; p++) {
    leading = leading && (*p == ' ' || *p == '\t');
    if (*p == '\t' && (leading || column == mark->column)) return true;
    column += ((unsigned char)*p & 0xc0) != 0x80;
  }
  return false;
}

static void mark_fault(const yaml_parser_t *parser, const char *text, size_t len, YamlFault *out)
{
  const yaml_mark_t *mark = &parser->problem_mark;
  out->line = (uint32_t)mark->line + 1;
  out->column = (uint32_t)mark->column + 1;
  const char *ours = is_at_tab(mark, text, len)
                         ? "a tab is among the blanks, where YAML allows only spaces"
                         : words_for(parser->problem);
  g_autoptr(GString) why = g_string_new(NULL);
  if (ours) g_string_append_printf(why, "%s (", ours);
  g_string_append(why, parser->problem);
  if (parser->context)
    g_string_append_printf(why, ", %s from %zu:%zu", parser->context, parser->context_mark.line + 1,
                           parser->context_mark.column + 1);
  if (ours) g_string_append_c(why, ')');
  out->why = g_string_free(g_steal_pointer(&why), FALSE);
}

void yaml_syntax_fault(const yaml_parser_t *parser, const char *text, size_t len, YamlFault *out)
{
  if (parser->error == YAML_SCANNER_ERROR || parser->error == YAML_PARSER_ERROR) {
    mark_fault(parser, text, len, out);
    return;
  }
  place_of_offset(parser, text, len, out);
  out->why = g_strdup_printf("the text is not UTF-8 or UTF-16 (%s)",
                             parser->problem ? parser->problem : "out of memory");
}
