/* The probe-bin source: layouts, levels and schemas of traces, settings of both generations, and what cannot be. */
/* SPDX-License-Identifier: MIT */
#include <glib.h>
#include <stagemill/harness.h>
#include <string.h>

static GByteArray *bytes;

static void u32(uint32_t v)
{
  v = GUINT32_TO_LE(v);
  g_byte_array_append(bytes, (const guint8 *)&v, 4);
}

static void u64(uint64_t v)
{
  v = GUINT64_TO_LE(v);
  g_byte_array_append(bytes, (const guint8 *)&v, 8);
}

/* Blocks of grid x, of block x threads. */
static void header(uint32_t grid, uint32_t block, uint32_t n_sections)
{
  if (bytes) g_byte_array_unref(bytes);
  bytes = g_byte_array_new();
  u32(grid), u32(1), u32(1), u32(block), u32(1), u32(1), u32(0), u32(n_sections);
}

static void warp(uint64_t start, uint32_t elapsed, uint32_t smid)
{
  u64(start), u32(elapsed), u32(smid);
}

static void give(const char *facts)
{
  harness_clear();
  given_lane(facts);
  given_data(bytes->data, bytes->len);
}

#define LAUNCH(grid, block, sections, size)                                         \
  "- probe.launch - p=- t=- {grid_x=" #grid ", grid_y=1, grid_z=1, block_x=" #block \
  ", block_y=1, block_z=1, shared=0, blocks=" #grid ", sections=" #sections ", bytes=" #size "}"
#define SECTION(n, schema, layout, level, unit, cap, units, offset, size, fields) \
  "- probe.section - p=- t=- {section=" #n ", schema=" #schema ", level=" #level  \
  ", layout=" #layout ", unit_bytes=" #unit ", capacity=" #cap ", units=" #units  \
  ", offset=" #offset ", bytes=" #size ", fields=\"" fields "\"}"
#define WARPS(layout) \
  SECTION(0, block_sched, layout, 32, 16, 1, 4, 48, 64, "start:u64,elapsed:u32,smid:u32")
#define UNIT(id, section, block, unit, rest)                                               \
  "- probe.unit - p=- t=- id=" #id " {section=" #section ", block=" #block ", unit=" #unit \
  ", " rest "}"

static void expect_warps(const char *section)
{
  expect(LAUNCH(2, 64, 1, 112), section, UNIT(0, 0, 0, 0, "start=100, elapsed=10, smid=3"),
         UNIT(1, 0, 0, 1, "start=101, elapsed=11, smid=3"),
         UNIT(2, 0, 1, 0, "start=102, elapsed=12, smid=5"),
         UNIT(3, 0, 1, 1, "start=103, elapsed=4294967295, smid=5"));
}

static void four_warps(uint64_t word)
{
  header(2, 64, 1);
  u64(word), u64(48);
  warp(100, 10, 3), warp(101, 11, 3), warp(102, 12, 5), warp(103, UINT32_MAX, 5);
}

/* One trace in three layouts, and as a writer that fills the size alone leaves it. */
static void layouts(void)
{
  four_warps(64);
  give("name=a.bin tag.schema=block_sched");
  expect_warps(WARPS(total));
  four_warps(16);
  give("name=a.bin tag.schema=block_sched");
  expect_warps(WARPS(unit));
  four_warps(16 | UINT64_C(32) << 32);
  give("name=a.bin tag.schema=block_sched");
  expect_warps(WARPS(divisor));
  four_warps(64 | UINT64_C(0xdead) << 32);
  give("name=a.bin tag.schema=block_sched");
  expect_warps(WARPS(total));
  expect_described(0, "fact=probe.sched fact=probe.warps tag.launch=a");
  expect_probe("", "x/1.bin", 50);
  expect_probe("", "x/1.dmat.gz", 50);
  expect_probe("", "x/1.txt", 0);
}

/* Who does not ask for the unit gets a record of each block: lists of its units.  Not where units have places. */
static int open_reader(const MillStage *self, const MillStageHost *host, uint32_t level,
                       const void *options, void **out_instance)
{
  (void)self, (void)level, (void)options;
  *out_instance = (void *)host;
  return 0;
}

static int look(void *instance, MillBatch *b)
{
  (void)instance, (void)b;
  return 0;
}

static void by_block(void)
{
  static const MillRead reads[] = { { "block", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
                                    { "elapsed", MILL_AS_INT, MILL_KIND(MILL_RECORD) },
                                    { "clock", MILL_AS_INT, MILL_KIND(MILL_RECORD) } };
  static const MillStageOps ops = { .size = sizeof ops, .open = open_reader, .process = look };
  static const MillStage reader = { .size = sizeof reader,
                                    .scope = MILL_SCOPE_LANE,
                                    .flags = MILL_READ_ONLY,
                                    .name = "reader",
                                    .family = "test",
                                    .version = "1",
                                    .tag = "READ",
                                    .title = "Reads",
                                    .help = "Reads some attributes.",
                                    .reads = MILL_ROWS(reads),
                                    .ops = &ops };
  four_warps(64);
  harness_clear();
  with_stage(&reader);
  given_lane("name=a.bin tag.schema=block_sched");
  given_data(bytes->data, bytes->len);
  expect("- probe.launch - p=- t=-", "- probe.section - p=- t=-",
         "- probe.unit - p=- t=- id=0 {block=0, elapsed=[10,11]}",
         "- probe.unit - p=- t=- id=1 {block=1, elapsed=[12,4294967295]}");
  header(1, 2, 1);
  u64(8), u64(48), u64(7), u64(9);
  harness_clear();
  with_stage(&reader);
  given_lane("name=a.bin tag.schema=program_progress");
  given_data(bytes->data, bytes->len);
  expect("- probe.launch - p=- t=-", "- probe.section - p=- t=-",
         "- probe.unit - p=- t=- id=0 {block=0, clock=7}",
         "- probe.unit - p=- t=- id=1 {block=0, clock=9}");
}

/* 2^64-1: the size follows from the extent; the lists end with the last place that is used. */
static void counted_capacity(void)
{
  header(1, 2, 1);
  u64(UINT64_MAX), u64(48);
  u64(7), u64(0x7000), u64(0), u64(0), u64(9), u64(0x7004), u64(0), u64(0);
  u64(0), u64(0), u64(0), u64(0), u64(0), u64(0), u64(5), u64(0x8000);
  give("name=a.bin tag.schema=dmat");
  expect(LAUNCH(1, 2, 1, 176),
         SECTION(0, dmat, unit, 1, 64, 4, 2, 48, 128, "clock:u64,address:u64"),
         UNIT(0, 0, 0, 0, "clock=[7,0,9], address=[28672,0,28676]"),
         UNIT(1, 0, 0, 1, "clock=[0,0,0,5], address=[0,0,0,32768]"));
  expect_notice(22, 1);
  expect_notice(21, 0);
}

/* A grid of 2^41 blocks that have no bytes is not walked; a wave that is not whole is one, as a warp is. */
static void odd_blocks(void)
{
  header(1u << 31, 33, 1);
  bytes->data[4 + 1] = 4; /* grid y: 1025 */
  u64(UINT64_C(32) << 32), u64(48);
  give("name=a.bin tag.schema=block_sched");
  expect(
      "- probe.launch - p=- t=- {grid_x=2147483648, grid_y=1025, grid_z=1, block_x=33, block_y=1, "
      "block_z=1, shared=0, blocks=2201170739200, sections=1, bytes=48}",
      SECTION(0, block_sched, divisor, 32, 0, 0, 2201170739200, 48, 0,
              "start:u64,elapsed:u32,smid:u32"));
  expect_notice(20, 0);
  header(1, 96, 1);
  u64(16 | UINT64_C(64) << 32), u64(48);
  warp(1, 2, 0), warp(0, 0, 0);
  give("name=a.bin tag.schema=amd");
  expect_notice(20, 1);
}

/* 33 threads: the warp that is not whole has no place of its own, and what is reserved for it is left alone. */
static void partial_warps(void)
{
  header(2, 33, 1);
  u64(16), u64(48);
  warp(1, 2, 0), warp(3, 4, 1), warp(0, 0, 0), warp(0, 0, 0);
  give("name=a.bin tag.schema=sched");
  expect(LAUNCH(2, 33, 1, 112),
         SECTION(0, sched, unit, 32, 16, 1, 2, 48, 64, "start:u64,elapsed:u32,smid:u32"),
         UNIT(0, 0, 0, 0, "start=1, elapsed=2, smid=0"),
         UNIT(1, 0, 1, 0, "start=3, elapsed=4, smid=1"));
  expect_notice(20, 2);
}

static void fewer_than_a_warp(void)
{
  header(1, 8, 1);
  u64(16 | UINT64_C(32) << 32), u64(48);
  warp(1, 2, 0);
  give("name=a.bin tag.schema=sched");
  expect(LAUNCH(1, 8, 1, 64),
         SECTION(0, sched, divisor, 32, 16, 1, 0, 48, 16, "start:u64,elapsed:u32,smid:u32"));
  expect_notice(24, 1);
}

/* Blocks of 48 threads, sections of 12 + 8 bytes a thread: 1.5 warps are 24 bytes of 32. */
static void offsets_of_whole_warps(void)
{
  header(1, 48, 2);
  u64(16 | UINT64_C(32) << 32), u64(64);
  u64(8 | UINT64_C(1) << 32), u64(64 + 24);
  warp(1, 2, 3), warp(0, 0, 0);
  for (uint32_t i = 0; i < 48; i++) u32(i), u32(0);
  give("name=a.bin tag.schema=block_sched+gmem_bytes");
  expect_notice(23, 1);
  expect_attr(1, "offset", "64");
  expect_attr(2, "offset", "96");
  expect_attr(4, "sync", "0");
  expect_attr(5, "sync", "1");
  expect_attr(51, "sync", "47");
  expect_attr(51, "id", NULL);
}

static void waves_of_amd(void)
{
  header(1, 64, 1);
  u64(16 | UINT64_C(64) << 32), u64(48);
  u64(5), u64(25);
  give("name=a.bin tag.schema=amd");
  expect(LAUNCH(1, 64, 1, 64), SECTION(0, amd, divisor, 64, 16, 1, 1, 48, 16, "start:u64,end:u64"),
         UNIT(0, 0, 0, 0, "start=5, end=25"));
  expect_described(0, "fact=probe.warps tag.launch=a");
}

/* 5,000 places: 4,096 of them, then the others, of the same id. */
static void long_lists(void)
{
  header(1, 1, 1);
  u64(40000 | UINT64_C(1) << 32), u64(48);
  for (uint64_t i = 1; i <= 5000; i++) u64(i);
  give("name=a.bin tag.schema=program_progress");
  expect_attr(2, "clock", "1");
  expect_attr(3, "clock", "4097");
  expect_attr(3, "place", "4096");
  expect_notice(21, 1);
}

/* -------------------------------------------------------------------- settings */

static char *folder;

static void write_file(const char *name, const void *data, gssize len)
{
  g_autofree char *path = g_build_filename(folder, name, NULL);
  g_autofree char *above = g_path_get_dirname(path);
  g_mkdir_with_parents(above, 0700);
  g_file_set_contents(path, data, len, NULL);
}

/* The trace in result/, its settings above it. */
static void give_with(const char *toml)
{
  if (!folder) folder = g_dir_make_tmp("probe-bin-XXXXXX", NULL);
  write_file("result/0.5.bin", bytes->data, (gssize)bytes->len);
  write_file("probe.toml", toml, -1);
  g_autofree char *path = g_build_filename(folder, "result", "0.5.bin", NULL);
  harness_clear();
  given_file(path);
}

static void settings(void)
{
  four_warps(64);
  give_with("author = 'x'\n[block_sched]\nposition = \"kernel\"\nbefore = \"mov %clock64\"\n"
            "after = \"\"\"SAVE.u64 {%a};\nSAVE.u32 { %b , %c };\"\"\"\ndatamodel = \"warp:16\"\n");
  expect_warps(WARPS(total));
  give_with(
      "[probe.p]\nlevel = \"warp\"\n[map.block_sched]\nlevel = \"warp\"\ntype = \"array\"\n"
      "size = 16\ncap = 1\n[map.block_sched.regs]\nstart = [\"u64\", ]\nelapsed = [\"u32\", 0]\n"
      "cuid = [\"u32\"]\n");
  expect_warps(WARPS(total));
  give_with("[mine]\nafter = \"SAVE.u32 {a, b, c, d}\"\ndatamodel = \"warp:16\"\n");
  expect_attr(1, "schema", "mine");
  expect_attr(1, "fields", "a:u32,b:u32,c:u32,d:u32");
  expect_attr(2, "c", "10");
}

static void refuse_settings(unsigned number, const char *toml)
{
  give_with(toml);
  expect_status(MILL_BAD_INPUT);
  expect_notice(number, 1);
}

static void settings_that_do_not_fit(void)
{
  four_warps(16);
  refuse_settings(7, "[a");
  refuse_settings(7, "a = 1\n");
  refuse_settings(7, "[a]\ndatamodel = \"warp\"\n");
  refuse_settings(7, "[a]\ndatamodel = \"lane:16\"\nafter = \"SAVE.u64 {a, b}\"\n");
  refuse_settings(7, "[a]\ndatamodel = \"warp:12\"\nafter = \"SAVE.u64 {a, b}\"\n");
  refuse_settings(7, "[a]\ndatamodel = \"warp:16\"\nafter = \"SAVE.u16 {a}\"\n");
  refuse_settings(7, "[a]\ndatamodel = \"warp:4\"\nafter = \"SAVE.u32 {a; SAVE.u32 {b}\"\n");
  refuse_settings(7, "[map.a]\nlevel = \"warp\"\nsize = 8\n");
  refuse_settings(7, "[map.a]\nlevel = \"warp\"\n[map.a.regs]\nb = [\"u64\"]\n");
  refuse_settings(8, "[a]\ndatamodel = \"thread:16\"\nafter = \"SAVE.u64 {a, b}\"\n");
  refuse_settings(8, "[a]\ndatamodel = \"warp:16:2\"\nafter = \"SAVE.u64 {a, b}\"\n");
  refuse_settings(8, "[a]\ndatamodel = \"warp:24\"\nafter = \"SAVE.u64 {a, b, c}\"\n");
}

/* ------------------------------------------------------------------ bad traces */

static void refused(unsigned number, const char *facts)
{
  give(facts);
  expect_status(MILL_BAD_INPUT);
  expect_notice(number, 1);
}

static void what_cannot_be(void)
{
  const char *facts = "name=a.bin tag.schema=block_sched";
  four_warps(16);
  g_byte_array_set_size(bytes, 31);
  refused(1, facts);
  header(2, 64, 0);
  refused(2, facts);
  header(0, 64, 1);
  refused(2, facts);
  header(2, 1025, 1);
  refused(2, facts);
  header(2, 64, 1);
  u64(16);
  refused(3, facts);
  header(2, 64, UINT32_MAX);
  refused(3, facts);
  header(2, 64, 1);
  u64(16), u64(47), u64(0);
  refused(3, facts);
  header(2, 64, 1);
  u64(16), u64(4800), u64(0);
  refused(3, facts);
  header(2, 64, 2);
  u64(16), u64(72), u64(16), u64(64), u64(0);
  refused(3, facts);
  four_warps(16);
  g_byte_array_set_size(bytes, bytes->len - 1);
  refused(4, facts);
  four_warps(17 | UINT64_C(32) << 32);
  refused(4, facts);
  four_warps(16);
  refused(5, "name=a.bin");
  refused(6, "name=a.bin tag.schema=block_schedule");
  refused(8, "name=a.bin tag.schema=sched+sched");
  refused(8, "name=a.bin tag.schema=gmem_bytes");
  for (int i = 0; i < 3; i++) header(UINT32_MAX, 64, 1), memset(bytes->data, 0xff, 12);
  u64(16), u64(48);
  refused(2, facts);
}

/* -------------------------------------------------------------------- condensed */

#define PAGE(clock, page, count) \
  "- probe.page - p=- t=- {clock=" #clock ", page=" #page ", count=" #count "}"

static void entry(uint64_t page, uint32_t count) { u64(page), u32(count); }

static void two_clocks(void)
{
  if (bytes) g_byte_array_unref(bytes);
  bytes = g_byte_array_new();
  u64(2), u64(2), u64(0x20000), u64(0x10000);
  u64(9), u64(2), entry(0x10000, 3), entry(0x20000, 1);
  u64(4), u64(1), entry(0x20000, 4294967295u);
}

static void condensed(void)
{
  two_clocks();
  give("name=a.dmat");
  expect(PAGE(9, 65536, 3), PAGE(9, 131072, 1), PAGE(4, 131072, 4294967295));
  expect_described(0, "fact=probe.access tag.launch=a");
  for (guint len = bytes->len - 1; len > 0; len--) {
    g_byte_array_set_size(bytes, len);
    refused(9, "name=a.dmat");
  }
  two_clocks();
  u32(0);
  refused(9, "name=a.dmat");
}

/* From the last line on; of a pointer that is there twice the last one counts. */
static void tensors(void)
{
  two_clocks();
  give_with("");
  write_file("result/a.dmat", bytes->data, (gssize)bytes->len);
  write_file("tensor.trace",
             "[call]  1  torch.Size([4, 32])  4096  65536  x  forward  m.py:1\nwords\n"
             "[ret]  2  torch.Size([4])  16  131072\n[call]  3  torch.Size([8])  4096  65536  y  f "
             " m.py:2\n"
             "[call]  4  torch.Size([8])  many  65536  y\n",
             -1);
  g_autofree char *path = g_build_filename(folder, "result", "a.dmat", NULL);
  harness_clear();
  given_file(path);
  expect("- probe.tensor - p=- t=- {pointer=65536, bytes=4096, shape=\"torch.Size([8])\", name=y, "
         "function=f, place_text=\"m.py:2\"}",
         "- probe.tensor - p=- t=- {pointer=131072, bytes=16, shape=\"torch.Size([4])\"}",
         PAGE(9, 65536, 3), PAGE(9, 131072, 1), PAGE(4, 131072, 4294967295));
}

HARNESS_MAIN({ "layouts", layouts }, { "by the block", by_block },
             { "a capacity that was counted", counted_capacity }, { "odd blocks", odd_blocks },
             { "partial warps", partial_warps }, { "fewer than a warp", fewer_than_a_warp },
             { "offsets of whole warps", offsets_of_whole_warps }, { "waves", waves_of_amd },
             { "long lists", long_lists }, { "settings", settings },
             { "settings that do not fit", settings_that_do_not_fit },
             { "what cannot be", what_cannot_be }, { "condensed", condensed },
             { "tensors", tensors })
