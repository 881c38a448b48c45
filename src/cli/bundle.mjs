// Bundles the command, the programs of its threads, the scripts of pages and the entries of the library, each with the
// packages that it needs, replacing the output of tsc: finding and opening some 500 small files took most of the time
// of a start, and 1,000 that of an import. The other modules in dist stay unchanged, for tests; they are not part of
// the package. Programs are CommonJS, whose compiled code can be kept; a line in their place loads them.
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { encodePrintable } from '../engine/kernels/simd/embedding/encode-printable.mjs';
import { taggingOnly } from '../engine/kernels/simd/embedding/tagging-only.mjs';

const dist = join(dirname(fileURLToPath(import.meta.url)), '../../dist');
const programs = [
  'annotation/learning/retrain-worker',
  'cli/main',
  'cli/signals/watchdog-thread',
  'nats/training/sums-thread',
  'runtime/pipeline/extraction/extract-worker',
  'runtime/pipeline/run/folds/fold-worker',
  'runtime/pipeline/run/stacked/first-worker',
  'runtime/pipeline/tagging/service/tagger-thread',
  'runtime/pipeline/tagging/tag-worker',
  'service/serve/threads/serve-worker',
  'runtime/workers/training-supervisor',
  'runtime/workers/training-thread',
];
const loader = 'cli/bundled/load-program';

// Only the used parts of modules are bundled; what these packages export to Node comes as a whole, as
// CommonJS.
const modules = (name, file) => fileURLToPath(new URL(file, import.meta.resolve(name)));
const rxjs = modules('rxjs', '../esm/index.js');
const yaml = modules('yaml', '../browser/index.js');
// What yargs needs from other modules: reading the character classes of widths alone takes 20 ms of each
// start.
const inPlace = name => fileURLToPath(new URL(`bundled/${name}`, import.meta.url));
const textWidth = inPlace('text-width.cjs');
const parts = { assert: inPlace('assertions.cjs'), util: inPlace('formats.cjs') };
const partsOfYargs = {
  name: 'parts-of-yargs',
  // Other packages need more of these modules.
  resolveId: (id, importer) =>
    /\/node_modules\/(?:yargs|yargs-parser|y18n)\//.test(importer ?? '') ? parts[id] : null,
};

// What `tag` needs at each start is in two files instead of fifty: what the command line also needs, and the rest.
const taggers = ['cli/tag/tag-files', 'runtime/pipeline/tagging/tag-tasks'];
// What runs of a pipeline file need in addition is in one file for what only they need, and one for each set of
// other users, instead of a hundred. What the smallest commands also need stays in separate files.
const runs = 'cli/run/run-from-file';
const smallest = [
  'cli/corpora/fetch-corpora',
  'cli/line/usage-error',
  'cli/main',
  'engine/features/presets/preset-templates',
  'engine/features/presets/presets',
];
const sharing = {
  annotate: ['cli/run/annotate/annotate-file', 'cli/run/annotate/simulate-file'],
  convert: ['cli/clusters/clusters-from-text', 'cli/convert-files'],
  eval: ['cli/eval/eval-file'],
  extraction: ['runtime/pipeline/extraction/extract-worker'],
  inspect: ['cli/inspect/inspect-file'],
  models: ['cli/models/change-models', 'cli/models/read-models', 'cli/tag/tag-registered'],
  tag: [
    'runtime/pipeline/tagging/block-tagger',
    'runtime/pipeline/tagging/start-tagging-pool',
    'runtime/pipeline/tagging/tag-in-workers',
    'runtime/pipeline/tagging/tag-records',
  ],
  training: ['runtime/workers/training-thread'],
};
// Only lists of options need what zod's index also exports, so it must not be read at each start.
const schemasAsJson = /\/zod\/v4\/core\/(?:to-json-schema|json-schema-\w+)\.js$/;
const reached = new Map();

/** Returns all modules that a module imports statically, directly or not, including itself. */
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

/** Returns whether a module is also imported by one that a program does not import statically. */
function isImportedElsewhere(path, id, context) {
  const { importers } = context.getModuleInfo(id);
  return importers.some(importer => !reaches(path, importer, context));
}

function chunkOf(id, context) {
  if (schemasAsJson.test(id)) return null;
  const isReached = path => reaches(path, id, context);
  if (isReached('cli/main') && isImportedElsewhere('cli/main', id, context)) return 'common';
  if (!taggers.some(isReached)) {
    if (!isReached(runs) || smallest.some(isReached)) return null;
    const sharers = Object.keys(sharing).filter(name => sharing[name].some(isReached));
    return ['runs', ...sharers].join('-');
  }
  // A thread that only watches others should also load no more than it needs.
  return ['cli/main', 'runtime/workers/training-supervisor'].some(isReached) ? 'common' : 'tagging';
}

/** Puts the kernels into separate files: as text in a chunk they would be read, kept and decoded at each start. */
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

/**
 * Reads what a chunk imports from others once, when it is loaded. The bundler writes a call of a getter for each use,
 * which took a tenth of the time of training; it does so because of `export let`, which no module has, and of cycles
 * of chunks, which are refused below.
 */
const constantImports = {
  name: 'constant-imports',
  renderChunk(code) {
    const required = /^const (require_[\w$]+) = require\("\.\/[^"]+"\);$/gm;
    // A package may give the same name to something of its own.
    const chunks = new Set(
      Array.from(code.matchAll(required), ([, chunk]) => chunk).filter(
        chunk => code.split(`const ${chunk} =`).length === 2,
      ),
    );
    const uses = new Map();
    const body = code.replace(/(?<![\w$])(require_[\w$]+)\.([\w$]+)/g, (use, chunk, name) => {
      if (!chunks.has(chunk)) return use;
      if (!uses.has(chunk)) uses.set(chunk, new Set());
      uses.get(chunk).add(name);
      return `${chunk}$${name}`;
    });
    return body.replace(required, (line, chunk) => {
      const names = [...(uses.get(chunk) ?? [])].map(name => `${name}: ${chunk}$${name}`);
      return names.length === 0 ? line : `${line}\nconst { ${names.join(', ')} } = ${chunk};`;
    });
  },
};

// A page with an embedded model only tags with it, and neither explains tags nor trains; it has only the rules of the
// model.
const leftOut = [
  'engine/kernels/reference/accumulate',
  'engine/kernels/reference/adaptive-steps',
  'engine/kernels/reference/cumulative-penalty',
  'engine/kernels/simd/simd-adaptive-steps',
  'engine/models/decoding/sequence-rules',
  'engine/models/decoding/tag-rules',
  'engine/models/inspection/explain',
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
 * Lets modules load a package of the program on first use: RxJS has 200 files, some 70 ms of an import, and tagging
 * alone does not need it. `chunks/<name>.cjs` has an accessor for each of its names, and `require`, which bundlers of
 * programs follow; other modules import from a CommonJS module by name.
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

/** Entries of the package, and those with a separate form for pages. */
const { exports } = JSON.parse(readFileSync(join(dist, '../package.json'), 'utf8'));
const targets = Object.values(exports).filter(target => typeof target === 'object');
const pathIn = (file, folder) => relative(folder, join(dist, '..', file)).replace(/\.js$/, '');
const entries = targets.map(target => pathIn(target.node ?? target.default, dist));
const inPages = targets
  .filter(target => target.node !== undefined)
  .map(target => pathIn(target.default, join(dist, 'web')));
// Programs of threads started by entries for pages.
const pagePrograms = ['entries/element-worker'];

// The entry that needs the least. What it shares with others is in a chunk of its own, and pulls nothing else.
const least = 'entries/client';

/**
 * Returns chunks with what each entry needs beyond the previous ones: a class is the same in all entries. The first has only what
 * is shared with the entry that needs the least.
 */
function groupsOf(paths) {
  const beyond = paths.map(path => ({
    name: (id, context) => (reaches(path, id, context) ? basename(path) : null),
    debugName: path,
  }));
  const groups = [{ name: sharedWithLeast, debugName: 'shared' }, ...beyond];
  return groups.map((group, place) => ({ ...group, priority: paths.length - place }));
}

function sharedWithLeast(id, context) {
  const isShared = reaches(least, id, context) && isImportedElsewhere(least, id, context);
  return isShared ? 'shared' : null;
}

for (const made of ['chunks', 'web']) rmSync(join(dist, made), { recursive: true, force: true });
// Optional, and loaded only if a server is named.
const optional = /^@nats-io\//;
// Observables that go through a program's own operators must be those of the RxJS that it imports. A page cannot
// defer an import.
await write(
  [...inPages, ...pagePrograms],
  groupsOf(['entries/browser', 'entries/operators', 'entries/training']),
  {
    dir: join(dist, 'web'),
    platform: 'neutral',
    external: ['rxjs'],
  },
);
// In Node RxJS is loaded on demand; ndjson is CommonJS. Lines are kept: for an uncaught error, Node prints the whole
// line that it comes from.
await write(entries, groupsOf(['entries/operators', 'entries/training', 'index']), {
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
    plugins: [kernelFiles, partsOfYargs, constantImports],
    // For settings of yargs in package.json, which the command does not read.
    define: { 'import.meta.resolve': 'undefined' },
    // What chunks share with a program may stay in it, if only its own chunks need it.
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
const importsOf = new Map(built.map(({ fileName, imports = [] }) => [fileName, imports]));
for (const { isEntry, name, fileName, imports = [] } of built) {
  const below = new Set(imports);
  for (const each of below) for (const next of importsOf.get(each) ?? []) below.add(next);
  if (below.has(fileName)) throw new Error(`${fileName} imports itself, by way of other chunks`);
  // Otherwise loading the chunk would run it.
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
// Scripts embedded in pages, and the module that `export` writes: one file each.
const scripts = {
  'annotation/page/main': 'iife',
  'reports/tagger-page/loader': 'iife',
  'reports/tagger-page/main': 'iife',
  'reports/tagger-page/module': 'esm',
  'service/telemetry/dashboard/page/main': 'iife',
  'service/serve/page/main': 'iife',
};
for (const [path, format] of Object.entries(scripts)) {
  const file = join(dist, `${path}.js`);
  const plugins = path === 'reports/tagger-page/main' ? [taggingPage] : [];
  // Reading the kernels takes a while.
  const checks = { pluginTimings: false };
  const script = await rolldown({ input: file, platform: 'browser', plugins, checks });
  const { output } = await script.generate({ format, minify: true });
  await script.close();
  writeFileSync(file, output[0].code);
}

// The styles of the charting library.
copyFileSync(
  modules('uplot', './uPlot.min.css'),
  join(dist, 'service/telemetry/dashboard/page/main.css'),
);

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
    // An import in a script loaded by hand would need a module loader, which is experimental in Node.
    dynamicImportInCjs: false,
    // One folder deep, as runtime/thread-file.ts counts on.
    chunkFileNames: `chunks/[name]-[hash].${format === 'cjs' ? 'cjs' : 'js'}`,
    codeSplitting: { groups },
    comments: { jsdoc: false },
    // Less to read at each start. Names of functions and classes are kept for readable stack traces.
    minify: {
      compress: false,
      mangle: { keepNames: { function: true, class: true } },
      codegen: { removeWhitespace },
    },
  });
  await bundle.close();
  return output;
}
