/* A small YAML document as a tree of values, each with its place: workload cards. */
/* SPDX-License-Identifier: MIT */
#ifndef KIT_YAML_DOC_H
#define KIT_YAML_DOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { YAML_DOC_MAX_BYTES = 1 << 20, YAML_DOC_MAX_DEPTH = 64, YAML_DOC_MAX_NODES = 10000 };

typedef enum {
  YAML_IS_NULL,
  YAML_IS_BOOL,
  YAML_IS_INT,
  YAML_IS_REAL, /* may be infinite or NaN */
  YAML_IS_TEXT,
  YAML_IS_LIST,
  YAML_IS_MAP
} YamlType;

typedef struct YamlNode YamlNode;
struct YamlNode {
  YamlType type;
  uint32_t line, column; /* from 1; columns count characters; of an alias: where it points to */
  const char *text;      /* a scalar as written, without quotes and escapes; ends in NUL */
  size_t len;
  union {
    bool b;
    int64_t i;
    double r;
  } u;
  uint32_t n;            /* of a list or map */
  const YamlNode **keys; /* of a map: scalars, each text once; those merged in come last */
  const YamlNode **items;
  uint32_t n_nodes; /* in this tree, itself included; an alias counts as what it points to */
  uint32_t height;  /* levels of lists and maps in this tree */
};

typedef struct YamlFault {
  uint32_t line, column;
  char *why; /* g_free */
} YamlFault;

/* The one document of a text in UTF-8 or UTF-16, typed by YAML 1.1 (and 1e5 is a number, as in JSON;
 * base 60 and dates stay texts).  Keys are scalars and occur once; `<<` merges.  NULL on failure,
 * and *out says why. */
typedef struct YamlDoc YamlDoc;
YamlDoc *yaml_doc_parse(const char *text, size_t len, YamlFault *out);
void yaml_doc_free(YamlDoc *doc);
const YamlNode *yaml_doc_root(const YamlDoc *doc);

/* The value of a key; NULL when it is missing, or the node is none or no map. */
const YamlNode *yaml_get(const YamlNode *map, const char *key);
const char *yaml_type_name(YamlType type); /* "a list", for messages */

#endif
