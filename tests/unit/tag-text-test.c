/* Names and values as lines: whatever they hold comes back. */
/* SPDX-License-Identifier: MIT */
#include "base/tag-text.h"

#include "check.h"

static const char *const parts[] = { "",   "a",      "a=b",    "=",   "\\", "\\n",
                                     "\n", "a\nb=c", "\t\x1b", "\\=", "x\\" };

static void test_there_and_back(void)
{
  size_t n = G_N_ELEMENTS(parts);
  g_autoptr(GString) text = g_string_new(NULL);
  for (size_t i = 0; i < n * n; i++) tag_text_add(text, parts[i / n], parts[i % n]);
  const char *at = text->str;
  char *name, *value;
  size_t i = 0;
  for (; tag_text_next(&at, &name, &value); i++) {
    CHECK_STR(name, parts[i / n]);
    CHECK_STR(value, parts[i % n]);
    g_free(name);
    g_free(value);
  }
  CHECK_INT(i, n * n);
}

static void test_lines(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  tag_text_add(text, "model", "a=b\nc\\d");
  tag_text_add(text, "x=y", "");
  CHECK_STR(text->str, "model=a=b\\nc\\\\d\nx\\=y=");
}

/* What nobody wrote so is read as far as it goes. */
static void test_odd(void)
{
  const char *at = "alone";
  char *name, *value;
  CHECK(tag_text_next(&at, &name, &value));
  CHECK_STR(name, "alone");
  CHECK_STR(value, "");
  g_free(name);
  g_free(value);
  CHECK(!tag_text_next(&at, &name, &value));
}

TEST_MAIN({ "there and back", test_there_and_back }, { "lines", test_lines }, { "odd", test_odd })
