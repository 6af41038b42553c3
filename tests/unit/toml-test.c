/* The TOML reader: what settings of probes hold, and the place of what is no TOML. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/toml.h"

#include <string.h>

#include "check.h"

static Toml *read_text(const char *text)
{
  TomlFault why;
  Toml *t = toml_read(text, strlen(text), &why);
  if (!t) g_printerr("%s\n", why.what);
  return t;
}

static const char *text_of(const Toml *t, const char *table, const char *key)
{
  const TomlEntry *e = toml_find(t, table, key);
  return e ? e->value->text : NULL;
}

static void strings(void)
{
  g_autoptr(Toml) t =
      read_text("a = \"x\\t\\u00e9\"\nb = 'C:\\n'\nc = \"\"\"\none\ntwo \\\n   three\"\"\"\n"
                "d = '''it's'''\n\"e f\" = \"#\" # words\n");
  CHECK_STR(text_of(t, "", "a"), "x\t\xc3\xa9");
  CHECK_STR(text_of(t, "", "b"), "C:\\n");
  CHECK_STR(text_of(t, "", "c"), "one\ntwo three");
  CHECK_STR(text_of(t, "", "d"), "it's");
  CHECK_STR(text_of(t, "", "e f"), "#");
}

static void numbers(void)
{
  g_autoptr(Toml) t = read_text("a = 1_000\nb = 0x10\nc = -2.5e3\nd = true\n");
  CHECK_INT(toml_find(t, "", "a")->value->i, 1000);
  CHECK_INT(toml_find(t, "", "b")->value->i, 16);
  CHECK_INT(toml_find(t, "", "c")->value->type, TOML_REAL);
  CHECK_INT(toml_find(t, "", "d")->value->type, TOML_BOOL);
  CHECK_INT(toml_find(t, "", "d")->value->i, 1);
}

static void tables(void)
{
  g_autoptr(Toml) t = read_text("x = 1\n[map.y]\nsize = 16\nregs = { a = [\"u64\", 0], b.c = [] }\n"
                                "[ map . \"z\" ]\n p.q = [ # one\n [1], 2,\n]\n");
  CHECK_INT(t->tables->len, 3);
  CHECK_STR(text_of(t, "map.y", "size"), "16");
  const TomlEntry *a = toml_find(t, "map.y.regs", "a");
  CHECK_INT(a->value->items->len, 2);
  CHECK_STR(((TomlValue *)a->value->items->pdata[0])->text, "u64");
  CHECK_INT(a->line, 4);
  CHECK_INT(a->column, 10);
  CHECK_INT(toml_find(t, "map.y.regs.b", "c")->value->items->len, 0);
  CHECK_INT(toml_find(t, "map.z.p", "q")->value->items->len, 2);
  CHECK(!toml_find(t, "map.z", "nothing"));
}

static void faults(void)
{
  static const struct {
    const char *text, *what;
    uint64_t line, column;
  } cases[] = {
    { "a", "a key needs", 1, 2 },
    { "a = 1\n= 2", "a key is expected", 2, 1 },
    { "\xc3\xa9 = 1", "a key is expected", 1, 1 },
    { "a = \"x\ny\"", "no end", 1, 5 },
    { "a = \"\\q\"", "escape", 1, 6 },
    { "a = \"\\ud800\"", "no such character", 1, 8 },
    { "a = [1 2]", "comma", 1, 8 },
    { "a = [1,", "no end", 1, 5 },
    { "a = 1\na = 2", "twice", 2, 1 },
    { "[t]\n[t]", "twice", 2, 1 },
    { "[[t]]", "arrays of tables", 1, 1 },
    { "a = 1979-05-27", "not a value", 1, 5 },
    { "a = 1 2", "more follows", 1, 7 },
    { "a = 1__0", "not a value", 1, 5 },
    { "a = 016", "not a value", 1, 5 },
    { "a = 0.", "not a value", 1, 5 },
    { "a = 1\n# \xff", "UTF-8", 2, 3 },
    { "a = 1\r\nb = 2 \r# c", "CR", 2, 7 },
    { "a = { b = 1", "inline table", 1, 12 },
    { "a = [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]", "nested", 1, 22 },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    TomlFault why;
    CHECK(!toml_read(cases[i].text, strlen(cases[i].text), &why));
    if (!strstr(why.what, cases[i].what) || why.line != cases[i].line ||
        why.column != cases[i].column) {
      g_printerr("%s: %s at %d:%d\n", cases[i].text, why.what, (int)why.line, (int)why.column);
      CHECK(false);
    }
    g_free(why.what);
  }
}

TEST_MAIN({ "strings", strings }, { "numbers", numbers }, { "tables", tables },
          { "faults", faults })
