// @module-tag slow
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { beforeAll, describe, expect, it } from 'vitest';
import { train } from '../../../src/runtime/pipeline/training/train.js';
import { workspace } from '../../cli/commands/workspace.js';
import { exportsOf } from './declarations.js';
import { installPacked, peers } from './packed-package.js';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
const folder = workspace();
const installed = join(folder, 'node_modules/tagstream');

interface Manifest {
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

/** Entries by the names that they are imported by, with their declarations. */
const entries = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string' ? [] : [[path.replace('.', 'tagstream'), target] as const],
);

beforeAll(async () => {
  await installPacked(folder);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
});

/** Compiles a project of some files with all checks; the lines that the compiler says. */
async function compiled(
  name: string,
  texts: Readonly<Record<string, string>>,
  options: object = {},
): Promise<string[]> {
  const files = Object.keys(texts);
  for (const file of files) writeFileSync(join(folder, file), texts[file]!);
  const compilerOptions = {
    ...{ strict: true, module: 'nodenext', target: 'es2023', noEmit: true, skipLibCheck: false },
    ...{ types: [], ...options },
  };
  const project = join(folder, `${name}.json`);
  writeFileSync(project, JSON.stringify({ compilerOptions, files }));
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', project], { cwd: folder }).catch(
    (failed: { stdout: string }) => failed,
  );
  return stdout.split('\n').filter(line => line !== '');
}

const program = `
import { lastValueFrom, of } from 'rxjs';
import { createLearner, createModel, kernels, train, Tagger } from 'tagstream';
import type { Document, Trained, TrainRequest } from 'tagstream';
import { logLoss, softmaxMargin } from 'tagstream/losses';
import { featurize, iterate, tokenize } from 'tagstream/operators';
import { lbfgs, owlQn } from 'tagstream/optimizers';
import * as browser from 'tagstream/browser';
import * as models from 'tagstream/models';

const corpus: Document[] = [{ tokens: ['a', 'b'], tags: ['X', 'Y'] }];
const request: TrainRequest = { corpus, features: { templates: 'U:%x[0,0]' }, optimizer: lbfgs({ l2: 0.5 }), loss: softmaxMargin() };
const trained: Trained = await train(request);
const tagger: Tagger = trained.tagger;
const inPage: browser.Tagger = new browser.Tagger(tagger.model);
const model = createModel({ templates: 'U:%x[0,0]' }, undefined, kernels.simd64);
const learner = createLearner(model, { loss: logLoss(), optimizer: owlQn({ l1: 0.01 }) });
const steps = of(...corpus).pipe(tokenize(), featurize(model), iterate(learner, { iterations: 3 }));
const last = await lastValueFrom(steps);
console.log(tagger.tag(['b']), inPage.tag(['b']), last.iteration !== undefined);
console.log(trained.tagger instanceof Tagger, browser.Tagger === Tagger, models.Tagger === Tagger);
`;

describe('the packed package', () => {
  it('compiles in a strict project without types of Node, its own declarations and each name checked', async () => {
    const names = entries.map(([name, { types }]) => {
      const list = exportsOf(join(root, types!)).map(exported => exported.name);
      const text = `export type { ${list.join(', ')} } from '${name}';`;
      return [`${name.replace('/', '-')}.ts`, text] as const;
    });
    expect(names).toHaveLength(16);
    const wrong = `import { train } from 'tagstream';
import { lbfgs } from 'tagstream/optimizers';
await train({ corpus: [], features: { preset: 'pos' }, optimizer: { lbgfs: {} } });
await train({ corpus: [], features: { preset: 'pos' }, optimizer: { lbfgs: { l2: 'much' } } });
await train({ corpus: [], features: { preset: 'pos' }, optimizer: lbfgs({ l2: 'much' }) });
await train({ corpus: [], features: { preset: 'pos' }, optimizer: lbfgs });`;
    const texts = { ...Object.fromEntries(names), 'program.ts': program, 'wrong.ts': wrong };
    const lines = await compiled('project', texts);
    // What is wrong on purpose, and nothing else.
    expect(lines.filter(line => !line.startsWith(' ')).map(line => line.slice(0, 11))).toEqual([
      'wrong.ts(3,',
      'wrong.ts(4,',
      'wrong.ts(5,',
      'wrong.ts(6,',
    ]);
  });

  it('needs no types of a browser in a program for Node', async () => {
    const program = `import { loadTagger, TaggerPool, train } from 'tagstream';
export const tag = (file: string) => loadTagger(file).tag(['a']);
export const [learn, pool] = [train, TaggerPool];`;
    const options = { types: ['node'], typeRoots: [join(root, 'node_modules/@types')] };
    const lib = ['es2023'];
    expect(await compiled('server', { 'server.ts': program }, { ...options, lib })).toEqual([]);
  });

  it('needs no types of Node in a page', async () => {
    const page = `import { Tagger } from 'tagstream/browser';
import { train } from 'tagstream/training';
export const tag = async (bytes: ArrayBuffer) => Tagger.fromBytes(bytes).tag(['a']);
export const learn = train;`;
    const options = { types: [], module: 'esnext', moduleResolution: 'bundler' };
    const lib = ['es2023', 'dom', 'dom.iterable'];
    expect(await compiled('page', { 'page.ts': page }, { ...options, lib })).toEqual([]);
  });

  it('runs, and has one class for all entries', async () => {
    const code = program.replace(/import type .*/, '').replace(/: [\w.]+(?:\[\])? =/g, ' =');
    writeFileSync(join(folder, 'program.mjs'), code);
    const { stdout } = await run(process.execPath, ['program.mjs'], { cwd: folder });
    expect(stdout).toBe("[ 'Y' ] [ 'Y' ] true\ntrue true true\n");
  });

  it('takes RxJS from the program, whose streams meet its operators', () => {
    expect(peers).toEqual(['rxjs']);
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
    const imports = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*["'`]rxjs["'`]/;
    const taking = files.filter(
      file =>
        /\.c?js$/.test(file) && imports.test(readFileSync(join(installed, 'dist', file), 'utf8')),
    );
    // The command and its threads have their own in their files, and need none to be installed.
    expect(taking.filter(file => file.endsWith('.cjs'))).toEqual(['chunks/rxjs.cjs']);
    expect(taking.every(file => file.startsWith('web/') || file.endsWith('.cjs'))).toBe(true);
  });

  it('reads RxJS when it is needed, which is not to tag', async () => {
    const corpus = [{ tokens: ['a', 'b'], tags: ['X', 'Y'] }];
    const { bytes } = await train({ corpus, features: { templates: 'U:%x[0,0]' } });
    writeFileSync(join(folder, 'unread.model'), bytes);
    const code = `import { createRequire } from 'node:module';
import { loadTagger, tokenize } from 'tagstream';
const { cache } = createRequire(import.meta.url);
const hasRead = () => Object.keys(cache).some(file => file.includes('rxjs/dist'));
const tagger = loadTagger('unread.model');
console.log(tagger.tag(['b']), hasRead());
tokenize();
console.log(hasRead());
`;
    writeFileSync(join(folder, 'unread.mjs'), code);
    const { stdout } = await run(process.execPath, ['unread.mjs'], { cwd: folder });
    expect(stdout).toBe("[ 'Y' ] false\ntrue\n");
  });

  it('is bundled with a program and all that it needs, without optional packages', async () => {
    const code = `import { firstValueFrom, of, Observable } from 'rxjs';
import { loadTagger } from 'tagstream';
import { tokenize } from 'tagstream/operators';
const tokenized = of({ text: 'It rains.' }).pipe(tokenize());
const { tokens } = await firstValueFrom(tokenized);
console.log(tokens.join(' '), tokenized instanceof Observable, typeof loadTagger);
`;
    writeFileSync(join(folder, 'whole.mjs'), code);
    const bundle = await rolldown({
      input: join(folder, 'whole.mjs'),
      platform: 'node',
      resolve: { symlinks: false },
    });
    const alone = mkdtempSync(join(tmpdir(), 'tagstream-whole-'));
    await bundle.write({ dir: alone, entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
    await bundle.close();
    const { stdout } = await run(process.execPath, ['whole.mjs'], { cwd: alone });
    rmSync(alone, { recursive: true });
    expect(stdout).toBe('It rains . true function\n');
  });

  it('shows one line of the source for an error that nobody catches', async () => {
    const file = join(folder, 'uncaught.mjs');
    writeFileSync(file, "import { readModel } from 'tagstream';\nreadModel(new Uint8Array(8));\n");
    const { stderr } = await run(process.execPath, [file]).catch(
      (failed: { stderr: string }) => failed,
    );
    expect(stderr).toContain('TagstreamError: ');
    expect(stderr.length).toBeLessThan(5000);
  });

  it('has the program of the command and those of its threads', async () => {
    const record = { tokens: ['It', 'rains', '.'], tags: ['P', 'V', '.'] };
    writeFileSync(join(folder, 'toy.ndjson'), `${JSON.stringify(record)}\n`.repeat(64));
    const toy = `{ "version": 1, "name": "toy", "source": { "ndjson": { "files": ["toy.ndjson"] } },
      "stages": [{ "featurize": { "templates": ["U:%x[0,0]"] } }, { "batch": { "sentences": 16 } },
        { "contribute": { "loss": "log" } }, { "optimize": { "sgd": {} } }],
      "train": { "epochs": 2 }, "model": "toy.model" }`;
    writeFileSync(join(folder, 'toy.yaml'), toy);
    const command = join(installed, 'dist/cli/main.js');
    const given = ['train', 'toy.yaml', '--workers', '2'];
    await run(process.execPath, [command, ...given], { cwd: folder });
    const tag = ['tag', '--model', 'toy.model', '--workers', '2', 'toy.ndjson'];
    const { stdout } = await run(process.execPath, [command, ...tag], { cwd: folder });
    expect(stdout.split('\n')).toHaveLength(65);
    expect(JSON.parse(stdout.split('\n')[0]!)).toMatchObject({
      gold: record.tags,
      tags: record.tags,
    });
  });

  it('has every file that a module of its own imports or starts', () => {
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
    const has = new Set(files);
    const programs = /threadFile\(["'`]([\w/-]+)["'`]\)/g;
    const relative = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*["'`](\.[^"'`]+)["'`]/g;
    const named = files
      .filter(file => /\.c?js$/.test(file))
      .flatMap(file => {
        const code = readFileSync(join(installed, 'dist', file), 'utf8');
        const modules = [...code.matchAll(relative)].map(([, path]) => join(dirname(file), path!));
        const loaded = [...code.matchAll(/\bloadProgram\('([^']+)'\)/g)];
        modules.push(...loaded.map(([, name]) => join('chunks', name!)));
        return [...modules, ...[...code.matchAll(programs)].map(([, path]) => `${path}.js`)];
      });
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(file => !has.has(file))).toEqual([]);
  });

  it('has no source maps, whose sources it would have to bring, and no scripts of an installation', () => {
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
    expect(files.filter(file => file.endsWith('.map'))).toEqual([]);
    const mapped = files.filter(
      file =>
        /\.c?js$/.test(file) &&
        readFileSync(join(installed, 'dist', file), 'utf8').includes('sourceMappingURL='),
    );
    expect(mapped).toEqual([]);
    const { scripts } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const run = [
      'preinstall',
      'install',
      'postinstall',
      'prepublish',
      'preprepare',
      'prepare',
      'postprepare',
    ];
    expect(Object.keys(scripts).filter(name => run.includes(name))).toEqual([]);
  });
});
