// Slices a second, by name: an option that is no number, a column of names, texts in saved state.
// SPDX-License-Identifier: MIT
#[macro_use]
#[path = "stagemill.rs"]
mod stagemill;
use stagemill::*;
use std::collections::BTreeMap;

options! { RateOptions as OPTIONS {
    min_ns: i64 = (MILL_OPT_DURATION, "min", "0ns", "0:", "ns", "Shortest slice that counts"),
    names: bool = (MILL_OPT_BOOL, "names", "true", "", "", "Give a row for each name"),
} }

rows! { RateRow as COLUMNS {
    name: Symbol = ("name", "", MILL_COLUMN_KEY, "Name of the slices"),
    calls: i64 = ("calls", "count", 0, "Slices of this name"),
    rate: f64 = ("rate", "1/s", 0, "How many of them began in a second"),
} }

struct Rates {
    host: Host,
    min_ns: i64,
    names: bool,
    end_ns: i64,
    calls: BTreeMap<Vec<u8>, i64>,
}

impl Stage for Rates {
    type Options = RateOptions;

    fn open(host: Host, _level: u32, options: &RateOptions) -> Result<Rates, Failed> {
        Ok(Rates { host, min_ns: options.min_ns, names: options.names, end_ns: 1, calls: BTreeMap::new() })
    }

    fn process(&mut self, batch: &mut Batch) -> Done {
        for e in (0..batch.len()).map(|index| batch.event(index)) {
            if e.kind as u32 == MILL_SLICE && e.dur_ns >= self.min_ns {
                *self.calls.entry(self.host.text(Symbol(e.name)).to_vec()).or_insert(0) += 1;
                self.end_ns = self.end_ns.max(e.ts_ns.saturating_add(e.dur_ns));
            }
        }
        Ok(())
    }

    fn save_result(&mut self) -> Done {
        self.host.put_int(self.end_ns);
        for (name, calls) in &self.calls {
            self.host.put_text(name);
            self.host.put_int(*calls);
        }
        Ok(())
    }

    fn merge_result(&mut self) -> Done {
        self.end_ns = self.end_ns.max(self.host.get_int());
        while self.host.get_more() {
            let name = self.host.get_text();
            *self.calls.entry(name).or_insert(0) += self.host.get_int();
        }
        Ok(())
    }

    fn report_run(&mut self) -> Done {
        let rows = if self.names { self.calls.len() } else { 0 };
        for (name, calls) in self.calls.iter().take(rows) {
            let name = self.host.intern(&String::from_utf8_lossy(name));
            let rate = *calls as f64 * 1e9 / self.end_ns as f64;
            self.host.row(0, &RateRow { name, calls: *calls, rate })?;
        }
        Ok(())
    }
}

static TABLES: [MillTable; 1] = [MillTable {
    per: MILL_PER_RUN,
    name: text!("rates"),
    help: text!("Slices a second, by name"),
    columns: MillColumnRows::of(&COLUMNS),
    ..MillTable::EMPTY
}];
static OPS: MillStageOps = stage_ops!(Rates: process, save_result, merge_result, report_run);
static STAGE: MillStage = MillStage {
    size: std::mem::size_of::<MillStage>() as u32,
    scope: MILL_SCOPE_LANE,
    flags: MILL_READ_ONLY | MILL_MERGES | MILL_ANY_ORDER,
    options_size: std::mem::size_of::<RateOptions>() as u32,
    name: text!("acme.rates"),
    family: text!("acme"),
    version: text!("0.1.0"),
    tag: text!("RATES"),
    title: text!("Slices a second"),
    help: text!("Counts the slices of each name, over all lanes."),
    options: MillOptionRows::of(&OPTIONS),
    tables: MillTableRows::of(&TABLES),
    ops: &OPS,
    ..MillStage::EMPTY
};
stage_module!(STAGE, "acme", "MIT");
