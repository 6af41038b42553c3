/* A file of a sink, made in memory: the few tables of a shared object in which a descriptor is found. */
/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_MADE_MODULE_H
#define TESTS_UNIT_MADE_MODULE_H

#include <link.h>
#include <stagemill/sink.h>
#include <stddef.h>
#include <string.h>

#if defined(__x86_64__)
#define MADE_RELATIVE R_X86_64_RELATIVE
#elif defined(__aarch64__)
#define MADE_RELATIVE R_AARCH64_RELATIVE
#endif

enum { MADE_FLAGS = 2 };

/* Addresses are offsets into it. */
typedef struct MadeModule {
  ElfW(Ehdr) head;
  ElfW(Phdr) segments[2];
  ElfW(Dyn) dynamic[6];
  ElfW(Sym) symbols[2];
  struct {
    uint32_t n_buckets, first, n_bloom, shift;
    uint64_t bloom;
    uint32_t bucket, chain;
  } hash;
  ElfW(Rela) moved[2];
  MillModule module;
  MillSink sink;
  char format[8], name[16];
} MadeModule;

static inline uint32_t made_hash(const char *name)
{
  uint32_t h = 5381;
  for (; *name; name++) h = h * 33 + (unsigned char)*name;
  return h;
}

#ifdef MADE_RELATIVE

static inline void made_tables(MadeModule *m)
{
  const ElfW(Dyn) dynamic[] = {
    { DT_SYMTAB, { offsetof(MadeModule, symbols) } }, { DT_STRTAB, { offsetof(MadeModule, name) } },
    { DT_GNU_HASH, { offsetof(MadeModule, hash) } },  { DT_RELA, { offsetof(MadeModule, moved) } },
    { DT_RELACOUNT, { 2 } },                          { DT_NULL, { 0 } },
  };
  memcpy(m->dynamic, dynamic, sizeof dynamic);
  m->symbols[1].st_value = offsetof(MadeModule, module);
  m->hash.n_buckets = m->hash.first = m->hash.n_bloom = m->hash.bucket = 1;
  m->hash.chain = made_hash(m->name) | 1;
  m->moved[0] = (ElfW(Rela)){ offsetof(MadeModule, module) + offsetof(MillModule, descriptor),
                              ELF64_R_INFO(0, MADE_RELATIVE), offsetof(MadeModule, sink) };
  m->moved[1] = (ElfW(Rela)){ offsetof(MadeModule, sink) + offsetof(MillSink, format),
                              ELF64_R_INFO(0, MADE_RELATIVE), offsetof(MadeModule, format) };
}

static inline MadeModule made_module(void)
{
  MadeModule m;
  memset(&m, 0, sizeof m);
  memcpy(m.head.e_ident, ELFMAG, SELFMAG);
  m.head.e_ident[EI_CLASS] = ELFCLASS64;
  m.head.e_phentsize = sizeof *m.segments;
  m.head.e_phoff = offsetof(MadeModule, segments);
  m.head.e_phnum = 2;
  m.segments[0] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_filesz = sizeof m };
  m.segments[1] = (ElfW(Phdr)){ .p_type = PT_DYNAMIC,
                                .p_vaddr = offsetof(MadeModule, dynamic),
                                .p_offset = offsetof(MadeModule, dynamic),
                                .p_filesz = sizeof m.dynamic };
  memcpy(m.format, "made", 5);
  memcpy(m.name, "mill_module_v1", 15);
  m.module.magic = MILL_MAGIC;
  m.module.size = sizeof m.module;
  m.module.abi = MILL_ABI;
  m.module.kind = MILL_KIND_SINK;
  m.sink.flags = MADE_FLAGS;
  made_tables(&m);
  return m;
}

#endif
#endif
