// Bundles the command, the programs of its threads, the scripts of pages and the entries of the library, each with the
// packages that it needs, in the place of what tsc has built: to find and open some 500 small files took most of the
// time of a start, and 1,000 of an import. The other modules in dist stay as they are, for tests; no package has them.
// Programs are in the older form of Node, whose compiled code can be kept; in their place a line loads them.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { encodePrintable } from '../kernels/simd/embedding/encode-printable.mjs';
import { taggingOnly } from '../kernels/simd/embedding/tagging-only.mjs';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../../dist');
const programs = [
  'annotation/learning/retrain-worker',
  'cli/main',
  'cli/signals/watchdog-thread',
  'io/nats/training/sums-thread',
  'pipeline/extraction/extract-worker',
  'pipeline/run/folds/fold-worker',
  'pipeline/run/stacked/first-worker',
  'pipeline/tagging/service/tagger-thread',
  'pipeline/tagging/tag-worker',
  'serve/threads/serve-worker',
  'workers/training-supervisor',
  'workers/training-thread',
];
const loader = 'cli/bundled/load-program';

// Of modules only what is used is taken; what these packages give to Node comes as a whole, in the older form.
const modules = (name, file) => fileURLToPath(new URL(file, import.meta.resolve(name)));
const rxjs = modules('rxjs', '../esm/index.js');
const yaml = modules('yaml', '../browser/index.js');
// What yargs needs of other modules: character classes of widths alone take 20 ms of each start to be read.
const inPlace = name => fileURLToPath(new URL(`bundled/${name}`, import.meta.url));
const textWidth = inPlace('text-width.cjs');
const parts = { assert: inPlace('assertions.cjs'), util: inPlace('formats.cjs') };
const partsOfYargs = {
  name: 'parts-of-yargs',
  // Other packages need more of these modules.
  resolveId: (id, importer) =>
    /\/node_modules\/(?:yargs|yargs-parser|y18n)\//.test(importer ?? '') ? parts[id] : null,
};

// What `tag` needs at each start comes in two files instead of fifty: what the command line needs too, and the rest.
const taggers = ['cli/tag/tag-files', 'pipeline/tagging/tag-tasks'];
// What runs of a pipeline file need beside it comes in a file for what is theirs alone, and one for each choice of
// those that need it too, instead of a hundred. What the smallest commands need besides stays in files of its own.
const runs = 'cli/run/run-from-file';
const smallest = [
  'cli/corpora/fetch-corpora',
  'cli/line/usage-error',
  'cli/main',
  'features/presets/preset-templates',
  'features/presets/presets',
];
const sharing = {
  annotate: ['cli/run/annotate/annotate-file', 'cli/run/annotate/simulate-file'],
  convert: ['cli/clusters/clusters-from-text', 'cli/convert-files'],
  eval: ['cli/eval/eval-file'],
  extraction: ['pipeline/extraction/extract-worker'],
  inspect: ['cli/inspect/inspect-file'],
  models: ['cli/models/change-models', 'cli/models/read-models', 'cli/tag/tag-registered'],
  tag: [
    'pipeline/tagging/block-tagger',
    'pipeline/tagging/start-tagging-pool',
    'pipeline/tagging/tag-in-workers',
    'pipeline/tagging/tag-records',
  ],
  training: ['workers/training-thread'],
};
const reached = new Map();

/** All modules that a module imports at once, and those that these import, itself among them. */
function imported(id, context) {
  const found = new Set([id]);
  for (const each of found) {
    for (const next of context.getModuleInfo(each)?.importedIds ?? []) found.add(next);
  }
  return found;
}

function reaches(path, id, context) {
  if (!reached.has(path)) reached.set(path, imported(join(dist, `${path}.js`), context));
  return reached.get(path).has(id);
}

/** Whether a module is also imported by one that a program does not import at once. */
function isImportedElsewhere(path, id, context) {
  const { importers } = context.getModuleInfo(id);
  return importers.some(importer => !reaches(path, importer, context));
}

function chunkOf(id, context) {
  const isReached = path => reaches(path, id, context);
  if (isReached('cli/main') && isImportedElsewhere('cli/main', id, context)) return 'common';
  if (!taggers.some(isReached)) {
    if (!isReached(runs) || smallest.some(isReached)) return null;
    const sharers = Object.keys(sharing).filter(name => sharing[name].some(isReached));
    return ['runs', ...sharers].join('-');
  }
  // A thread that only watches others is to load no more than it needs, too.
  return ['cli/main', 'workers/training-supervisor'].some(isReached) ? 'common' : 'tagging';
}

/** Puts the kernels into files of their own: as text in a chunk they would be read, kept and decoded at each start. */
const kernelFiles = {
  name: 'kernel-files',
  async load(id) {
    if (!/\/simd\/\w+-bytes\.js$/.test(id)) return null;
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

// A page that holds its model tags with it, and neither explains tags nor trains; it has no rules but those of the model.
const leftOut = [
  'kernels/reference/accumulate',
  'kernels/reference/adaptive-steps',
  'kernels/reference/cumulative-penalty',
  'kernels/simd/simd-adaptive-steps',
  'models/decoding/sequence-rules',
  'models/decoding/tag-rules',
  'models/inspection/explain',
].map(path => join(dist, `${path}.js`));
const trusted = join(dist, 'reports/tagger-page/trusted-schemas.js');
const taggingPage = {
  name: 'tagging-page',
  resolveId: id => (/^zod\/(?:mini|v4\/locales\/en\.js)$/.test(id) ? trusted : null),
  async load(id) {
    if (leftOut.includes(id)) {
      const names = Object.keys(await import(pathToFileURL(id)));
      return `function leftOut() {
  throw new Error('an exported page does not do this: use tagstream/browser');
}
export { ${names.map(name => `leftOut as ${name}`).join(', ')} };
`;
    }
    if (!id.endsWith('/simd/module-bytes.js')) return null;
    const { moduleBytes } = await import(pathToFileURL(id));
    const text = encodePrintable(taggingOnly(moduleBytes()));
    return `import { decodePrintable } from './decode-printable.js';
export const moduleBytes = () => decodePrintable('${text}');
export const sharedModuleBytes = moduleBytes;
`;
  },
};

const accessorsOf = name => join(dist, `chunks/${name}.cjs`);

/**
 * Lets modules read a package of the program's when they take the first thing of it: RxJS has 200 files, some 70 ms of
 * an import, and who only tags needs nothing of it. `chunks/<name>.cjs` has an accessor for each of its names, and
 * `require`, which bundlers of programs follow; of a module in the older form, others take what they use by name.
 */
const whenNeeded = name => ({
  name: 'when-needed',
  resolveId(id) {
    if (id === accessorsOf(name)) return { id, external: 'relative' };
    return id === name || id === `${name}-accessors` ? `\0${id}` : null;
  },
  async load(id) {
    if (id === `\0${name}`) return `module.exports = require('${name}-accessors').default;`;
    if (id !== `\0${name}-accessors`) return null;
    const names = Object.keys(await import(name)).filter(each => each !== 'default');
    const source = `'use strict';
let read;
for (const name of ${JSON.stringify(names)}) {
  Object.defineProperty(exports, name, {
    enumerable: true,
    get: () => (read ??= require('${name}'))[name],
  });
}
`;
    this.emitFile({ type: 'asset', fileName: relative(dist, accessorsOf(name)), source });
    return `export { default } from ${JSON.stringify(accessorsOf(name))};`;
  },
});

/** Entries of the package, and those of them that pages have in a form of their own. */
const { exports } = JSON.parse(readFileSync(join(dist, '../package.json'), 'utf8'));
const targets = Object.values(exports).filter(target => typeof target === 'object');
const pathIn = (file, folder) => relative(folder, join(dist, '..', file)).replace(/\.js$/, '');
const entries = targets.map(target => pathIn(target.node ?? target.default, dist));
const inPages = targets
  .filter(target => target.node !== undefined)
  .map(target => pathIn(target.default, join(dist, 'web')));
// Programs of threads that entries for pages start.
const pagePrograms = ['entries/element-worker'];

/** Chunks of what one of some entries needs beyond those before it: a class is the same in all entries. */
function groupsOf(paths) {
  return paths.map((path, place) => ({
    name: (id, context) => (reaches(path, id, context) ? basename(path) : null),
    priority: paths.length - place,
    debugName: path,
  }));
}

// What entries share that need nothing else, as the client of a service.
const errors = 'core/schema/require-argument';

for (const made of ['chunks', 'web']) rmSync(join(dist, made), { recursive: true, force: true });
// Optional, and loaded by those who name a server.
const optional = /^@nats-io\//;
// What goes through a program's own operators is of the RxJS that it imports. An import cannot be put off in a page.
await write(
  [...inPages, ...pagePrograms],
  groupsOf([errors, 'entries/browser', 'entries/operators', 'entries/training']),
  {
    dir: join(dist, 'web'),
    platform: 'neutral',
    external: ['rxjs'],
  },
);
// In Node RxJS is read when it is needed; ndjson is in the older form. Lines stay: of an error that nobody catches, Node
// prints the whole line that it comes from.
await write(entries, groupsOf([errors, 'entries/operators', 'entries/training', 'index']), {
  platform: 'neutral',
  external: [optional, /^node:/, 'ndjson', 'prom-client'],
  removeWhitespace: false,
  alias: { yaml },
  plugins: [whenNeeded('rxjs')],
});
const built = await write(
  programs,
  [{ name: chunkOf, includeDependenciesRecursively: false, debugName: 'starts' }],
  {
    platform: 'node',
    format: 'cjs',
    entryFileNames: ({ name }) => `chunks/${basename(name)}-[hash].cjs`,
    external: [optional],
    alias: { rxjs, yaml, 'string-width': textWidth },
    plugins: [kernelFiles, partsOfYargs],
    // For settings of yargs in package.json, which the command does not read.
    define: { 'import.meta.resolve': 'undefined' },
    // What chunks share with a program may stand in it, as far as nobody but its own chunks needs that.
    preserveEntrySignatures: 'allow-extension',
  },
);
await write([loader], [], {
  platform: 'node',
  entryFileNames: ({ name }) => `chunks/${basename(name)}.js`,
  removeWhitespace: false,
});
const programFiles = new Set(
  built.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName),
);
for (const { isEntry, name, fileName, imports = [] } of built) {
  // It would be run by whoever loads the chunk.
  const program = imports.find(file => programFiles.has(file));
  if (program !== undefined) throw new Error(`${fileName} imports the program ${program}`);
  if (!isEntry) continue;
  const file = join(dist, `${name}.js`);
  const way = relative(dirname(file), join(dist, 'chunks', basename(loader)));
  writeFileSync(
    file,
    `#!/usr/bin/env node
import { loadProgram } from '${way}.js';
await loadProgram('${basename(fileName)}').finished;
`,
  );
}
// Scripts that pages hold, and the module that `export` writes: one file each.
const scripts = {
  'annotation/page/main': 'iife',
  'reports/tagger-page/loader': 'iife',
  'reports/tagger-page/main': 'iife',
  'reports/tagger-page/module': 'esm',
  'telemetry/dashboard/page/main': 'iife',
  'serve/page/main': 'iife',
};
for (const [path, format] of Object.entries(scripts)) {
  const file = join(dist, `${path}.js`);
  const plugins = path === 'reports/tagger-page/main' ? [taggingPage] : [];
  // To read the kernels takes a while.
  const checks = { pluginTimings: false };
  const script = await rolldown({ input: file, platform: 'browser', plugins, checks });
  const { output } = await script.generate({ format, minify: true });
  await script.close();
  writeFileSync(file, output[0].code);
}

// What the library of charts says about how they look.
copyFileSync(modules('uplot', './uPlot.min.css'), join(dist, 'telemetry/dashboard/page/main.css'));

async function write(
  paths,
  groups,
  {
    dir = dist,
    platform,
    format = 'esm',
    entryFileNames = '[name].js',
    external,
    alias,
    removeWhitespace = true,
    plugins = [],
    define,
    preserveEntrySignatures,
  },
) {
  const bundle = await rolldown({
    input: Object.fromEntries(paths.map(path => [path, join(dist, `${path}.js`)])),
    platform,
    external,
    plugins,
    preserveEntrySignatures,
    resolve: { alias },
    transform: { define },
  });
  const { output } = await bundle.write({
    dir,
    format,
    entryFileNames,
    // An import in a script that is loaded by hand would need a loader of modules, which is an experiment of Node's.
    dynamicImportInCjs: false,
    // One folder deep, as workers/thread-file.ts counts on.
    chunkFileNames: `chunks/[name]-[hash].${format === 'cjs' ? 'cjs' : 'js'}`,
    codeSplitting: { groups },
    comments: { jsdoc: false },
    // Less to read at each start. Names of functions and classes stay, so that stack traces can be read.
    minify: {
      compress: false,
      mangle: { keepNames: { function: true, class: true } },
      codegen: { removeWhitespace },
    },
  });
  await bundle.close();
  return output;
}
