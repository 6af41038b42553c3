/* Names of devices; see arch-device.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/devices/arch-device.h"

#include <string.h>

#include "base/json.h"
#include "kit/trace/lane-member.h"

/* Words that a driver's name has, and one that it must not have: cards of that name with other rates. */
static const struct {
  const char *arch, *words[3], *other;
} devices[] = {
  { "MI300X", { "MI300X" }, NULL },
  { "MI325X", { "MI325X" }, NULL },
  { "MI350X", { "MI350X" }, NULL },
  { "A100", { "A100-SXM4-80GB" }, NULL },
  { "H100", { "H100", "80GB", "HBM3" }, NULL }, /* "H100 PCIe", "H100 NVL" are others */
  { "H200", { "H200" }, "NVL" },
  { "B200", { "B200" }, NULL },
  { "GB200", { "GB200" }, NULL },
};

static bool has_word(const char *text, size_t len, const char *word)
{
  size_t n = strlen(word), at = 0;
  while (at < len) {
    size_t end = at;
    while (end < len && text[end] != ' ') end++;
    if (end - at == n && memcmp(text + at, word, n) == 0) return true;
    at = end + 1;
  }
  return false;
}

static bool is_device(uint32_t i, const char *name, size_t len)
{
  for (uint32_t k = 0; k < MILL_COUNT(devices[i].words) && devices[i].words[k]; k++)
    if (!has_word(name, len, devices[i].words[k])) return false;
  return !devices[i].other || !has_word(name, len, devices[i].other);
}

int arch_device_named(const char *name, size_t len)
{
  if (has_word(name, len, "MIG")) return ARCH_OTHER; /* a part of a device */
  for (uint32_t i = 0; i < MILL_COUNT(devices); i++)
    if (is_device(i, name, len)) return (int)i + 1;
  return ARCH_OTHER;
}

int arch_device_join(int a, int b)
{
  if (a == ARCH_UNSAID || a == b) return b;
  return b == ARCH_UNSAID ? a : ARCH_OTHER;
}

/* The name of the object that was begun; the cursor goes to its end. */
static int named_in_object(JsonCursor *cursor)
{
  JsonToken t;
  int found = ARCH_UNSAID;
  while (json_next(cursor, &t) == JSON_KEY) {
    bool is_name = t.len == 6 && memcmp(t.start, "\"name\"", 6) == 0;
    JsonKind kind = json_skip(cursor, &t);
    if (kind == JSON_ERROR) return ARCH_OTHER;
    if (is_name && kind == JSON_STRING && t.len >= 2)
      found = arch_device_join(found, arch_device_named(t.start + 1, t.len - 2));
  }
  return found;
}

static int named_in_list(const char *json, size_t len)
{
  JsonCursor cursor;
  JsonToken t;
  int found = ARCH_UNSAID;
  json_open(&cursor, json, len, true);
  if (json_next(&cursor, &t) != JSON_ARRAY) return ARCH_UNSAID;
  while (json_next(&cursor, &t) == JSON_OBJECT)
    found = arch_device_join(found, named_in_object(&cursor));
  return found;
}

int arch_device_of_lane(const MillStageHost *host)
{
  int found = ARCH_UNSAID;
  MillValue json;
  for (uint32_t i = 0; lane_member_next(host, &i, "deviceProperties", &json);)
    found = arch_device_join(found, named_in_list(json.u.text, json.len));
  return found;
}

void arch_of_device(int device, Arch *out)
{
  if (device >= 1 && device <= (int)MILL_COUNT(devices))
    arch_bundled(devices[device - 1].arch, out);
}
