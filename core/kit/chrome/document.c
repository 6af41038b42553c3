/* What is around the events; see document.h. */
/* SPDX-License-Identifier: MIT */
#include "kit/chrome/document.h"

#include "base/num.h"
#include "base/trees.h"

#define BASE_KEY "baseTimeNanoseconds"
#define INFO_KEY "distributedInfo"
#define INFOS_KEY "distributedInfoOfRanks"
#define MERGED_KEY "stagemill"
#define KEPT_BYTES (1u << 20) /* a huge event must not hold its memory for the rest of the run */

Document *document_new(char *file)
{
  Document *d = g_new0(Document, 1);
  d->file = file;
  d->keys = text_set_new();
  return d;
}

void document_free(Document *d)
{
  if (!d) return;
  g_tree_destroy(d->keys);
  text_free(&d->text);
  g_free(d->file);
  g_free(d);
}

char *document_worker(const Frame *f, const char *before)
{
  MillLane own = { .size = sizeof(own) };
  char rank[NUM_BUF];
  f->common->lane(f->common, f->members, &own);
  num_format_int(rank, own.rank);
  if (own.rank < 0) return g_strdup_printf("%slane%u", before, f->members);
  if (!ranks_shares(f->ranks, f->members, own.rank)) return g_strdup(rank);
  return g_strdup_printf("%s-lane%u", rank, f->members);
}

static bool wanted_member(const Frame *f, const Document *d, uint32_t lane, const char *key)
{
  if (text_set_has(d->keys, key)) return false;
  if (!strcmp(key, "traceEvents")) return false;
  if (!f->merging) return true;
  /* They describe one rank, or another merged trace; times count from the base of one lane. */
  if (!strcmp(key, INFO_KEY) || !strcmp(key, MERGED_KEY)) return false;
  return strcmp(key, BASE_KEY) != 0 || lane == ranks_base_lane(f->common, f->lanes);
}

static const char *find_instead(const Frame *f, const char *key)
{
  for (const FrameMember *m = f->instead; m && m->key; m++)
    if (!strcmp(m->key, key)) return m->json;
  return NULL;
}

/* The base as it is now: the member has the one that was read, which a stage may have moved. */
static void put_value(const Frame *f, Document *d, uint32_t lane, const char *key, MillValue json)
{
  MillLane own = { .size = sizeof own };
  int64_t read_ns;
  const char *instead = find_instead(f, key);
  bool quoted = json.len > 2 && *json.u.text == '"';
  f->common->lane(f->common, f->of_merged ? MILL_NO_LANE : lane, &own);
  bool moved = !strcmp(key, BASE_KEY) && own.base_ns != MILL_NO_BASE &&
               num_int(json.u.text + quoted, json.len - 2 * quoted, &read_ns) &&
               read_ns != own.base_ns;
  if (instead)
    text_put(&d->text, instead, strlen(instead));
  else if (moved)
    text_int(&d->text, own.base_ns);
  else
    text_put(&d->text, json.u.text, json.len);
}

/* Writes the lane's members that are not written yet: those before the events, or all. */
static void write_members(const Frame *f, Document *d, uint32_t lane, bool all)
{
  MillValue key, json;
  bool after;
  for (uint32_t i = 0; f->host->lane_member(f->host, lane, i, &after, &key, &json); i++) {
    if (after && !all) continue;
    char *name = g_strndup(key.u.text, key.len);
    if (!wanted_member(f, d, lane, name)) {
      g_free(name);
      continue;
    }
    text_set_add(d->keys, name);
    if (all) text_literal(&d->text, ",\n");
    text_quote(&d->text, key.u.text, key.len);
    text_literal(&d->text, ": ");
    put_value(f, d, lane, name, json);
    if (!all) text_literal(&d->text, ",\n");
  }
}

void document_head(const Frame *f, Document *d, uint32_t lane)
{
  text_literal(&d->text, "{\n");
  if (f->merging && !f->bare) {
    text_literal(&d->text, "\"" MERGED_KEY "\": ");
    text_put(&d->text, f->merged, strlen(f->merged));
    text_literal(&d->text, ",\n");
  }
  if (!f->bare && !f->late) write_members(f, d, lane, false);
  text_literal(&d->text, "\"traceEvents\": [\n");
  d->opened = true;
}

/* A base that no member tells, as of an input in another format.  It comes last: a member that tells it may follow
 * the events. */
static void write_base(const Frame *f, Document *d, uint32_t lane)
{
  MillLane own = { .size = sizeof own };
  f->common->lane(f->common, f->of_merged ? MILL_NO_LANE : lane, &own);
  if (own.base_ns == MILL_NO_BASE || text_set_has(d->keys, BASE_KEY)) return;
  text_literal(&d->text, ",\n\"" BASE_KEY "\": ");
  text_int(&d->text, own.base_ns);
}

void document_ranks(const Frame *f, Document *d) { rows_write(f->ranks, &d->text, ",\n", d->any); }

static bool find_info(const Frame *f, uint32_t lane, MillValue *out)
{
  MillValue key;
  bool after;
  for (uint32_t i = 0; f->host->lane_member(f->host, lane, i, &after, &key, out); i++)
    if (key.len == sizeof(INFO_KEY) - 1 && !memcmp(key.u.text, INFO_KEY, key.len)) return true;
  return false;
}

/* What each lane says of its rank, in their order. */
static void write_infos(const Frame *f, Document *d)
{
  MillValue json;
  uint32_t n = 0;
  for (uint32_t i = 0; i < lanes_count(f->common, f->lanes); i++)
    if (find_info(f, lanes_at(f->lanes, i), &json)) n = i + 1;
  for (uint32_t i = 0; i < n; i++) {
    text_put(&d->text, i ? ",\n" : ",\n\"" INFOS_KEY "\": [\n", i ? 2 : sizeof(INFOS_KEY) + 7);
    if (find_info(f, lanes_at(f->lanes, i), &json))
      text_put(&d->text, json.u.text, json.len);
    else
      text_literal(&d->text, "null");
  }
  if (n) text_literal(&d->text, "\n]");
}

static void write_more(Document *d, const FrameMember *more)
{
  for (const FrameMember *m = more; m && m->key; m++) {
    if (text_set_has(d->keys, m->key)) continue;
    text_literal(&d->text, ",\n");
    text_quote(&d->text, m->key, strlen(m->key));
    text_literal(&d->text, ": ");
    text_put(&d->text, m->json, strlen(m->json));
  }
}

void document_tail(const Frame *f, Document *d)
{
  uint32_t n = f->merging ? lanes_count(f->common, f->lanes) : 1;
  text_literal(&d->text, "\n]");
  for (uint32_t i = 0; i < n; i++)
    write_members(f, d, f->merging ? lanes_at(f->lanes, i) : f->members, true);
  if (f->merging) write_infos(f, d);
  write_more(d, f->more);
  write_more(d, f->instead);
  write_base(f, d, f->merging ? ranks_base_lane(f->common, f->lanes) : f->members);
  text_literal(&d->text, "\n}\n");
}

void document_join(Document *d)
{
  if (d->any) text_literal(&d->text, ",\n");
  d->any = true;
}

int document_flush(const Frame *f, Document *d)
{
  if (!d->text.len) return 0;
  const char *join = f->bare ? NULL : ",\n";
  int status = f->host->output(f->host, d->file, join, d->text.bytes, d->text.len);
  d->handed_over += d->text.len;
  d->text.len = 0;
  if (d->text.capacity > KEPT_BYTES) text_free(&d->text);
  return status;
}
