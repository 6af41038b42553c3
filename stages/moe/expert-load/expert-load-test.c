/* Tests of expert-load: every number here was worked out by hand from its definition. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>
#include <string.h>

#include "placement.h"

/* Totals 8 4 4 0: shares 1/2 1/4 1/4, mean 4, variance (16+0+0+16)/4 = 8.
 * Steps: mean 2 and variance 6, mean 2 and variance 2. */
static void two_steps(void)
{
  given("- gate.step - {layer=0, tokens=4, load=[6,2,0,0]}",
        "- gate.step - {layer=0, tokens=4, load=[2,2,4,0]}");
}

static void measures_the_balance_of_a_layer(void)
{
  two_steps();
  expect_table("expert-balance",
               "0 | 2 | 1.5 | 0.75 | 0.707107 | 0.965926 | 0.707107 | 2 | 2 | 0.5 | 0 | 1",
               "all | 2 | 1.5 | 0.75 | 0.707107 | 0.965926 | 0.707107 | 2 | 2 | 0.5 | 0 | 1");
  expect_table("expert-load", "0 | 0 | 8 | 50", "0 | 1 | 4 | 25", "0 | 2 | 4 | 25", "0 | 3 | 0 | 0",
               "all | 0 | 8 | 50", "all | 1 | 4 | 25", "all | 2 | 4 | 25", "all | 3 | 0 | 0");
  expect_metric("expert_balance", "mean", "0.5");
  expect_metric("expert_balance", "pooled", "0.5");
  expect_metric("expert_max_mean", NULL, "2");
  expect_empty_table("expert-balance-gpu");
  expect_empty_table("expert-load-gpu");
}

/* 4/6, 5/9 and 5/9, and a layer without load: mean (6 + 5 + 5) / 9 / 3.  Summed, 12 and 16: 14/16. */
static void layers_do_not_even_out(void)
{
  given("- gate.step - {layer=0, tokens=1, load=[2,6]}",
        "- gate.step - {layer=3, tokens=1, load=[1,9]}",
        "- gate.step - {layer=2, tokens=1, load=[0,0]}",
        "- gate.step - {layer=7, tokens=1, load=[9,1]}");
  expect_metric("expert_balance", "mean", "0.592593");
  expect_metric("expert_balance", "min", "0.555556");
  expect_metric("expert_balance", "pooled", "0.875");
  expect_metric("expert_worst_layer", NULL, "3");
}

/* All: 14 10 8 8, mean 10, variance 6; step cv sqrt(6)/2 and 0.  Decode: 6 2 0 0, mean 2. */
static void leaves_warm_up_out_of_cv_decode(void)
{
  given("- gate.step - {layer=0, tokens=1000, load=[6,2,0,0]}",
        "- gate.step - {layer=0, tokens=1001, load=[8,8,8,8]}");
  expect_table("expert-balance",
               "0 | 2 | 1.958872 | 0.979436 | 0.244949 | 0.612372 | 1.224745 | 1.75 | 1.4 | "
               "0.714286 | 0 | 0",
               "all | 2 | 1.958872 | 0.979436 | 0.244949 | 0.612372 | 1.224745 | 1.75 | 1.4 | "
               "0.714286 | 0 | 0");
}

static void the_bound_of_warm_up_is_an_option(void)
{
  with("warmup-tokens=3");
  two_steps();
  expect_table("expert-balance",
               "0 | 2 | 1.5 | 0.75 | 0.707107 | 0.965926 | - | 2 | 2 | 0.5 | 0 | 1",
               "all | 2 | 1.5 | 0.75 | 0.707107 | 0.965926 | - | 2 | 2 | 0.5 | 0 | 1");
}

static void steps_without_tokens_count_as_decode(void)
{
  given("- gate.step - {layer=0, load=[1,3]}", "- gate.step - {layer=0, tokens=5000, load=[7,1]}");
  expect_notice(3, 1);
  /* 8 4: entropy of 2/3 and 1/3, cv 2/6; steps 1/2 and 3/4; decode 1 3 */
  expect_table("expert-balance",
               "0 | 2 | 0.918296 | 0.918296 | 0.333333 | 0.625 | 0.5 | 2 | 1.333333 | 0.75 | 0 | 0",
               "all | 2 | 0.918296 | 0.918296 | 0.333333 | 0.625 | 0.5 | 2 | 1.333333 | 0.75 | 0 | "
               "0");
}

static void a_single_expert_is_even(void)
{
  given("- gate.step - {layer=0, tokens=1, load=[5]}");
  expect_table("expert-balance", "0 | 1 | 0 | 0 | 0 | 0 | 0 | 1 | 1 | 1 | 0 | 0",
               "all | 1 | 0 | 0 | 0 | 0 | 0 | 1 | 1 | 1 | 0 | 0");
  expect_metric("token_to_expert_assignment", NULL,
                "{\n  \"schema_version\": \"1.0\",\n  \"totals\": [\n    5.0\n  ],\n"
                "  \"normalized\": [\n    1.0\n  ],\n  \"summary\": {\n    \"entropy\": -0.0,\n"
                "    \"normalized_entropy\": 0,\n    \"coefficient_of_variation\": 0.0,\n"
                "    \"max_min_ratio\": 1.0,\n    \"total_tokens\": 5.0,\n"
                "    \"num_experts\": 1,\n    \"total_steps\": 1\n  }\n}");
}

/* Layers 0: 1 3, 2: 4 0 0, 10: 2.  All: 7 3 0, mean 10/3, variance (121+1+100)/27 = 74/9;
 * steps: cv 1/2, sqrt(2), 0. */
static void layers_add_up_and_rows_may_be_ragged(void)
{
  given("- gate.step - {layer=10, tokens=1, load=[2]}",
        "- gate.step - {layer=2, tokens=1, load=[4,0,0]}",
        "- gate.step - {layer=0, tokens=1, load=[1,3]}");
  expect_table("expert-balance",
               "0 | 1 | 0.811278 | 0.811278 | 0.5 | 0.5 | 0.5 | 3 | 1.5 | 0.666667 | 1 | 0",
               "2 | 1 | 0 | 0 | 1.414214 | 1.414214 | 1.414214 | 1 | 3 | 0.333333 | 0 | 2",
               "10 | 1 | 0 | 0 | 0 | 0 | 0 | 1 | 1 | 1 | 0 | 0",
               "all | 3 | 0.881291 | 0.556033 | 0.860233 | 0.638071 | 0.860233 | 2.333333 | 2.1 | "
               "0.4761905 | 0 | 1");
}

static void runs_add_up(void)
{
  given_lane("name=a");
  given("- gate.step - {layer=0, tokens=4, load=[6,2,0,0]}");
  given_lane("name=b");
  given("- gate.step - {layer=0, tokens=4, load=[2,2,4,0]}");
  expect_table("expert-balance",
               "0 | 2 | 1.5 | 0.75 | 0.707107 | 0.965926 | 0.707107 | 2 | 2 | 0.5 | 0 | 1",
               "all | 2 | 1.5 | 0.75 | 0.707107 | 0.965926 | 0.707107 | 2 | 2 | 0.5 | 0 | 1");
  expect_metric(
      "token_to_expert_assignment", NULL,
      "{\n  \"schema_version\": \"1.0\",\n  \"totals\": [\n    8.0,\n    4.0,\n    4.0,\n"
      "    0.0\n  ],\n  \"normalized\": [\n    0.5,\n    0.25,\n    0.25,\n    0.0\n  ],\n"
      "  \"summary\": {\n    \"entropy\": 1.5,\n    \"normalized_entropy\": 0.75,\n"
      "    \"coefficient_of_variation\": 0.7071067811865476,\n"
      "    \"max_min_ratio\": 2.0,\n    \"total_tokens\": 16.0,\n"
      "    \"num_experts\": 4,\n    \"total_steps\": 2\n  }\n}");
}

/* 1.5 0.5 and 2 4: 3.5 4.5; step cv 1/2 and 1/3. */
static void loads_with_decimals(void)
{
  given("- gate.step - {layer=0, tokens=1, load=[1.5,0.5]}",
        "- gate.step - {layer=0, tokens=1, load=[2,4]}");
  expect_table("expert-load", "0 | 0 | 3.5 | 43.75", "0 | 1 | 4.5 | 56.25", "all | 0 | 3.5 | 43.75",
               "all | 1 | 4.5 | 56.25");
  expect_table("expert-balance",
               "0 | 2 | 0.988699 | 0.988699 | 0.125 | 0.416667 | 0.125 | 1.285714 | 1.125 | "
               "0.888889 | 1 | 0",
               "all | 2 | 0.988699 | 0.988699 | 0.125 | 0.416667 | 0.125 | 1.285714 | 1.125 | "
               "0.888889 | 1 | 0");
}

/* Too large for sums of squares in 64 bits, and beyond what a double counts: 3e15 1e15 1e300. */
static void large_loads(void)
{
  given("- gate.step - {layer=0, tokens=1, load=[3000000000000000,1000000000000000]}");
  expect_table("expert-balance",
               "0 | 1 | 0.811278 | 0.811278 | 0.5 | 0.5 | 0.5 | 3 | 1.5 | 0.666667 | 0 | 0",
               "all | 1 | 0.811278 | 0.811278 | 0.5 | 0.5 | 0.5 | 3 | 1.5 | 0.666667 | 0 | 0");
}

static void beyond_doubles(void)
{
  given("- gate.step - {layer=0, tokens=1, load=[1e300,1e308]}",
        "- gate.step - {layer=0, tokens=1, load=[1e308,1e308]}");
  expect_metric("expert_balance", NULL, NULL);
  expect_metric("token_to_expert_assignment", NULL, NULL);
  expect_status(0);
}

/* One row in two records: 1 3 and 2 2, mean 2, variance 1/2. */
static void a_row_may_come_in_parts(void)
{
  given("- gate.step - id=0 {layer=0, tokens=5000, load=[1,3]}",
        "- gate.step - id=0 {layer=0, load=[2,2]}",
        "- gate.step - id=1 {layer=0, tokens=1, load=[0,0]}");
  expect_notice(3, 0);
  expect_table(
      "expert-balance",
      "0 | 2 | 1.905639 | 0.9528195 | 0.3535534 | 0.1767767 | 0 | 3 | 1.5 | 0.666667 | 1 | 0",
      "all | 2 | 1.905639 | 0.9528195 | 0.3535534 | 0.1767767 | 0 | 3 | 1.5 | 0.666667 | 1 | 0");
}

static void no_load_at_all(void)
{
  given("- gate.step - {layer=0, tokens=1, load=[0,0]}");
  expect_table("expert-balance", "0 | 1 | - | - | - | 0 | 0 | - | - | - | - | 2",
               "all | 1 | - | - | - | 0 | 0 | - | - | - | - | 2");
  expect_metric("expert_balance", NULL, NULL);
  expect_metric("expert_max_mean", NULL, NULL);
  expect_metric("token_to_expert_assignment", NULL, NULL);
}

static void other_records_are_nothing(void)
{
  given("- kernel.row - {load=[1,2]}", "- gate.step - {layer=0}", "X gate.step 0 1us {load=[1]}");
  expect_empty_table("expert-balance");
  expect_metric("expert_balance", NULL, NULL);
  expect_notice(1, 1);
}

/* The test is built with a bound of 16: layer 1 fits beside 0, 5 does not, nor does what is greater. */
static void the_largest_layers_beyond_the_bound_go(void)
{
  given("- gate.step - {layer=0, tokens=1, load=[1,1,1,1,1,1]}",
        "- gate.step - {layer=5, tokens=1, load=[1,1,1,1,1,1]}",
        "- gate.step - {layer=1, tokens=1, load=[1,1,1,1,1,1]}",
        "- gate.step - {layer=9, tokens=1, load=[1]}",
        "- gate.step - {layer=5, tokens=1, load=[1]}");
  expect_notice(2, 1);
  expect_metric("expert_max_mean", NULL, "1");
  expect_table("expert-balance", "0 | 1 | 2.584963 | 1 | 0 | 0 | 0 | 1 | 1 | 1 | 0 | 0",
               "1 | 1 | 2.584963 | 1 | 0 | 0 | 0 | 1 | 1 | 1 | 0 | 0",
               "all | 2 | 2.584963 | 1 | 0 | 0 | 0 | 1 | 1 | 1 | 0 | 0");
}

static void the_bound_holds_over_all_runs(void)
{
  given_lane("name=a");
  given("- gate.step - {layer=3, tokens=1, load=[1,1,1,1,1,1,1,1]}");
  given_lane("name=b");
  given("- gate.step - {layer=4, tokens=1, load=[1,1,1,1,1,1,1,1,1]}");
  given_lane("name=c");
  given("- gate.step - {layer=5, tokens=1, load=[1]}");
  expect_notice(2, 1);
  expect_table("expert-balance", "3 | 1 | 3 | 1 | 0 | 0 | 0 | 1 | 1 | 1 | 0 | 0",
               "all | 1 | 3 | 1 | 0 | 0 | 0 | 1 | 1 | 1 | 0 | 0");
}

static void a_layer_beyond_the_bound_goes(void)
{
  given("- gate.step - {layer=0, tokens=1, load=[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}");
  expect_notice(2, 1);
  expect_empty_table("expert-balance");
  expect_metric("expert_balance", NULL, NULL);
}

/* ---- placement: 8 4 4 0 */

static void experts_in_blocks(void)
{
  with("placement=contiguous:2");
  two_steps();
  expect_table("expert-balance-gpu",
               "0 | 2 | 0.811278 | 0.811278 | 0.5 | 0.5 | 3 | 1.5 | 0.666667 | 0 | 0",
               "all | 2 | 0.811278 | 0.811278 | 0.5 | 0.5 | 3 | 1.5 | 0.666667 | 0 | 0");
  expect_table("expert-load-gpu", "0 | 0 | 2 | 12 | 75", "0 | 1 | 2 | 4 | 25",
               "all | 0 | 2 | 12 | 75", "all | 1 | 2 | 4 | 25");
}

/* 12 4 0: mean 16/3, variance (400+16+256)/27 = 224/9 */
static void blocks_that_do_not_divide(void)
{
  with("placement=contiguous:3");
  two_steps();
  expect_table("expert-load-gpu", "0 | 0 | 2 | 12 | 75", "0 | 1 | 1 | 4 | 25", "0 | 2 | 1 | 0 | 0",
               "all | 0 | 2 | 12 | 75", "all | 1 | 1 | 4 | 25", "all | 2 | 1 | 0 | 0");
  expect_table("expert-balance-gpu",
               "0 | 3 | 0.811278 | 0.511860 | 0.935414 | 0.935414 | 3 | 2.25 | 0.444444 | 0 | 1",
               "all | 3 | 0.811278 | 0.511860 | 0.935414 | 0.935414 | 3 | 2.25 | 0.444444 | 0 | 1");
}

static void more_gpus_than_experts(void)
{
  with("placement=contiguous:5");
  given("- gate.step - {layer=0, tokens=1, load=[1,3]}");
  expect_table("expert-load-gpu", "0 | 0 | 1 | 1 | 25", "0 | 1 | 1 | 3 | 75", "0 | 2 | 0 | 0 | 0",
               "0 | 3 | 0 | 0 | 0", "0 | 4 | 0 | 0 | 0", "all | 0 | 1 | 1 | 25",
               "all | 1 | 1 | 3 | 75", "all | 2 | 0 | 0 | 0", "all | 3 | 0 | 0 | 0",
               "all | 4 | 0 | 0 | 0");
}

static void experts_in_turn(void)
{
  with("placement=round-robin:3");
  two_steps();
  expect_table("expert-load-gpu", "0 | 0 | 2 | 8 | 50", "0 | 1 | 1 | 4 | 25", "0 | 2 | 1 | 4 | 25",
               "all | 0 | 2 | 8 | 50", "all | 1 | 1 | 4 | 25", "all | 2 | 1 | 4 | 25");
}

static void experts_by_list(void)
{
  with("placement=map:1,0,0");
  two_steps();
  expect_notice(4, 1);
  expect_table("expert-load-gpu", "0 | 0 | 2 | 8 | 50", "0 | 1 | 1 | 8 | 50",
               "all | 0 | 2 | 8 | 50", "all | 1 | 1 | 8 | 50");
}

static void a_placement_must_be_one(void)
{
  with("placement=contiguous:0");
  two_steps();
  expect_status(MILL_STAGE_FAILED);
}

static uint16_t space[PLACEMENT_MAX_EXPERTS];

static bool parses_to(const char *text, uint32_t n_gpus, uint32_t n_experts)
{
  Placement p;
  const char *why = NULL;
  bool done = placement_parse(text, strlen(text), space, &p, &why) == 0 && p.n_gpus == n_gpus &&
              p.n_experts == n_experts;
  return done && !why;
}

static bool refuses(const char *text)
{
  Placement p;
  const char *why = NULL;
  return placement_parse(text, strlen(text), space, &p, &why) < 0 && why;
}

static void reads_placements(void)
{
  expect_true(parses_to("", 0, 0));
  expect_true(parses_to("contiguous:8", 8, 0));
  expect_true(parses_to("contiguous:8\n", 8, 0));
  expect_true(parses_to("round-robin:65536", 65536, 0));
  expect_true(parses_to("map:0,0,1,1", 2, 4));
  expect_true(parses_to("[0, 0, 3]", 4, 3));
  expect_true(parses_to(" [\n 0,\n 1\n]\n", 2, 2));
  expect_true(parses_to("0\n1\n2\r\n", 3, 3));
  expect_true(parses_to("map:[5]", 6, 1));
  static const char *const bad[] = { "contiguous",
                                     "contiguous:",
                                     "contiguous:0",
                                     "contiguous:x",
                                     "contiguous:1x",
                                     "round-robin:-1",
                                     "map:",
                                     "map:[]",
                                     "map:0,,1",
                                     "map:0,-1",
                                     "[0,1",
                                     "0,1]",
                                     "map:65536",
                                     "blocks",
                                     "contiguous:65537",
                                     "map:99999999999",
                                     "[0] 1" };
  for (size_t i = 0; i < MILL_COUNT(bad); i++) expect_true(refuses(bad[i]));
}

/* ---- the card */

static void a_card_without_moe_refuses(void)
{
  given_lane("tag.card=card.yaml tag.moe=false");
  given("- gate.step - {layer=0, tokens=1, load=[1,3]}");
  expect_metric("token_to_expert_assignment", NULL, NULL);
  expect_metric("expert_balance", "mean", "0.666667");
}

static void a_card_that_is_silent_refuses(void)
{
  given_lane("tag.card=card.yaml");
  given("- gate.step - {layer=0, tokens=1, load=[1,3]}");
  expect_metric("token_to_expert_assignment", NULL, NULL);
}

static void a_card_with_moe_goes_on(void)
{
  given_lane("tag.card=card.yaml tag.moe=true");
  given("- gate.step - {layer=0, tokens=1, load=[1e16]}");
  expect_metric("token_to_expert_assignment", NULL,
                "{\n  \"schema_version\": \"1.0\",\n  \"totals\": [\n    1e+16\n  ],\n"
                "  \"normalized\": [\n    1.0\n  ],\n  \"summary\": {\n    \"entropy\": -0.0,\n"
                "    \"normalized_entropy\": 0,\n    \"coefficient_of_variation\": 0.0,\n"
                "    \"max_min_ratio\": 1.0,\n    \"total_tokens\": 1e+16,\n"
                "    \"num_experts\": 1,\n    \"total_steps\": 1\n  }\n}");
}

HARNESS_MAIN({ "measures the balance of a layer", measures_the_balance_of_a_layer },
             { "layers do not even out", layers_do_not_even_out },
             { "leaves warm-up out of cv_decode", leaves_warm_up_out_of_cv_decode },
             { "the bound of warm-up is an option", the_bound_of_warm_up_is_an_option },
             { "steps without tokens count as decode", steps_without_tokens_count_as_decode },
             { "a single expert is even", a_single_expert_is_even },
             { "layers add up and rows may be ragged", layers_add_up_and_rows_may_be_ragged },
             { "runs add up", runs_add_up }, { "loads with decimals", loads_with_decimals },
             { "large loads", large_loads }, { "beyond doubles", beyond_doubles },
             { "a row may come in parts", a_row_may_come_in_parts },
             { "no load at all", no_load_at_all },
             { "other records are nothing", other_records_are_nothing },
             { "the largest layers beyond the bound go", the_largest_layers_beyond_the_bound_go },
             { "the bound holds over all runs", the_bound_holds_over_all_runs },
             { "a layer beyond the bound goes", a_layer_beyond_the_bound_goes },
             { "experts in blocks", experts_in_blocks },
             { "blocks that do not divide", blocks_that_do_not_divide },
             { "more GPUs than experts", more_gpus_than_experts },
             { "experts in turn", experts_in_turn }, { "experts by list", experts_by_list },
             { "a placement must be one", a_placement_must_be_one },
             { "reads placements", reads_placements },
             { "a card without moe refuses", a_card_without_moe_refuses },
             { "a card that is silent refuses", a_card_that_is_silent_refuses },
             { "a card with moe goes on", a_card_with_moe_goes_on })
