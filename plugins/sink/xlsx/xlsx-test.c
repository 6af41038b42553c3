/* The xlsx sink: container, cells, escapes, limits, names of sheets. */
/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "fake-run.h"
#include "zip-parts.h"

typedef struct Book {
  FakeHost fake;
  GHashTable *parts;
} Book;

static Book write_book(const FakeResults *r)
{
  Book b;
  fake_host_init(&b.fake, fake_run_lanes, 2, MILL_NO_LANE);
  fake_run_write(&b.fake, r, NULL);
  const GString *file = fake_output_bytes(&b.fake, "results.xlsx");
  b.parts = file ? zip_parts(file->str, file->len) : NULL;
  CHECK(b.parts != NULL);
  return b;
}

static void close_book(Book *b)
{
  if (b->parts) g_hash_table_unref(b->parts);
  fake_host_clear(&b->fake);
}

static const char *part(const Book *b, const char *name)
{
  const char *text = b->parts ? g_hash_table_lookup(b->parts, name) : NULL;
  return text ? text : "";
}

static void check_holds(const char *text, const char *wanted)
{
  if (!CHECK(strstr(text, wanted) != NULL)) CHECK_ROW(wanted);
}

static void check_lacks(const char *text, const char *unwanted)
{
  if (!CHECK(strstr(text, unwanted) == NULL)) CHECK_ROW(unwanted);
}

static void test_run(void)
{
  FakeResults r;
  fake_run_init(&r);
  Book b = write_book(&r);
  check_holds(part(&b, "xl/workbook.xml"),
              "<sheet name=\"Summary\" sheetId=\"1\" r:id=\"rId1\"/>"
              "<sheet name=\"kernel-time\" sheetId=\"2\" r:id=\"rId2\"/>"
              "<sheet name=\"busy-time\" sheetId=\"3\" r:id=\"rId3\"/>"
              "<sheet name=\".._silent\" sheetId=\"4\" r:id=\"rId4\"/>");
  const char *sheet = part(&b, "xl/worksheets/sheet2.xml");
  check_holds(sheet, "<dimension ref=\"A1:F5\"/>");
  check_holds(sheet, "state=\"frozen\"");
  check_holds(sheet, "<autoFilter ref=\"A1:F5\"/>");
  check_holds(
      sheet,
      "<c r=\"B1\" s=\"1\" t=\"inlineStr\"><is><t xml:space=\"preserve\">total_ns</t></is></c>");
  check_holds(
      sheet,
      "<c r=\"A2\" t=\"inlineStr\"><is><t xml:space=\"preserve\">=cmd|' /C calc'!A0</t></is></c>"
      "<c r=\"B2\" s=\"2\"><v>12345678</v></c><c r=\"C2\" s=\"3\"><v>41.04</v></c>");
  check_holds(sheet, "<c r=\"F2\" t=\"b\"><v>1</v></c></row>");
  check_holds(sheet, "_x001B_[31mred_x0007_ \xc2\x9b \xe2\x80\xae end\xef\xbf\xbd");
  check_holds(sheet, "a, &quot;b&quot;_x000D_\nc");
  /* Not finite, absent, and more than a double holds. */
  check_holds(sheet, "<c r=\"B4\" s=\"2\"><v>-5</v></c><c r=\"E4\" s=\"2\" t=\"inlineStr\"><is><t "
                     "xml:space=\"preserve\">9223372036854775807</t></is></c></row>");
  check_lacks(sheet, "<f");
  check_holds(part(&b, "xl/worksheets/sheet4.xml"), "<autoFilter ref=\"A1:B1\"/>");
  check_holds(part(&b, "docProps/core.xml"), "1980-01-01T00:00:00Z</dcterms:created>");
  CHECK_INT(g_hash_table_size(b.parts), 10);
  close_book(&b);
}

static void test_summary(void)
{
  FakeResults r;
  fake_run_init(&r);
  Book b = write_book(&r);
  const char *sheet = part(&b, "xl/worksheets/sheet1.xml");
  check_holds(sheet, "<dimension ref=\"A1:K10\"/>");
  check_holds(
      sheet,
      "ttft</t></is></c><c r=\"B2\" t=\"inlineStr\"><is><t xml:space=\"preserve\">p50</t></is></c>"
      "<c r=\"F2\"><v>96400000</v></c><c r=\"G2\" t=\"inlineStr\"><is><t "
      "xml:space=\"preserve\">ns</t></is></c><c r=\"H2\"><v>24000</v></c>");
  check_holds(sheet, "<c r=\"C5\"><v>0</v></c><c r=\"D5\" t=\"inlineStr\"><is><t "
                     "xml:space=\"preserve\">rank0.json.gz</t></is></c>");
  check_holds(sheet, "no collectives in _x001B_this trace");
  check_holds(sheet, "{&quot;a&quot;:[1]}");
  check_lacks(sheet, "{&quot;a&quot;:<");
  close_book(&b);
}

static void test_empty(void)
{
  FakeResults r;
  fake_run_empty(&r);
  Book b = write_book(&r);
  check_holds(part(&b, "xl/workbook.xml"),
              "<sheets><sheet name=\"Summary\" sheetId=\"1\" r:id=\"rId1\"/></sheets>");
  check_holds(part(&b, "xl/worksheets/sheet1.xml"), "<autoFilter ref=\"A1:K1\"/>");
  close_book(&b);
}

static const MillColumn text_columns[] = { MILL_CELL_COLUMN("c", NULL, MILL_TEXT, 0, NULL) };
static const MillTable text_table = { .name = "t", .columns = MILL_ROWS(text_columns) };

/* The only sheet's only cell. */
static Book write_cell(MillValue cell)
{
  FakeTable one = { &text_table, "t", text_table.columns, &cell, 1 };
  FakeResults r = { .tables = &one, .results.n_tables = 1 };
  fake_results_init(&r);
  return write_book(&r);
}

static void test_cells(void)
{
  static const struct {
    const char *text;
    size_t len;
    const char *wanted;
  } cells[] = {
    { "=1+1", 4, ">=1+1</t>" },
    { "</x>&\"", 6, ">&lt;/x&gt;&amp;&quot;</t>" },
    { "_x0041_", 7, ">_x005F_x0041_</t>" },
    { "_x004_ _", 8, ">_x004_ _</t>" },
    { "a\0b", 3,
      ">a\xef\xbf\xbd"
      "b</t>" },
    { "\xef\xbf\xbf!", 4, ">\xef\xbf\xbd!</t>" },
    { "\t \n", 3, ">\t \n</t>" },
    { "\xe4\xb8\xad|", 4, ">\xe4\xb8\xad|</t>" },
    { "", 0, "></t>" },
  };
  for (size_t i = 0; i < G_N_ELEMENTS(cells); i++) {
    Book b = write_cell(mill_text(cells[i].text, cells[i].len));
    check_holds(part(&b, "xl/worksheets/sheet2.xml"), cells[i].wanted);
    close_book(&b);
  }
}

/* 32,767 UTF-16 units fit; what is longer ends in an ellipsis, and is counted. */
static void test_long_texts(void)
{
  g_autofree char *text = g_strnfill(100000, 'x');
  Book fits = write_cell(mill_text(text, 32767)), cut = write_cell(mill_text(text, 100000));
  check_lacks(part(&fits, "xl/worksheets/sheet2.xml"), "\xe2\x80\xa6");
  CHECK_INT(fits.fake.notes[1], 0);
  const char *sheet = part(&cut, "xl/worksheets/sheet2.xml"), *first = strstr(sheet, "xxx");
  CHECK_INT(first ? strspn(first, "x") : 0, 32766);
  check_holds(sheet, "x\xe2\x80\xa6</t>");
  CHECK_INT(cut.fake.notes[1], 1);
  close_book(&fits);
  close_book(&cut);
}

static void test_exact_integers(void)
{
  Book fits = write_cell(mill_int(INT64_C(9007199254740992)));
  Book text = write_cell(mill_int(INT64_C(-9007199254740993)));
  check_holds(part(&fits, "xl/worksheets/sheet2.xml"), "<v>9007199254740992</v>");
  check_holds(part(&text, "xl/worksheets/sheet2.xml"), "preserve\">-9007199254740993</t>");
  close_book(&fits);
  close_book(&text);
}

static void test_sheet_names(void)
{
  static const char *const names[][2] = {
    { "summary", "summary (2)" },
    { "a/b[c]:*?\\d", "a_b_c_____d" },
    { "'quoted'", "_quoted_" },
    { "History", "History_" },
    { "", "_" },
    { "a-table-with-a-name-that-is-too-long", "a-table-with-a-name-that-is-too" },
    { "A-TABLE-WITH-A-NAME-THAT-IS-TOO-LONG", "A-TABLE-WITH-A-NAME-THAT-IS (2)" },
    { "<&\">", "&lt;&amp;&quot;&gt;" },
  };
  FakeTable tables[G_N_ELEMENTS(names)];
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
    tables[i] = (FakeTable){ &text_table, names[i][0], text_table.columns, NULL, 0 };
  FakeResults r = { .tables = tables, .results.n_tables = G_N_ELEMENTS(names) };
  fake_results_init(&r);
  Book b = write_book(&r);
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autofree char *wanted =
        g_strdup_printf("<sheet name=\"%s\" sheetId=\"%zu\"", names[i][1], i + 2);
    check_holds(part(&b, "xl/workbook.xml"), wanted);
  }
  close_book(&b);
}

/* All rows are the same one. */
static const MillValue *same_row(const MillResults *r, uint32_t index, uint64_t row)
{
  static const MillValue cell = { .type = MILL_INT, .u.i = 7 };
  (void)r, (void)index, (void)row;
  return &cell;
}

static void test_many_rows(void)
{
  FakeTable one = { &text_table, "t", text_table.columns, NULL, 1048576 };
  FakeResults r = { .tables = &one, .results.n_tables = 1 };
  fake_results_init(&r);
  r.results.row = same_row;
  Book b = write_book(&r);
  check_holds(part(&b, "xl/workbook.xml"), "<sheet name=\"t\" sheetId=\"2\" r:id=\"rId2\"/>"
                                           "<sheet name=\"t (2)\" sheetId=\"3\" r:id=\"rId3\"/>");
  check_holds(part(&b, "xl/worksheets/sheet2.xml"),
              "<c r=\"A1048576\"><v>7</v></c></row></sheetData>");
  check_holds(part(&b, "xl/worksheets/sheet3.xml"), "<c r=\"A2\"><v>7</v></c></row></sheetData>");
  close_book(&b);
}

static void test_same_bytes(void)
{
  FakeResults r;
  fake_run_init(&r);
  Book a = write_book(&r), b = write_book(&r);
  CHECK(g_string_equal(fake_output_bytes(&a.fake, "results.xlsx"),
                       fake_output_bytes(&b.fake, "results.xlsx")));
  close_book(&a);
  close_book(&b);
}

static void test_output_failure(void)
{
  FakeHost fake;
  FakeResults r;
  void *instance;
  fake_host_init(&fake, fake_run_lanes, 2, MILL_NO_LANE);
  fake.fail_output = -MILL_OUTPUT_FAILED;
  fake_run_init(&r);
  CHECK_INT(fake_host_open(&fake, NULL, &instance), 0);
  CHECK_INT(sink_under_test()->ops->results(instance, &r.results), -MILL_OUTPUT_FAILED);
  CHECK_INT(fake.output_calls, 1);
  fake_host_close(NULL);
  fake_host_clear(&fake);
}

TEST_MAIN({ "a run", test_run }, { "the summary", test_summary }, { "no results", test_empty },
          { "texts", test_cells }, { "long texts", test_long_texts },
          { "integers that a double does not hold", test_exact_integers },
          { "names of sheets", test_sheet_names }, { "more rows than a sheet has", test_many_rows },
          { "the same bytes", test_same_bytes }, { "reports failed output", test_output_failure })
