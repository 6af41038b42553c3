/* What the files of the probe-bin source share: launches, sections, schemas, the stream of bytes, the instance. */
/* SPDX-License-Identifier: MIT */
#ifndef PROBE_BIN_H
#define PROBE_BIN_H

#include <glib.h>
#include <stagemill/source.h>

#include "kit/read/record.h"

enum { /* MillNotice.number */
       PB_SHORT = 1,
       PB_HEADER = 2,
       PB_SECTION = 3,
       PB_DAMAGED = 4,
       PB_NO_SCHEMA = 5,
       PB_BAD_NAME = 6,
       PB_BAD_TOML = 7,
       PB_MISFIT = 8,
       PB_BAD_DMAT = 9,
       PB_TOO_LONG = 10,
       PB_NOTHING = 11,
       PB_PARTIAL = 20,
       PB_FULL = 21,
       PB_NO_SIZE = 22,
       PB_SHIFTED = 23,
       PB_NO_WARPS = 24,
       PB_EMPTY = 25,
       PB_UNWRITTEN = 26,
       PB_SECOND = 27,
       PB_BLANK = 28
};
#define PB_N_NOTICES 20u
extern const MillNotice probe_bin_notices[PB_N_NOTICES];

enum { PROBE_MAX_FIELDS = 12, PROBE_MAX_SECTIONS = 256, PROBE_NAME = 48, PROBE_MAX_PLACES = 4096 };
enum { PROBE_THREAD = 1, PROBE_WARP = 32, PROBE_WAVE = 64 };
#define PROBE_HEADER 32u
#define PROBE_ENTRY 16u

/* ----------------------------------------------------------------- schemas */

enum { /* those that have a name of their own, in the order of their table */
       SCHEMA_BLOCK_SCHED,
       SCHEMA_SCHED,
       SCHEMA_AMD,
       SCHEMA_GMEM,
       SCHEMA_TENSOROP,
       SCHEMA_DMAT,
       SCHEMA_PROGRESS,
       SCHEMA_ACC,
       N_SCHEMAS,
       SCHEMA_OTHER = N_SCHEMAS
};

typedef struct ProbeField {
  char name[PROBE_NAME];
  uint32_t bytes; /* 4 or 8 */
} ProbeField;

typedef struct ProbeSchema {
  char name[PROBE_NAME];
  uint32_t kind;  /* SCHEMA_... */
  uint32_t level; /* PROBE_WARP may turn out to be of 64 threads */
  uint32_t n_fields, record_bytes;
  ProbeField fields[PROBE_MAX_FIELDS];
  uint64_t capacity; /* places of a unit; 0: not said */
  bool counted;      /* the launch was run once to count its places: one unit uses all of them */
} ProbeSchema;

typedef struct SchemaFault {
  char *what, *where; /* g_free; where NULL: the input */
  uint32_t number;
} SchemaFault;

/* "block_sched+gmem_bytes" */
bool schemas_from_names(const char *names, GArray *out, SchemaFault *fault);
bool schemas_from_toml(const char *text, size_t len, const char *path, GArray *out,
                       SchemaFault *fault);
const char *schema_names(void);                 /* for messages */
const char *const *schema_facts(uint32_t kind); /* ends in NULL; without one for SCHEMA_OTHER */
const ProbeSchema *schema_known(uint32_t kind);
void schema_count_bytes(ProbeSchema *s);

/* ----------------------------------------------------------------- layouts */

typedef enum { LAYOUT_TOTAL, LAYOUT_UNIT, LAYOUT_DIVISOR } ProbeLayout; /* v0, v1, v2 */

typedef struct ProbeSection {
  uint64_t word, offset, extent;
  ProbeLayout layout;
  uint32_t level;
  uint64_t unit_bytes;
  uint64_t units_per_block; /* that were written: whole warps alone */
  uint64_t capacity;
  bool size_unknown; /* it was 2^64-1 */
} ProbeSection;

typedef struct ProbeLaunch {
  uint32_t grid[3], block[3], shared, n_sections;
  uint64_t n_blocks;
  uint32_t n_threads; /* of a block: 1 to 1024 */
  bool shifted;       /* offsets were those of a known fault of the writer, and were put right */
  ProbeSection sections[PROBE_MAX_SECTIONS];
} ProbeLaunch;

/* From the first bytes; false: *out_why (g_free) and the number of the notice. */
bool launch_read(ProbeLaunch *l, const uint8_t *head, size_t len, uint64_t file_bytes,
                 char **out_why, uint32_t *out_number);
/* Tells the layout of a section that holds records of the schema. */
bool launch_tell(const ProbeLaunch *l, ProbeSection *section, const ProbeSchema *schema,
                 char **out_why, uint32_t *out_number);

static inline uint32_t get_u32(const uint8_t *p)
{
  uint32_t v;
  memcpy(&v, p, sizeof v);
  return GUINT32_FROM_LE(v);
}

static inline uint64_t get_u64(const uint8_t *p)
{
  uint64_t v;
  memcpy(&v, p, sizeof v);
  return GUINT64_FROM_LE(v);
}

/* ------------------------------------------------------------------- bytes */

typedef struct ByteStream {
  const MillSourceHost *host;
  GByteArray *held; /* an input that cannot be read twice; else NULL */
  uint8_t *buffer;
  const uint8_t *at; /* of the buffer, or of what is held */
  size_t pos, len;
  uint64_t offset; /* of `at` in the input */
  int status;      /* negative: reading failed */
} ByteStream;

/* The next n bytes (at most 256 KiB), without consuming them; NULL: the input ends before, or status says why. */
const uint8_t *stream_more(ByteStream *s, size_t n);
static inline const uint8_t *stream_need(ByteStream *s, size_t n)
{
  return s->len - s->pos >= n ? s->at + s->pos : stream_more(s, n);
}
bool stream_skip_to(ByteStream *s, uint64_t offset); /* forward */
void stream_clear(ByteStream *s);

/* ---------------------------------------------------------------- instance */

enum { /* attributes of all records, but for the fields of units */
       KEY_SECTION,
       KEY_BLOCK,
       KEY_UNIT,
       KEY_PLACE,
       KEY_GRID_X,
       KEY_GRID_Y,
       KEY_GRID_Z,
       KEY_BLOCK_X,
       KEY_BLOCK_Y,
       KEY_BLOCK_Z,
       KEY_SHARED,
       KEY_BLOCKS,
       KEY_SECTIONS,
       KEY_SCHEMA,
       KEY_LEVEL,
       KEY_LAYOUT,
       KEY_UNIT_BYTES,
       KEY_CAPACITY,
       KEY_UNITS,
       KEY_OFFSET,
       KEY_BYTES,
       KEY_FIELDS,
       KEY_CLOCK,
       KEY_PAGE,
       KEY_COUNT,
       KEY_POINTER,
       KEY_SHAPE,
       KEY_NAME,
       KEY_FUNCTION,
       KEY_PLACE_TEXT,
       KEY_KERNEL,
       N_KEYS
};

typedef struct Tensor {
  char *shape, *name, *function, *place; /* g_free */
  int64_t time_ns, bytes, pointer;
} Tensor;

/* Tensors in the order in which the published plotter meets them: from the last line on, each pointer once. */
GPtrArray *tensors_read(const char *text, size_t len);

/* The name of the kernel whose launch was saved to the file of that name, as the log has it; g_free; NULL: it does not. */
char *kernel_of(const char *log, size_t len, const char *file);

typedef enum { GIVE_LAUNCH, GIVE_SECTIONS, GIVE_TENSORS, GIVE_UNITS, GIVE_END } Giving;

typedef struct Source {
  const MillSourceHost *host;
  bool is_dmat;
  uint64_t file_bytes;
  ProbeLaunch launch;
  GArray *schemas;    /* of ProbeSchema, one a section */
  GPtrArray *tensors; /* of Tensor, or NULL */
  char *kernel;       /* g_free; NULL: no log says it */
  ByteStream stream;
  RecordWriter writer, fields; /* of the section at hand */
  MillSym names[5];            /* launch, section, unit, tensor, page */
  Giving giving;
  uint32_t next; /* section, tensor */
  /* units: */
  uint64_t block, unit, place, ordinal;
  bool by_block;    /* a record of all units of a block: nobody asks for the unit */
  bool any_written; /* of the section at hand */
  uint64_t n_full, n_unwritten, n_blank;
  /* .dmat: */
  uint64_t groups_left, entries_left, clock;
} Source;

int probe_fail(const Source *s, uint32_t number, const char *what, const char *where);
int probe_expand(const MillSource *self, const MillSourceHost *host, const char *folder);
/* Each gives 0 when all was given, 1 when the batch is full, or a negative status. */
int units_give(Source *s, MillBatch *b);
void units_begin(Source *s); /* of section s->next */
int dmat_begin(Source *s);
int dmat_give(Source *s, MillBatch *b);

#endif
