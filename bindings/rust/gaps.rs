// The stage of docs/write-a-stage.md in Rust: times between two slices of one track in which none ran.
// SPDX-License-Identifier: MIT
#[macro_use]
#[path = "stagemill.rs"]
mod stagemill;
use stagemill::*;

const NOTICE_NO_DURATION: u32 = 1;
const TABLE_GAPS: u32 = 0;
const METRIC_GAP_TIME: u32 = 0;
const NOTHING_RAN: i64 = i64::MIN;

options! { GapOptions as OPTIONS {
    min_ns: i64 = (MILL_OPT_DURATION, "min", "10us", "0:", "ns", "Longest gap that is ignored"),
} }

rows! { GapRow as COLUMNS {
    gaps: i64 = ("gaps", "count", MILL_COLUMN_BRIEF, "Gaps that were long enough"),
    total_ns: i64 = ("total", "ns", MILL_COLUMN_BRIEF, "Their time, summed over tracks"),
    longest_ns: i64 = ("longest", "ns", MILL_COLUMN_BRIEF, "The longest of them"),
} }

struct Gaps {
    host: Host,
    min_ns: i64,
    gap_before: Symbol,
    end_ns: Vec<i64>, // of each track: the latest end so far
    sum: GapRow,
}

impl Gaps {
    fn look_at(&mut self, batch: &mut Batch, index: u32) -> Done {
        let e = *batch.event(index);
        let track = e.track as usize;
        if track >= self.end_ns.len() {
            self.end_ns.resize(track + 64, NOTHING_RAN);
        }
        let before = self.end_ns[track];
        self.end_ns[track] = before.max(e.ts_ns + e.dur_ns);
        let gap_ns = if before == NOTHING_RAN { 0 } else { e.ts_ns - before };
        if gap_ns <= self.min_ns {
            return Ok(());
        }
        self.sum.gaps += 1;
        self.sum.total_ns += gap_ns;
        self.sum.longest_ns = self.sum.longest_ns.max(gap_ns);
        batch.set(index, self.gap_before, Value::Int(gap_ns))
    }
}

impl Stage for Gaps {
    type Options = GapOptions;

    fn open(host: Host, _level: u32, options: &GapOptions) -> Result<Gaps, Failed> {
        Ok(Gaps {
            host,
            min_ns: options.min_ns,
            gap_before: host.intern("gap_before"),
            end_ns: Vec::new(),
            sum: GapRow { gaps: 0, total_ns: 0, longest_ns: 0 },
        })
    }

    fn process(&mut self, batch: &mut Batch) -> Done {
        for index in 0..batch.len() {
            let e = batch.event(index);
            if e.kind as u32 != MILL_SLICE {
                continue;
            }
            if e.dur_ns < 0 {
                batch.note(NOTICE_NO_DURATION, index);
            } else {
                self.look_at(batch, index)?;
            }
        }
        Ok(())
    }

    fn report(&mut self) -> Done {
        self.host.row(TABLE_GAPS, &self.sum)
    }

    fn save_result(&mut self) -> Done {
        self.host.put_int(self.sum.gaps);
        self.host.put_int(self.sum.total_ns);
        Ok(())
    }

    fn merge_result(&mut self) -> Done {
        self.sum.gaps += self.host.get_int();
        self.sum.total_ns += self.host.get_int();
        Ok(())
    }

    fn report_run(&mut self) -> Done {
        self.host.metric(METRIC_GAP_TIME, Value::Int(self.sum.total_ns), self.sum.gaps as u64)
    }
}

static NOTICES: [MillNotice; 1] = [MillNotice {
    number: NOTICE_NO_DURATION,
    level: MILL_LEVEL_WARNING,
    what: text!("{count} slice[|s] of {lane} [has|have] no duration"),
    effect: text!("gaps after [it|them] may be reported too long"),
    help: std::ptr::null(),
    explain: text!("A complete event (phase X) must have a member `dur`.  Where it is missing, nobody knows when the \
slice ended, so it is left out."),
    flags: 0,
}];
static TABLES: [MillTable; 1] = [MillTable {
    per: MILL_PER_LANE,
    brief_rows: 8,
    name: text!("gaps"),
    help: text!("Times in which a track of the lane did nothing"),
    order: std::ptr::null(),
    columns: MillColumnRows::of(&COLUMNS),
}];
static METRICS: [MillMetric; 1] = [MillMetric {
    per: MILL_PER_RUN,
    better: MILL_LOWER,
    kind: MILL_INT,
    name: text!("gap_time"),
    unit: text!("ns"),
    help: text!("Time in gaps, summed over tracks and lanes"),
    ..MillMetric::EMPTY
}];
static NEEDS: Facts<3> = facts!("slices", "order.lane");
static PROVIDES: Facts<2> = facts!("attr.gap_before");
static OPS: MillStageOps = stage_ops!(Gaps: process, report, save_result, merge_result, report_run);

static STAGE: MillStage = MillStage {
    size: std::mem::size_of::<MillStage>() as u32,
    scope: MILL_SCOPE_LANE,
    flags: MILL_MERGES | MILL_ANY_ORDER,
    options_size: std::mem::size_of::<GapOptions>() as u32,
    name: text!("acme.gaps"),
    family: text!("acme"),
    version: text!("0.1.0"),
    tag: text!("GAPS"),
    title: text!("Find times in which a track did nothing"),
    help: text!("The slice after a gap gets the attribute gap_before, in nanoseconds.  Gaps are counted and summed by lane."),
    needs: &NEEDS as *const _ as *const *const std::os::raw::c_char,
    provides: &PROVIDES as *const _ as *const *const std::os::raw::c_char,
    options: MillOptionRows::of(&OPTIONS),
    notices: MillNoticeRows::of(&NOTICES),
    tables: MillTableRows::of(&TABLES),
    metrics: MillMetricRows::of(&METRICS),
    ops: &OPS,
    ..MillStage::EMPTY
};
stage_module!(STAGE, "acme", "MIT");
