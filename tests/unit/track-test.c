/* Tracks: one index a pair of process and thread, whatever their types. */
/* SPDX-License-Identifier: MIT */
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
  for (uint32_t i = 0; i < 20000; i++) CHECK_INT(tracks_get(t, i)->thread.u.i, i);
  CHECK_INT(tracks_get(t, 20000)->lane, MILL_NO_LANE);
  CHECK_INT(tracks_get(t, 20000)->process.type, MILL_NONE);
  tracks_free(t);
}

/* Rows stay where they are, however many follow. */
static void test_places(void)
{
  Tracks *t = tracks_new();
  const MillTrack *rows[200];
  for (int i = 0; i < 200; i++)
    rows[i] = tracks_get(t, tracks_find(t, 0, mill_int(i), mill_none()));
  for (int i = 200; i < 5000; i++) tracks_find(t, 0, mill_int(i), mill_none());
  for (uint32_t i = 0; i < 200; i++) {
    CHECK(tracks_get(t, i) == rows[i]);
    CHECK_INT(rows[i]->process.u.i, i);
  }
  tracks_free(t);
}

/* Tracks of one table in another: each once, as they are met, and those that come later, too. */
static void test_map(void)
{
  Tracks *from = tracks_new(), *into = tracks_new();
  TrackMap map = { 0 };
  tracks_find(into, 7, mill_int(9), mill_int(9));
  for (int i = 0; i < 3; i++) tracks_find(from, 0, mill_int(1), mill_int(i));
  CHECK_INT(track_map_find(&map, from, 2, into, 7), 1);
  CHECK_INT(track_map_find(&map, from, 0, into, 7), 2);
  CHECK_INT(track_map_find(&map, from, 2, into, 7), 1);
  CHECK_INT(track_map_find(&map, from, 3, into, 7), MILL_FAILED);
  tracks_find(from, 0, mill_int(9), mill_int(9));
  CHECK_INT(track_map_find(&map, from, 3, into, 7), 0);
  CHECK_INT(tracks_get(into, 1)->lane, 7);
  CHECK_INT(tracks_get(into, 1)->thread.u.i, 2);
  CHECK_INT(tracks_count(into), 3);
  track_map_clear(&map);
  CHECK(!map.to && !map.n);
  tracks_free(from);
  tracks_free(into);
}

TEST_MAIN({ "places", test_places }, { "every pair of types", test_types },
          { "many, and one that is not there", test_many },
          { "from one table to another", test_map })
