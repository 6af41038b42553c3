/* Names of files with tags in them: read, filled, grouped, refused. */
/* SPDX-License-Identifier: MIT */
#include "base/name-pattern.h"

#include <string.h>

#include "check.h"

typedef struct Row {
  const char *name;
  int64_t rank;
  const char *threads, *x; /* NULL: it has none */
} Row;

static const char *name_at(const void *rows, uint32_t lane)
{
  return ((const Row *)rows)[lane].name;
}

static int64_t rank_at(const void *rows, uint32_t lane) { return ((const Row *)rows)[lane].rank; }

static const char *tag_at(const void *rows, uint32_t lane, const char *tag)
{
  const Row *row = (const Row *)rows + lane;
  if (!strcmp(tag, "threads")) return row->threads;
  return strcmp(tag, "x") ? NULL : row->x;
}

static NameLanes lanes_of(const Row *rows, uint32_t n)
{
  return (NameLanes){ .context = rows, .n = n, .name = name_at, .tag = tag_at, .rank = rank_at };
}

/* The names with spaces between, or what is wrong. */
static char *fill(const char *text, const NameLanes *lanes)
{
  NameFault fault = { NULL, NULL, NULL };
  g_autoptr(NamePattern) p = name_pattern_read(text, &fault);
  g_autoptr(GPtrArray) names = p ? name_of_lanes(p, lanes, &fault) : NULL;
  GString *out = g_string_new(names ? "" : fault.what);
  for (guint i = 0; names && i < names->len; i++)
    g_string_append_printf(out, "%s%s", i ? " " : "", (const char *)names->pdata[i]);
  if (!names && fault.where) g_string_append_printf(out, " at %s", fault.where);
  name_fault_clear(&fault);
  return g_string_free(out, FALSE);
}

static const Row sweep[] = {
  { "a", 0, "256", "p" }, { "b", 1, "256", "p" }, { "c", 0, "512", "p" }, { "d", -1, "512", "q" }
};

static void test_names(void)
{
  static const struct {
    const char *text, *names;
  } table[] = {
    { "t.json", "t.json t.json t.json t.json" },
    { "{threads}t.json", "256t.json 256t.json 512t.json 512t.json" },
    { "{threads}/{x}-{threads}", "256/p-256 256/p-256 512/p-512 512/q-512" },
    { "{rank}", "0-lane0 1 0-lane2 -lane3" },
    { "{threads}.{rank}", "256.0 256.1 512.0 512.-lane3" },
    { "{x}.{rank}", "p.0-lane0 p.1 p.0-lane2 q.-lane3" },
    { "{y}", "an input has no tag \"y\" at a" },
    { "{}", "{} is not the name of a tag in braces" },
    { "a{b", "a brace is not closed: {b" },
    { "a}b", "a}b a}b a}b a}b" },
    { "{a b}", "{a b} is not the name of a tag in braces" },
  };
  NameLanes lanes = lanes_of(sweep, 4);
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    g_autofree char *found = fill(table[i].text, &lanes);
    if (!CHECK_STR(found, table[i].names)) CHECK_ROW(table[i].text);
  }
}

static void test_values(void)
{
  g_autofree char *most = g_strnfill(200, 'n'), *more = g_strnfill(201, 'n');
  const struct {
    const char *value, *fragment; /* NULL: it is fine */
  } table[] = {
    { "", "it is empty" }, { "a/b", "a slash" },  { "..", "two dots" }, { "a..b", "two dots" },
    { "a\nb", "control" }, { "\x7f", "control" }, { ".", NULL },        { "-x \xc3\xa9", NULL },
    { most, NULL },        { more, "200 bytes" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
    const Row row = { "a", 0, table[i].value, NULL };
    NameLanes lanes = lanes_of(&row, 1);
    g_autofree char *found = fill("{threads}", &lanes);
    if (table[i].fragment)
      CHECK(strstr(found, table[i].fragment) && g_str_has_suffix(found, " at a"));
    else
      CHECK_STR(found, table[i].value);
  }
}

static void test_two_groups_of_one_name(void)
{
  static const Row rows[] = { { "a", 0, "1", "23" }, { "b", 1, "12", "3" }, { "c", 1, "1", "23" } };
  NameLanes lanes = lanes_of(rows, 3), fine = lanes_of(rows, 1);
  g_autofree char *found = fill("{threads}{x}", &lanes), *apart = fill("{threads}-{x}", &lanes),
                  *one = fill("{threads}{x}", &fine);
  CHECK_STR(found, "inputs with different tags would be written to one file: 123 at b");
  CHECK_STR(apart, "1-23 12-3 1-23");
  CHECK_STR(one, "123");
}

static void test_the_merged_stream(void)
{
  NameLanes lanes = lanes_of(sweep, 2), all = lanes_of(sweep, 3);
  lanes.merged = all.merged = true;
  g_autofree char *same = fill("{threads}-{rank}", &lanes), *other = fill("{threads}-{rank}", &all);
  CHECK_STR(same, "256--all 256--all");
  CHECK_STR(other, "a stage merged all inputs into one stream, so tags cannot split it");
}

static void test_what_makes_groups(void)
{
  NameFault fault = { NULL, NULL, NULL };
  g_autoptr(NamePattern) p = name_pattern_read("{rank}{threads}/{x}{threads}", &fault);
  g_autofree char *groups = name_pattern_groups(p);
  CHECK_STR(groups, "threads,x");
  CHECK(name_pattern_has(p, "rank") && name_pattern_has(p, "x") && !name_pattern_has(p, "y"));
  NameLanes lanes = lanes_of(sweep, 4);
  CHECK(name_same_group(p, &lanes, 0, 1) && !name_same_group(p, &lanes, 1, 2) &&
        !name_same_group(p, &lanes, 2, 3));
}

TEST_MAIN({ "names", test_names }, { "values", test_values },
          { "two groups of one name", test_two_groups_of_one_name },
          { "the merged stream", test_the_merged_stream },
          { "what makes groups", test_what_makes_groups })
