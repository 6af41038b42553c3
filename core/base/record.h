/* Records with a fixed list of attributes, written by a source into its batches: only what is wanted. */
#ifndef BASE_RECORD_H
#define BASE_RECORD_H

#include <stagemill/stage.h>

#define RECORD_MAX_KEYS 32u
#define RECORD_MAX_TEXT (256u << 10)

typedef struct RecordWriter {
  const MillHost *host;
  MillSym type;
  uint32_t track;
  uint32_t n_keys;
  uint32_t text_end; /* of the batch at hand: behind its last text */
  MillSym keys[RECORD_MAX_KEYS];
  bool wanted[RECORD_MAX_KEYS];
} RecordWriter;

/* In `start`, when the host knows what stages read.  Keys are named by their place in `keys`. */
void record_init(RecordWriter *w, const MillHost *host, const char *type, const char *const *keys,
                 uint32_t n_keys);

/* A new record at the end of the batch; false when the batch has no room for one more, or holds
 * RECORD_MAX_TEXT bytes.
 * Its attributes follow at once; those that no stage reads are left out. */
bool record_begin(RecordWriter *w, MillBatch *b);
void record_int(const RecordWriter *w, MillBatch *b, uint32_t key, int64_t value);
void record_real(const RecordWriter *w, MillBatch *b, uint32_t key, double value); /* finite */
void record_text(RecordWriter *w, MillBatch *b, uint32_t key, const char *text, size_t len);

#endif
