/* What the program answers to the process of a stage; see isolate-answer.h. */
/* SPDX-License-Identifier: MIT */
#include "host/isolate-answer.h"

#include <string.h>

#include "host/isolate-talk.h"

static void put_optional(Summary *out, const char *text, size_t len)
{
  summary_put_int(out, text != NULL);
  if (text) summary_put_text(out, text, len);
}

static void answer_lane(Instance *i, uint32_t index, Summary *out)
{
  MillLane lane = { .size = sizeof lane };
  i->common.lane(&i->common, index, &lane);
  summary_put_int(out, lane.index);
  summary_put_int(out, lane.rank);
  summary_put_int(out, lane.base_ns);
  summary_put_text(out, lane.name, strlen(lane.name));
  summary_put_text(out, lane.label, strlen(lane.label));
  summary_put_text(out, lane.dialect, strlen(lane.dialect));
  summary_put_string(out, lane.path);
}

static void answer_member(Instance *i, uint32_t index, Summary *out)
{
  bool after = false;
  MillValue key, json;
  bool found = instance_member(i->lane, index, &after, &key, &json);
  summary_put_int(out, found);
  if (!found) return;
  summary_put_int(out, after);
  summary_put_text(out, key.u.text, key.len);
  summary_put_text(out, json.u.text, json.len);
}

static void answer_track(Instance *i, Summary *asked, Summary *out)
{
  uint32_t lane = (uint32_t)summary_get_int(asked);
  MillValue process = talk_get_value(asked), thread = talk_get_value(asked);
  summary_put_int(out, asked->broken ? MILL_FAILED : instance_track(i, lane, process, thread));
}

static void answer_name(Instance *i, Summary *asked, Summary *out)
{
  size_t len;
  const char *text = summary_get_text(asked, &len);
  summary_put_int(out, i->common.intern(&i->common, text, len));
}

static void answer_tag(Instance *i, Summary *asked, Summary *out)
{
  uint32_t lane = (uint32_t)summary_get_int(asked);
  const char *value = i->common.tag(&i->common, lane, summary_get_text(asked, NULL));
  put_optional(out, value, value ? strlen(value) : 0);
}

static void answer_base(Instance *i, Summary *asked, Summary *out)
{
  int64_t base_ns = summary_get_int(asked);
  bool known = i->lane && !asked->broken;
  summary_put_int(out, known && i->env->move_base(i->env->run, i->lane, base_ns));
}

void isolate_answer(Instance *i, Summary *asked, Summary *out)
{
  const HostEnv *env = i->env;
  uint32_t level;
  switch (summary_get_int(asked)) {
  case ASK_NAME: answer_name(i, asked, out); break;
  case ASK_TRACK: answer_track(i, asked, out); break;
  case ASK_LANE: answer_lane(i, (uint32_t)summary_get_int(asked), out); break;
  case ASK_TAG: answer_tag(i, asked, out); break;
  case ASK_N_LANES: summary_put_int(out, env->n_lanes(env->run)); break;
  case ASK_MEMBER: answer_member(i, (uint32_t)summary_get_int(asked), out); break;
  case ASK_BASE: answer_base(i, asked, out); break;
  case ASK_LOG:
    level = (uint32_t)summary_get_int(asked);
    i->common.log(&i->common, level, summary_get_text(asked, NULL));
    break;
  default: asked->broken = true;
  }
}
