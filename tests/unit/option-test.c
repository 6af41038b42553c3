/* Options: texts of every type to the author's struct, ranges, defaults, messages. */
/* SPDX-License-Identifier: MIT */
#include "model/option.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include "check.h"

typedef struct Sample {
  bool flag;
  int64_t count, window_ns, cap_bytes, mode;
  double ratio;
  const char *label, *file;
  const MillPattern *match;
  MillList kinds;
} Sample;

static const MillOption rows[] = {
  MILL_BOOL_OPTION(Sample, flag, "flag", "true", "A flag."),
  MILL_INT_OPTION(Sample, count, "count", "5", "-10:100", NULL, "A count."),
  MILL_DURATION_OPTION(Sample, window_ns, "window", "10ms", "1us:", "A window."),
  MILL_SIZE_OPTION(Sample, cap_bytes, "cap", "4MiB", ":1GiB", "A cap."),
  MILL_CHOICE_OPTION(Sample, mode, "mode", "exact", "fast|exact|tight", "A mode."),
  MILL_REAL_OPTION(Sample, ratio, "ratio", "0.25", "0:1", NULL, "A ratio."),
  MILL_STRING_OPTION(Sample, label, "label", "none", "A label."),
  MILL_PATH_OPTION(Sample, file, "file", "", "A file."),
  MILL_REGEX_OPTION(Sample, match, "match", "", "A pattern."),
  MILL_LIST_OPTION(Sample, kinds, "kinds", "a,b", "A list."),
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static const MillOption *row_of(const char *name) { return option_find(rows, N_ROWS, name); }

static const struct {
  const char *option, *text;
  bool good;
} texts[] = {
  { "flag", "true", true },        { "flag", "off", true },
  { "flag", "1", true },           { "flag", "maybe", false },
  { "flag", "", false },           { "flag", "TRUE", false },
  { "count", "-10", true },        { "count", "100", true },
  { "count", "101", false },       { "count", "-11", false },
  { "count", "0x10", true },       { "count", "1.5", false },
  { "count", "0Ki", true },        { "count", "1Ki", false },
  { "count", "Ki", false },        { "count", "-1Gi", false },
  { "count", "1Xi", false },       { "count", "9223372036854775807Gi", false },
  { "count", "ten", false },       { "count", "", false },
  { "count", "5 ", false },        { "window", "1us", true },
  { "window", "999ns", false },    { "window", "3 h", true },
  { "window", "5 parsec", false }, { "cap", "1GiB", true },
  { "cap", "2GiB", false },        { "cap", "512K", true },
  { "cap", "lots", false },        { "mode", "fast", true },
  { "mode", "fats", false },       { "mode", "", false },
  { "ratio", "1", true },          { "ratio", "1e-3", true },
  { "ratio", "1.01", false },      { "ratio", "nan", false },
  { "ratio", "-0.1", false },      { "label", "any thing", true },
  { "label", "", true },           { "file", "/tmp/x", true },
  { "match", "^a(b|c)$", true },   { "match", "a(b", false },
  { "match", "", true },           { "kinds", "", true },
  { "kinds", "a, b ,c", true },    { "kinds", "a,,b", false },
  { "kinds", ",", false },
};

static void test_texts(void)
{
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    g_autoptr(Error) e = option_check(row_of(texts[i].option), texts[i].text);
    if (!CHECK_INT(e == NULL, texts[i].good)) CHECK_ROW(texts[i].text);
    if (e) CHECK_STR(e->code, "PRF-09");
    if (e) CHECK(strstr(e->what, texts[i].option) != NULL && e->why != NULL);
  }
}

static void test_defaults(void)
{
  OptionValues *v = option_values_new(rows, N_ROWS, sizeof(Sample));
  CHECK(option_values_complete(v) == NULL);
  const Sample *s = option_values_struct(v);
  CHECK(s->flag);
  CHECK_INT(s->count, 5);
  CHECK_INT(s->window_ns, 10000000);
  CHECK_INT(s->cap_bytes, 4 << 20);
  CHECK_INT(s->mode, 1);
  CHECK(s->ratio == 0.25);
  CHECK_STR(s->label, "none");
  CHECK_STR(s->file, "");
  CHECK(s->match == NULL);
  CHECK_INT(s->kinds.n, 2);
  CHECK_STR(s->kinds.items[0], "a");
  CHECK_STR(s->kinds.items[1], "b");
  option_values_free(v);
}

static void test_set(void)
{
  OptionValues *v = option_values_new(rows, N_ROWS, sizeof(Sample));
  const struct {
    const char *name, *text;
  } given[] = { { "flag", "no" },    { "count", "-7" },      { "mode", "tight" },
                { "label", "x" },    { "kinds", "c , d,e" }, { "ratio", "0.5" },
                { "match", "gemm" }, { "label", "y" },       { "match", "^\xff+$" } };
  for (size_t i = 0; i < sizeof given / sizeof given[0]; i++)
    if (!CHECK(option_values_set(v, row_of(given[i].name), given[i].text) == NULL))
      CHECK_ROW(given[i].text);
  g_autoptr(Error) bad = option_values_set(v, row_of("count"), "1000");
  CHECK(bad != NULL);
  CHECK(option_values_complete(v) == NULL);
  const Sample *s = option_values_struct(v);
  CHECK(!s->flag);
  CHECK_INT(s->count, -7);
  CHECK_INT(s->mode, 2);
  CHECK_STR(s->label, "y");
  CHECK_INT(s->kinds.n, 3);
  CHECK_STR(s->kinds.items[1], "d");
  CHECK(s->match && pattern_match(s->match, "\xff\xff", 2) && !pattern_match(s->match, "a", 1));
  CHECK_INT(s->window_ns, 10000000);
  option_values_free(v);
}

/* A list with a range is of numbers and spans of them. */
static void test_number_list(void)
{
  static const MillOption row = { .type = MILL_OPT_LIST, .name = "steps", .range = "0:100" };
  static const struct {
    const char *text;
    bool good;
  } spans[] = { { "", true },       { "3", true },    { "0-7, 12", true }, { "5-5", true },
                { "20-10", false }, { "-1", false },  { "1-", false },     { "a", false },
                { "1-2-3", false }, { "101", false }, { "0x1", false },    { "1,,2", false },
                { "9-101", false }, { "-", false },   { "1.0", false } };
  for (size_t i = 0; i < G_N_ELEMENTS(spans); i++) {
    g_autoptr(Error) e = option_check(&row, spans[i].text);
    if (!CHECK((e == NULL) == spans[i].good)) CHECK_ROW(spans[i].text);
    if (e) CHECK(strstr(e->what, "steps") != NULL && e->status == EXIT_PROFILE);
  }
  g_autofree char *fault = option_row_fault(&row, sizeof(MillList));
  CHECK(!fault || !strstr(fault, "range"));
}

static void test_required(void)
{
  typedef struct One {
    int64_t a, b;
  } One;
  const MillOption two[] = {
    MILL_OPTION(One, a, int64_t, MILL_OPT_INT, MILL_OPTION_REQUIRED, "a", NULL, NULL, NULL, "A."),
    MILL_OPTION(One, b, int64_t, MILL_OPT_INT, MILL_OPTION_REQUIRED, "b", NULL, NULL, NULL, "B."),
  };
  OptionValues *v = option_values_new(two, 2, sizeof(One));
  CHECK(option_values_set(v, &two[0], "3") == NULL);
  g_autoptr(Error) e = option_values_complete(v);
  CHECK(e != NULL && e->next == NULL);
  if (e) CHECK_STR(e->code, "PRF-10");
  if (e) CHECK_STR(e->what, "option \"b\" needs a value");
  option_values_free(v);
}

static void test_messages(void)
{
  const struct {
    const char *option, *text, *what, *why, *help;
  } table[] = {
    { "count", "200", "option \"count\" cannot be \"200\"", "expected an integer, -10 to 100",
      NULL },
    { "window", "x", "option \"window\" cannot be \"x\"",
      "expected a duration such as 10ms, at least 1us", NULL },
    { "cap", "y", "option \"cap\" cannot be \"y\"", "expected a size such as 4MiB, at most 1GiB",
      NULL },
    { "mode", "exakt", "option \"mode\" cannot be \"exakt\"", "expected one of fast, exact, tight",
      "did you mean \"exact\"?" },
    { "flag", "\033[31m", "option \"flag\" cannot be \"\\x1b[31m\"", "expected true or false",
      NULL },
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    g_autoptr(Error) e = option_check(row_of(table[i].option), table[i].text);
    if (!CHECK(e != NULL)) continue;
    CHECK_STR(e->what, table[i].what);
    CHECK_STR(e->why->pdata[0], table[i].why);
    CHECK_STR(e->help ? e->help->pdata[0] : NULL, table[i].help);
  }
}

static const struct {
  MillOption row;
  const char *fault; /* NULL: sound */
} faults[] = {
  { { MILL_OPT_INT, 8, 0, "a", "1", "0:9", NULL, "A." }, NULL },
  { { MILL_OPT_INT, 8, 0, "a", "10", "0:9", NULL, "A." },
    "has a default \"10\" that it does not accept" },
  { { MILL_OPT_INT, 8, 0, "a", NULL, NULL, NULL, "A." },
    "has a default \"\" that it does not accept" },
  { { MILL_OPT_INT, 64, 0, "a", "1", NULL, NULL, "A." }, "lies outside the options struct" },
  { { MILL_OPT_INT, 60, 0, "a", "1", NULL, NULL, "A." }, "lies outside the options struct" },
  { { MILL_OPT_INT, 4, 0, "a", "1", NULL, NULL, "A." }, "is not aligned in the options struct" },
  { { MILL_OPT_INT, 8, 1 << 8, "a", "1", NULL, NULL, "A." }, "has unknown flags 0x100" },
  { { 99, 8, 0, "a", "1", NULL, NULL, "A." }, "has an unknown type 99" },
  { { MILL_OPT_INT, 8, 0, "a", "1", "1-9", NULL, "A." },
    "has a range \"1-9\" that is not min:max" },
  { { MILL_OPT_REAL, 8, 0, "a", "1", "x:9", NULL, "A." },
    "has a range \"x:9\" that cannot be read" },
  { { MILL_OPT_CHOICE, 8, 0, "a", "b", NULL, NULL, "A." }, "has no choices" },
  { { MILL_OPT_CHOICE, 8, 0, "a", "b", "b||c", NULL, "A." }, "has an empty choice in \"b||c\"" },
  { { MILL_OPT_REGEX, 8, 0, "a", "(", NULL, NULL, "A." },
    "has a default \"(\" that it does not accept" },
};

static void test_faults(void)
{
  for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
    g_autofree char *fault = option_row_fault(&faults[i].row, 64);
    CHECK_STR(fault, faults[i].fault);
  }
}

static void test_patterns(void)
{
  OptionValues *v = option_values_new(rows, N_ROWS, sizeof(Sample));
  const Sample *s = option_values_struct(v);
  CHECK(option_values_set(v, row_of("match"), "^flash.*\\d+$") == NULL);
  if (CHECK(s->match != NULL)) {
    CHECK(pattern_match(s->match, "flash_attn12", 12));
    CHECK(!pattern_match(s->match, "flash_attn12", 10));
    CHECK(!pattern_match(s->match, "gemm", 4));
  }
  g_autoptr(Error) e = option_values_set(v, row_of("match"), "[");
  CHECK(e != NULL);
  option_values_free(v);
}

static void test_far_row(void)
{
  OptionValues *v = option_values_new(rows, N_ROWS, 4);
  g_autoptr(Error) e = option_values_set(v, row_of("kinds"), "a");
  CHECK(e != NULL);
  option_values_free(v);
}

typedef struct Placed {
  const char *map;
} Placed;

static const MillOption placed_rows[] = {
  MILL_OPTION(Placed, map, const char *, MILL_OPT_STRING, MILL_OPTION_OR_FILE, "map", "", NULL,
              NULL, "A map, or a file with one."),
};

static void test_or_file(void)
{
  g_autofree char *path = g_build_filename(g_get_tmp_dir(), "option-test-XXXXXX", NULL);
  close(g_mkstemp(path));
  OptionValues *v = option_values_new(placed_rows, 1, sizeof(Placed));
  const Placed *placed = option_values_struct(v);
  CHECK(g_file_set_contents(path, "0\n1\n", -1, NULL));
  CHECK(option_values_set(v, &placed_rows[0], path) == NULL);
  CHECK_STR(placed->map, "0\n1\n");
  CHECK(option_values_set(v, &placed_rows[0], "contiguous:2") == NULL);
  CHECK_STR(placed->map, "contiguous:2");
  CHECK(g_file_set_contents(path, "a\0b", 3, NULL));
  g_autoptr(Error) binary = option_check(&placed_rows[0], path);
  CHECK(binary && strstr(binary->why->pdata[1], "not a text file"));
  CHECK_INT(truncate(path, (off_t)1 << 40), 0); /* more than any memory: it must not be read */
  g_autoptr(Error) large = option_check(&placed_rows[0], path);
  CHECK(large && strstr(large->why->pdata[1], "larger than 1 MiB"));
  option_values_free(v);
  g_unlink(path);
}

TEST_MAIN({ "texts of every type", test_texts }, { "defaults", test_defaults }, { "set", test_set },
          { "lists of numbers", test_number_list }, { "required", test_required },
          { "messages", test_messages }, { "faulty rows", test_faults },
          { "patterns", test_patterns }, { "row outside the struct", test_far_row },
          { "text or file", test_or_file })
