/* Tests of clean/filter: which events stay. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

static void without_options_all_stay(void)
{
  given("X a 0 1us", "M process_name - {name=p}", "- row -");
  expect("X a 0 1us", "M process_name - {name=p}", "- row -");
}

static void keeps_by_name_but_all_metadata(void)
{
  with("keep-name=^gemm");
  given("M process_name - {name=p}", "X gemm_1 0 1us", "X my_gemm 1us 1us", "i gemm 2us");
  expect("M process_name - {name=p}", "X gemm_1 0 1us", "i gemm 2us");
}

static void drop_wins_over_keep(void)
{
  with("keep-name=gemm", "drop-name=_2$");
  given("X gemm_1 0 1us", "X gemm_2 1us 1us");
  expect("X gemm_1 0 1us");
}

static void all_keep_patterns_must_match(void)
{
  with("keep-name=gemm", "keep-cat=^kernel$");
  given("X gemm 0 1us cat=kernel", "X gemm 0 1us cat=cpu_op", "X add 0 1us cat=kernel",
        "X gemm 0 1us");
  expect("X gemm 0 1us cat=kernel");
}

static void drops_by_category(void)
{
  with("drop-cat=cpu");
  given("X a 0 1us cat=cpu_op", "X b 0 1us cat=kernel", "X c 0 1us");
  expect("X b 0 1us cat=kernel", "X c 0 1us");
}

static void kinds_are_letters(void)
{
  with("keep-kinds=X,C");
  given("X a 0 1us", "C c 0", "i i 0", "M m -", "s s 0 id=1", "- r -");
  expect("X a 0 1us", "C c 0");
}

static void one_kind_alone(void)
{
  with("keep-kinds=C");
  given("X a 0 1us", "C c 0");
  expect("C c 0");
}

static void kinds_can_be_dropped(void)
{
  with("drop-kinds=M,-");
  given("X a 0 1us", "M m -", "- r -");
  expect("X a 0 1us");
}

static void a_bad_kind_is_an_error(void)
{
  with("keep-kinds=XC");
  given("X a 0 1us");
  expect_status(MILL_STAGE_FAILED);
}

static void numbers_match_as_they_are_written(void)
{
  with("attr=stream", "keep-attr=^(7|\\[1,7\\])$");
  given("X a 0 1us {stream=7}", "X b 0 1us {stream=70}", "X c 0 1us", "X d 0 1us {stream=\"7\"}",
        "X e 0 1us {stream=[1,7]}");
  expect("X a 0 1us {stream=7}", "X d 0 1us {stream=\"7\"}", "X e 0 1us {stream=[1,7]}");
}

static void a_missing_attribute_is_not_dropped(void)
{
  with("attr=Peer", "drop-attr=.");
  given("X a 0 1us {Peer=1}", "X b 0 1us {Bytes=1}");
  expect("X b 0 1us {Bytes=1}");
}

static void paths_may_begin_with_args(void)
{
  with("attr=args.Type", "drop-attr=^Multi");
  given("X a 0 1us {Type=MultiCast}", "X b 1us 1us {Type=SingleCast}", "X c 2us 1us");
  expect("X b 1us 1us {Type=SingleCast}", "X c 2us 1us");
}

static void paths_lead_into_objects(void)
{
  with("attr=args.meta.kind.id", "drop-attr=^7$");
  given("X a 0 1us {meta={\"x\":[{\"kind\":1}],\"kind\":{\"id\":7}}}",
        "X b 1us 1us {meta={\"kind\":{\"id\":\"7\"}}}",
        "X c 2us 1us {meta={\"kind\":{\"id\":{\"id\":7}}}}", "X d 3us 1us {meta={\"id\":7}}",
        "X e 4us 1us {meta=7}", "X f 5us 1us {meta={\"kind\":{\"id\":77}}}");
  expect("X c 2us 1us {meta={\"kind\":{\"id\":{\"id\":7}}}}", "X d 3us 1us {meta={\"id\":7}}",
         "X e 4us 1us {meta=7}", "X f 5us 1us {meta={\"kind\":{\"id\":77}}}");
}

static void paths_may_be_fields(void)
{
  with("attr=pid", "drop-attr=^1$");
  given("X a 0 1us p=1", "X b 1us 1us p=11", "X c 2us 1us p=\"1\"", "X d 3us 1us p=- {pid=1}");
  expect("X b 1us 1us p=11", "X d 3us 1us p=- {pid=1}");
  harness_clear();
  with("attr=name", "drop-attr=^a");
  given("X ab 0 1us", "X b 1us 1us {name=a}", "X \"\" 2us 1us");
  expect("X b 1us 1us {name=a}", "X \"\" 2us 1us");
  harness_clear();
  with("attr=args.name", "keep-attr=^a");
  given("X ab 0 1us", "X b 1us 1us {name=a}");
  expect("X b 1us 1us {name=a}");
  harness_clear();
  with("attr=ph", "drop-attr=[CX]");
  given("X a 0 1us", "C b 1us", "i c 2us");
  expect("i c 2us");
  harness_clear();
  with("attr=tid", "keep-attr=stream");
  given("X a 0 1us t=7", "X b 1us 1us t=\"stream 7\"");
  expect("X b 1us 1us t=\"stream 7\"");
}

static void a_path_to_nothing_matches_nothing(void)
{
  static const char *const paths[] = { "attr=args.", "attr=.", "attr=meta.", "attr=meta..kind",
                                       "attr=other.kind" };
  for (uint32_t i = 0; i < MILL_COUNT(paths); i++) {
    harness_clear();
    with(paths[i], "keep-attr=.");
    given("X a 0 1us {meta={\"kind\":{\"\":null}}}");
    if (i != 2) expect_nothing(0); /* "meta." is all of meta */
    if (i == 2) expect("X a 0 1us {meta={\"kind\":{\"\":null}}}");
  }
}

HARNESS_MAIN({ "without options all stay", without_options_all_stay },
             { "keeps by name, but all metadata", keeps_by_name_but_all_metadata },
             { "drop wins over keep", drop_wins_over_keep },
             { "all keep patterns must match", all_keep_patterns_must_match },
             { "drops by category", drops_by_category }, { "kinds are letters", kinds_are_letters },
             { "one kind alone", one_kind_alone }, { "kinds can be dropped", kinds_can_be_dropped },
             { "a bad kind is an error", a_bad_kind_is_an_error },
             { "numbers match as they are written", numbers_match_as_they_are_written },
             { "a missing attribute is not dropped", a_missing_attribute_is_not_dropped },
             { "paths may begin with args", paths_may_begin_with_args },
             { "paths lead into objects", paths_lead_into_objects },
             { "paths may be fields", paths_may_be_fields },
             { "a path to nothing matches nothing", a_path_to_nothing_matches_nothing })
