/* How results came to be, as sinks may show it: nothing in it depends on folders, threads or where results went. */
#ifndef RESULTS_PROVENANCE_H
#define RESULTS_PROVENANCE_H

#include <glib.h>
#include <stdint.h>

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

#endif
