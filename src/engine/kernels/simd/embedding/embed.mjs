// Compiles the kernels and writes them as TypeScript modules, so that they load without a file system, also in a browser:
// run by `npm run build:kernels`. Code for blocks of records is a separate module, which pages do not load. Each module is
// compiled twice, because it declares whether its imported memory is shared. Modules record a digest of their sources and
// are rebuilt when it changes; file times would change with each checkout.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { bothPrecisions } from './both-precisions.mjs';
import { encodePrintable } from './encode-printable.mjs';

const folder = dirname(import.meta.dirname);
const options = [
  '-O3',
  '--noAssert',
  '--runtime',
  'stub',
  '--importMemory',
  '--noExportMemory',
  '--enable',
  'simd',
];
const shared = ['--enable', 'threads', '--sharedMemory', '--maximumMemory', '65536'];

/** Returns the text of a file; null if there is none, as the compiler expects. */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

async function compiled(entry, more) {
  const source = bothPrecisions(entry);
  const { default: asc } = await import('assemblyscript/asc');
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

/** Returns the first line of generated modules, which identifies the sources and the compiler. */
function firstLine() {
  const digest = createHash('sha256');
  const { version } = createRequire(import.meta.url)('assemblyscript/package.json');
  digest.update(version);
  for (const name of ['assembly', 'embedding']) {
    for (const file of readdirSync(join(folder, name), { recursive: true }).sort()) {
      if (!/\.m?ts$|\.mjs$/.test(file)) continue;
      digest.update(`\n${file}\n`).update(readFileSync(join(folder, name, file)));
    }
  }
  return `// Made by embed.mjs from assembly/; not to be edited. ${digest.digest('hex')}\n`;
}

const origin = firstLine();

/** Returns whether a file was written from these sources. */
function isNew(target) {
  return existsSync(target) && readFileSync(target, 'utf8').startsWith(origin);
}

/** Writes the bytes of the module that decodes the others. */
async function embedDecoder(target) {
  if (isNew(target)) return;
  const bytes = await compiled(join(folder, 'assembly/printable.ts'), []);
  writeFileSync(
    target,
    `${origin}
/** The decoder of the other modules in WebAssembly, ${bytes.length} bytes. */
export const decoderBytes = () =>
  Uint8Array.of(${bytes.join(', ')});
`,
  );
}

/** Writes a module with the bytes of an entry, under the names given for `alone` and `shared`. */
async function embed(entry, what, target, { alone: aloneName, shared: sharedName }) {
  if (isNew(target)) return;
  const alone = await compiled(entry, []);
  const threaded = await compiled(entry, shared);
  // They differ only in the memory import, so the rest is not stored twice.
  const least = Math.min(alone.length, threaded.length);
  let start = 0;
  while (start < least && alone[start] === threaded[start]) start += 1;
  let same = 0;
  while (same < least - start && alone.at(-1 - same) === threaded.at(-1 - same)) same += 1;
  const between = threaded.subarray(start, threaded.length - same);
  const text = `${origin}import { decodePrintable } from './decode-printable.js';

/** ${what} in WebAssembly, ${alone.length} bytes. */
export const ${aloneName} = () =>
  decodePrintable(
    '${encodePrintable(alone)}',
  );

/** The same for a memory that threads share: ${between.length} bytes are others. */
export const ${sharedName} = () => {
  const alone = ${aloneName}();
  const bytes = new Uint8Array(${threaded.length});
  bytes.set(alone.subarray(0, ${start}));
  bytes.set(decodePrintable('${encodePrintable(between)}'), ${start});
  bytes.set(alone.subarray(alone.length - ${same}), ${threaded.length - same});
  return bytes;
};
`;
  writeFileSync(target, text);
}

await embedDecoder(join(folder, 'decoder-bytes.ts'));
await embed(join(folder, 'assembly/index.ts'), 'The kernels', join(folder, 'module-bytes.ts'), {
  ...{ alone: 'moduleBytes', shared: 'sharedModuleBytes' },
});
await embed(
  join(folder, 'assembly/records.ts'),
  'The functions for records',
  join(folder, 'record-bytes.ts'),
  {
    ...{ alone: 'recordBytes', shared: 'sharedRecordBytes' },
  },
);
