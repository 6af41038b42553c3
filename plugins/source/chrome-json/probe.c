/* Is it a trace, and whose: from its first and last bytes. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/num.h"
#include "parser.h"

/* A copy that may be scanned. */
static char *padded(const char *bytes, size_t len, size_t *out_len)
{
  char *copy = g_malloc(len + SCAN_PAD);
  if (len) memcpy(copy, bytes, len);
  *out_len = json_unescape_plain(copy, len);
  memset(copy + *out_len, 0xff, SCAN_PAD);
  return copy;
}

static const char *document_start(const char *text, const char *end)
{
  const char *p = text;
  if (end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
  return scan_space(p);
}

/* The last place where "key" is a key: the colon after it, or NULL. */
static const char *find_key(const char *text, const char *end, const char *key)
{
  g_autofree char *quoted = g_strdup_printf("\"%s\"", key);
  size_t len = strlen(quoted);
  const char *found = NULL;
  for (const char *p = text; (p = memmem(p, (size_t)(end - p), quoted, len)); p += len) {
    const char *colon = scan_space(p + len);
    if (colon < end && *colon == ':') found = colon;
  }
  return found;
}

#define TORCH_KEY "deviceProperties"
static const char *const KINETO_KEYS[] = {
  TORCH_KEY, "schemaVersion", "baseTimeNanoseconds", "distributedInfo", JSN_INFO_OF_RANKS, NULL
};

/* ------------------------------------------------------------------ probe */
static int probe_object(const char *p, const char *end)
{
  Member m;
  unsigned commas;
  bool known = false;
  MemberStatus status;
  while ((status = jsn_member(scan_container, &p, end, false, &m, &commas)) == MEMBER_FOUND) {
    if (m.is_events) return 100;
    for (const char *const *key = KINETO_KEYS; *key; key++)
      known |= jsn_key_is(m.key, m.key_len, *key);
  }
  if (status == MEMBER_MORE && memmem(p, (size_t)(end - p), "\"traceEvents\"", 13)) return 90;
  return known ? 60 : 0;
}

static int probe_list(const char *p, const char *end)
{
  Member m;
  unsigned commas;
  p = scan_space(p);
  if (p >= end || *p == ']') return 20;
  if (*p++ != '{') return 0;
  const char *start = p;
  while (jsn_member(scan_container, &p, end, false, &m, &commas) == MEMBER_FOUND)
    if (jsn_key_is(m.key, m.key_len, "ph")) return 90;
  return find_key(start, end, "ph") ? 50 : 0;
}

int jsn_probe(const MillSource *self, const char *bytes, size_t len, const char *name)
{
  (void)self;
  (void)name;
  size_t text_len;
  g_autofree char *text = padded(bytes, len, &text_len);
  const char *end = text + text_len, *p = document_start(text, end);
  if (p >= end) return 0;
  if (*p == '{') return probe_object(p + 1, end);
  return *p == '[' ? probe_list(p + 1, end) : 0;
}

/* --------------------------------------------------------------- describe */
typedef struct Signs {
  bool kineto_members, kineto_events;
  bool torch; /* whatever its events look like */
  bool stamps;
  bool flex;
  bool flex_names; /* of what the host of such a device does: its trace may have no device in it */
  bool processed;  /* already, by the AIU trace analyser */
  int64_t pid;     /* of the first event, or -1 */
} Signs;

/* Other traces have no such names, whole or by their end. */
static bool has_flex_names(const char *text, const char *end)
{
  static const char *const names[] = { "\"AIU Roundtrip\"",      "\"Flex RoundTrip\"",
                                       "\"PrepareAndSyncRdma\"", " Cmpt Exec\"",
                                       " Cmpt Prep\"",           "SenFusedDeviceNode" };
  for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
    if (memmem(text, (size_t)(end - text), names[i], strlen(names[i]))) return true;
  return false;
}

/* A key TS1 to TS5, or cycles_ts. */
static bool has_stamps(const char *text, const char *end)
{
  for (const char *p = text; (p = memmem(p, (size_t)(end - p), "\"TS", 3)); p += 3) {
    if (end - p < 5 || p[3] < '1' || p[3] > '5' || p[4] != '"') continue;
    const char *colon = scan_space(p + 5);
    if (colon < end && *colon == ':') return true;
  }
  return find_key(text, end, "cycles_ts") != NULL;
}

static bool has_kineto_events(const char *text, const char *end)
{
  static const char *const cats[] = { "\"cpu_op\"", "\"cuda_runtime\"", "\"python_function\"",
                                      "\"ac2g\"", NULL };
  for (const char *const *cat = cats; *cat; cat++)
    if (memmem(text, (size_t)(end - text), *cat, strlen(*cat))) return true;
  return false;
}

/* Each search reads all of the text: of a trace of PyTorch only the stamps of its events matter. */
static void look_at_events(const char *text, const char *end, Signs *signs)
{
  signs->stamps = signs->stamps || has_stamps(text, end);
  if (signs->torch) return;
  signs->flex_names = signs->flex_names || has_flex_names(text, end);
  signs->flex = signs->flex || find_key(text, end, "attr");
}

static void look_at_member(Source *s, const Member *m, Signs *signs)
{
  for (const char *const *key = KINETO_KEYS; *key; key++)
    signs->kineto_members |= jsn_key_is(m->key, m->key_len, *key);
  signs->torch |= jsn_key_is(m->key, m->key_len, TORCH_KEY);
  signs->processed |= jsn_is_processed(m);
  jsn_describe_member(s, m);
}

/* The member that `key` begins at its colon. */
static void look_at_late_member(Source *s, const char *key, const char *colon, const char *end,
                                Signs *signs)
{
  g_autofree char *member = g_strdup_printf("\"%s\"", key);
  const char *value = scan_space(colon + 1);
  bool odd = false;
  Member m = { .key = member + 1, .key_len = strlen(key), .value = value };
  if (*value == '{' || *value == '[')
    m.value_end = s->container(value, end, &odd);
  else
    for (m.value_end = value; m.value_end < end && !memchr(",} \n\r\t", *m.value_end, 6);)
      m.value_end++;
  if (m.value_end && m.value_end != value) look_at_member(s, &m, signs);
}

/* A short text may hold it behind the events. */
static void look_for_writer(Source *s, const char *text, const char *end, Signs *signs)
{
  const char *colon = find_key(text, end, JSN_OTHER_DATA);
  if (colon) look_at_late_member(s, JSN_OTHER_DATA, colon, end, signs);
}

/* Whether the first event could be asked whose it is: flows and counters keep pids of their own. */
static bool says_rank(const Member *phase)
{
  return phase->value_end - phase->value == 3 && memchr("XBEMibe", phase->value[1], 7);
}

/* The pid of the first event that says whose the trace is; -1: it is no rank, or is not among the bytes at hand. */
static int64_t first_pid(const Source *s, const char *p, const char *end)
{
  bool odd = false;
  for (p = scan_space(p); p < end && *p == '{'; p = scan_space(p + (p < end && *p == ','))) {
    const char *after = s->container(p, end, &odd);
    if (!after) return -1;
    Member m, phase = { 0 }, pid = { 0 };
    unsigned commas;
    for (p++; jsn_member(s->container, &p, after, true, &m, &commas) == MEMBER_FOUND;) {
      if (jsn_key_is(m.key, m.key_len, "ph")) phase = m;
      if (jsn_key_is(m.key, m.key_len, "pid")) pid = m;
    }
    int64_t rank = -1;
    size_t len = pid.value ? (size_t)(pid.value_end - pid.value) : 0;
    if (phase.value && says_rank(&phase)) return num_int(pid.value, len, &rank) ? rank : -1;
    p = scan_space(after);
  }
  return -1;
}

static void look_at_head(Source *s, const char *text, const char *end, Signs *signs)
{
  const char *p = document_start(text, end);
  Member m = { 0 };
  unsigned commas;
  signs->pid = *p == '[' ? first_pid(s, p + 1, end) : -1;
  if (*p++ != '{') return;
  while (jsn_member(s->container, &p, end, false, &m, &commas) == MEMBER_FOUND && !m.is_events) {
    look_at_member(s, &m, signs);
    if (jsn_key_is(m.key, m.key_len, "stagemill")) jsn_describe_merged(s, &m);
  }
  look_for_writer(s, text, end, signs);
  if (m.is_events) signs->pid = first_pid(s, m.value_end, end);
}

/* Where the tail begins is unknown, so keys are searched for; parsing meets them again. */
static void look_at_tail(Source *s, const char *text, const char *end, Signs *signs)
{
  const char *colon;
  for (const char *const *key = KINETO_KEYS; *key; key++)
    if ((colon = find_key(text, end, *key))) look_at_late_member(s, *key, colon, end, signs);
  look_for_writer(s, text, end, signs);
}

static void describe_text(const Source *s, const char *key, const char *text)
{
  s->host->describe(s->host, key, mill_text(text, strlen(text)));
}

static int64_t dialect_of(const Source *s, const Signs *signs)
{
  if (s->dialect != DIALECT_AUTO) return s->dialect;
  if (signs->torch) return DIALECT_KINETO;
  if (signs->stamps || signs->flex || signs->flex_names) return DIALECT_AIU;
  return signs->kineto_members || signs->kineto_events ? DIALECT_KINETO : DIALECT_GENERIC;
}

/* What its categories tell. */
static void describe_words(const Source *s)
{
  static const char *const facts[] = { "device-work", "launches", "annotations" };
  for (size_t i = 0; i < MILL_COUNT(facts); i++) describe_text(s, "fact", facts[i]);
}

static void describe_kind(const Source *s, const Signs *signs)
{
  static const char *const names[] = { "", "kineto", "aiu", "generic" };
  int64_t dialect = dialect_of(s, signs);
  describe_text(s, "dialect", names[dialect]);
  if (s->is_side) return;
  if (dialect == DIALECT_KINETO) describe_words(s);
  if (dialect == DIALECT_AIU || (dialect == DIALECT_KINETO && signs->stamps))
    describe_text(s, "fact", "clock.cycles");
  if (dialect == DIALECT_KINETO || (dialect == DIALECT_AIU && signs->kineto_events))
    describe_text(s, "fact", "trace.kineto");
  if (dialect == DIALECT_AIU && signs->pid >= 0 && !s->is_part)
    s->host->describe(s->host, "rank_hint", mill_int(signs->pid));
}

/* Both ends; the text is copied, so that it may be scanned. */
int jsn_describe(void *instance)
{
  Source *s = instance;
  const MillSourceHost *host = s->host;
  const char *bytes = NULL;
  size_t text_len;
  Signs signs = { .pid = -1 };
  int64_t len = host->peek(host, false, &bytes);
  if (len > 0) {
    g_autofree char *text = padded(bytes, (size_t)len, &text_len);
    look_at_head(s, text, text + text_len, &signs);
    look_at_events(text, text + text_len, &signs);
    signs.kineto_events = !signs.torch && has_kineto_events(text, text + text_len);
  }
  len = host->peek(host, true, &bytes);
  if (len > 0) {
    g_autofree char *text = padded(bytes, (size_t)len, &text_len);
    look_at_tail(s, text, text + text_len, &signs);
    look_at_events(text, text + text_len, &signs);
  }
  describe_kind(s, &signs);
  s->left_out = signs.processed && !s->reads_processed;
  if (s->left_out) host->describe(host, "skipped", mill_bool(true));
  return 0;
}
