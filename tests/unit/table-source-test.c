/* Declarations of tables that are refused before anything is read. */
/* SPDX-License-Identifier: MIT */
#include "kit/read/table-source.h"

#include "check.h"

static const char *said;

static int fail(const MillHost *common, const MillFailure *failure)
{
  (void)common;
  said = failure->what;
  return -(int)failure->status;
}

static void *resize(const MillHost *common, void *old, size_t bytes)
{
  static _Alignas(max_align_t) char memory[1 << 20];
  (void)common, (void)old;
  return bytes <= sizeof memory ? memory : NULL;
}

static const MillNotice notices[] = { TABLE_NOTICES(NULL, "Columns.", "a cell is wrong", NULL,
                                                    "Cells.") };
static const TableColumn sound[] = {
  { .title = "name", .key = "name", .type = TABLE_NAME, .flags = TABLE_NEEDED },
  { .title = "calls", .key = "calls", .type = TABLE_INT, .most = 9 },
  { .title = "note", .type = TABLE_NAME },
};
static const TableColumn unkeyed[] = {
  { .title = "note", .type = TABLE_NAME },
  { .title = "name", .key = "name", .type = TABLE_NAME },
};
static const TableColumn rangeless[] = {
  { .title = "calls", .key = "calls", .type = TABLE_INT, .least = 2, .most = 1 }
};
static const TableColumn many[RECORD_MAX_KEYS + 1];

/* What is said of such a source; NULL: it opens. */
static const char *opened(const TableSource *table, MillNoticeRows rows)
{
  const MillHost common = { .size = sizeof common, .fail = fail, .resize = resize };
  const MillSourceHost host = { .size = sizeof host, .common = &common };
  const MillSource source = { .size = sizeof source, .notices = rows, .user = table };
  void *instance = NULL;
  said = NULL;
  int status = table_source_open(&source, &host, NULL, &instance);
  CHECK_INT(status, said ? -MILL_STAGE_FAILED : 0);
  CHECK((instance != NULL) == !said);
  return said;
}

static void what_is_misdeclared_is_refused(void)
{
  const MillNoticeRows all = MILL_ROWS(notices), none = { 0 };
  static const uint32_t numbers[TABLE_REPLACED + 1] = { 0 };
  TableSource table = { .record = "row", TABLE_COLUMNS(sound), .few = 1, .likely = 50 };
  CHECK_STR(opened(&table, all), NULL);
  CHECK_STR(opened(&table, none), "the notices do not begin with TABLE_NOTICES");
  table.numbers = numbers;
  CHECK_STR(opened(&table, none), NULL);
  table = (TableSource){ .record = "row", TABLE_COLUMNS(unkeyed) };
  CHECK_STR(opened(&table, all), "a column with a key is behind one that has none");
  table = (TableSource){ .record = "row", TABLE_COLUMNS(rangeless) };
  CHECK_STR(opened(&table, all), "no integer is in the range of a column");
  table = (TableSource){ .record = "row", TABLE_COLUMNS(many) };
  CHECK_STR(opened(&table, all), "there are more than 32 columns");
}

TEST_MAIN({ "what is misdeclared is refused", what_is_misdeclared_is_refused })
