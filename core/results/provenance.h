/* How results came to be, as sinks may show it: nothing in it depends on folders, threads or where results went. */
#ifndef RESULTS_PROVENANCE_H
#define RESULTS_PROVENANCE_H

#include <glib.h>
#include <stdint.h>

#include "results/ended-run.h"

typedef struct ProvenanceModule {
  const char *kind, *name, *version;
} ProvenanceModule;

typedef struct ProvenanceInput {
  const char *name;   /* with or without its folder */
  const char *hash;   /* "sha256:...", or NULL: there is none */
  int64_t size_bytes; /* -1: unknown */
} ProvenanceInput;

/* Texts are the caller's. */
typedef struct Provenance {
  const char *program, *version, *profile;
  const char *plan;     /* its hash, or NULL */
  GPtrArray *arguments; /* const char *: those that results depend on */
  GArray *modules;      /* ProvenanceModule */
  GArray *inputs;       /* ProvenanceInput */
} Provenance;

void provenance_init(Provenance *p);
void provenance_clear(Provenance *p); /* not the texts */
/* Once each. */
void provenance_add_module(Provenance *p, const char *kind, const char *name, const char *version);
/* A JSON object, for the caller to free. */
char *provenance_text(const Provenance *p);

/* ---- of a run.  "sha256:..." of its plan, for the caller to free.  The same for the same program, profile and options,
 * on any machine and for any inputs. */
char *provenance_plan_hash(const EndedRun *run);
/* "plan" and "provenance" of its results, the latter made when a sink asks for it. */
void provenance_offer(EndedRun *run);
/* Of one of its inputs; NULL: it has none.  For the caller to free. */
char *provenance_input_hash(const EndedRun *run, guint index);
/* Of a file: "sha256:...", or of one beyond a megabyte "sha256-ends:...", as all of it would take longer than reading
 * it.  NULL: it cannot be read. */
char *provenance_file_hash(const char *path, uint64_t size_bytes);

#endif
