/* How results came to be, as sinks may show it: independent of folders, of threads, and of where
 * results are written. */
/* SPDX-License-Identifier: MIT */
#ifndef RESULTS_PROVENANCE_H
#define RESULTS_PROVENANCE_H

#include <glib.h>
#include <stdint.h>

#include "results/ended-run.h"

typedef struct ProvenanceModule {
  const char *kind, *name, *version;
  char *hash; /* of the file of one from outside of stagemill; NULL: unknown, or it is ours */
} ProvenanceModule;

typedef struct ProvenanceInput {
  const char *name;   /* with or without its folder */
  const char *hash;   /* "sha256:...", or NULL: unknown */
  int64_t size_bytes; /* -1: unknown */
} ProvenanceInput;

/* Texts are the caller's. */
typedef struct Provenance {
  const char *program, *version, *profile;
  const char *plan;     /* its hash, or NULL */
  GPtrArray *arguments; /* const char *: the arguments that results depend on */
  GPtrArray *rules;     /* const char *: those that judged the results */
  GArray *modules;      /* ProvenanceModule */
  GArray *inputs;       /* ProvenanceInput */
} Provenance;

void provenance_init(Provenance *p);
void provenance_clear(Provenance *p); /* not the texts */
/* Once each. */
void provenance_add_module(Provenance *p, const char *kind, const char *name, const char *version);
/* The same of one that is loaded, with its hash. */
void provenance_add_loaded(Provenance *p, const Descriptor *module);
/* "sha256:..." of its file; NULL: it is stagemill's own, or cannot be read.  For the caller to free. */
char *provenance_module_hash(const Descriptor *module);
/* Adds the names of the rules that the profile lets judge; they are the profile's. */
void provenance_add_rules(GPtrArray *names, const Profile *profile);
/* A JSON object, for the caller to free. */
char *provenance_text(const Provenance *p);

/* ---- of a run. "sha256:..." of its plan, for the caller to free. It is the same for the same
 * program, profile and options, on any machine and for any inputs. */
char *provenance_plan_hash(const EndedRun *run);
/* Adds "plan" and "provenance" to the results; the latter is made when a sink asks for it. */
void provenance_offer(EndedRun *run);
/* The hash of an input; NULL: none. For the caller to free. */
char *provenance_hash_of(const Input *in);
/* The same of one of a run. */
char *provenance_input_hash(const EndedRun *run, guint index);
/* The hash of a file: "sha256:...", or "sha256-ends:..." for a file of more than a megabyte,
 * because hashing all of it would take longer than reading it. NULL: it cannot be read. */
char *provenance_file_hash(const char *path, uint64_t size_bytes);

#endif
