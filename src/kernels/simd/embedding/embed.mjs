// Compiles the kernels and writes them as a TypeScript module, so that they load without a file
// system, in a browser too: run by `npm run build:kernels`. They are compiled twice, as a module says
// whether the memory that it imports may be shared by threads.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import asc from 'assemblyscript/asc';
import { bothPrecisions } from './both-precisions.mjs';

const folder = dirname(import.meta.dirname);
const options = ['-O3', '--noAssert', '--runtime', 'stub', '--importMemory', '--enable', 'simd'];
const shared = ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65536'];

const entry = join(folder, 'assembly/index.ts');
const source = bothPrecisions(entry);

/** The text of a file; null where there is none, which the compiler expects. */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

async function compiled(more) {
  const binary = join(tmpdir(), `tagstream-kernels-${process.pid}.wasm`);
  const { error, stderr } = await asc.main(
    [entry, ...['--baseDir', '/', ...options, ...more, '-o', binary]],
    { readFile: name => (resolve('/', name) === entry ? source : textOf(resolve('/', name))) },
  );
  if (error) {
    process.stderr.write(stderr.toString());
    process.exit(1);
  }
  const bytes = readFileSync(binary);
  rmSync(binary);
  return bytes;
}

const alone = await compiled([]);
const threaded = await compiled(shared);
// They differ where the memory is imported, and nowhere else: the rest is not to be loaded twice.
const least = Math.min(alone.length, threaded.length);
let start = 0;
while (start < least && alone[start] === threaded[start]) start += 1;
let same = 0;
while (same < least - start && alone.at(-1 - same) === threaded.at(-1 - same)) same += 1;
const between = threaded.subarray(start, threaded.length - same);
const text = `// Made by embed.mjs from assembly/; not to be edited.
import { decodeBase64 } from './decode-base64.js';

/** The kernels in WebAssembly, ${alone.length} bytes. */
export const moduleBytes = () =>
  decodeBase64(
    '${alone.toString('base64')}',
  );

/** The same for a memory that threads share: ${between.length} bytes are others. */
export const sharedModuleBytes = () => {
  const alone = moduleBytes();
  const bytes = new Uint8Array(${threaded.length});
  bytes.set(alone.subarray(0, ${start}));
  bytes.set(decodeBase64('${between.toString('base64')}'), ${start});
  bytes.set(alone.subarray(alone.length - ${same}), ${threaded.length - same});
  return bytes;
};
`;
const target = join(folder, 'module-bytes.ts');
let before = '';
try {
  before = readFileSync(target, 'utf8');
} catch {
  // There is none yet.
}
if (before !== text) writeFileSync(target, text);
