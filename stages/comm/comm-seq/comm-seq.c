/* One slice for the events of a transfer: those of a job with SenRdma and one number in their names.
 * Memory grows with the number of transfers, not with that of their events. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/stage.h>

#include <string.h>

#include "kit/numbers/interval.h"
#include "kit/state/grow.h"
#include "kit/state/instance.h"
#include "kit/state/keyed.h"
#include "kit/state/state.h"
#include "kit/state/symclass.h"
#include "kit/text/symbol.h"
#include "kit/trace/transfer.h"
#include "kit/text/words.h"

typedef struct Transfer {
  uint64_t n, n_done;
  int64_t start_ns, end_ns;
  MillSym name;   /* of the first */
  size_t common;  /* bytes that all names begin with */
  MillSym *peers; /* in order of arrival */
  size_t n_peers, peer_capacity;
} Transfer;

typedef struct CommSeq {
  const MillStageHost *host;
  const MillHost *common;
  MillSym job_key, peer_key, peers_key;
  SymClass names;
  Keyed *transfers; /* by job and number */
  Keyed *peers;     /* bool, by the same and peer: whether it is known */
  char *key;        /* of the event at hand */
  size_t key_len, max_key;
} CommSeq;

static int comm_seq_open(const MillStage *self, const MillStageHost *host, uint32_t level,
                         const void *options, void **out)
{
  const MillHost *common = host->common;
  (void)self, (void)level, (void)options;
  CommSeq *s = instance_new(CommSeq, host, out);
  if (!s) return -MILL_LIMIT;
  s->job_key = symbol_of(common, "jobname");
  s->peer_key = symbol_of(common, "Peer");
  s->peers_key = symbol_of(common, "Peers");
  s->transfers = keyed_new(common, sizeof(Transfer));
  s->peers = keyed_new(common, sizeof(bool));
  return s->transfers && s->peers ? 0 : -MILL_LIMIT;
}

/* ------------------------------------------------------------------- keys */

/* The first number after _ or -, without leading zeros; NULL: none. */
static const char *find_number(const char *name, size_t len, size_t *out_len)
{
  size_t i = 0;
  while (i + 1 < len && !((name[i] == '_' || name[i] == '-') && is_digit(name[i + 1]))) i++;
  if (i + 1 >= len) return NULL;
  size_t first = i + 1, end = first;
  while (end < len && is_digit(name[end])) end++;
  while (first + 1 < end && name[first] == '0') first++;
  *out_len = end - first;
  return name + first;
}

static bool is_of_transfer(const char *name, size_t len)
{
  size_t number_len;
  return words_have(name, len, "SenRdma") && find_number(name, len, &number_len);
}

/* Number, then job: a number holds no blank.  NULL: memory was refused. */
static Transfer *transfer_of(CommSeq *s, const MillBatch *batch, const MillEvent *e)
{
  char digits[DIGITS_MAX];
  size_t len, number_len, job_len = 0;
  const char *name = s->common->symbol_text(s->common, e->name, &len);
  const char *number = find_number(name, len, &number_len);
  const char *job =
      transfer_text(s->common, batch, mill_attr(batch, e, s->job_key), digits, &job_len);
  size_t n = number_len + 1 + (job ? job_len : 0);
  if (!array_reserve(s->common, &s->key, &s->max_key, n, 1)) return NULL;
  memcpy(s->key, number, number_len);
  s->key[number_len] = ' ';
  if (job) memcpy(s->key + number_len + 1, job, job_len);
  s->key_len = n;
  return keyed_get(s->transfers, s->key, n);
}

static bool is_wanted(CommSeq *s, const MillEvent *e)
{
  return e->kind == MILL_SLICE && !(e->flags & MILL_FLAG_NO_TS) &&
         symclass_is(s->common, &s->names, e->name, is_of_transfer);
}

/* -------------------------------------------------------------- observing */

/* Whether this transfer has this peer already; NULL: memory was refused. */
static bool *knows_peer(CommSeq *s, const char *text, size_t len)
{
  if (!array_reserve(s->common, &s->key, &s->max_key, s->key_len + 1 + len, 1)) return NULL;
  s->key[s->key_len] = '\n';
  memcpy(s->key + s->key_len + 1, text, len);
  return keyed_get(s->peers, s->key, s->key_len + 1 + len);
}

static bool append_peer(const CommSeq *s, Transfer *t, MillSym text)
{
  if (!array_reserve(s->common, &t->peers, &t->peer_capacity, t->n_peers + 1, sizeof *t->peers))
    return false;
  t->peers[t->n_peers++] = text;
  return true;
}

static bool add_peer(CommSeq *s, Transfer *t, const MillBatch *batch, const MillEvent *e)
{
  char digits[DIGITS_MAX];
  size_t len;
  const char *text =
      transfer_text(s->common, batch, mill_attr(batch, e, s->peer_key), digits, &len);
  if (!text) return true;
  bool *is_known = knows_peer(s, text, len);
  if (!is_known || *is_known) return is_known != NULL;
  *is_known = true;
  return append_peer(s, t, s->common->intern(s->common, text, len));
}

/* How many bytes both begin with, cut before a character that is not whole. */
static size_t common_bytes(const char *a, const char *b, size_t most)
{
  size_t n = 0;
  while (n < most && a[n] == b[n]) n++;
  while (n > 0 && n < most && ((unsigned char)a[n] & 0xc0) == 0x80) n--;
  return n;
}

static void add_name(const CommSeq *s, Transfer *t, MillSym name)
{
  size_t len, first_len;
  const char *text = s->common->symbol_text(s->common, name, &len);
  const char *first = s->common->symbol_text(s->common, t->name, &first_len);
  if (t->n == 0) t->name = name;
  if (t->n == 0) t->common = len;
  if (t->name == name) return;
  t->common = common_bytes(first, text, t->common < len ? t->common : len);
}

static bool add_event(CommSeq *s, const MillBatch *batch, const MillEvent *e)
{
  Transfer *t = transfer_of(s, batch, e);
  if (!t || !add_peer(s, t, batch, e)) return false;
  int64_t end_ns = interval_end(e->ts_ns, e->dur_ns > 0 ? e->dur_ns : 0);
  add_name(s, t, e->name);
  if (t->n == 0 || e->ts_ns < t->start_ns) t->start_ns = e->ts_ns;
  if (t->n == 0 || end_ns > t->end_ns) t->end_ns = end_ns;
  t->n++;
  return true;
}

static int comm_seq_observe(void *instance, const MillBatch *batch)
{
  CommSeq *s = instance;
  for (uint32_t i = 0; i < batch->n_events; i++)
    if (is_wanted(s, &batch->events[i]) && !add_event(s, batch, &batch->events[i]))
      return -MILL_LIMIT;
  return 0;
}

/* ------------------------------------------------------------ the decision */

static const StateField transfer_fields[] = {
  STATE_FIRST(Transfer, n),      STATE_FIRST(Transfer, start_ns),
  STATE_FIRST(Transfer, end_ns), STATE_SYM(Transfer, name),
  STATE_FIRST(Transfer, common), STATE_LIST(Transfer, peers, n_peers, peer_capacity, state_of_sym),
};
static const StateType transfer_state = STATE_TYPE(Transfer, transfer_fields);

static const StateField seq_fields[] = { STATE_KEYED(CommSeq, transfers, transfer_state) };
static const StateType seq_state = STATE_TYPE(CommSeq, seq_fields);

STATE_DECISION(CommSeq, seq_state)

/* ------------------------------------------------------------- processing */

static char *put_escaped(char *p, const char *text, size_t len)
{
  static const char hex[] = "0123456789abcdef";
  *p++ = '"';
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)text[i];
    if (c >= 0x20 && c != '"' && c != '\\') {
      *p++ = (char)c;
      continue;
    }
    memcpy(p, "\\u00", 4);
    p[4] = hex[c >> 4];
    p[5] = hex[c & 15];
    p += 6;
  }
  *p++ = '"';
  return p;
}

/* A list of texts; a character takes at most 6 bytes.  MILL_NONE: memory was refused. */
static MillValue peers_value(const CommSeq *s, const Transfer *t)
{
  size_t len, size = 2;
  for (size_t i = 0; i < t->n_peers; i++) {
    s->common->symbol_text(s->common, t->peers[i], &len);
    size += 6 * len + 3;
  }
  char *json = s->common->scratch(s->common, size), *end = json;
  if (!json) return mill_none();
  for (size_t i = 0; i < t->n_peers; i++) {
    const char *text = s->common->symbol_text(s->common, t->peers[i], &len);
    *end++ = i == 0 ? '[' : ',';
    end = put_escaped(end, text, len);
  }
  *end++ = ']';
  return mill_json(json, (size_t)(end - json));
}

static int become_whole(CommSeq *s, MillBatch *batch, uint32_t i, const Transfer *t)
{
  size_t len;
  int64_t dur_ns;
  MillEvent *e = &mill_events(batch)[i];
  const char *name = s->common->symbol_text(s->common, t->name, &len);
  if (__builtin_sub_overflow(t->end_ns, t->start_ns, &dur_ns)) dur_ns = INT64_MAX;
  if (e->ts_ns != t->start_ns) mill_set_ts(e, t->start_ns);
  if (e->dur_ns != dur_ns) mill_set_dur(e, dur_ns);
  MillSym whole = t->common == len ? t->name : s->common->intern(s->common, name, t->common);
  if (e->name != whole) mill_set_name(e, whole);
  if (t->n_peers == 0) return 0;
  MillValue peers = peers_value(s, t);
  return peers.type == MILL_NONE ? -MILL_LIMIT
                                 : s->host->set(s->host, batch, i, s->peers_key, peers);
}

static int comm_seq_process(void *instance, MillBatch *batch)
{
  CommSeq *s = instance;
  int status = 0;
  for (uint32_t i = 0; i < batch->n_events && status == 0; i++) {
    if (!is_wanted(s, &batch->events[i])) continue;
    Transfer *t = transfer_of(s, batch, &batch->events[i]);
    if (!t) return -MILL_LIMIT;
    if (++t->n_done < t->n)
      mill_drop(&mill_events(batch)[i]);
    else
      status = become_whole(s, batch, i, t);
  }
  return status;
}

/* ------------------------------------------------------------- descriptor */

static const MillStageOps ops = {
  .size = sizeof ops,
  .open = comm_seq_open,
  .observe = comm_seq_observe,
  .save_decision = save_decision,
  .load_decision = load_decision,
  .process = comm_seq_process,
};

static const MillRead reads[] = {
  { "jobname", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "Peer", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
  { "Peers", MILL_AS_ANY, MILL_KIND(MILL_SLICE) },
};

static const char *const needs[] = { "events", NULL };
static const char *const wants[] = { "slices", NULL };
static const char *const spoils[] = { "order.lane", "order.run", "nested", NULL };

static const MillStage stage = {
  .size = sizeof stage,
  .scope = MILL_SCOPE_LANE,
  .flags = MILL_MAY_DROP,
  .name = "comm-seq",
  .family = "comm",
  .version = "1.0.0",
  .tag = "CSEQ",
  .title = "Merge the events of each transfer into one slice",
  .help =
      "Events whose names contain SenRdma and the same number belong to one transfer of their job. "
      "The last of them becomes the whole transfer: from the first begin to the last end, with the "
      "common beginning of their names, and with all peers. The others are dropped.",
  .needs = needs,
  .wants = wants,
  .spoils = spoils,
  .reads = MILL_ROWS(reads),
  .ops = &ops,
};

MILL_STAGE_MODULE(stage, "stagemill", "MIT");
