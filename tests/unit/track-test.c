/* Tracks: one index a pair of process and thread, whatever their types. */
#include "check.h"
#include "model/track.h"

static void test_types(void)
{
  Tracks *t = tracks_new();
  const MillValue values[] = { mill_none(),         mill_int(0), mill_int(1), mill_int(-1),
                               mill_int(INT64_MAX), mill_sym(0), mill_sym(1) };
  enum { N = sizeof values / sizeof *values };
  uint32_t index[2][N][N];
  for (uint32_t lane = 0; lane < 2; lane++)
    for (int p = 0; p < N; p++)
      for (int h = 0; h < N; h++) index[lane][p][h] = tracks_find(t, lane, values[p], values[h]);
  CHECK_INT(tracks_count(t), 2 * N * N);
  for (uint32_t lane = 0; lane < 2; lane++)
    for (int p = 0; p < N; p++)
      for (int h = 0; h < N; h++) {
        CHECK_INT(tracks_find(t, lane, values[p], values[h]), index[lane][p][h]);
        const MillTrack *row = tracks_get(t, index[lane][p][h]);
        CHECK(row->lane == lane && row->process.type == values[p].type &&
              row->thread.type == values[h].type);
      }
  tracks_free(t);
}

static void test_many(void)
{
  Tracks *t = tracks_new();
  for (int i = 0; i < 20000; i++) CHECK_INT(tracks_find(t, 0, mill_int(i / 100), mill_int(i)), i);
  CHECK_INT(tracks_get(t, 19999)->process.u.i, 199);
  CHECK_INT(tracks_get(t, 20000)->lane, MILL_NO_LANE);
  CHECK_INT(tracks_get(t, 20000)->process.type, MILL_NONE);
  tracks_free(t);
}

TEST_MAIN({ "every pair of types", test_types }, { "many, and one that is not there", test_many })
