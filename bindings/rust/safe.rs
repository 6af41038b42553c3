// ------------------------------------------------------------------------------------------ stages
//
//     struct Gaps { ... }
//     impl Stage for Gaps { type Options = GapOptions; fn open(...) ...; fn process(...) ...; }
//     static OPS: MillStageOps = stage_ops!(Gaps: process, report);
//
// An operation that is not in the list is not called.  What the program refuses is an Err(Failed), which an operation
// hands on by `?`.  A panic fails the stage.  Memory of Rust is not counted against --max-memory.
// SPDX-License-Identifier: MIT

/// The program has refused a call, or the stage has failed: the status to return.
#[derive(Clone, Copy, Debug)]
pub struct Failed(pub c_int);
pub type Done = Result<(), Failed>;

fn check(status: c_int) -> Done {
    if status < 0 {
        Err(Failed(status))
    } else {
        Ok(())
    }
}

/// A text that ends in NUL, as the descriptor has them.
#[macro_export]
macro_rules! text {
    ($text:expr) => {
        concat!($text, "\0").as_ptr() as *const std::os::raw::c_char
    };
}

/// The same; "" is NULL: a unit or a range that there is not.
#[macro_export]
macro_rules! text_or_none {
    ($text:expr) => {{
        const TEXT: &str = concat!($text, "\0");
        if TEXT.len() > 1 {
            TEXT.as_ptr() as *const std::os::raw::c_char
        } else {
            std::ptr::null()
        }
    }};
}

// ------------------------------------------------------------------------------------------ values

/// An interned string: never saved, printed or sorted by.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Symbol(pub MillSym);

pub enum Value<'a> {
    None,
    Int(i64),
    Real(f64),
    Bool(bool),
    Symbol(Symbol),
    Text(&'a str),
    Json(&'a str),
}

impl Value<'_> {
    fn raw(&self) -> MillValue {
        let of = |r#type: u32, len: usize, u: MillValueU| MillValue { r#type, len: len as u32, u };
        match *self {
            Value::None => of(MILL_NONE, 0, MillValueU { i: 0 }),
            Value::Int(i) => of(MILL_INT, 0, MillValueU { i }),
            Value::Real(r) => of(MILL_REAL, 0, MillValueU { r }),
            Value::Bool(b) => of(MILL_BOOL, 0, MillValueU { i: b as i64 }),
            Value::Symbol(s) => of(MILL_SYM, 0, MillValueU { i: s.0 as i64 }),
            Value::Text(t) => of(MILL_TEXT, t.len(), MillValueU { text: t.as_ptr() as *const c_char }),
            Value::Json(t) => of(MILL_JSON, t.len(), MillValueU { text: t.as_ptr() as *const c_char }),
        }
    }
}

// ------------------------------------------------------------------------------------------ host

/// What an operation may ask of the program; where, stands in stage.h and in `stagemill schema abi`.
#[derive(Clone, Copy)]
pub struct Host(*const MillStageHost);

macro_rules! ask {
    ($host:expr, $call:ident $(, $argument:expr)*) => {
        unsafe { ((*$host.0).$call.unwrap())($host.0 $(, $argument)*) }
    };
}
macro_rules! ask_common {
    ($host:expr, $call:ident $(, $argument:expr)*) => {
        unsafe { ((*(*$host.0).common).$call.unwrap())((*$host.0).common $(, $argument)*) }
    };
}

unsafe fn text_at<'a>(bytes: *const c_char, len: usize) -> &'a [u8] {
    if bytes.is_null() {
        &[]
    } else {
        std::slice::from_raw_parts(bytes as *const u8, len)
    }
}

impl Host {
    pub fn intern(&self, text: &str) -> Symbol {
        Symbol(ask_common!(self, intern, text.as_ptr() as *const c_char, text.len()))
    }
    /// Bytes of a trace, which need not be UTF-8.
    pub fn text(&self, symbol: Symbol) -> &[u8] {
        let mut len = 0usize;
        let bytes = ask_common!(self, symbol_text, symbol.0, &mut len);
        unsafe { text_at(bytes, len) }
    }
    pub fn note(&self, number: u32) {
        ask_common!(self, note, number, std::ptr::null(), MILL_NO_EVENT, std::ptr::null(), 0)
    }
    /// Of `wants` or `needs`; the text is one of `text!`.
    pub fn has_fact(&self, fact: *const c_char) -> bool {
        ask!(self, has_fact, fact)
    }
    pub fn fail(&self, status: u32, what: &str, help: &str) -> Failed {
        let ended = |text: &str| {
            let mut bytes: Vec<u8> = text.bytes().filter(|byte| *byte != 0).collect();
            bytes.push(0);
            bytes
        };
        let (what, help) = (ended(what), ended(help));
        let failure = MillFailure {
            size: std::mem::size_of::<MillFailure>() as u32,
            status,
            what: what.as_ptr() as *const c_char,
            help: if help.len() > 1 { help.as_ptr() as *const c_char } else { std::ptr::null() },
            ..MillFailure::EMPTY
        };
        Failed(ask_common!(self, fail, &failure))
    }

    pub fn put_int(&self, value: i64) {
        ask!(self, put_int, value)
    }
    pub fn put_real(&self, value: f64) {
        ask!(self, put_real, value)
    }
    pub fn put_text(&self, text: &[u8]) {
        ask!(self, put_text, text.as_ptr() as *const c_char, text.len())
    }
    pub fn get_int(&self) -> i64 {
        ask!(self, get_int)
    }
    pub fn get_real(&self) -> f64 {
        ask!(self, get_real)
    }
    pub fn get_text(&self) -> Vec<u8> {
        let mut len = 0usize;
        let bytes = ask!(self, get_text, &mut len);
        unsafe { text_at(bytes, len) }.to_vec()
    }
    pub fn get_more(&self) -> bool {
        ask!(self, get_more)
    }
    /// A number of items that is safe to allocate by.
    pub fn get_count(&self, min_bytes: usize) -> u64 {
        ask!(self, get_count, min_bytes)
    }

    /// The row is a struct of `rows!`.
    pub fn row<R: Row>(&self, table: u32, row: &R) -> Done {
        check(ask!(self, row, table, row as *const R as *const c_void, std::mem::size_of::<R>()))
    }
    pub fn metric(&self, metric: u32, value: Value, n: u64) -> Done {
        check(ask!(self, metric, metric, std::ptr::null(), value.raw(), n))
    }
}

// ------------------------------------------------------------------------------------------ events

/// The events of one call.
pub struct Batch {
    host: Host,
    batch: *mut MillBatch,
}

impl Batch {
    pub fn len(&self) -> u32 {
        unsafe { (*self.batch).n_events }
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    pub fn event(&self, index: u32) -> &MillEvent {
        assert!(index < self.len());
        unsafe { &*(*self.batch).events.add(index as usize) }
    }
    fn change(&mut self, index: u32) -> &mut MillEvent {
        assert!(index < self.len());
        unsafe { &mut *((*self.batch).events as *mut MillEvent).add(index as usize) }
    }
    pub fn set_ts(&mut self, index: u32, ts_ns: i64) {
        let e = self.change(index);
        e.ts_ns = ts_ns;
        e.flags &= !(MILL_FLAG_NO_TS as u8);
        e.dirty |= MILL_DIRTY_TS as u8;
    }
    pub fn set_dur(&mut self, index: u32, dur_ns: i64) {
        let e = self.change(index);
        e.dur_ns = dur_ns;
        e.dirty |= MILL_DIRTY_DUR as u8;
    }
    pub fn set_name(&mut self, index: u32, name: Symbol) {
        let e = self.change(index);
        e.name = name.0;
        e.dirty |= MILL_DIRTY_NAME as u8;
    }
    pub fn drop_event(&mut self, index: u32) {
        self.change(index).flags |= MILL_FLAG_DROPPED as u8;
    }
    pub fn set(&mut self, index: u32, key: Symbol, value: Value) -> Done {
        check(ask!(self.host, set, self.batch, index, key.0, value.raw()))
    }
    pub fn note(&self, number: u32, index: u32) {
        ask_common!(self.host, note, number, self.batch, index, std::ptr::null(), 0)
    }
    /// The first attribute of that name.
    pub fn attr_int(&self, index: u32, key: Symbol) -> Option<i64> {
        let e = *self.event(index);
        for i in 0..e.n_attrs as usize {
            let a = unsafe { &*(*self.batch).attrs.add(e.attrs as usize + i) };
            let kind = a.r#type & MILL_ATTR_TYPE;
            if a.key == key.0 && kind != MILL_NONE {
                return if kind == MILL_INT { Some(unsafe { a.u.i }) } else { None };
            }
        }
        None
    }
}

// ------------------------------------------------------------------------------------------ rows of a descriptor

/// A field that may be a cell of a table.
pub trait Cell {
    const TYPE: u32;
    const FIELD: u32;
}
impl Cell for i64 {
    const TYPE: u32 = MILL_INT;
    const FIELD: u32 = MILL_FIELD_INT;
}
impl Cell for f64 {
    const TYPE: u32 = MILL_REAL;
    const FIELD: u32 = MILL_FIELD_REAL;
}
impl Cell for bool {
    const TYPE: u32 = MILL_BOOL;
    const FIELD: u32 = MILL_FIELD_BOOL;
}
impl Cell for Symbol {
    const TYPE: u32 = MILL_TEXT;
    const FIELD: u32 = MILL_FIELD_SYM;
}

/// A struct of `rows!`.
/// # Safety
/// It is laid out as in C, and its columns say how.
pub unsafe trait Row {}

/// Of a field in a struct that is laid out as in C.
pub const fn offset_in_c(sizes: &[usize], aligns: &[usize], field: usize) -> u32 {
    let (mut at, mut i) = (0, 0);
    loop {
        at = (at + aligns[i] - 1) / aligns[i] * aligns[i];
        if i == field {
            return at as u32;
        }
        at += sizes[i];
        i += 1;
    }
}

/// rows! { GapRow as COLUMNS { gaps: i64 = ("gaps", "count", MILL_COLUMN_BRIEF, "Gaps") } }: the struct, and a static
/// of its columns.  A column that is no number has the unit "".
#[macro_export]
macro_rules! rows {
    ($row:ident as $columns:ident { $($field:ident : $type:ty = ($name:expr, $unit:expr, $flags:expr, $help:expr)),+ $(,)? }) => {
        #[repr(C)]
        #[derive(Clone, Copy)]
        struct $row { $($field: $type),+ }
        unsafe impl Row for $row {}
        static $columns: [MillColumn; [$(stringify!($field)),+].len()] = {
            #[allow(non_camel_case_types)]
            enum Field { $($field),+ }
            const SIZES: &[usize] = &[$(std::mem::size_of::<$type>()),+];
            const ALIGNS: &[usize] = &[$(std::mem::align_of::<$type>()),+];
            [$(MillColumn {
                name: text!($name),
                unit: text_or_none!($unit),
                r#type: <$type as Cell>::TYPE,
                flags: $flags,
                help: text!($help),
                field: <$type as Cell>::FIELD,
                offset: offset_in_c(SIZES, ALIGNS, Field::$field as usize),
                row_size: std::mem::size_of::<$row>() as u32,
            }),+]
        };
    };
}

/// options! { GapOptions as OPTIONS { min_ns: i64 = (MILL_OPT_DURATION, "min", "10us", "0:", "ns", "Longest gap") } }
/// Range and unit may be "".
#[macro_export]
macro_rules! options {
    ($options:ident as $rows:ident { $($field:ident : $type:ty =
        ($kind:expr, $name:expr, $default:expr, $range:expr, $unit:expr, $help:expr)),+ $(,)? }) => {
        #[repr(C)]
        pub struct $options { $($field: $type),+ }
        static $rows: [MillOption; [$(stringify!($field)),+].len()] = {
            #[allow(non_camel_case_types)]
            enum Field { $($field),+ }
            const SIZES: &[usize] = &[$(std::mem::size_of::<$type>()),+];
            const ALIGNS: &[usize] = &[$(std::mem::align_of::<$type>()),+];
            [$(MillOption {
                r#type: $kind,
                offset: offset_in_c(SIZES, ALIGNS, Field::$field as usize),
                flags: 0,
                name: text!($name),
                default_text: text!($default),
                range: text_or_none!($range),
                unit: text_or_none!($unit),
                help: text!($help),
            }),+]
        };
    };
}

/// Texts of facts, ending in NULL: facts!("slices", "order.lane").
#[repr(transparent)]
pub struct Facts<const N: usize>(pub [*const c_char; N]);
unsafe impl<const N: usize> Sync for Facts<N> {}
#[macro_export]
macro_rules! facts {
    ($($fact:expr),*) => {
        Facts([$(text!($fact),)* std::ptr::null()])
    };
}

// ------------------------------------------------------------------------------------------ operations

pub trait Stage: Sized {
    type Options;
    fn open(host: Host, level: u32, options: &Self::Options) -> Result<Self, Failed>;
    fn process(&mut self, _batch: &mut Batch) -> Done {
        Ok(())
    }
    fn flush(&mut self, _batch: &mut Batch) -> Done {
        Ok(())
    }
    fn decide(&mut self) -> Done {
        Ok(())
    }
    fn report(&mut self) -> Done {
        Ok(())
    }
    fn save_observed(&mut self) -> Done {
        Ok(())
    }
    fn merge_observed(&mut self) -> Done {
        Ok(())
    }
    fn decide_run(&mut self) -> Done {
        Ok(())
    }
    fn save_decision(&mut self) -> Done {
        Ok(())
    }
    fn load_decision(&mut self) -> Done {
        Ok(())
    }
    fn save_result(&mut self) -> Done {
        Ok(())
    }
    fn merge_result(&mut self) -> Done {
        Ok(())
    }
    fn report_run(&mut self) -> Done {
        Ok(())
    }
}

struct Instance<S> {
    host: Host,
    stage: S,
}

fn said_in(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    match text {
        Some(text) => format!("it panicked: {}", text),
        None => "it panicked".to_string(),
    }
}

fn guarded<F: FnOnce() -> Done>(host: Host, call: F) -> c_int {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)) {
        Ok(Ok(())) => 0,
        Ok(Err(failed)) => failed.0,
        Err(panic) => host.fail(MILL_STAGE_FAILED, &said_in(&*panic), "report it to the author of the stage").0,
    }
}

/// # Safety
/// Called by the program.
pub unsafe extern "C" fn open_stage<S: Stage>(
    _stage: *const MillStage,
    host: *const MillStageHost,
    level: u32,
    options: *const c_void,
    out: *mut *mut c_void,
) -> c_int {
    let host = Host(host);
    guarded(host, || {
        let stage = S::open(host, level, &*(options as *const S::Options))?;
        *out = Box::into_raw(Box::new(Instance { host, stage })) as *mut c_void;
        Ok(())
    })
}
/// # Safety
/// Called by the program.
pub unsafe extern "C" fn close_stage<S: Stage>(instance: *mut c_void) {
    drop(Box::from_raw(instance as *mut Instance<S>));
}
/// # Safety
/// Called by the program; C is one of the operations of `stage_ops!`.
pub unsafe fn call_stage<S: Stage>(instance: *mut c_void, call: fn(&mut S) -> Done) -> c_int {
    let i = &mut *(instance as *mut Instance<S>);
    let stage = &mut i.stage;
    guarded(i.host, || call(stage))
}
/// # Safety
/// The same, with events.
pub unsafe fn call_with_batch<S: Stage>(
    instance: *mut c_void,
    batch: *mut MillBatch,
    call: fn(&mut S, &mut Batch) -> Done,
) -> c_int {
    let i = &mut *(instance as *mut Instance<S>);
    let (host, stage) = (i.host, &mut i.stage);
    guarded(host, || call(stage, &mut Batch { host, batch }))
}

/// stage_ops!(Gaps: process, report): the table of these operations.
#[macro_export]
macro_rules! stage_ops {
    (@one $stage:ty, $ops:ident, process) => { stage_ops!(@batch $stage, $ops, process) };
    (@one $stage:ty, $ops:ident, flush) => { stage_ops!(@batch $stage, $ops, flush) };
    (@batch $stage:ty, $ops:ident, $operation:ident) => {{
        unsafe extern "C" fn call(instance: *mut std::os::raw::c_void, batch: *mut MillBatch) -> std::os::raw::c_int {
            call_with_batch::<$stage>(instance, batch, <$stage as Stage>::$operation)
        }
        $ops.$operation = Some(call);
    }};
    (@one $stage:ty, $ops:ident, $operation:ident) => {{
        unsafe extern "C" fn call(instance: *mut std::os::raw::c_void) -> std::os::raw::c_int {
            call_stage::<$stage>(instance, <$stage as Stage>::$operation)
        }
        $ops.$operation = Some(call);
    }};
    ($stage:ty : $($operation:ident),*) => {{
        let mut ops = MillStageOps::EMPTY;
        ops.size = std::mem::size_of::<MillStageOps>() as u32;
        ops.open = Some(open_stage::<$stage>);
        ops.close = Some(close_stage::<$stage>);
        $(stage_ops!(@one $stage, ops, $operation);)*
        ops
    }};
}

/// stage_module!(STAGE, "acme", "MIT"): once in a library.
#[macro_export]
macro_rules! stage_module {
    ($stage:expr, $vendor:expr, $licence:expr) => {
        #[no_mangle]
        #[allow(non_upper_case_globals)]
        pub static mill_module_v1: MillModule = MillModule {
            magic: MILL_MAGIC,
            size: std::mem::size_of::<MillModule>() as u32,
            abi: MILL_ABI,
            kind: MILL_KIND_STAGE,
            descriptor: &$stage as *const MillStage as *const std::os::raw::c_void,
            vendor: text!($vendor),
            licence: text!($licence),
        };
    };
}
