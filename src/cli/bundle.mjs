// Bundles the command, the programs of its threads and the scripts of pages, each with the packages that it needs, in the place
// of what tsc has built: to find and open some 500 small files took most of the time of a start. The
// other modules in dist stay as they are, for those who import the library.
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../../dist');
const programs = [
  'annotation/learning/retrain-worker',
  'cli/main',
  'cli/signals/watchdog-thread',
  'pipeline/extraction/extract-worker',
  'pipeline/tagging/tag-worker',
  'workers/training-supervisor',
  'workers/training-thread',
];

// Of modules only what is used is taken; what these packages give to Node comes as a whole, in the older form.
const modules = (name, file) => fileURLToPath(new URL(file, import.meta.resolve(name)));
const rxjs = modules('rxjs', '../esm/index.js');
const yaml = modules('yaml', '../browser/index.js');
// yargs lays out help by it; its character classes take 20 ms of each start to be read.
const textWidth = fileURLToPath(new URL('text-width.cjs', import.meta.url));

// What `tag` needs at each start comes in two files instead of fifty: what the command line needs too, and the rest.
const taggers = ['cli/tag/tag-files', 'pipeline/tagging/tag-tasks'];
const reached = new Map();

/** All modules that a module imports at once, and those that these import, itself among them. */
function imported(id, context) {
  const found = new Set([id]);
  for (const each of found) {
    for (const next of context.getModuleInfo(each)?.importedIds ?? []) found.add(next);
  }
  return found;
}

function chunkOf(id, context) {
  const reaches = path => {
    if (!reached.has(path)) reached.set(path, imported(join(dist, `${path}.js`), context));
    return reached.get(path).has(id);
  };
  if (!taggers.some(reaches)) return null;
  // A thread that only watches others is to load no more than it needs, too.
  return ['cli/main', 'workers/training-supervisor'].some(reaches) ? 'common' : 'tagging';
}

/** Puts the kernels into files of their own: as text in a chunk they would be read, kept and decoded at each start. */
const kernelFiles = {
  name: 'kernel-files',
  async load(id) {
    if (!id.endsWith('/simd/module-bytes.js')) return null;
    const bytes = await import(pathToFileURL(id));
    const exports = Object.entries(bytes).map(([name, decode]) => {
      const file = this.emitFile({
        type: 'asset',
        fileName: `chunks/${name}.wasm`,
        source: decode(),
      });
      return `export const ${name} = () => readFileSync(new URL(import.meta.ROLLUP_FILE_URL_${file}));`;
    });
    return ["import { readFileSync } from 'node:fs';", ...exports].join('\n');
  },
};

rmSync(join(dist, 'chunks'), { recursive: true, force: true });
const bundle = await rolldown({
  input: Object.fromEntries(programs.map(path => [path, join(dist, `${path}.js`)])),
  platform: 'node',
  // Optional, and loaded by those who name a server.
  external: /^@nats-io\//,
  plugins: [kernelFiles],
  resolve: { alias: { rxjs, yaml, 'string-width': textWidth } },
});
await bundle.write({
  dir: dist,
  format: 'esm',
  entryFileNames: '[name].js',
  // One folder deep, as workers/thread-file.ts counts on.
  chunkFileNames: 'chunks/[name]-[hash].js',
  codeSplitting: {
    groups: [{ name: chunkOf, debugName: 'starts' }],
  },
  // Less to read at each start. Names of functions and classes stay, so that stack traces can be read.
  minify: {
    compress: false,
    mangle: { keepNames: { function: true, class: true } },
    codegen: { removeWhitespace: true },
  },
});
await bundle.close();

// The page of `annotate`: one script, which stands in the page.
const page = join(dist, 'annotation/page/main.js');
const script = await rolldown({ input: page, platform: 'browser' });
const { output } = await script.generate({ format: 'iife', minify: true });
await script.close();
writeFileSync(page, output[0].code);
