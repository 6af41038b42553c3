/* What the files of the chrome-json source share: instance, caches, and the steps of parsing. */
/* SPDX-License-Identifier: MIT */
#ifndef CHROME_JSON_PARSER_H
#define CHROME_JSON_PARSER_H

#include <glib.h>
#include <stagemill/source.h>

#include "base/hash.h"
#include "base/scan.h"
#include "memo.h"
#include "shape.h"

enum { DIALECT_AUTO, DIALECT_KINETO, DIALECT_AIU, DIALECT_GENERIC };

typedef struct SourceOptions {
  int64_t dialect;
  bool processed; /* also what the AIU trace analyser wrote */
  int64_t time_unit;
  bool is_side; /* no option: the input describes others, and promises nothing else */
} SourceOptions;

enum { JSN_UNIT_US, JSN_UNIT_NS, JSN_UNIT_MS };
#define JSN_MICROSECONDS 3 /* decimals that make nanoseconds of them */

/* --------------------------------------------------------------- notices */
enum { /* MillNotice.number */
       JSN_EMPTY = 1,
       JSN_NOT_JSON = 2,
       JSN_NO_EVENTS = 3,
       JSN_TRUNCATED = 4,
       JSN_BAD_EVENT = 5,
       JSN_BAD_MEMBER = 6,
       JSN_STRICT = 7,
       JSN_ATTR_LIMIT = 8,
       JSN_FIX_FIRST = 20, /* one for each JSON_FIX_*, in the order of their bits */
       JSN_DUPLICATE_KEY = 27,
       JSN_COMMA = 28,
       JSN_NO_BRACKET = 29,
       JSN_NOT_OBJECT = 30,
       JSN_TRAILING = 31,
       JSN_RECOVERED = 32,
       JSN_TEXT_NUMBER = 33,
       JSN_BAD_TIME = 34,
       JSN_NEGATIVE_DUR = 35,
       JSN_CLIPPED = 36,
       JSN_INEXACT = 37,
       JSN_MANY_ATTRS = 38,
       JSN_TWO_LISTS = 39,
       JSN_BAD_CYCLES = 40,
       JSN_PROCESSED = 41,
       JSN_PROCESSED_LATE = 42,
       JSN_NO_START = 43,
       JSN_NO_DUR = 44,
       JSN_BAD_PHASE = 45,
       JSN_CATEGORIES = 46
};
/* Notices of one event are collected as bits and reported when the event is complete:
 * an event cut by the end of a block is parsed again. */
#define NOTE_BIT(number) (1u << ((number)-JSN_FIX_FIRST))

#define JSN_N_NOTICES 35u
extern const MillNotice jsn_notices[JSN_N_NOTICES];

/* ------------------------------------------------------------ projection */
#define AS_UNWANTED 0xff
/* Keys that also stand for others: the list of five stamps, and the charge that is their power. */
typedef enum { ALIAS_NONE, ALIAS_CYCLES, ALIAS_CHARGE, N_ALIASES } Alias;
#define N_STAMPS 5
typedef struct WantedKey {
  const char *text;
  uint64_t head; /* jsn_head of it */
  uint32_t len;
  MillSym sym;
  uint64_t seen_in;         /* stamp of the last event that had it */
  uint8_t as[MILL_N_KINDS]; /* MILL_AS_* or AS_UNWANTED */
  uint8_t alias;            /* Alias, where some stage asked for what it stands for */
} WantedKey;

typedef struct Projection {
  const MillSeed *seed;
  GArray *keys;    /* of WantedKey */
  uint32_t *slots; /* index + 1 into keys, open addressing; 0: free */
  uint32_t mask;
  uint8_t all_as[MILL_N_KINDS]; /* of "*" */
  bool any[MILL_N_KINDS];       /* some key is wanted of this kind */
  uint32_t meant[N_STAMPS + 1]; /* TS1 to TS5 and Power: index + 1 into keys; 0: nobody asked */
} Projection;

/* ---------------------------------------------------------------- caches */
#define NAME_SLOTS 16384u /* in pairs */
#define NAME_BYTES 48u
#define TRACK_SLOTS 256u
typedef struct NameSlot {
  char text[NAME_BYTES]; /* its first bytes */
  const char *all;       /* NULL: free */
  uint32_t len;
  MillSym sym;
} NameSlot;

#define NAMES_BYTES (NAME_SLOTS * sizeof(NameSlot))

typedef struct TrackSlot {
  int64_t process, thread; /* integer or symbol */
  uint32_t types;          /* process type << 8 | thread type; 0: free (both absent is 1 << 16) */
  uint32_t track;
} TrackSlot;

/* The bytes an event is parsed from: a block, or the repaired copy of one event. */
typedef struct Text {
  const char *base; /* where offsets count from */
  uint32_t off;     /* of base in the block or in the own texts of the batch */
  uint32_t own;     /* MILL_ATTR_OWN or 0 */
  bool valid;       /* known to be valid JSON: oddities are no reason to stop */
} Text;

typedef enum {
  EVENT_DONE,
  EVENT_ODD,   /* needs the slow path, or is unfinished */
  EVENT_MORE,  /* unfinished */
  EVENT_FULL,  /* no space for its attributes in this batch */
  EVENT_FAILED /* reported by mill_fail; in a fork: given up */
} EventStatus;

typedef struct Source Source;
/* p at '{'.  On EVENT_DONE the event is in the batch. */
typedef EventStatus (*ReadEvent)(Source *s, const Text *text, const char *p, const char *end,
                                 MillBatch *batch, const char **out_end, uint32_t notes);

/* -------------------------------------------------------------- instance */
typedef enum { AT_START, IN_OBJECT, IN_EVENTS, AT_REST } Section;
typedef enum {
  SEPARATOR_DUE,   /* an event has just ended */
  SEPARATOR_SEEN,  /* a comma was passed */
  SEPARATOR_FRESH, /* the array has just begun */
  SEPARATOR_ANY    /* unknown: other parsers read what comes before */
} Separator;

typedef struct PidRange {
  int64_t first, last;
} PidRange;

#define JSN_FOREIGN UINT32_MAX /* the track of an event that is of another part */
#define JSN_INFO_OF_RANKS "distributedInfoOfRanks"
#define JSN_OTHER_DATA "otherData"

struct Source {
  const MillSourceHost *host;
  const MillHost *common;
  int64_t dialect; /* that the user wants */
  bool reads_processed;
  bool is_side;
  int decimals;  /* that make nanoseconds of a time */
  bool left_out; /* it was processed already */
  ScanContainer container;
  ReadEvent event; /* the fastest for this processor, as container, once it was asked */
  bool asked;
  bool is_fork;
  bool strict;

  bool is_part; /* of several merged lanes, see merged.c */
  uint32_t part;
  PidRange same; /* a pid is what it was plus the first of these */
  PidRange other, all;
  GArray *own_pids,
      *foreign_pids; /* int64_t: pids that stayed as they were, of this part and of others; NULL: none */

  Section section;
  Separator separator;
  bool bare;         /* the document is an array of events */
  bool after_events; /* the array of events has been passed */
  bool rest_noted;
  uint64_t expected; /* offset in the input where our last call ended */
  uint64_t n_events; /* complete ones that we gave */
  uint64_t n_before; /* added to them: complete ones of the input (it may wrap, the sum does not) */
  uint64_t stamp;    /* of the event at hand */

  Projection projection;
  NameSlot *names;    /* from a page on: each is in one line of a cache */
  GStringChunk *kept; /* texts with escapes that are among the names */
  size_t n_kept;      /* their bytes */
  TrackSlot *tracks;
  Shapes shapes;
  Memo cat, process, thread;
  Memo gap; /* from after an event to after the '{' of the next */
  MillValue last_process, last_thread;
  uint32_t last_track;
  bool has_last_track;
  GString *repaired; /* the event at hand, repaired, with padding */
  GString *scratch;  /* an unescaped text */
  unsigned fixes;    /* JSON_FIX_* that unescaping it took */
};

/* ------------------------------------------------------------- functions */
int jsn_probe(const MillSource *self, const char *bytes, size_t len, const char *name);
int jsn_open(const MillSource *self, const MillSourceHost *host, const void *options,
             void **out_instance);
int jsn_describe(void *instance);
int jsn_start(void *instance);
bool jsn_in_events(void *instance);
int jsn_fork(void *instance, const MillSourceHost *host, void **out_instance);
void jsn_close(void *instance);
/* What the sources that read such traces do alike. */
#define JSN_OPS                                                                                    \
  .size = sizeof(MillSourceOps), .describe = jsn_describe, .start = jsn_start, .parse = jsn_parse, \
  .in_events = jsn_in_events, .sync = jsn_sync, .fork = jsn_fork, .close = jsn_close
int jsn_parse(void *instance, MillBlock *block, MillBatch *batch);
int64_t jsn_sync(const char *bytes, size_t len);

/* event.c: the fastest ReadEvent for the processor whose fastest ScanContainer this is. */
ReadEvent jsn_event_for(ScanContainer container);
void jsn_tell(Source *s, uint32_t notes, const MillBatch *batch, uint32_t index);

/* slow.c */
EventStatus jsn_event_slow(Source *s, const MillBlock *block, const char *p, MillBatch *batch,
                           const char **out_end);
bool jsn_check_strict(Source *s, const MillBlock *block, const char *p, const char *end);
/* Counts a repair of the document's own structure; under strict it fails and returns false. */
bool jsn_repair(Source *s, const MillBlock *block, const char *at, uint32_t number,
                const char *what);
int jsn_fail(Source *s, uint32_t number, const char *what, const char *where, const char *why,
             const char *help);
char *jsn_where(const Source *s, const MillBlock *block, const char *at); /* g_free */
const char *jsn_input_name(const Source *s);

/* document.c */
typedef enum { MEMBER_FOUND, MEMBER_LAST, MEMBER_MORE, MEMBER_BAD } MemberStatus;
typedef struct Member {
  const char *key; /* after its quote */
  size_t key_len;
  bool key_coded;
  const char *value, *value_end;
  bool is_events; /* value is the '[' of traceEvents; value_end is after it */
} Member;
/* *p after the object's '{' or the last member; moved after what was read. */
/* The text of a key, as it stands between its quotes, means the word: escapes are looked through. */
bool jsn_key_is(const char *p, size_t len, const char *word);
MemberStatus jsn_member(ScanContainer container, const char **p, const char *end, bool at_end,
                        Member *out, unsigned *out_commas);
/* Rank and base, if the member has them. */
void jsn_describe_member(Source *s, const Member *m);
/* The member says that the AIU trace analyser wrote the document. */
bool jsn_is_processed(const Member *m);

/* merged.c.  The member says which parts there are; the row is that of the event before it was merged. */
void jsn_describe_merged(Source *s, const Member *m);
uint32_t jsn_part_track(const Source *s, MillValue process, MillValue thread);
/* True: the member is about all parts, and the host has what concerns this one. */
bool jsn_pass_merged(const Source *s, const Member *m);

/* projection.c */
void jsn_projection_build(Source *s);
void jsn_projection_clear(Source *s);

/* args.c: the object at p, which ends before `end`.  over: its members take the place of those that the event has
 * already from another object. */
EventStatus jsn_args(Source *s, const Text *text, const char *p, const char *end, uint32_t kind,
                     bool over, MillBatch *batch, uint32_t *notes, const char **out_end);

/* inner.c: the passage with the members of its object of attributes in place of the object.  False: they are not all
 * plain. */
bool jsn_open_object(Source *s, const Passage *whole, Passage *out);
/* args.c: one value of such an object, wanted as `as`.  NULL: it is not as usual, or there is no space. */
const char *jsn_inner(Source *s, const Text *text, MillBatch *batch, MillSym key, uint32_t as,
                      const char *p, const char *end);

/* text.c: SCAN_WIDE bytes must be readable at p and after p+len. */
MillSym jsn_intern(Source *s, const char *p, size_t len);
/* The text between quotes, unescaped when flags say SCAN_ESCAPED. */
MillSym jsn_intern_string(Source *s, const char *p, size_t len, unsigned flags);
const GString *jsn_unescape(Source *s, const char *p, size_t len);
/* Of a list of categories, as Chrome has it ("kernel,foo"), the first that torch's profiler gives; 0: none is. */
MillSym jsn_known_category(Source *s, const char *p, size_t len);
uint32_t jsn_track(Source *s, MillValue process, MillValue thread);

static inline uint64_t jsn_mix(uint64_t h, uint64_t word)
{
  h = (h ^ word) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 32;
}

/* The first eight bytes, zeros after a shorter text. */
static inline uint64_t jsn_head(const char *p, size_t len)
{
  uint64_t word = scan_load64(p);
  return len >= 8 ? word : word & ((UINT64_C(1) << 8 * len) - 1);
}

static inline uint64_t jsn_hash(const char *p, size_t len)
{
  uint64_t a = jsn_mix(len, jsn_head(p, len)), b = 0;
  for (size_t i = 8; i < len; i += 16) {
    a = jsn_mix(a, scan_load64(p + (len - i < 8 ? len - 8 : i)));
    if (len - i > 8) b = jsn_mix(b, scan_load64(p + (len - i < 16 ? len - 8 : i + 8)));
  }
  return jsn_mix(a, b);
}

/* Two texts of equal length and head. */
static inline bool jsn_same_tail(const char *a, const char *b, size_t len)
{
  for (size_t i = 8; i < len; i += 8) {
    size_t at = len - i < 8 ? len - 8 : i;
    if (scan_load64(a + at) != scan_load64(b + at)) return false;
  }
  return true;
}

static inline bool jsn_is(const char *p, size_t len, const char *word)
{
  return strlen(word) == len && memcmp(p, word, len) == 0;
}

#endif
