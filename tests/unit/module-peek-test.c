/* What a file of a module says of itself: a whole one, and ones that are cut, changed, or no modules at all. */
/* SPDX-License-Identifier: MIT */
#include "plan/module-peek.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "made-module.h"
#include "scratch.h"

#ifdef MADE_RELATIVE

static char path[] = "/tmp/stagemill-peek-XXXXXX";

static bool peek_bytes(const void *bytes, size_t n, ModulePeek *out)
{
  int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  CHECK(write(fd, bytes, n) == (ssize_t)n);
  close(fd);
  bool known = module_peek(path, out);
  CHECK(known || !out->format || out->kind == MILL_KIND_SINK);
  return known;
}

static void test_whole(void)
{
  MadeModule m = made_module();
  ModulePeek p;
  CHECK(peek_bytes(&m, sizeof m, &p));
  CHECK_INT(p.kind, MILL_KIND_SINK);
  CHECK_INT(p.flags, MADE_FLAGS);
  CHECK_STR(p.format, "made");
  module_peek_clear(&p);
  m.module.kind = MILL_KIND_STAGE;
  CHECK(peek_bytes(&m, sizeof m, &p));
  CHECK_INT(p.kind, MILL_KIND_STAGE);
  CHECK_STR(p.format, NULL);
}

static void test_cut(void)
{
  MadeModule m = made_module();
  ModulePeek p;
  for (size_t n = 0; n < sizeof m; n++)
    if (!CHECK(!peek_bytes(&m, n, &p))) CHECK_INT(n, -1);
}

/* Any byte may be anything; what it says is then a hint that is wrong, or none. */
static void test_changed_bytes(void)
{
  for (size_t at = 0; at < sizeof(MadeModule); at++) {
    MadeModule m = made_module();
    ModulePeek p;
    ((uint8_t *)&m)[at] ^= 0xff;
    peek_bytes(&m, sizeof m, &p);
    module_peek_clear(&p);
  }
}

static void test_absurd_numbers(void)
{
  static const uint64_t absurd[] = { UINT64_MAX, INT64_MAX, UINT64_MAX - 7, UINT64_C(1) << 40,
                                     UINT32_MAX, 16 << 20, 0 };
  for (size_t at = 0; at + 8 <= offsetof(MadeModule, module); at += 4)
    for (size_t k = 0; k < G_N_ELEMENTS(absurd); k++) {
      MadeModule m = made_module();
      ModulePeek p;
      memcpy((char *)&m + at, &absurd[k], 8);
      peek_bytes(&m, sizeof m, &p);
      module_peek_clear(&p);
    }
}

typedef struct Change {
  const char *name;
  void (*make)(MadeModule *m);
} Change;

static void other_magic(MadeModule *m) { m->module.magic++; }
static void other_major(MadeModule *m) { m->module.abi += 1u << 16; }
static void other_symbol(MadeModule *m) { m->name[0] = 'M'; }
static void same_hash_other_name(MadeModule *m) { m->symbols[1].st_name = 1; }
static void endless_chain(MadeModule *m) { m->hash.chain = 0; }
static void no_buckets(MadeModule *m) { m->hash.n_buckets = 0; }
static void format_without_end(MadeModule *m) { memset(m->format, 'x', sizeof m->format + sizeof m->name); }
static void format_elsewhere(MadeModule *m) { m->moved[1].r_addend = 1 << 30; }
static void another_relocation(MadeModule *m) { m->moved[1].r_info = ELF64_R_INFO(3, 6); }
static void descriptor_at_the_end(MadeModule *m) { m->moved[0].r_addend = sizeof *m - 1; }
static void no_segment(MadeModule *m) { m->segments[0].p_type = PT_NULL; }
static void large_segment(MadeModule *m) { m->segments[0].p_filesz = UINT64_MAX; }
static void segment_behind_the_file(MadeModule *m) { m->segments[0].p_offset = 1 << 20; }
static void dynamic_without_end(MadeModule *m) { memset(m->dynamic, 1, sizeof m->dynamic); }

static void test_changes(void)
{
  static const Change changes[] = {
#define CHANGE(name) { #name, name }
    CHANGE(other_magic),          CHANGE(other_major),           CHANGE(other_symbol),
    CHANGE(same_hash_other_name), CHANGE(endless_chain),         CHANGE(no_buckets),
    CHANGE(format_without_end),   CHANGE(format_elsewhere),      CHANGE(another_relocation),
    CHANGE(descriptor_at_the_end), CHANGE(no_segment),           CHANGE(large_segment),
    CHANGE(segment_behind_the_file), CHANGE(dynamic_without_end),
  };
  for (size_t k = 0; k < G_N_ELEMENTS(changes); k++) {
    MadeModule m = made_module();
    ModulePeek p;
    changes[k].make(&m);
    if (!CHECK(!peek_bytes(&m, sizeof m, &p))) CHECK_ROW(changes[k].name);
    module_peek_clear(&p);
  }
}

static void test_no_files(void)
{
  ModulePeek p;
  static const char text[] = "#!/bin/sh\necho no module\n";
  CHECK(!peek_bytes(text, sizeof text, &p));
  CHECK(!module_peek("/nowhere/at.so", &p));
  CHECK(!module_peek("/", &p));
  CHECK(!module_peek("/dev/null", &p));
  unlink(path);
  CHECK_INT(mkfifo(path, 0600), 0);
  CHECK(!module_peek(path, &p)); /* nobody writes there: it must not wait */
}

int main(void)
{
  static const CheckTest tests[] = {
    { "whole", test_whole },           { "cut", test_cut },
    { "changed bytes", test_changed_bytes }, { "absurd numbers", test_absurd_numbers },
    { "changes", test_changes },       { "no files", test_no_files },
  };
  int fd = mkstemp(path);
  if (fd < 0) return 2;
  close(fd);
  int failed = check_main(__FILE__, tests, G_N_ELEMENTS(tests));
  unlink(path);
  return failed;
}

#else
int main(void) { return 77; }
#endif
