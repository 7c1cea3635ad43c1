// Runs ONNX models in ONNX Runtime (npm: onnxruntime-node, looked for in the working directory) with any number of inputs and outputs.
//   node onnx_run.mjs JOB.json
// JOB: {"model": FILE, "optimize": BOOL, "threads": N, "runs": [{"inputs": {NAME: FILE.npy}, "outputs": {NAME: FILE.npy}}]}
// An input file with more samples than one is run sample by sample when the run has "split": true; its outputs are joined.
import fs from 'node:fs';
import { createRequire } from 'node:module';
const ort = createRequire(process.cwd() + '/')('onnxruntime-node');
const TYPES = {
  '<f4': ['float32', Float32Array], '|i1': ['int8', Int8Array], '|u1': ['uint8', Uint8Array], '<i4': ['int32', Int32Array],
};

function readNpy(file) {
  const bytes = fs.readFileSync(file), size = bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, 10 + size);
  const [type, Kind] = TYPES[/'descr': '([^']+)'/.exec(header)[1]];
  const dims = /'shape': \(([^)]*)\)/.exec(header)[1].split(',').map(s => s.trim()).filter(s => s).map(Number);
  const start = bytes.byteOffset + 10 + size;
  return { type, dims, data: new Kind(bytes.buffer.slice(start, bytes.byteOffset + bytes.length)) };
}

function writeNpy(file, type, dims, data) {
  const descr = Object.keys(TYPES).find(k => TYPES[k][0] === type);
  let header = `{'descr': '${descr}', 'fortran_order': False, 'shape': (${dims.join(', ')},), }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + '\n';
  const start = Buffer.alloc(10);
  start.write('\x93NUMPY\x01\x00', 'latin1');
  start.writeUInt16LE(header.length, 8);
  fs.writeFileSync(file, Buffer.concat([start, Buffer.from(header, 'latin1'), Buffer.from(data.buffer, data.byteOffset, data.byteLength)]));
}

const job = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const session = await ort.InferenceSession.create(job.model, {
  graphOptimizationLevel: job.optimize ? 'all' : 'disabled', intraOpNumThreads: job.threads ?? 2, interOpNumThreads: 1,
});
for (const run of job.runs) {
  const names = Object.keys(run.outputs);
  const inputs = Object.entries(run.inputs).map(([name, file]) => [name, readNpy(file)]);
  const samples = run.split ? inputs[0][1].dims[0] : 1;
  const parts = Object.fromEntries(names.map(name => [name, []]));
  for (let n = 0; n < samples; ++n) {
    const feeds = {};
    for (const [name, t] of inputs) {
      const size = t.data.length / samples;
      const dims = run.split ? [1, ...t.dims.slice(1)] : t.dims;
      feeds[name] = new ort.Tensor(t.type, t.data.subarray(n * size, (n + 1) * size), dims);
    }
    const results = await session.run(feeds, names);
    for (const name of names) parts[name].push(results[name]);
  }
  for (const name of names) {
    const first = parts[name][0], Kind = first.data.constructor, size = first.data.length;
    const data = new Kind(size * samples);
    parts[name].forEach((part, n) => data.set(part.data, n * size));
    writeNpy(run.outputs[name], first.type, [first.dims[0] * samples, ...first.dims.slice(1)], data);
  }
}
