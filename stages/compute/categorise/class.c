/* The class of an event by its name; see class.h. */
/* SPDX-License-Identifier: MIT */
#include "class.h"

#include "kit/text/words.h"

const char *const class_names[N_CLASSES] = {
  [CLASS_OTHER] = "OTHER",
  [CLASS_COMPUTE_PREP] = "COMPUTE_PREP",
  [CLASS_COMPUTE_EXEC] = "COMPUTE_EXEC",
  [CLASS_DATA_IN] = "DATA_IN",
  [CLASS_DATA_OUT] = "DATA_OUT",
  [CLASS_DATA_CONVERT] = "SEN_DATA_CONVERT",
  [CLASS_WIREUP] = "MAIU_WIREUP",
  [CLASS_BARRIER] = "MAIU_BARRIER",
  [CLASS_ROUNDTRIP_FLEX] = "ROUNDTRIP_FLEX",
  [CLASS_ROUNDTRIP_AIU] = "ROUNDTRIP_AIU",
  [CLASS_HDMA_WAIT_DATA] = "MAIU_HDMA_PROTOCOL_WAIT_DATA",
  [CLASS_HDMA_WAIT_ACK] = "MAIU_HDMA_PROTOCOL_WAIT_ACK",
  [CLASS_HDMA_SIGNAL_ACK] = "MAIU_HDMA_PROTOCOL_SIGNAL_ACK",
  [CLASS_HDMA_SIGNAL_DATA] = "MAIU_HDMA_PROTOCOL_SIGNAL_DATA",
  [CLASS_HDMA_MONITOR_NOTICE] = "MAIU_HDMA_PROTOCOL_MONITOR_NOTICE",
  [CLASS_HDMA_SEND_DATA] = "MAIU_HDMA_PROTOCOL_SEND_DATA",
  [CLASS_HDMA_RECV_DATA] = "MAIU_HDMA_PROTOCOL_RECV_DATA",
  [CLASS_SERIAL] = "MAIU_PROTOCOL_SERIAL",
  [CLASS_P2P_SEND_DATA] = "MAIU_P2PRDMA_PROTOCOL_SEND_DATA",
  [CLASS_P2P_RECV_DATA] = "MAIU_P2PRDMA_PROTOCOL_RECV_DATA",
  [CLASS_SEND_DATA] = "MAIU_PROTOCOL_SEND_DATA",
  [CLASS_SIGNAL_DATA] = "MAIU_PROTOCOL_SIGNAL_DATA",
  [CLASS_RECV_DATA] = "MAIU_PROTOCOL_RECV_DATA",
  [CLASS_SIGNAL_ACK] = "MAIU_PROTOCOL_SIGNAL_ACK",
};

typedef struct Name {
  const char *text;
  size_t len;
} Name;

static bool has(Name n, const char *word) { return words_have(n.text, n.len, word); }

static bool is(Name n, const char *text)
{
  return n.len == strlen(text) && words_end_with(n.text, n.len, text);
}

/* ---- what the device does */

/* "Compute of x" with no SenFusedDeviceNode in x. */
static bool converts(Name n)
{
  static const char words[] = "Compute of ";
  const size_t len = sizeof words - 1;
  for (size_t i = 0; i + len <= n.len; i++) {
    Name rest = { n.text + i + len, n.len - i - len };
    if (memcmp(n.text + i, words, len) == 0 && !has(rest, "SenFusedDeviceNode")) return true;
  }
  return false;
}

static EventClass work_of(ClassFacts facts, Name n)
{
  bool in = facts.is_torch ? has(n, "Memcpy (HtoD)") || has(n, "memcpy (HtoD)") : has(n, " DmaI");
  bool out = facts.is_torch ? has(n, "Memcpy (DtoH)") || has(n, "memcpy (DtoH)") : has(n, " DmaO");
  if (words_end_with(n.text, n.len, "Cmpt Prep")) return CLASS_COMPUTE_PREP;
  if (facts.computes) return CLASS_COMPUTE_EXEC;
  if (in) return CLASS_DATA_IN;
  return out ? CLASS_DATA_OUT : CLASS_OTHER;
}

/* The last rule that fits counts. */
static EventClass base_of(ClassFacts facts, Name n)
{
  bool torch = facts.is_torch;
  if (has(n, "AIU Roundtrip")) return CLASS_ROUNDTRIP_AIU;
  if (torch ? is(n, "aiuLaunchSuperNode") || is(n, "aiuSuperNodeExecution")
            : is(n, "Flex RoundTrip"))
    return CLASS_ROUNDTRIP_FLEX;
  if (has(n, "Barrier:") || has(n, "barrier:")) return CLASS_BARRIER;
  if (is(n, torch ? "aiuPrepareAndSyncRdma" : "PrepareAndSyncRdma")) return CLASS_WIREUP;
  if (torch ? is(n, "aiuDataConvert") : converts(n)) return CLASS_DATA_CONVERT;
  return work_of(facts, n);
}

/* ---- what a collective does */

/* In this order: the first that fits counts. */
static const struct {
  const char *word;
  EventClass class;
} hdma_words[] = {
  { "Wdone DmaI", CLASS_HDMA_WAIT_DATA },
  { "Wait for Data Avail Notice", CLASS_HDMA_WAIT_DATA },
  { "Wait for Notice (gather notifications)", CLASS_HDMA_WAIT_DATA },
  { "R5 Wait DATA", CLASS_HDMA_WAIT_DATA },
  { "Wait for ACK", CLASS_HDMA_WAIT_ACK },
  { "R5 Wait ACK", CLASS_HDMA_WAIT_ACK },
  { "Send ACK Instruction", CLASS_HDMA_SIGNAL_ACK },
  { "R5 Send ACK", CLASS_HDMA_SIGNAL_ACK },
  { "Send Instruction", CLASS_HDMA_SIGNAL_DATA },
  { "HCOLL Signal", CLASS_HDMA_SIGNAL_DATA },
  { "R5 Send DATA", CLASS_HDMA_SIGNAL_DATA },
  { "Wait for Notice", CLASS_HDMA_MONITOR_NOTICE },
  { "Wait for Delivery Notice", CLASS_HDMA_MONITOR_NOTICE },
};

static EventClass moves(EventClass base, EventClass sends, EventClass receives)
{
  if (base == CLASS_DATA_OUT) return sends;
  return base == CLASS_DATA_IN ? receives : base;
}

static EventClass collective_of(EventClass base, Name n)
{
  if (has(n, "Host DMA") || has(n, "HCOLL")) {
    for (uint32_t i = 0; i < MILL_COUNT(hdma_words); i++)
      if (has(n, hdma_words[i].word)) return hdma_words[i].class;
    return moves(base, CLASS_HDMA_SEND_DATA, CLASS_HDMA_RECV_DATA);
  }
  if (has(n, "DLM Wait")) return CLASS_HDMA_WAIT_DATA;
  if (has(n, "Set BcList") || has(n, "Xseg to rank")) return CLASS_SERIAL;
  return moves(base, CLASS_P2P_SEND_DATA, CLASS_P2P_RECV_DATA);
}

EventClass class_of(ClassFacts facts, const char *name, size_t len)
{
  const Name n = { name, len };
  EventClass base = base_of(facts, n);
  return facts.is_collective ? collective_of(base, n) : base;
}
