/* Members of run.json that every command writes alike; see run-members.h. */
/* SPDX-License-Identifier: MIT */
#include "output/run-members.h"

#include "model/notice.h"
#include "model/usage.h"

void run_members_put_program(JsonWriter *out)
{
  g_autofree char *abi = g_strdup_printf("%u.%u", MILL_ABI_MAJOR, MILL_ABI_MINOR);
  json_put_open(out, "program", '{');
  json_put_text(out, "name", "stagemill");
  json_put_text(out, "version", STAGEMILL_VERSION);
  json_put_text(out, "abi", abi);
  json_put_close(out);
}

void run_members_put_tags(JsonWriter *out, const LaneInfo *lane)
{
  json_put_open(out, "tags", '{');
  for (guint i = 0; i < lane->tags->len; i++) {
    const Tag *tag = lane->tags->pdata[i];
    json_put_text(out, tag->name, tag->value);
  }
  json_put_close(out);
}

/* A notice of the program or of a sink may be of no lane. */
static void put_lanes(JsonWriter *out, const Results *results, uint32_t notice)
{
  guint n;
  const NoticeLane *lanes = results_notice_lanes(results, notice, &n);
  if (n < 2) return;
  json_put_open(out, "by_lane", '[');
  for (guint i = 0; i < n; i++) {
    json_put_open(out, NULL, '{');
    json_put_int(out, "lane", lanes[i].lane);
    json_put_int(out, "count", (int64_t)lanes[i].count);
    json_put_close(out);
  }
  json_put_close(out);
}

void run_members_put_notices(JsonWriter *out, const Results *results)
{
  const MillResults *r = results_view((Results *)results);
  json_put_open(out, "notices", '[');
  for (uint32_t i = 0; i < r->n_notices; i++) {
    MillNoticeResult n = { .size = sizeof n };
    r->notice(r, i, &n);
    json_put_open(out, NULL, '{');
    json_put_text(out, "code", n.code);
    json_put_text(out, "level", notice_level(n.notice->level));
    json_put_int(out, "count", (int64_t)n.count);
    json_put_text(out, "what", n.what);
    if (n.effect) json_put_text(out, "effect", n.effect);
    if (n.help) json_put_text(out, "help", n.help);
    put_lanes(out, results, i);
    json_put_close(out);
  }
  json_put_close(out);
}

static void put_time(JsonWriter *out, const char *key, int64_t seconds_ago)
{
  const char *fixed = g_getenv("SOURCE_DATE_EPOCH");
  int64_t unix_s =
      fixed ? g_ascii_strtoll(fixed, NULL, 10) : g_get_real_time() / 1000000 - seconds_ago;
  g_autoptr(GDateTime) t = g_date_time_new_from_unix_utc(unix_s);
  g_autofree char *text =
      t ? g_date_time_format(t, "%Y-%m-%dT%H:%M:%SZ") : g_strdup("1970-01-01T00:00:00Z");
  json_put_text(out, key, text);
}

void run_members_put_times(JsonWriter *out, int64_t since_ns)
{
  int64_t elapsed_ns = usage_clock_ns() - since_ns;
  put_time(out, "started", elapsed_ns / 1000000000);
  put_time(out, "finished", 0);
  json_put_int(out, "elapsed_ns", elapsed_ns);
}
