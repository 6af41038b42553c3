/* The build id: a note in the segments of a shared object that is in memory; see module-id.h. */
/* SPDX-License-Identifier: MIT */
#include "plan/module-id.h"

#include <dlfcn.h>
#include <elf.h>
#include <glib.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

typedef struct Wanted {
  uintptr_t address;
  char *id;
} Wanted;

static size_t aligned(size_t len) { return (len + 3) & ~(size_t)3; }

static char *hex(const uint8_t *bytes, size_t len)
{
  GString *text = g_string_new(NULL);
  for (size_t i = 0; i < len; i++) g_string_append_printf(text, "%02x", bytes[i]);
  return g_string_free(text, FALSE);
}

static char *id_in_notes(const uint8_t *at, size_t left)
{
  ElfW(Nhdr) note;
  while (left >= sizeof note) {
    memcpy(&note, at, sizeof note);
    size_t name = aligned(note.n_namesz), whole = sizeof note + name + aligned(note.n_descsz);
    if (whole > left) return NULL;
    bool gnu = note.n_namesz == sizeof ELF_NOTE_GNU &&
               !memcmp(at + sizeof note, ELF_NOTE_GNU, sizeof ELF_NOTE_GNU);
    if (gnu && note.n_type == NT_GNU_BUILD_ID) return hex(at + sizeof note + name, note.n_descsz);
    at += whole;
    left -= whole;
  }
  return NULL;
}

static bool holds(const struct dl_phdr_info *object, uintptr_t address)
{
  for (unsigned i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *p = &object->dlpi_phdr[i];
    if (p->p_type == PT_LOAD && address - (object->dlpi_addr + p->p_vaddr) < p->p_memsz)
      return true;
  }
  return false;
}

static int look(struct dl_phdr_info *object, size_t size, void *wanted)
{
  Wanted *w = wanted;
  (void)size;
  if (!holds(object, w->address)) return 0;
  for (unsigned i = 0; i < object->dlpi_phnum && !w->id; i++) {
    const ElfW(Phdr) *p = &object->dlpi_phdr[i];
    uintptr_t at = object->dlpi_addr + p->p_vaddr;
    if (p->p_type == PT_NOTE) w->id = id_in_notes((const uint8_t *)at, p->p_memsz);
  }
  return 1;
}

char *module_file(const void *address)
{
  Dl_info found;
  bool known = dladdr(address, &found) && found.dli_fname;
  return known ? g_strdup(found.dli_fname) : NULL;
}

char *module_build_id(const void *address)
{
  Wanted w = { .address = (uintptr_t)address };
  dl_iterate_phdr(look, &w);
  return w.id;
}
