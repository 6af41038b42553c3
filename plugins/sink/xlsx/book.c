/* Which sheets a workbook has; see book.h. */
/* SPDX-License-Identifier: MIT */
#include "book.h"

#include <string.h>

#include "xml.h"
#include "kit/sink/result.h"

#define MAX_SHEET_NAME 31 /* UTF-16 units */
#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
#define MAIN "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
#define OFFICE "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
#define PACKAGE "http://schemas.openxmlformats.org/package/2006/"
#define TYPES "application/vnd.openxmlformats-"
#define CREATED "1980-01-01T00:00:00Z" /* the same in every run */

/* What no sheet's name may hold; nor may it begin or end with an apostrophe, or be "History". */
static char *allowed_name(const char *name)
{
  size_t len = strlen(name);
  g_autofree char *mended = NULL;
  char *plain = g_strdup(result_valid(name, &len, &mended));
  for (char *c = plain; *c; c++)
    if (strchr("[]:*?/\\", *c) || (unsigned char)*c < 0x20) *c = '_';
  if (!*plain || !g_ascii_strcasecmp(plain, "History")) {
    char *longer = g_strconcat(plain, "_", NULL);
    g_free(plain);
    plain = longer;
  }
  len = strlen(plain);
  if (*plain == '\'') *plain = '_';
  if (plain[len - 1] == '\'') plain[len - 1] = '_';
  return plain;
}

static void sheet_clear(gpointer sheet) { g_free(((BookSheet *)sheet)->name); }

/* As many as its rows need, and at least one. */
static void add_sheets(Book *b, ResultNames *names, const char *name, uint32_t table,
                       uint64_t n_rows)
{
  uint64_t first = 0;
  do {
    uint64_t n = MIN(n_rows - first, BOOK_MAX_ROWS);
    BookSheet sheet = { result_names_take(names, name), table, first, n };
    size_t len = strlen(sheet.name);
    if (sheet.name[len - 1] == '\'') sheet.name[len - 1] = '_'; /* where it was cut */
    g_array_append_val(b->sheets, sheet);
    first += n;
  } while (first < n_rows);
}

void book_init(Book *b, const MillSinkHost *host, const MillResults *r)
{
  ResultNames names;
  MillTableResult t = { .size = sizeof t };
  *b = (Book){ .host = host, .results = r, .package = package_new(host, "results.xlsx") };
  b->sheets = g_array_new(FALSE, FALSE, sizeof(BookSheet));
  g_array_set_clear_func(b->sheets, sheet_clear);
  result_names_init(&names, " (%u)", MAX_SHEET_NAME);
  add_sheets(b, &names, "Summary", BOOK_METRICS, r->n_metrics);
  for (uint32_t i = 0; r->table(r, i, &t); i++) {
    g_autofree char *name = allowed_name(t.name);
    add_sheets(b, &names, name, i, t.n_rows);
  }
  result_names_clear(&names);
}

void book_clear(Book *b)
{
  g_array_unref(b->sheets);
  package_free(b->package);
}

char *book_part_name(guint sheet)
{
  return g_strdup_printf("xl/worksheets/sheet%u.xml", sheet + 1);
}

/* ------------------------------------------------------------------- parts */

static int put_part(Book *b, const char *name, const char *text)
{
  int status = package_begin(b->package, name);
  if (!status) g_string_append(package_text(b->package), text);
  return status ? status : package_flush(b->package);
}

static int put_types(Book *b)
{
  int status = put_part(b, "[Content_Types].xml",
                        XML "<Types xmlns=\"" PACKAGE "content-types\">"
                            "<Default Extension=\"rels\" ContentType=\"" TYPES
                            "package.relationships+xml\"/>"
                            "<Default Extension=\"xml\" ContentType=\"application/xml\"/>"
                            "<Override PartName=\"/docProps/core.xml\" ContentType=\"" TYPES
                            "package.core-properties+xml\"/>"
                            "<Override PartName=\"/xl/workbook.xml\" ContentType=\"" TYPES
                            "officedocument.spreadsheetml.sheet.main+xml\"/>"
                            "<Override PartName=\"/xl/styles.xml\" ContentType=\"" TYPES
                            "officedocument.spreadsheetml.styles+xml\"/>");
  for (guint i = 0; i < b->sheets->len && !status; i++) {
    g_autofree char *part = book_part_name(i);
    g_string_append_printf(package_text(b->package),
                           "<Override PartName=\"/%s\" ContentType=\"" TYPES
                           "officedocument.spreadsheetml.worksheet+xml\"/>",
                           part);
    status = package_flush(b->package);
  }
  g_string_append(package_text(b->package), "</Types>\n");
  return status;
}

static int put_workbook(Book *b)
{
  int status = put_part(b, "xl/workbook.xml",
                        XML "<workbook xmlns=\"" MAIN "\" xmlns:r=\"" OFFICE "\"><sheets>");
  for (guint i = 0; i < b->sheets->len && !status; i++) {
    const char *name = g_array_index(b->sheets, BookSheet, i).name;
    GString *out = package_text(b->package);
    g_string_append(out, "<sheet name=\"");
    xml_put_attribute(out, name);
    g_string_append_printf(out, "\" sheetId=\"%u\" r:id=\"rId%u\"/>", i + 1, i + 1);
    status = package_flush(b->package);
  }
  g_string_append(package_text(b->package), "</sheets></workbook>\n");
  return status;
}

static int put_links(Book *b)
{
  int status = put_part(b, "xl/_rels/workbook.xml.rels",
                        XML "<Relationships xmlns=\"" PACKAGE "relationships\">");
  guint n = b->sheets->len;
  for (guint i = 0; i < n && !status; i++) {
    g_autofree char *part = book_part_name(i);
    g_string_append_printf(package_text(b->package),
                           "<Relationship Id=\"rId%u\" Type=\"" OFFICE
                           "/worksheet\" Target=\"%s\"/>",
                           i + 1, part + strlen("xl/"));
    status = package_flush(b->package);
  }
  g_string_append_printf(package_text(b->package),
                         "<Relationship Id=\"rId%u\" Type=\"" OFFICE
                         "/styles\" Target=\"styles.xml\"/>"
                         "</Relationships>\n",
                         n + 1);
  return status;
}

/* In the order of the formats in book.h. */
static const char styles[] =
    XML "<styleSheet xmlns=\"" MAIN "\">"
        "<fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>"
        "<font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>"
        "<fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>"
        "<fill><patternFill patternType=\"gray125\"/></fill></fills>"
        "<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>"
        "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" "
        "borderId=\"0\"/></cellStyleXfs>"
        "<cellXfs count=\"4\">"
        "<xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>"
        "<xf numFmtId=\"0\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyFont=\"1\"/>"
        "<xf numFmtId=\"3\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" "
        "applyNumberFormat=\"1\"/>"
        "<xf numFmtId=\"2\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" "
        "applyNumberFormat=\"1\"/>"
        "</cellXfs><cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" "
        "builtinId=\"0\"/></cellStyles>"
        "</styleSheet>\n";

static const char root_links[] =
    XML "<Relationships xmlns=\"" PACKAGE "relationships\">"
        "<Relationship Id=\"rId1\" Type=\"" OFFICE "/officeDocument\" Target=\"xl/workbook.xml\"/>"
        "<Relationship Id=\"rId2\" Type=\"" PACKAGE
        "relationships/metadata/core-properties\" Target=\"docProps/core.xml\"/></Relationships>\n";

static const char properties[] =
    XML "<cp:coreProperties xmlns:cp=\"" PACKAGE "metadata/core-properties\" "
        "xmlns:dc=\"http://purl.org/dc/elements/1.1/\" xmlns:dcterms=\"http://purl.org/dc/terms/\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><dc:creator>stagemill</dc:creator>"
        "<dcterms:created xsi:type=\"dcterms:W3CDTF\">" CREATED "</dcterms:created>"
        "<dcterms:modified xsi:type=\"dcterms:W3CDTF\">" CREATED "</dcterms:modified>"
        "</cp:coreProperties>\n";

int book_put_parts(Book *b)
{
  int status = put_types(b);
  if (!status) status = put_part(b, "_rels/.rels", root_links);
  if (!status) status = put_part(b, "docProps/core.xml", properties);
  if (!status) status = put_workbook(b);
  if (!status) status = put_links(b);
  return status ? status : put_part(b, "xl/styles.xml", styles);
}
