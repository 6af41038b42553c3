/* The document around the events: members before and after them, separators, and both its ends. */
/* SPDX-License-Identifier: MIT */
#include "base/json.h"
#include "base/num.h"
#include "parser.h"

#define GO_ON 100              /* the section of the document has changed */
#define READ 101               /* continue after it, or read what is there */
#define REFUSED 102            /* failed */
#define MAX_BATCH_ATTRS 16384u /* 256 KiB */
#define SUSPICIOUS_LEN \
  (256u * 1024) /* an unfinished event of this length is looked at for errors */

/* ---------------------------------------------------------------- members */
static const char *value_end(ScanContainer container, const char *p, const char *end)
{
  bool odd = false;
  unsigned flags = 0;
  if (*p == '{' || *p == '[') return container(p, end, &odd);
  if (*p == '"') {
    const char *quote = scan_string(p + 1, end, &flags);
    return quote ? quote + 1 : NULL;
  }
  while (p < end && !scan_is_space(*p) && *p != ',' && *p != '}' && *p != ']') p++;
  return p;
}

bool jsn_key_is(const char *p, size_t len, const char *word)
{
  JsonToken token = { JSON_STRING, p - 1, len + 2 };
  return json_is(&token, word);
}

MemberStatus jsn_member(ScanContainer container, const char **pp, const char *end, bool at_end,
                        Member *out, unsigned *out_commas)
{
  const char *p = scan_space(*pp);
  unsigned flags = 0;
  for (*out_commas = 0; *p == ','; p = scan_space(p + 1)) ++*out_commas;
  if (p >= end) return MEMBER_MORE;
  if (*p == '}') {
    *pp = p + 1;
    return MEMBER_LAST;
  }
  if (*p != '"') return MEMBER_BAD;
  const char *quote = scan_string(p + 1, end, &flags);
  if (!quote) return MEMBER_MORE;
  Member m = { .key = p + 1,
               .key_len = (size_t)(quote - p - 1),
               .key_coded = flags & (SCAN_ESCAPED | SCAN_ODD) };
  p = scan_space(quote + 1);
  if (p >= end) return MEMBER_MORE;
  if (*p != ':') return MEMBER_BAD;
  p = scan_space(p + 1);
  if (p >= end) return MEMBER_MORE;
  m.value = p;
  m.is_events = *p == '[' && jsn_key_is(m.key, m.key_len, "traceEvents");
  m.value_end = m.is_events ? p + 1 : value_end(container, p, end);
  if (!m.value_end || (m.value_end == end && !at_end && !m.is_events)) return MEMBER_MORE;
  if (m.value_end == p) return MEMBER_BAD;
  *out = m;
  *pp = m.value_end;
  return MEMBER_FOUND;
}

/* The value of the last member `key` of the object; JSON_ERROR: there is none. */
static JsonKind inner_value(const Member *m, const char *key, JsonToken *out)
{
  JsonCursor r;
  JsonToken name, value;
  JsonKind found = JSON_ERROR;
  json_open(&r, m->value, (size_t)(m->value_end - m->value), false);
  if (json_next(&r, &name) != JSON_OBJECT) return JSON_ERROR;
  while (json_next(&r, &name) == JSON_KEY) {
    JsonKind kind = json_skip(&r, &value);
    if (kind == JSON_ERROR) break;
    if (!jsn_key_is(name.start + 1, name.len - 2, key)) continue;
    found = kind;
    *out = value;
  }
  return found;
}

static void describe_rank(Source *s, const Member *m)
{
  JsonToken value;
  int64_t rank;
  JsonKind kind = inner_value(m, "rank", &value);
  bool quoted = kind == JSON_STRING;
  if (kind != JSON_ERROR && num_int(value.start + quoted, value.len - 2 * quoted, &rank) &&
      rank >= 0)
    s->host->describe(s->host, "rank", mill_int(rank));
}

bool jsn_is_processed(const Member *m)
{
  JsonToken value;
  return jsn_key_is(m->key, m->key_len, JSN_OTHER_DATA) &&
         inner_value(m, "Application", &value) == JSON_STRING &&
         memmem(value.start, value.len, "Acelyzer", 8);
}

void jsn_describe_member(Source *s, const Member *m)
{
  int64_t base_ns;
  unsigned flags = 0;
  if (jsn_key_is(m->key, m->key_len, "distributedInfo")) describe_rank(s, m);
  if (!jsn_key_is(m->key, m->key_len, "baseTimeNanoseconds")) return;
  bool quoted = *m->value == '"';
  const char *start = m->value + quoted, *end = m->value_end - quoted;
  if (start < end && num_scan_scaled(start, end, 0, &base_ns, &flags) == end && !flags)
    s->host->describe(s->host, "base_ns", mill_int(base_ns));
}

/* To the host, valid in any case; false: failed. */
static bool pass_member(Source *s, const MillBlock *b, const Member *m)
{
  size_t len = (size_t)(m->value_end - m->value);
  const char *at = m->value, *why = NULL, *json = m->value;
  unsigned fixes = 0;
  const char *key = m->key;
  size_t key_len = m->key_len;
  if (!json_check(m->value, len, &at, &why)) {
    if (s->strict) return jsn_check_strict(s, b, m->value, m->value_end);
    g_string_truncate(s->repaired, 0);
    if (!json_repair(m->value, len, s->repaired, &fixes)) {
      g_autofree char *where = jsn_where(s, b, at);
      g_autofree char *what =
          g_strdup_printf("%s: a member of the document is not valid JSON", jsn_input_name(s));
      jsn_fail(s, JSN_BAD_MEMBER, what, where, why, NULL);
      return false;
    }
    json = s->repaired->str;
    len = s->repaired->len;
  }
  if (m->key_coded) {
    if (s->strict && !jsn_check_strict(s, b, key - 1, key + key_len + 1)) return false;
    const GString *text = jsn_unescape(s, m->key, m->key_len);
    key = text->str;
    key_len = text->len;
    fixes |= s->fixes;
  }
  jsn_tell(s, fixes & (NOTE_BIT(JSN_DUPLICATE_KEY) - 1), NULL, MILL_NO_EVENT);
  Member passed = { .key = key, .key_len = key_len, .value = json, .value_end = json + len };
  if (jsn_is_processed(&passed) && !s->reads_processed && !s->part)
    mill_note(s->common, JSN_PROCESSED_LATE);
  if (!jsn_pass_merged(s, &passed))
    s->host->member(s->host, s->after_events, key, key_len, json, len);
  jsn_describe_member(s, m);
  return true;
}

/* ------------------------------------------------------------ unusual ends */
/* The text ends inside an event or a member that begins at p. */
static int truncated(Source *s, MillBlock *b, const char *p)
{
  char count[NUM_BUF], size[NUM_BUF];
  if (s->host->recover(s->host)) {
    s->common->note(s->common, JSN_RECOVERED, NULL, MILL_NO_EVENT, NULL, 0);
    s->section = AT_REST;
    s->rest_noted = true;
    b->pos = b->len;
    return GO_ON;
  }
  num_format_count(count, (int64_t)(s->n_before + s->n_events));
  num_format_size(size, b->offset + b->len);
  g_autofree char *what = g_strdup_printf("%s ends inside %s", jsn_input_name(s),
                                          *p == '{' ? "an event" : "the document");
  g_autofree char *where =
      g_strdup_printf("after %s complete events, %s into the uncompressed text", count, size);
  return jsn_fail(s, JSN_TRUNCATED, what, where, "the profiler was probably killed while writing",
                  "add --recover to use the complete events");
}

/* The text ends between events or members: only closing brackets are missing. */
static int no_bracket(Source *s, MillBlock *b)
{
  const char *end = b->bytes + b->len;
  if (s->section == IN_EVENTS && s->n_before + s->n_events == 0) return truncated(s, b, end);
  if (!jsn_repair(s, b, end, JSN_NO_BRACKET, "the closing bracket is missing"))
    return -MILL_BAD_INPUT;
  s->section = AT_REST;
  b->pos = b->len;
  return GO_ON;
}

/* An event that has not ended though much of it is here: is it one at all? */
static int unfinished(Source *s, MillBlock *b, const char *p)
{
  const char *end = b->bytes + b->len;
  b->pos = (size_t)(p - b->bytes);
  if (s->is_fork || (!b->at_end && (size_t)(end - p) < SUSPICIOUS_LEN)) return MILL_PARSE_MORE;
  JsonCursor r;
  JsonToken token;
  unsigned flags = 0;
  json_open(&r, p, (size_t)(end - p), false);
  while (json_next(&r, &token) > JSON_ERROR) continue;
  bool open_string = r.error_at && r.error_at < end && *r.error_at == '"' &&
                     !scan_string(r.error_at + 1, end, &flags);
  bool cut = !r.error || open_string || end - r.error_at < 16;
  if (cut) return b->at_end ? truncated(s, b, p) : MILL_PARSE_MORE;
  g_autofree char *where = jsn_where(s, b, r.error_at);
  g_autofree char *what = g_strdup_printf("%s: an event is not valid JSON", jsn_input_name(s));
  return jsn_fail(s, JSN_BAD_EVENT, what, where, r.error, NULL);
}

/* ----------------------------------------------------------------- events */
static int end_of_events(Source *s, MillBlock *b, const char *p)
{
  bool comma = s->separator == SEPARATOR_SEEN;
  if (comma && !jsn_repair(s, b, p, JSN_COMMA, "there is a comma before the closing bracket"))
    return -MILL_BAD_INPUT;
  s->separator = SEPARATOR_DUE;
  b->pos = (size_t)(p - b->bytes);
  if (s->is_fork) return MILL_PARSE_DONE;
  b->pos++;
  s->after_events = true;
  s->section = s->bare ? AT_REST : IN_OBJECT;
  return GO_ON;
}

/* A value in the list of events that is none: passed over.  *pp moves after it. */
static int not_an_event(Source *s, MillBlock *b, const char **pp)
{
  const char *p = *pp, *end = b->bytes + b->len;
  if (!memchr("\"[-0123456789tfnNI", *p, 17)) {
    b->pos = (size_t)(p - b->bytes);
    if (s->is_fork) return MILL_PARSE_MORE;
    g_autofree char *where = jsn_where(s, b, p);
    g_autofree char *what =
        g_strdup_printf("%s: the list of events is not valid JSON", jsn_input_name(s));
    return jsn_fail(s, JSN_BAD_EVENT, what, where,
                    "expected an event, a comma or the closing bracket", NULL);
  }
  const char *after = value_end(s->container, p, end);
  if (!after || (after == end && !b->at_end)) return unfinished(s, b, p);
  if (s->strict && !jsn_check_strict(s, b, p, after))
    return s->is_fork ? MILL_PARSE_MORE : -MILL_BAD_INPUT;
  if (!s->part) s->common->note(s->common, JSN_NOT_OBJECT, NULL, MILL_NO_EVENT, NULL, 0);
  s->separator = SEPARATOR_DUE;
  *pp = after;
  return READ;
}

/* A comma where none belongs, or none where one does. */
static bool odd_comma(Source *s, const MillBlock *b, const char *p)
{
  const char *what = *p == ',' ? "an extra comma" : "a comma is missing between two events";
  s->separator = SEPARATOR_SEEN;
  return jsn_repair(s, b, p, JSN_COMMA, what);
}

static int parse_event(Source *s, MillBlock *b, const Text *text, const char *p, MillBatch *batch,
                       const char **out_end)
{
  EventStatus status = EVENT_ODD;
  if (!s->strict) status = s->event(s, text, p, b->bytes + b->len, batch, out_end, 0);
  if (status == EVENT_ODD) status = jsn_event_slow(s, b, p, batch, out_end);
  if (status == EVENT_DONE) return READ;
  b->pos = (size_t)(p - b->bytes);
  if (status == EVENT_MORE) return unfinished(s, b, p);
  if (status == EVENT_FAILED) return s->is_fork ? MILL_PARSE_MORE : -MILL_BAD_INPUT;
  if (batch->n_events > 0) return MILL_PARSE_FULL;
  if (s->is_fork) return MILL_PARSE_MORE;
  g_autofree char *where = jsn_where(s, b, p);
  return jsn_fail(s, JSN_ATTR_LIMIT, "one event has more attributes than fit in memory", where,
                  NULL, "raise --max-memory");
}

/* To the next value of the list: READ when *pp is there, or else what to return. */
static int pass_gap(Source *s, MillBlock *b, const char **pp)
{
  const char *gap = *pp, *end = b->bytes + b->len, *p = scan_space(gap);
  Separator before = s->separator;
  unsigned commas = 0;
  for (; *p == ','; p = scan_space(p + 1), commas++) {
    *pp = p;
    if ((s->separator == SEPARATOR_SEEN || s->separator == SEPARATOR_FRESH) && !odd_comma(s, b, p))
      return REFUSED;
    s->separator = SEPARATOR_SEEN;
  }
  *pp = p;
  if (p >= end) {
    s->separator = before;
    b->pos = (size_t)(gap - b->bytes);
    return b->at_end && !s->is_fork ? no_bracket(s, b) : MILL_PARSE_MORE;
  }
  if (*p == ']') return end_of_events(s, b, p);
  if (s->separator == SEPARATOR_DUE && !odd_comma(s, b, p)) return REFUSED;
  if (before == SEPARATOR_DUE && commas == 1 && *p == '{')
    memo_set(&s->gap, gap, (size_t)(p + 1 - gap));
  return READ;
}

/* To the next event: mostly past the same comma and white space as last time. */
static int find_event(Source *s, MillBlock *b, const char **pp)
{
  if (s->separator == SEPARATOR_DUE && memo_matches(&s->gap, *pp)) {
    *pp += s->gap.len - 1;
    s->separator = SEPARATOR_SEEN;
    return READ;
  }
  int result = pass_gap(s, b, pp);
  while (result == READ && **pp != '{') {
    result = not_an_event(s, b, pp);
    if (result == READ) result = pass_gap(s, b, pp);
  }
  if (result != REFUSED) return result;
  b->pos = (size_t)(*pp - b->bytes);
  return s->is_fork ? MILL_PARSE_MORE : -MILL_BAD_INPUT;
}

static int parse_events(Source *s, MillBlock *b, MillBatch *batch)
{
  const char *p = b->bytes + b->pos, *stop = b->bytes + MIN(b->stop, b->len);
  Text text = { b->bytes, 0, 0, false };
  int result;
  while ((result = find_event(s, b, &p)) == READ) {
    bool full = batch->n_events >= batch->max_events || batch->n_attrs >= MAX_BATCH_ATTRS;
    if (p >= stop || full) {
      b->pos = (size_t)(p - b->bytes);
      return p >= stop ? MILL_PARSE_STOP : MILL_PARSE_FULL;
    }
    result = parse_event(s, b, &text, p, batch, &p);
    if (result != READ) return result;
    s->separator = SEPARATOR_DUE;
  }
  return result;
}

/* --------------------------------------------------------------- document */
static int fail_start(Source *s, uint32_t number, const char *what, const char *why)
{
  g_autofree char *text = g_strdup_printf("%s %s", jsn_input_name(s), what);
  return jsn_fail(s, number, text, NULL, why,
                  "a trace is a JSON object with traceEvents, or a JSON list of events");
}

/* Nothing of it is read. */
static int leave_out(Source *s, MillBlock *b)
{
  mill_note(s->common, JSN_PROCESSED);
  s->section = AT_REST;
  b->pos = b->len;
  return MILL_PARSE_DONE;
}

static int parse_start(Source *s, MillBlock *b)
{
  if (s->left_out) return leave_out(s, b);
  const char *p = b->bytes + b->pos, *end = b->bytes + b->len;
  if (end - p < 3 && !b->at_end) return MILL_PARSE_MORE;
  if (end - p >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0) p += 3;
  p = scan_space(p);
  if (p >= end && !b->at_end) return MILL_PARSE_MORE;
  if (p >= end) return fail_start(s, JSN_EMPTY, "is empty", NULL);
  if (*p != '{' && *p != '[')
    return fail_start(s, JSN_NOT_JSON, "is not JSON", "it begins with neither { nor [");
  s->bare = *p == '[';
  s->section = s->bare ? IN_EVENTS : IN_OBJECT;
  s->separator = SEPARATOR_FRESH;
  b->pos = (size_t)(p + 1 - b->bytes);
  return GO_ON;
}

static int bad_document(Source *s, const MillBlock *b, const char *at)
{
  g_autofree char *where = jsn_where(s, b, scan_space(at));
  g_autofree char *what = g_strdup_printf("%s: the document is not valid JSON", jsn_input_name(s));
  return jsn_fail(s, JSN_BAD_MEMBER, what, where,
                  "expected a key in double quotes, a colon and a value", NULL);
}

/* Between two members is one comma, and none at either end. */
static bool members_joined(Source *s, const MillBlock *b, const char *at, unsigned commas,
                           bool last)
{
  unsigned due = s->separator == SEPARATOR_DUE && !last;
  if (commas == due) return true;
  return jsn_repair(s, b, at, JSN_COMMA,
                    commas > due ? "an extra comma" : "a comma is missing between two members");
}

static int parse_object(Source *s, MillBlock *b)
{
  const char *end = b->bytes + b->len;
  for (;;) {
    const char *p = b->bytes + b->pos, *start = p;
    Member m;
    unsigned commas = 0;
    MemberStatus status = jsn_member(s->container, &p, end, b->at_end, &m, &commas);
    if (status == MEMBER_BAD) return bad_document(s, b, start);
    if (status == MEMBER_MORE) {
      if (!b->at_end) return MILL_PARSE_MORE;
      while (scan_is_space(*start) || *start == ',') start++;
      return start >= end && s->after_events ? no_bracket(s, b) : truncated(s, b, "");
    }
    if (!members_joined(s, b, start, commas, status == MEMBER_LAST)) return -MILL_BAD_INPUT;
    b->pos = (size_t)(p - b->bytes);
    if (status == MEMBER_LAST) {
      if (!s->after_events)
        return fail_start(s, JSN_NO_EVENTS, "has no traceEvents", "the object ends without them");
      s->section = AT_REST;
      return GO_ON;
    }
    if (m.is_events) {
      if (s->after_events && !jsn_repair(s, b, start, JSN_TWO_LISTS, "a second list traceEvents"))
        return -MILL_BAD_INPUT;
      s->section = IN_EVENTS;
      s->separator = SEPARATOR_FRESH;
      return GO_ON;
    }
    if (!pass_member(s, b, &m)) return -MILL_BAD_INPUT;
    s->separator = SEPARATOR_DUE;
  }
}

static int parse_rest(Source *s, MillBlock *b)
{
  const char *p = scan_space(b->bytes + b->pos);
  if (p < b->bytes + b->len && !s->rest_noted) {
    s->rest_noted = true;
    if (!jsn_repair(s, b, p, JSN_TRAILING, "text follows the end of the document"))
      return -MILL_BAD_INPUT;
  }
  b->pos = b->len;
  return b->at_end ? MILL_PARSE_DONE : MILL_PARSE_MORE;
}

/* Asking the processor takes as long as reading some tens of kilobytes; there may be very many small inputs. */
#define ASK_FROM (64u << 10)

static void choose_scanner(Source *s, const MillBlock *block)
{
  if (s->asked || block->len < ASK_FROM) return;
  s->asked = true;
  s->container = scan_container_best();
  s->event = jsn_event_for(s->container);
}

int jsn_parse(void *instance, MillBlock *block, MillBatch *batch)
{
  Source *s = instance;
  int result = GO_ON;
  choose_scanner(s, block);
  s->n_before = block->n_before - s->n_events;
  if (s->section == IN_EVENTS && block->offset + block->pos != s->expected)
    s->separator = SEPARATOR_ANY;
  while (result == GO_ON) {
    switch (s->section) {
    case AT_START: result = parse_start(s, block); break;
    case IN_OBJECT: result = parse_object(s, block); break;
    case IN_EVENTS: result = parse_events(s, block, batch); break;
    default: result = parse_rest(s, block);
    }
  }
  s->expected = block->offset + block->pos;
  return result;
}

/* In valid JSON, brace, comma, brace, quote and a letter never are in a string like this: the
 * quote would end it.  The depth may still be wrong, so the host verifies the split. */
int64_t jsn_sync(const char *bytes, size_t len)
{
  const char *end = bytes + len;
  for (const char *p = bytes; (p = memchr(p, '{', (size_t)(end - p))); p++) {
    const char *before = p, *after = p + 1;
    while (before > bytes && scan_is_space(before[-1])) before--;
    if (before == bytes || before[-1] != ',') continue;
    for (before--; before > bytes && scan_is_space(before[-1]);) before--;
    if (before == bytes || before[-1] != '}') continue;
    while (after < end && scan_is_space(*after)) after++;
    if (end - after < 2 || *after != '"' || !memchr("pntcaidbs", after[1], 9)) continue;
    return p - bytes;
  }
  return -1;
}
