/* lib/yaml-doc: types, places, merging, encodings, limits, and every kind of fault. */
/* SPDX-License-Identifier: MIT */
#include "base/num.h"
#include "kit/read/yaml-doc.h"
#include "check.h"

#include <glib.h>
#include <math.h>

/* {a:1,b:[yes,null]} with t'..' for texts; reals as they are read back. */
static void dump(const YamlNode *node, GString *out)
{
  char buf[NUM_BUF];
  switch (node->type) {
  case YAML_IS_NULL: g_string_append(out, "null"); return;
  case YAML_IS_BOOL: g_string_append(out, node->u.b ? "yes" : "no"); return;
  case YAML_IS_INT: num_format_int(buf, node->u.i); break;
  case YAML_IS_REAL:
    if (isfinite(node->u.r))
      num_format_real(buf, node->u.r);
    else
      g_strlcpy(buf, isnan(node->u.r) ? "nan" : node->u.r > 0 ? "inf" : "-inf", sizeof buf);
    break;
  case YAML_IS_TEXT: g_string_append_printf(out, "'%s'", node->text); return;
  case YAML_IS_LIST:
  case YAML_IS_MAP: {
    bool is_map = node->type == YAML_IS_MAP;
    g_string_append_c(out, is_map ? '{' : '[');
    for (uint32_t i = 0; i < node->n; i++) {
      if (i) g_string_append_c(out, ',');
      if (is_map) g_string_append_printf(out, "%s:", node->keys[i]->text);
      dump(node->items[i], out);
    }
    g_string_append_c(out, is_map ? '}' : ']');
    return;
  }
  }
  g_string_append(out, buf);
}

/* The tree, or "line:column why". */
static char *read_text(const char *text, size_t len)
{
  YamlFault fault;
  GString *out = g_string_new(NULL);
  YamlDoc *doc = yaml_doc_parse(text, len, &fault);
  if (doc) {
    CHECK(fault.why == NULL);
    dump(yaml_doc_root(doc), out);
  } else if (CHECK(fault.why != NULL)) {
    g_string_printf(out, "%u:%u %s", fault.line, fault.column, fault.why);
    g_free(fault.why);
  }
  yaml_doc_free(doc);
  return g_string_free(out, FALSE);
}

typedef struct Row {
  const char *text, *wanted;
} Row;

static void check_rows(const Row *rows, size_t n_rows)
{
  for (size_t i = 0; i < n_rows; i++) {
    g_autofree char *got = read_text(rows[i].text, strlen(rows[i].text));
    if (!CHECK_STR(got, rows[i].wanted)) CHECK_ROW(rows[i].text);
  }
}
#define CHECK_ROWS(rows) check_rows(rows, G_N_ELEMENTS(rows))

static void test_scalars(void)
{
  static const Row rows[] = {
    { "[~, null, Null, NULL, ]", "[null,null,null,null]" },
    { "[yes, Yes, YES, true, True, TRUE, on, On, ON]", "[yes,yes,yes,yes,yes,yes,yes,yes,yes]" },
    { "[no, No, NO, false, False, FALSE, off, Off, OFF]", "[no,no,no,no,no,no,no,no,no]" },
    { "[y, n, yES, nULL, none]", "['y','n','yES','nULL','none']" },
    { "[0, 7, -12, +3, 1_000, 1_0_]", "[0,7,-12,3,1000,10]" },
    { "[0x1F, -0x10, 0xff_ff, 017, -017, 0b101]", "[31,-16,65535,15,-15,5]" },
    { "[0x, 0xg, 08, 0b2, 0o17, 12a, -, +]", "['0x','0xg','08','0b2','0o17','12a','-','+']" },
    { "[9223372036854775807, -9223372036854775808]", "[9223372036854775807,-9223372036854775808]" },
    { "[0x7fffffffffffffff, 0777777777777777777777]", "[9223372036854775807,9223372036854775807]" },
    { "[9223372036854775808, 0x8000000000000000, -01000000000000000000000]",
      "[9.223372036854776e+18,9.223372036854776e+18,-9.223372036854776e+18]" },
    { "[1.5, -2.25, .5, 5., 1_0.5, 08.5, 0.25]", "[1.5,-2.25,0.5,5.0,10.5,8.5,0.25]" },
    { "[1.5e+3, 1e5, 2E-2, 1e308, 1e309, -1e309, 1e]",
      "[1500.0,100000.0,0.02,1e+308,inf,-inf,'1e']" },
    { "[.inf, .Inf, .INF, +.inf, -.inf, .nan, .NaN, .NAN, -.nan, .iNF]",
      "[inf,inf,inf,inf,-inf,nan,nan,nan,'-.nan','.iNF']" },
    { "[12:30, 2024-01-31, 1.2.3, ., ..5, 1_, _1]",
      "['12:30','2024-01-31','1.2.3','.','..5',1,'_1']" },
    { "[\"5\", 'yes', \"\", '~', \"0x1F\", '1.5']", "['5','yes','','~','0x1F','1.5']" },
    { "[!!str 5, !!int \"5\", !!float 5, !!bool \"on\", !!null \"\", ! 5]",
      "['5',5,5.0,yes,null,'5']" },
    { "a: |\n  12\n  13\nb: >\n  12\n  13\n", "{a:'12\n13\n',b:'12 13\n'}" },
    { "a: \"x\\u00e9\\n\\x41\"\nb: 'it''s'\n", "{a:'x\xc3\xa9\nA',b:'it's'}" },
    { "plain text # and a comment", "'plain text'" },
    { "~", "null" },
  };
  CHECK_ROWS(rows);
}

static void test_structure(void)
{
  static const Row rows[] = {
    { "a: 1\nb:\n  c: [1, 2]\n  d:\n  - x\n  - y: 2\n    z: 3\n",
      "{a:1,b:{c:[1,2],d:['x',{y:2,z:3}]}}" },
    { "{\"workload\": {\"model\": {\"moe\": true, \"tp\": 4}}, \"l\": [], \"e\": {}}",
      "{workload:{model:{moe:yes,tp:4}},l:[],e:{}}" },
    { "# comment\n---\na: 1 # one\n...\n", "{a:1}" },
    { "%YAML 1.1\n---\na: 1\n", "{a:1}" },
    { "a: 1\r\nb: yes\r\n", "{a:1,b:yes}" },
    { "a:\nb:\n", "{a:null,b:null}" },
    { "1: a\nyes: b\n? c\n: d\n?\n: e\n", "{1:'a',yes:'b',c:'d',:'e'}" },
    { "a: [[[[]]]]", "{a:[[[[]]]]}" },
  };
  CHECK_ROWS(rows);
}

static void test_aliases(void)
{
  static const Row rows[] = {
    { "a: &x 5\nb: *x\n", "{a:5,b:5}" },
    { "a: &x [1, 2]\nb: [*x, *x]\n", "{a:[1,2],b:[[1,2],[1,2]]}" },
    { "a: &x 1\nb: &x 2\nc: *x\n", "{a:1,b:2,c:2}" },
    { "a: &k tp\n*k : 4\n", "{a:'tp',tp:4}" },
    { "a: &x {t: 1, e: 2}\nb:\n  <<: *x\n  t: 4\n", "{a:{t:1,e:2},b:{t:4,e:2}}" },
    { "a: &x {t: 1}\nb:\n  t: 4\n  <<: *x\n", "{a:{t:1},b:{t:4}}" },
    { "a: &x {t: 1}\nb: &y {t: 2, e: 3}\nc: {<<: [*x, *y], d: 0}\n",
      "{a:{t:1},b:{t:2,e:3},c:{d:0,t:1,e:3}}" },
    { "a: {<<: {t: 1}, <: 2}", "{a:{<:2,t:1}}" },
    { "a: &x {t: 1}\nb: &y {<<: *x, e: 2}\nc: {<<: *y}\n", "{a:{t:1},b:{e:2,t:1},c:{e:2,t:1}}" },
    { "\"<<\": {a: 1}", "{<<:{a:1}}" },
    { "a: *x\n", "1:4 the alias *x stands for nothing: no &x before it" },
    { "a: *x\nb: &x 1\n", "1:4 the alias *x stands for nothing: no &x before it" },
    { "a: &x [1, *x]\n", "1:11 the alias *x is inside what it stands for" },
    { "a: &x {<<: *x}\n", "1:12 the alias *x is inside what it stands for" },
    { "<<: 5\n", "1:5 << merges maps, and this is a whole number" },
    { "a: 1\n<<: [{b: 1}, []]\n", "2:14 << merges maps, and this is a list" },
    { "<<: {a: 1}\n<<: {b: 1}\n", "2:1 the key \"<<\" is duplicated, first at 1:1" },
  };
  CHECK_ROWS(rows);
}

static void test_faults(void)
{
  static const Row rows[] = {
    { "", "1:1 the document is empty" },
    { "\n\n", "1:1 the document is empty" },
    { "# nothing\n", "1:1 the document is empty" },
    { "---\n", "2:1 the document is empty" },
    { "a: 1\n---\nb: 2\n", "2:1 a second document begins; there may be only one" },
    { "a: 1\n---\n", "2:1 a second document begins; there may be only one" },
    { "a: 1\n...\nb: 2\n", "3:1 a second document begins, or text follows the end of the "
                           "first (did not find expected <document start>)" },
    { "tp: 1\nep: 2\ntp: 3\n", "3:1 the key \"tp\" is duplicated, first at 1:1" },
    { "m:\n  a: {x: 1, \"x\": 2}\n", "2:13 the key \"x\" is duplicated, first at 2:7" },
    { "{1: a, 1: b}", "1:8 the key \"1\" is duplicated, first at 1:2" },
    { "a:\n\tb: 1\n", "2:1 a tab is among the blanks, where YAML allows only spaces (found "
                      "character that cannot start any token, while scanning for the next token "
                      "from 2:1)" },
    { "a:\n  b: 1\n \tc: 2\n",
      "3:2 a tab is among the blanks, where YAML allows only spaces (found a tab character that "
      "violates indentation, while scanning a plain scalar from 2:6)" },
    { "a: 1\nb:\tc: 2\n",
      "2:5 \": \" is where no value can begin; text that holds it needs quotes (mapping "
      "values are not allowed in this context)" },
    { "description: tuned: twice\n",
      "1:19 \": \" is where no value can begin; text that holds it needs quotes (mapping "
      "values are not allowed in this context)" },
    { "a: 1\ni\nb: 2\n", "3:1 a line among \"key: value\" lines has no colon (could not find "
                         "expected ':', while scanning a simple key from 2:1)" },
    { "a: \"open\n", "2:1 a quote is opened and never closed (found unexpected end of stream, "
                     "while scanning a quoted scalar from 1:4)" },
    { "a: [1, 2\n", "2:1 a [ is opened and never closed, or a comma is missing (did not find "
                    "expected ',' or ']', while parsing a flow sequence from 1:4)" },
    { "a: {b: 1\n", "2:1 a { is opened and never closed, or a comma is missing (did not find "
                    "expected ',' or '}', while parsing a flow mapping from 1:4)" },
    { "a: [\n", "2:1 a value is missing, or a bracket is opened and never closed (did not find "
                "expected node content, while parsing a flow node from 2:1)" },
    { "a: @x\n", "1:4 a value that begins with this character needs quotes (found character that "
                 "cannot start any token, while scanning for the next token from 1:4)" },
    { "a: - b\n", "1:4 \"- \" is where no entry of a list can begin (block sequence entries "
                  "are not allowed in this context)" },
    { "a:\n  - b\n - c\n", "3:2 the lines are not indented alike, or a quote or bracket is open "
                           "(did not find expected key, while parsing a block mapping from 1:1)" },
    { "a: \"\\q\"\n",
      "1:5 found unknown escape character, while parsing a quoted scalar from 1:4" },
    { "a: \"\\0\"\n", "1:4 the character U+0000 is not allowed" },
    { "a: 1\nb: \xc3\xa9\xff\n", "2:5 the text is not UTF-8 or UTF-16 (invalid leading UTF-8 "
                                 "octet)" },
    { "a: \x01\n", "1:4 the text is not UTF-8 or UTF-16 (control characters are not allowed)" },
    { "? [a]\n: 1\n", "1:3 a list is where a key is expected" },
    { "{{a: 1}: 2}", "1:2 a map is where a key is expected" },
    { "a: !new 5\n", "1:4 the tag !new is not known or does not fit the value" },
    { "a: !!int five\n", "1:4 the tag !!int is not known or does not fit the value" },
    { "a: !!bool 5\n", "1:4 the tag !!bool is not known or does not fit the value" },
    { "a: !!set {x}\n", "1:4 the tag !!set is not known here" },
  };
  CHECK_ROWS(rows);
}

static void check_bytes(const char *bytes, size_t len, const char *wanted)
{
  g_autofree char *got = read_text(bytes, len);
  CHECK_STR(got, wanted);
}

static void test_encodings(void)
{
  static const char with_bom[] = "\xef\xbb\xbf"
                                 "a: \xce\xbc\n";
  static const char little[] = "\xff\xfe"
                               "a\0:\0 \0\xbc\x03\n\0b\0:\0 \0005\0\n";
  static const char big[] = "\xfe\xff\0a\0:\0 \x03\xbc\0\n\0b\0:\0 \0005\0\n";
  static const char broken[] = "\xfe\xff\0a\0:\0 \0001\0\n\0b\0:\0 \xdc\x00\0\n";
  check_bytes(with_bom, sizeof with_bom - 1, "{a:'\xce\xbc'}");
  check_bytes(little, sizeof little, "{a:'\xce\xbc',b:5}");
  check_bytes(big, sizeof big - 1, "{a:'\xce\xbc',b:5}");
  check_bytes(broken, sizeof broken - 1,
              "2:4 the text is not UTF-8 or UTF-16 (unexpected low surrogate area)");
  check_bytes("a: \0", 4,
              "1:4 the text is not UTF-8 or UTF-16 (control characters are not allowed)");
}

/* ------------------------------------------------------------------- limits */

static char *nested(unsigned depth)
{
  GString *text = g_string_new(NULL);
  for (unsigned i = 0; i < depth; i++) g_string_append_c(text, '[');
  for (unsigned i = 0; i < depth; i++) g_string_append_c(text, ']');
  return g_string_free(text, FALSE);
}

static void check_fails_with(const char *text, const char *wanted)
{
  g_autofree char *got = read_text(text, strlen(text));
  CHECK_STR(got, wanted);
}

static void check_reads(const char *text)
{
  YamlFault fault;
  YamlDoc *doc = yaml_doc_parse(text, strlen(text), &fault);
  if (!CHECK(doc != NULL)) CHECK_ROW(fault.why);
  g_free(fault.why);
  yaml_doc_free(doc);
}

static void test_depth(void)
{
  g_autofree char *most = nested(64), *more = nested(65), *far = nested(100000);
  check_reads(most);
  check_fails_with(more, "1:65 lists and maps more than 64 levels deep");
  check_fails_with(far, "1:65 lists and maps more than 64 levels deep");
  g_autofree char *half = nested(32);
  g_autofree char *by_alias = g_strdup_printf("- &x %s\n- [[*x]]\n", half);
  check_reads(by_alias);
  g_autofree char *inner = nested(62);
  g_autofree char *too_deep = g_strdup_printf("- &x %s\n- [[*x]]\n", inner);
  check_fails_with(too_deep, "2:5 lists and maps more than 64 levels deep");
}

static void test_nodes(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (unsigned i = 0; i < 9999; i++) g_string_append(text, "- 1\n");
  check_reads(text->str);
  g_string_append(text, "- 1\n");
  check_fails_with(text->str,
                   "10000:3 more than 10000 values, counting each alias as what it stands for");
}

/* Ten times ten times ten: 9 levels would be 10^9 values. */
static void test_alias_bomb(void)
{
  g_autoptr(GString) text = g_string_new("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
  for (unsigned i = 1; i < 9; i++) {
    g_string_append_printf(text, "a%u: &a%u [", i, i);
    for (unsigned k = 0; k < 10; k++) g_string_append_printf(text, "%s*a%u", k ? ", " : "", i - 1);
    g_string_append(text, "]\n");
  }
  check_fails_with(text->str,
                   "4:45 more than 10000 values, counting each alias as what it stands for");
}

static void test_size(void)
{
  g_autofree char *text = g_malloc(YAML_DOC_MAX_BYTES + 2);
  memset(text, ' ', YAML_DOC_MAX_BYTES + 1);
  memcpy(text, "a: 1 #", 6);
  check_bytes(text, YAML_DOC_MAX_BYTES, "{a:1}");
  check_bytes(text, YAML_DOC_MAX_BYTES + 1, "1:1 the text is larger than 1 MiB");
}

static void test_lookup(void)
{
  static const char text[] = "a: &x {b: [1, 2]}\nc: *x\n";
  YamlFault fault;
  YamlDoc *doc = yaml_doc_parse(text, sizeof text - 1, &fault);
  if (!CHECK(doc != NULL)) return;
  const YamlNode *root = yaml_doc_root(doc);
  const YamlNode *list = yaml_get(yaml_get(root, "a"), "b");
  CHECK(list != NULL && list == yaml_get(yaml_get(root, "c"), "b"));
  CHECK_INT(list->line, 1);
  CHECK_INT(list->column, 11);
  CHECK_INT(list->items[1]->column, 15);
  CHECK_INT(root->keys[1]->line, 2);
  CHECK_INT(list->height, 1);
  CHECK_INT(root->height, 3);
  CHECK_INT(list->n_nodes, 3);
  CHECK_INT(root->n_nodes, 1 + 2 + 2 * 5);
  CHECK(yaml_get(root, "b") == NULL);
  CHECK(yaml_get(list, "b") == NULL);
  CHECK(yaml_get(NULL, "b") == NULL);
  yaml_doc_free(doc);
  yaml_doc_free(NULL);
}

TEST_MAIN({ "types scalars by YAML 1.1", test_scalars }, { "reads lists and maps", test_structure },
          { "follows aliases and merge keys", test_aliases },
          { "says what is wrong and where", test_faults },
          { "reads UTF-8 and UTF-16, with a mark", test_encodings },
          { "stops at 64 levels", test_depth }, { "stops at 10,000 values", test_nodes },
          { "defuses alias bombs", test_alias_bomb }, { "stops at 1 MiB", test_size },
          { "finds values and their places", test_lookup })
