/* Calls of a test in C, as the items of a case. */
/* SPDX-License-Identifier: MIT */
#include "record.h"

#include <string.h>

static GString *written; /* NULL: calls are not written down */
static char *test_name;
static unsigned n_cases;     /* of the test */
static gsize started;       /* behind the first line of the case */

static void begin_case(void)
{
  g_string_append_printf(written, "case %s", test_name);
  if (n_cases++) g_string_append_printf(written, " (%u)", n_cases);
  g_string_append_c(written, '\n');
  started = written->len;
}

char *harness_record_begin(const char *name)
{
  char *before = written ? g_string_free(written, FALSE) : NULL;
  written = name ? g_string_new(NULL) : NULL;
  g_free(test_name);
  test_name = g_strdup(name);
  n_cases = 0;
  if (name) begin_case();
  return before;
}

/* One in which nothing happened is none. */
void harness_record_next(void)
{
  if (!written || written->len == started) return;
  g_string_append_c(written, '\n');
  begin_case();
}

void harness_record_item(CaseWord word, const char *rest)
{
  if (!written) return;
  case_put_word(written, word);
  g_string_append_printf(written, "%s%s\n", rest && *rest ? " " : "", rest ? rest : "");
}

void harness_record_number(CaseWord word, uint64_t number, const char *rest)
{
  g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT "%s%s", number, rest ? " " : "",
                                          rest ? rest : "");
  harness_record_item(word, text);
}

void harness_record_value(CaseWord word, uint64_t number, const char *name, const char *value)
{
  if (!written) return;
  case_put_word(written, word);
  if (word != CASE_METRIC) g_string_append_printf(written, " %" G_GUINT64_FORMAT, number);
  g_string_append_printf(written, "%s%s = ", name ? " " : "", name ? name : "");
  case_put_value(written, value ? value : "-");
  g_string_append_c(written, '\n');
}

void harness_record_line(const char *line)
{
  if (written) g_string_append_printf(written, "  %s\n", line);
}

void harness_record_row(const char *row)
{
  if (!written) return;
  g_string_append(written, "  ");
  case_put_value(written, row);
  g_string_append_c(written, '\n');
}

void harness_record_text(const void *bytes, size_t len)
{
  if (written) case_put_text(written, bytes, len);
}

void harness_record_lack(const char *what)
{
  if (written) g_string_append_printf(written, "# The test in C has %s here.\n", what);
}
