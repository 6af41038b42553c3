/* Packets that hold no events of tracks: counted by what they are about. */
/* SPDX-License-Identifier: MIT */
#include "perfetto.h"

typedef struct Kind {
  uint16_t field;
  uint16_t notice; /* 0: about the recording itself, or about how to read it */
} Kind;

/* By field. */
static const Kind kinds[] = {
  { 1, PFT_FTRACE },
  { 2, PFT_PROCESSES },
  { 3, 0 },
  { 4, PFT_SYSTEM },
  { 5, PFT_CHROME },
  { 7, PFT_SYSTEM },
  { 9, PFT_PROCESSES },
  { 33, 0 },
  { 34, 0 },
  { 35, 0 },
  { 36, 0 },
  { 37, PFT_PROFILES },
  { 38, PFT_ANDROID },
  { 39, PFT_ANDROID },
  { 40, PFT_ANDROID },
  { 43, PFT_PROCESSES },
  { 45, 0 },
  { 46, 0 },
  { 47, PFT_ANDROID },
  { 48, PFT_CHROME },
  { 51, PFT_CHROME },
  { 52, PFT_GPU },
  { 53, PFT_GPU },
  { 54, PFT_PROFILES },
  { 56, PFT_PROFILES },
  { 57, PFT_ANDROID },
  { 61, PFT_PROFILES },
  { 62, PFT_GPU },
  { 63, PFT_GPU },
  { 64, PFT_PROFILES },
  { 65, PFT_GPU },
  { 66, PFT_PROFILES },
  { 67, PFT_SYSTEM },
  { 68, PFT_PROFILES },
  { 69, 0 },
  { 70, PFT_ANDROID },
  { 71, PFT_GPU },
  { 72, 0 },
  { 73, PFT_SYSTEM },
  { 74, PFT_PROFILES },
  { 75, PFT_PROFILES },
  { 76, PFT_ANDROID },
  { 77, PFT_ANDROID },
  { 79, 0 },
  { 83, PFT_ANDROID },
  { 84, PFT_ANDROID },
  { 86, PFT_ANDROID },
  { 87, 0 },
  { 88, PFT_SYSTEM },
  { 89, 0 },
  { 91, PFT_ANDROID },
  { 92, PFT_SYSTEM },
  { 95, PFT_SYSTEM },
  { 98, 0 },
  { 99, PFT_CHROME },
  { 100, PFT_CHROME },
  { 101, PFT_CHROME },
  { 102, PFT_CHROME },
  { 103, PFT_CHROME },
  { 113, 0 },
  { 124, 0 },
  { 128, PFT_GPU },
  { 129, PFT_GPU },
  { 135, PFT_PROFILES },
};

static uint32_t notice_of(uint32_t field)
{
  size_t low = 0, high = MILL_COUNT(kinds);
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (kinds[middle].field == field) return kinds[middle].notice;
    if (kinds[middle].field < field)
      low = middle + 1;
    else
      high = middle;
  }
  return PFT_OTHER;
}

/* Once for a packet: it holds one thing, and marks of the recorder. */
void kinds_count(const Source *s, const Pft__Packet *p)
{
  for (unsigned i = 0; i < p->base.n_unknown_fields; i++) {
    uint32_t notice = notice_of(p->base.unknown_fields[i].tag);
    if (!notice) continue;
    source_note(s, notice);
    return;
  }
}
