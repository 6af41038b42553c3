// Every operation and helper of stagemill.rs, to be compiled.
// SPDX-License-Identifier: MIT
#[macro_use]
#[path = "stagemill.rs"]
mod stagemill;
use stagemill::*;

rows! { EveryRow as COLUMNS {
    small: bool = ("small", "", 0, "A truth"),
    share: f64 = ("share", "percent", 0, "A share"),
    name: Symbol = ("name", "", 0, "A name"),
} }

struct Every {
    host: Host,
    key: Symbol,
    sum: i64,
}

impl Stage for Every {
    type Options = u8;

    fn open(host: Host, _level: u32, _options: &u8) -> Result<Every, Failed> {
        Ok(Every { host, key: host.intern("key"), sum: 0 })
    }
    fn process(&mut self, batch: &mut Batch) -> Done {
        if batch.is_empty() {
            return Ok(());
        }
        for value in [Value::None, Value::Real(0.5), Value::Bool(true), Value::Symbol(self.key), Value::Text("a"), Value::Json("[]")] {
            batch.set(0, self.key, value)?;
        }
        batch.set_ts(0, 1);
        batch.set_dur(0, batch.attr_int(0, self.key).unwrap_or(0));
        batch.set_name(0, self.key);
        batch.drop_event(0);
        self.host.note(1);
        self.sum += self.host.text(self.key).len() as i64;
        Ok(())
    }
    fn flush(&mut self, batch: &mut Batch) -> Done {
        if batch.len() > 9 { Err(self.host.fail(MILL_BAD_INPUT, "too many", "")) } else { Ok(()) }
    }
    fn save_observed(&mut self) -> Done {
        self.host.put_text(b"text");
        self.host.put_real(0.5);
        Ok(())
    }
    fn merge_observed(&mut self) -> Done {
        self.sum += self.host.get_text().len() as i64 + self.host.get_real() as i64;
        Ok(())
    }
    fn merge_result(&mut self) -> Done {
        self.sum += if self.host.get_more() { self.host.get_count(2) as i64 } else { 0 };
        Ok(())
    }
    fn report(&mut self) -> Done {
        let share = if self.host.has_fact(text!("slices")) { 1.0 } else { 0.0 };
        self.host.row(0, &EveryRow { small: true, share, name: self.key })
    }
}

#[no_mangle]
pub static EVERY: MillStageOps = stage_ops!(Every: process, flush, decide, report, save_observed, merge_observed, decide_run,
    save_decision, load_decision, save_result, merge_result, report_run);
const _: () = assert!(offset_in_c(&[1, 8, 4], &[1, 8, 4], 2) == 16);
#[no_mangle]
pub static EVERY_COLUMNS: &[MillColumn] = &COLUMNS;
