/* Texts numbered from 0 in order of first appearance: the key of bounded per-name state. */
#ifndef LIB_NAMES_H
#define LIB_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define NAMES_NONE UINT32_MAX

typedef struct Names Names;

Names *names_new(uint32_t max); /* NULL without memory */
void names_free(Names *names);
/* NAMES_NONE: not there, and for names_add: full or no memory. */
uint32_t names_add(Names *names, const char *text, size_t len);
uint32_t names_find(const Names *names, const char *text, size_t len);
uint32_t names_count(const Names *names);
/* Valid until the next names_add; not ended by NUL. */
const char *names_text(const Names *names, uint32_t number, size_t *out_len);

#endif
