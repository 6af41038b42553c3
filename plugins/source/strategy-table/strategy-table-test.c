/* The strategy-table source: C++ in its layouts, rows, and what is broken. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define NAME "inline AllReduceBestStrategyTableType AllReduceBestStrategyTableSM"
#define HEAD                                                       \
  "// AllReduce lookup: [tp][fusion][hidden][tokens] = strategy\n" \
  "// TP:[2, 4]\n// Fusion:['NONE', 'MORE']\n// Hidden:[128]\n// Tokens:[1, 2]\n"
#define BODY                                                                          \
  " = {\n    {\n        // TP=2\n        { // Fusion=NONE\n            {4,5}\n"       \
  "        },\n        { // Fusion=MORE\n            {0,8}\n        }\n    },\n"      \
  "    {\n        // TP=4\n        { // Fusion=NONE\n            {1,2}\n        },\n" \
  "        { // Fusion=MORE\n            {3,77}\n        }\n    }\n};\n"

#define CELL(tp, fusion, tokens, number)                                        \
  "- allreduce.cell - p=- t=- {tp=" #tp ", fusion=" #fusion ", tokens=" #tokens \
  ", hidden=128, number=" #number "}"
#define CELLS                                                                         \
  CELL(2, NONE, 1, 4), CELL(2, NONE, 2, 5), CELL(2, MORE, 1, 0), CELL(2, MORE, 2, 8), \
      CELL(4, NONE, 1, 1), CELL(4, NONE, 2, 2), CELL(4, MORE, 1, 3), CELL(4, MORE, 2, 77)

static void knows_its_formats(void)
{
  expect_probe(HEAD NAME "90" BODY, "x.cpp", 90);
  expect_probe("sm,tp,fusion,hidden_size,num_tokens,strategy,number,source\n", "x", 95);
  expect_probe("world_size,fusion,hidden_size,num_tokens,strategy,time (us)\n", "x", 0);
  expect_probe("int main(void) { return 0; }\n", "x.cpp", 0);
}

static void reads_what_the_generator_writes(void)
{
  given_bytes(HEAD NAME "90" BODY);
  expect(CELLS);
  expect_described(0, "tag.sm=90 fact=input.allreduce fact=input.strategy-table");
}

/* A formatter fills lines, also those of comments, and moves braces. */
static void reads_what_a_formatter_makes_of_it(void)
{
  given_bytes("#pragma once\n/* Tables: AllReduceBestStrategyTableSM90 and others. */\n"
              "// TP:[2, 4] Fusion:['NONE',\n// 'MORE']\n" NAME
              "90{{{{4, 5}}, {{0,\n8,}}}, // more\n{ { {1,2} /* x */ },\r\n{ {3,77} }, } };\n"
              "auto best = AllReduceBestStrategyTableSM90.at(0);\n");
  expect(CELLS);
}

static void comments_beside_blocks_name_them(void)
{
  given_bytes(NAME "100 = {{ // TP=16\n{ // Fusion=OTHER\n{4}, // hidden_size=100\n"
                   "{5} // hidden_size=300\n}}};");
  expect("- allreduce.cell - p=- t=- {tp=16, fusion=OTHER, tokens=1, hidden=100, number=4}",
         "- allreduce.cell - p=- t=- {tp=16, fusion=OTHER, tokens=1, hidden=300, number=5}");
}

static void several_tables_are_several_lanes(void)
{
  given_bytes(HEAD NAME "90" BODY NAME "100" BODY);
  expect(CELLS);
  expect_lane(1, CELLS);
  expect_described(0, "tag.sm=90 fact=input.allreduce fact=input.strategy-table");
  expect_described(1, "tag.sm=100 fact=input.allreduce fact=input.strategy-table");
}

static void reads_rows_of_a_run(void)
{
  given_bytes("\xef\xbb\xbfsm,tp,fusion,hidden_size,num_tokens,strategy,number,source,time_us\r\n"
              "90,2,NONE,128,1,ONESHOT,4,measured,1.5\r\n90,2,NONE,128,2,NCCL,0,,\r\n");
  expect("- allreduce.cell - p=- t=- {tp=2, fusion=NONE, strategy=ONESHOT, tokens=1, hidden=128, "
         "number=4, source=measured}",
         "- allreduce.cell - p=- t=- {tp=2, fusion=NONE, strategy=NCCL, tokens=2, hidden=128, "
         "number=0}");
}

static void refused(unsigned number, const char *bytes)
{
  harness_clear();
  given_bytes(bytes);
  expect_status(MILL_BAD_INPUT);
  expect_notice(number, 1);
}

#define ROWS "sm,tp,fusion,hidden_size,num_tokens,strategy,number\n"
static void what_is_broken_is_refused(void)
{
  refused(1, "int x = AllReduceBestStrategyTableSM90;\n");
  refused(1, ROWS);
  refused(2, HEAD NAME "90 = {{{{1,2}},{{1}}}};");
  refused(2, HEAD NAME "90 = {{{{1,2}},{{1,2},{3,4}}}};");
  refused(2, HEAD NAME "90 = {{{{}}}};");
  refused(3, HEAD NAME "90 = {{{{1,2}},{{1,2");
  refused(3, HEAD NAME "90 = {{{{1,2}},{{1,2}}}");
  refused(4, HEAD NAME "90 = {{{{1,two}}}};");
  refused(4, HEAD NAME "90 = {{{{1,010}}}};"); /* 8 in C++ */
  refused(4, HEAD NAME "90 = {{{{1,2147483648}}}};");
  refused(4, HEAD NAME "90 = {{{{1 2}}}};");
  refused(4, HEAD NAME "90 = {{{1,2}}};");
  refused(4, HEAD NAME "90 = {{{{1,-2}}}};");
  refused(5, HEAD NAME "90 = {{{{1,2}}}};");
  refused(5, NAME "90 = {{{{1,2}}}};");
  refused(5, "// Hidden:[x]\n" NAME "90 = {{{{1}},{{1}},{{1}},{{1}}}};");
  refused(2, ROWS "90,2,NONE,128,1,NCCL\n");
  refused(4, ROWS "90,2,NONE,128,1,NCCL,none\n");
  refused(4, ROWS "90,0,NONE,128,1,NCCL,1\n");
  refused(6, "sm,tp,fusion,hidden_size,num_tokens,strategy\n90,2,NONE,128,1,NCCL\n");
}

HARNESS_MAIN({ "knows its formats", knows_its_formats },
             { "reads what the generator writes", reads_what_the_generator_writes },
             { "reads what a formatter makes of it", reads_what_a_formatter_makes_of_it },
             { "comments beside blocks name them", comments_beside_blocks_name_them },
             { "several tables are several lanes", several_tables_are_several_lanes },
             { "reads rows of a run", reads_rows_of_a_run },
             { "what is broken is refused", what_is_broken_is_refused })
