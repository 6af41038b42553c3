// Loads a trace into Perfetto's trace_processor (WASM) and prints what it found as a JSON object.
// usage: node run.mjs ENGINE_DIR TRACE [SQL]
// SPDX-License-Identifier: MIT
import { openSync, readFileSync, readSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

const PIECE_BYTES = 32 * 1024 * 1024;

// The glue is made for a browser's worker: take 32-bit WASM from memory, and show us its bridge.
const GLUE_EDITS = [
  ['this.useMemory64 = hasMemory64Support();', 'this.useMemory64 = false;'],
  ['locateFile: (s) => s,', 'locateFile: (s) => s, wasmBinary: globalThis.engineWasm,'],
  ['const wasmBridge = new ', 'const wasmBridge = globalThis.engineBridge = new '],
];

function editedGlue(directory) {
  let text = readFileSync(join(directory, 'engine_bundle.node.js'), 'utf8');
  for (const [from, to] of GLUE_EDITS) {
    if (!text.includes(from)) throw new Error(`engine_bundle.node.js has no "${from}"`);
    text = text.replace(from, to);
  }
  return text;
}

function pretendWorker(directory) {
  globalThis.self = globalThis;
  globalThis.WorkerGlobalScope = function WorkerGlobalScope() {};
  globalThis.location = { href: pathToFileURL(directory).href + '/' };
}

async function startBridge(directory) {
  pretendWorker(directory);
  globalThis.engineWasm = new Uint8Array(readFileSync(join(directory, 'trace_processor.wasm')));
  vm.runInThisContext(editedGlue(directory), { filename: 'engine_bundle.node.js' });
  const bridge = globalThis.engineBridge;
  while (!bridge.reqBufferAddr) await new Promise((next) => setTimeout(next, 5));
  return bridge;
}

async function startEngine(directory) {
  const { EngineBase } = await import(pathToFileURL(join(directory, 'engine.mjs')).href);
  const bridge = await startBridge(directory);
  const port = {};
  class Engine extends EngineBase {
    mode = 'WASM';
    id = 'wasm';
    rpcSendRequestBytes(data) {
      port.onmessage({ data });
    }
    fail(message) {
      throw new Error(message);
    }
    [Symbol.dispose]() {}
  }
  const engine = new Engine();
  port.postMessage = (data) => engine.onRpcResponseBytes(data);
  bridge.initialize(port);
  return engine;
}

async function load(engine, path) {
  const file = openSync(path);
  const piece = new Uint8Array(PIECE_BYTES);
  for (let n; (n = readSync(file, piece)) > 0; ) await engine.parse(piece.subarray(0, n));
  await engine.notifyEof();
}

function plainCell(value) {
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

async function query(engine, sql) {
  const result = await engine.query(sql);
  const columns = result.columns();
  const rows = [];
  for (const it = result.iter({}); it.valid(); it.next())
    rows.push(Object.fromEntries(columns.map((c) => [c, plainCell(it.get(c))])));
  return rows;
}

const COUNTS = `select
  (select count(*) from slice) as slices,
  (select count(*) from slice where dur = 0) as instants,
  (select sum(dur) from slice where dur > 0) as slice_ns,
  (select count(*) from flow) as flows,
  (select count(*) from counter) as counters`;
const STATS = `select name, severity, sum(value) as value from stats
  where severity in ('error', 'data_loss') and value > 0 group by name, severity order by name`;

async function main([directory, trace, sql]) {
  // Notes on stderr are part of loading; stdout is ours alone.
  console.log = console.warn = (...words) => process.stderr.write(words.join(' ') + '\n');
  const engine = await startEngine(resolve(directory));
  const start = performance.now();
  await load(engine, trace);
  const loaded = performance.now();
  const report = { ...(await query(engine, COUNTS))[0] };
  report.stats = await query(engine, STATS);
  report.load_s = (loaded - start) / 1000;
  const before = performance.now();
  if (sql) report.rows = await query(engine, sql);
  report.query_s = (performance.now() - before) / 1000;
  const text = JSON.stringify(report, (_, v) => (typeof v === 'bigint' ? v.toString() : v));
  process.stdout.write(text + '\n', () => process.exit(0));
}

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`run.mjs: ${error?.stack ?? error}\n`);
  process.exit(1);
});
