/* Tags: who wins. */
/* SPDX-License-Identifier: MIT */
#include "model/tags.h"

#include "check.h"

static void heavier_wins(void)
{
  g_autoptr(GPtrArray) tags = tags_new();
  tags_set(tags, "model=file", TAG_FILE);
  tags_set(tags, "model=name", TAG_HINT);
  CHECK_STR(tags_get(tags, "model"), "file");
  tags_set(tags, "model=card", TAG_CARD);
  CHECK_STR(tags_get(tags, "model"), "card");
  tags_set(tags, "model=given", TAG_GIVEN);
  tags_set(tags, "model=later", TAG_CARD);
  CHECK_STR(tags_get(tags, "model"), "given");
  CHECK_INT(tags->len, 1);
}

static void later_wins_between_equals(void)
{
  g_autoptr(GPtrArray) tags = tags_new();
  tags_set(tags, "rate=1", TAG_FILE);
  tags_set(tags, "rate=2", TAG_FILE);
  CHECK_STR(tags_get(tags, "rate"), "2");
}

static void odd_pairs(void)
{
  g_autoptr(GPtrArray) tags = tags_new();
  tags_set(tags, "=nameless", TAG_GIVEN);
  tags_set(tags, "bare", TAG_HINT);
  tags_set(tags, "path=a=b", TAG_HINT);
  CHECK_INT(tags->len, 2);
  CHECK_STR(tags_get(tags, "bare"), "");
  CHECK_STR(tags_get(tags, "path"), "a=b");
  CHECK(tags_get(tags, "pat") == NULL);
  CHECK(tags_get(tags, "paths") == NULL);
}

TEST_MAIN({ "the heavier wins", heavier_wins },
          { "the later wins between equals", later_wins_between_equals },
          { "odd pairs", odd_pairs })
