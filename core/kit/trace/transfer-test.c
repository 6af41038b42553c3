/* Tests of what events of transfers say: sizes and peers. */
/* SPDX-License-Identifier: MIT */
#include "kit/trace/transfer.h"

#include <stagemill/harness.h>

#include "check.h"

static int64_t bytes_in(const char *name) { return transfer_name_bytes(name, strlen(name)); }

static void sizes_are_words_of_names(void)
{
  CHECK_INT(bytes_in("SenRdmaSend_10 [4096B] [sync=AR_1] DmaO"), 4096);
  CHECK_INT(bytes_in("SenRdmaSend_10 128B"), 128);
  CHECK_INT(bytes_in("8B"), 8);
  CHECK_INT(bytes_in("SenRdmaSend_10 [sync=4096B] DmaO"), 0);
  CHECK_INT(bytes_in("a B [B] 12 [12] b4B -5B 1xB"), 0);
  CHECK_INT(bytes_in("a 99999999999999999999B 7B"), 7);
  CHECK_INT(bytes_in(""), 0);
}

static bool peer_in(const char *text, int64_t *out)
{
  const MillHost *common = harness_host()->common;
  MillBatch batch = { .size = sizeof batch };
  MillAttr attr = { .type = MILL_SYM };
  attr.u.sym = common->intern(common, text, strlen(text));
  return transfer_peer(common, &batch, &attr, out);
}

static void the_first_peer_counts(void)
{
  int64_t peer = -1;
  CHECK(peer_in("3, 4", &peer));
  CHECK_INT(peer, 3);
  CHECK(peer_in("[12, 1]", &peer));
  CHECK_INT(peer, 12);
  CHECK(peer_in("[\"5\",\"6\"]", &peer));
  CHECK_INT(peer, 5);
  CHECK(!peer_in("all", &peer));
  CHECK(!peer_in("", &peer));
}

TEST_MAIN({ "sizes are words of names", sizes_are_words_of_names },
          { "the first peer counts", the_first_peer_counts })
