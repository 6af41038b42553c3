/* The latency-csv source. */
/* SPDX-License-Identifier: MIT */
#include <stagemill/harness.h>

#define HEAD "probe,original,ncu,neutrino,prologue,kernel,epilogue\n"

static void reads_rows(void)
{
  given_lane("name=attn.csv");
  given_bytes(
      "Epilogue,kernel,prologue,neutrino,ncu,original,probe,more\n1,2.5,3,4e1,50,6,dmat,x\n");
  expect(
      "- probe.latency - p=- t=- {probe=dmat, original=6.0, ncu=50.0, neutrino=40.0, prologue=3.0, "
      "kernel=2.5, epilogue=1.0}");
  expect_described(0, "fact=input.probe fact=probe.latency tag.file=attn.csv");
  expect_probe(HEAD, "x", 95);
  expect_probe("probe,original,ncu,neutrino,kernel\n", "x", 60);
  expect_probe("probe,kernel\n", "x", 0);
}

static void refused(unsigned number, const char *text)
{
  harness_clear();
  given_bytes(text);
  expect_status(MILL_BAD_INPUT);
  expect_notice(number, 1);
}

static void what_cannot_be(void)
{
  refused(1, "\n");
  refused(2, "probe,original,ncu,neutrino,prologue,kernel\na,1,2,3,4,5\n");
  refused(3, HEAD "a,1,2,3,4,5\n");
  refused(4, HEAD "a,1,2,many,4,5,6\n");
  refused(4, HEAD "a,1,-2,3,4,5,6\n");
  refused(5, HEAD "a,\"1,2,3,4,5,6\n");
  refused(4, HEAD "a,0,2,3,4,5,6\n");
  refused(4, HEAD "a,1,2,0.0,4,5,6\n");
  refused(6, HEAD);
}

HARNESS_MAIN({ "reads rows", reads_rows }, { "what cannot be", what_cannot_be })
