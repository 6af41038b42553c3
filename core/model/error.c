/* Errors as values; see error.h. */
/* SPDX-License-Identifier: MIT */
#include "model/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/suggest.h"
#include "model/printable.h"

static GPtrArray *add_line(GPtrArray *lines, char *text)
{
  if (!lines) lines = g_ptr_array_new_with_free_func(g_free);
  g_ptr_array_add(lines, text);
  return lines;
}

Error *error_new_at(const char *file, int line, int status, const char *code, const char *format,
                    ...)
{
  va_list args;
  Error *e = g_new0(Error, 1);
  e->status = status;
  e->code = g_strdup(code);
  va_start(args, format);
  e->what = g_strdup_vprintf(format, args);
  va_end(args);
  return error_cause_at(file, line, e, "%s", e->what);
}

Error *error_of_kind(Error *e, ErrorKind kind)
{
  e->kind = kind;
  return e;
}

bool error_is_answer(int error_no)
{
  static const int answers[] = { ENOENT, ENOTDIR, EACCES, EPERM, ELOOP, ENAMETOOLONG };
  for (gsize i = 0; i < G_N_ELEMENTS(answers); i++)
    if (error_no == answers[i]) return true;
  return false;
}

Error *error_of_errno(Error *e, int error_no)
{
  if (error_no == ENOMEM) e->status = EXIT_LIMIT;
  return e;
}

Error *error_of_read(Error *e, const GError *why)
{
  bool refused = g_error_matches(why, G_FILE_ERROR, G_FILE_ERROR_NOMEM);
  return error_of_errno(e, refused ? ENOMEM : 0);
}

#define DEFINE_ADDER(function, member)                               \
  Error *function(Error *e, const char *format, ...)                 \
  {                                                                  \
    va_list args;                                                    \
    if (!e) return NULL;                                             \
    va_start(args, format);                                          \
    e->member = add_line(e->member, g_strdup_vprintf(format, args)); \
    va_end(args);                                                    \
    return e;                                                        \
  }

DEFINE_ADDER(error_at, at)
DEFINE_ADDER(error_why, why)
DEFINE_ADDER(error_help, help)

Error *error_suggest(Error *e, const char *word, const char *const *words)
{
  const char *near = suggest_nearest(word, words);
  return near && strcmp(near, word) != 0 ? error_help(e, "did you mean \"%s\"?", near) : e;
}

Error *error_cause_at(const char *file, int line, Error *e, const char *format, ...)
{
  va_list args;
  if (!e) return NULL;
  va_start(args, format);
  g_autofree char *text = g_strdup_vprintf(format, args);
  va_end(args);
  e->causes = add_line(e->causes, g_strdup_printf("%s (%s:%d)", text, file, line));
  return e;
}

Error *error_join(Error *first, Error *then)
{
  if (!first || !then) return first ? first : then;
  Error *last = first->last ? first->last : first;
  while (last->next) last = last->next;
  last->next = then;
  first->last = then->last ? then->last : then;
  return first;
}

Error *error_copy(const Error *from)
{
  Error *e = error_new(from->status, from->code, "%s", from->what);
  error_of_kind(e, from->kind);
  for (guint i = 0; from->at && i < from->at->len; i++)
    error_at(e, "%s", (char *)from->at->pdata[i]);
  for (guint i = 0; from->why && i < from->why->len; i++)
    error_why(e, "%s", (char *)from->why->pdata[i]);
  for (guint i = 0; from->help && i < from->help->len; i++)
    error_help(e, "%s", (char *)from->help->pdata[i]);
  return e;
}

void error_free(Error *e)
{
  while (e) {
    Error *next = e->next;
    g_clear_pointer(&e->at, g_ptr_array_unref);
    g_clear_pointer(&e->why, g_ptr_array_unref);
    g_clear_pointer(&e->help, g_ptr_array_unref);
    g_clear_pointer(&e->causes, g_ptr_array_unref);
    g_free(e->code);
    g_free(e->what);
    g_free(e);
    e = next;
  }
}

/* What a module or an input put into it cannot steer a terminal, nor look like another message. */
static void put_line(GString *out, const char *text)
{
  printable_append(out, text, strlen(text), "");
  g_string_append_c(out, '\n');
}

/* The label comes before the first line only; the others align with it. */
static void format_lines(const GPtrArray *lines, const char *label, GString *out)
{
  for (guint i = 0; lines && i < lines->len; i++) {
    g_string_append_printf(out, "  %-*s", *label ? 6 : 0, i ? "" : label);
    put_line(out, lines->pdata[i]);
  }
}

void error_format(const Error *e, bool verbose, bool colour, GString *out)
{
  for (; e; e = e->next) {
    g_string_append_printf(out, "%serror[%s]%s: ", colour ? ERROR_COLOUR : "", e->code,
                           colour ? ERROR_COLOUR_END : "");
    put_line(out, e->what);
    format_lines(e->at, "", out);
    format_lines(e->why, "why:", out);
    format_lines(e->help, "help:", out);
    if (verbose) format_lines(e->causes, "from:", out);
    if (e->next) g_string_append_c(out, '\n');
  }
}

/* ---------------------------------------------------------------- as bytes */

static void save_lines(const GPtrArray *lines, Summary *out)
{
  summary_put_int(out, lines ? lines->len : 0);
  for (guint i = 0; lines && i < lines->len; i++) summary_put_string(out, lines->pdata[i]);
}

static GPtrArray *load_lines(Summary *from)
{
  GPtrArray *lines = NULL;
  uint64_t n = summary_get_count(from, 2);
  for (uint64_t i = 0; i < n && !from->broken; i++) {
    char *line = summary_get_string(from);
    if (line)
      lines = add_line(lines, line);
    else
      from->broken = true;
  }
  return lines;
}

void error_save(const Error *e, Summary *out)
{
  for (; e; e = e->next) {
    summary_put_int(out, 1);
    summary_put_int(out, e->status);
    summary_put_int(out, e->kind);
    summary_put_string(out, e->code);
    summary_put_string(out, e->what);
    save_lines(e->at, out);
    save_lines(e->why, out);
    save_lines(e->help, out);
    save_lines(e->causes, out);
  }
  summary_put_int(out, 0);
}

Error *error_load(Summary *from)
{
  Error *first = NULL;
  while (summary_get_int(from) == 1) {
    Error *e = g_new0(Error, 1);
    e->status = (int)summary_get_int(from);
    e->kind = (ErrorKind)summary_get_int(from);
    e->code = summary_get_string(from);
    e->what = summary_get_string(from);
    e->at = load_lines(from);
    e->why = load_lines(from);
    e->help = load_lines(from);
    e->causes = load_lines(from);
    first = error_join(first, e);
    if (!e->code || !e->what) from->broken = true;
  }
  if (from->broken) g_clear_pointer(&first, error_free);
  return first;
}
