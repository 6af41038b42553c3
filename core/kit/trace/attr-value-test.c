/* Tests of attributes as values. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/attr-value.h"

#include <math.h>
#include <stagemill/harness.h>

#include "check.h"

static bool says(MillValue v, uint32_t type, const char *text)
{
  return v.type == type && v.len == strlen(text) && memcmp(v.u.text, text, v.len) == 0;
}

static void one_value_stays_what_it_is(void)
{
  const MillHost *common = harness_host()->common;
  MillBatch b = { .size = sizeof b, .raw_ = "0x10 and more" };
  MillAttr text = { .type = MILL_TEXT, .u.text = { 0, 4 } };
  MillAttr integer = { .type = MILL_INT | MILL_ATTR_SET, .u.i = -7 };
  MillAttr real = { .type = MILL_REAL, .u.r = 2.5 };
  CHECK(says(attr_value(common, &b, &text, 1), MILL_TEXT, "0x10"));
  CHECK_INT(attr_value(common, &b, &integer, 1).u.i, -7);
  CHECK(attr_value(common, &b, &real, 1).u.r == 2.5);
}

static void a_list_becomes_json(void)
{
  MillBatch b = { .size = sizeof b };
  MillAttr attrs[] = { { .key = 1, .type = MILL_INT, .u.i = 1 },
                       { .key = 1, .type = MILL_REAL, .u.r = 2.5 },
                       { .key = 2, .type = MILL_INT, .u.i = 9 } };
  MillEvent e = { .n_attrs = 3 };
  b.attrs = attrs;
  CHECK_INT(attr_run(&b, &e, 0), 2);
  CHECK_INT(attr_run(&b, &e, 1), 1);
  CHECK_INT(attr_run(&b, &e, 2), 1);
  CHECK(says(attr_value(harness_host()->common, &b, attrs, 2), MILL_JSON, "[1,2.5]"));
}

static void names_are_symbols_and_numbers_are_real(void)
{
  const MillHost *common = harness_host()->common;
  const MillBatch b = { .size = sizeof b, .raw_ = "ring, tree" };
  const MillAttr text = { .type = MILL_TEXT, .u.text = { 0, 4 } };
  const MillAttr name = { .type = MILL_SYM, .u.sym = common->intern(common, "ring", 4) };
  const MillAttr integer = { .type = MILL_INT, .u.i = -7 },
                 real = { .type = MILL_REAL, .u.r = 0.5 };
  CHECK_INT(attr_sym(common, &b, &text), name.u.sym);
  CHECK_INT(attr_sym(common, &b, &name), name.u.sym);
  CHECK(!attr_sym(common, &b, &integer) && !attr_sym(common, &b, NULL));
  CHECK(attr_real(&integer) == -7 && attr_real(&real) == 0.5);
  CHECK(isnan(attr_real(&text)) && isnan(attr_real(NULL)));
}

TEST_MAIN({ "one value stays what it is", one_value_stays_what_it_is },
          { "a list becomes JSON", a_list_becomes_json },
          { "names are symbols and numbers are real", names_are_symbols_and_numbers_are_real })
