/* Descriptors are constants in a shared object: found by its table of symbols, with the loader's work done for
 * the few pointers on the way.
 *
 * To load a module costs a hundred times as much, above all when it brings libraries; most runs need
 * few of those that are installed. */
/* SPDX-License-Identifier: MIT */
#include "plan/module-peek.h"

#include <fcntl.h>
#include <glib.h>
#include <link.h>
#include <stagemill/sink.h>
#include <string.h>
#include <unistd.h>

#include "base/stream.h"
#include "plan/module-elf.h"

#define MODULE_SYMBOL "mill_module_v1"
enum { MOST_BYTES = 16 << 20, MOST_TEXT = 256 };

#if defined(__x86_64__)
#define RELATIVE R_X86_64_RELATIVE
#elif defined(__aarch64__)
#define RELATIVE R_AARCH64_RELATIVE
#endif

#ifdef RELATIVE

/* A segment, read when something in it is asked for. */
typedef struct Segment {
  uint64_t address, offset, len;
  char *bytes;
} Segment;

typedef struct Object {
  int fd;
  ModuleSegments heads;
  Segment segments[MODULE_MOST_LOADS];
  unsigned n;
  uint64_t symbols, names, names_len, hash, moved,
      n_moved; /* addresses and lengths of its tables */
} Object;

/* NULL: the object does not have so many bytes there. */
static const void *at(Object *o, uint64_t address, uint64_t len)
{
  for (unsigned i = 0; i < o->n; i++) {
    Segment *s = &o->segments[i];
    uint64_t inside = address - s->address;
    if (address < s->address || inside > s->len || s->len - inside < len) continue;
    if (!s->bytes) {
      s->bytes = g_malloc(s->len);
      if (file_read_at(o->fd, s->bytes, s->len, s->offset) != (int64_t)s->len) s->len = 0;
      return at(o, address, len);
    }
    return s->bytes + inside;
  }
  return NULL;
}

static bool copy(Object *o, uint64_t address, void *out, size_t len)
{
  const void *bytes = at(o, address, len);
  if (bytes) memcpy(out, bytes, len);
  return bytes != NULL;
}

/* At 0 is the head of the file: that address stands for none. */
static const char *text_at(Object *o, uint64_t address)
{
  if (!address) return NULL;
  for (size_t len = 1; len <= MOST_TEXT; len++) {
    const char *text = at(o, address, len);
    if (!text) return NULL;
    if (!text[len - 1]) return text;
  }
  return NULL;
}

/* Where the pointer at this address will point: the loader's first relocations are in order of their addresses. */
static uint64_t pointer_at(Object *o, uint64_t address)
{
  uint64_t low = 0, high = o->n_moved;
  ElfW(Rela) r;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (!copy(o, o->moved + middle * sizeof r, &r, sizeof r)) return 0;
    if (r.r_offset == address) return ELF64_R_TYPE(r.r_info) == RELATIVE ? (uint64_t)r.r_addend : 0;
    if (r.r_offset < address)
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

static void add_segments(Object *o)
{
  for (unsigned i = 0; i < o->heads.n; i++) {
    const ElfW(Phdr) *p = &o->heads.all[i];
    if (p->p_type != PT_LOAD || o->n == MODULE_MOST_LOADS || p->p_filesz > MOST_BYTES) continue;
    o->segments[o->n++] =
        (Segment){ .address = p->p_vaddr, .offset = p->p_offset, .len = p->p_filesz };
  }
}

static bool find_tables(Object *o)
{
  uint64_t dynamic = 0;
  for (unsigned i = 0; i < o->heads.n; i++)
    if (o->heads.all[i].p_type == PT_DYNAMIC) dynamic = o->heads.all[i].p_vaddr;
  ElfW(Dyn) d;
  for (; dynamic && copy(o, dynamic, &d, sizeof d) && d.d_tag != DT_NULL; dynamic += sizeof d) {
    switch (d.d_tag) {
    case DT_SYMTAB: o->symbols = d.d_un.d_ptr; break;
    case DT_STRTAB: o->names = d.d_un.d_ptr; break;
    case DT_GNU_HASH: o->hash = d.d_un.d_ptr; break;
    case DT_RELA: o->moved = d.d_un.d_ptr; break;
    case DT_RELACOUNT: o->n_moved = d.d_un.d_val; break;
    default: break;
    }
  }
  return o->symbols && o->names && o->hash && o->moved;
}

static uint32_t gnu_hash(const char *name)
{
  uint32_t h = 5381;
  for (; *name; name++) h = h * 33 + (unsigned char)*name;
  return h;
}

typedef struct GnuHash {
  uint32_t n_buckets, first, n_bloom, shift;
} GnuHash;

/* The address of what the object exports by that name; 0: nothing. */
static uint64_t find_symbol(Object *o, const char *name)
{
  GnuHash head;
  uint32_t wanted = gnu_hash(name), index, hash;
  if (!copy(o, o->hash, &head, sizeof head) || !head.n_buckets) return 0;
  uint64_t buckets = o->hash + sizeof head + (uint64_t)head.n_bloom * sizeof(ElfW(Addr));
  uint64_t chains = buckets + (uint64_t)head.n_buckets * 4;
  if (!copy(o, buckets + wanted % head.n_buckets * UINT64_C(4), &index, 4)) return 0;
  for (; index >= head.first; index++) {
    ElfW(Sym) symbol;
    if (!copy(o, chains + (uint64_t)(index - head.first) * 4, &hash, 4)) return 0;
    if ((hash | 1) == (wanted | 1)) {
      if (!copy(o, o->symbols + (uint64_t)index * sizeof symbol, &symbol, sizeof symbol)) return 0;
      const char *text = text_at(o, o->names + symbol.st_name);
      if (text && !strcmp(text, name)) return symbol.st_value;
    }
    if (hash & 1) return 0;
  }
  return 0;
}

static bool read_sink(Object *o, uint64_t descriptor, ModulePeek *out)
{
  const char *text =
      descriptor ? text_at(o, pointer_at(o, descriptor + offsetof(MillSink, format))) : NULL;
  out->format = g_strdup(text);
  return text && copy(o, descriptor + offsetof(MillSink, flags), &out->flags, sizeof out->flags);
}

static bool read_descriptor(Object *o, ModulePeek *out)
{
  MillModule module;
  uint64_t address = find_symbol(o, MODULE_SYMBOL);
  if (!address || !copy(o, address, &module, sizeof module)) return false;
  if (module.magic != MILL_MAGIC || module.abi >> 16 != MILL_ABI_MAJOR) return false;
  uint64_t descriptor = pointer_at(o, address + offsetof(MillModule, descriptor));
  out->kind = module.kind;
  return out->kind != MILL_KIND_SINK || read_sink(o, descriptor, out);
}

bool module_peek(const char *path, ModulePeek *out)
{
  Object o = { .fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) };
  bool cut = false;
  *out = (ModulePeek){ 0 };
  if (o.fd < 0) return false;
  bool known = module_heads(o.fd, &o.heads, &cut) && !cut && o.heads.n;
  if (known) add_segments(&o);
  known = known && find_tables(&o) && read_descriptor(&o, out);
  for (unsigned i = 0; i < o.n; i++) g_free(o.segments[i].bytes);
  close(o.fd);
  return known;
}

#else

bool module_peek(const char *path, ModulePeek *out)
{
  (void)path;
  *out = (ModulePeek){ 0 };
  return false;
}

#endif

void module_peek_clear(ModulePeek *p) { g_clear_pointer(&p->format, g_free); }
