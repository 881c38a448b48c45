import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../../src/runtime/pipeline/loading/load-pipeline.js';
import { workspace } from '../../cli/commands/workspace.js';
import { itsPackage, plugInPipeline } from './installed.js';

const folder = workspace();
const pipelineText = readFileSync(plugInPipeline(folder, itsPackage), 'utf8');
let files = 0;

/** A module with this text, as pipeline files name it. */
function moduleOf(text: string): string {
  files += 1;
  const name = `./plugin-${files}.mjs`;
  writeFileSync(join(folder, name), text);
  return name;
}

const pipelineUsing = (use: string, stages = '[tokenize]') =>
  `version: 1\nname: a\nuse: ${use}\nsource: { ndjson: {} }\nstages: ${stages}\n`;

function loading(text: string): unknown {
  return thrownBy(() =>
    parsePipeline(pipelineUsing(`[${moduleOf(text)}]`), join(folder, 'a.yaml')),
  );
}

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (thrown) {
    return thrown;
  }
  throw new Error('nothing was thrown');
}

const error = (problem: string, fix: string) => ({
  name: 'TagstreamError',
  code: 'config',
  problem: expect.stringContaining(problem),
  fix: expect.stringContaining(fix),
});

const component = (more: string) =>
  `export default { name: 'mine', components: [{ summary: 'a thing', ${more} }] };`;

describe('a module that is no plug-in', () => {
  it.each([
    [
      'that is not there',
      './absent.mjs',
      'the plug-in ./absent.mjs cannot be loaded: there is no file',
      'correct the path',
    ],
    [
      'of a package that is not installed',
      'its-absent',
      'the plug-in its-absent cannot be loaded: cannot find the package',
      'npm install its-absent',
    ],
    [
      'of a file without ./',
      'train.tsv',
      'the plug-in train.tsv cannot be loaded',
      'write ./train.tsv',
    ],
  ])('%s', (_, use, problem, fix) => {
    const load = () => parsePipeline(pipelineUsing(`[${use}]`), join(folder, 'a.yaml'));
    expect(thrownBy(load)).toMatchObject(error(problem, fix));
  });

  it('nor a list of them', () => {
    const load = () => parsePipeline(pipelineUsing('./mine.mjs'), 'a.yaml');
    expect(thrownBy(load)).toMatchObject({
      ...error('use: a list of packages and files is expected', 'use: [./mine.mjs]'),
      place: { source: 'a.yaml', line: 3 },
    });
  });

  it.each([
    ['throws', "throw new Error('too early');", 'cannot be loaded: Error: too early', 'correct '],
    ['does not parse', 'export default {', 'cannot be loaded: SyntaxError', 'correct '],
    ['awaits', 'await 1; export default {};', 'it uses top-level await', 'move the await'],
    [
      'exports nothing',
      'export const a = 1;',
      'has no default export',
      'export default definePlugin(',
    ],
    ['is not an object', 'export default 7;', 'is not an object', 'definePlugin'],
    ['has no name', 'export default { components: [] };', 'has no name', 'give { name'],
    [
      'has no components',
      "export default { name: 'mine' };",
      'the plug-in mine has no list of components',
      'components: [...]',
    ],
    [
      'has a component that is none',
      "export default { name: 'mine', components: [7] };",
      'component 1 of the plug-in mine is not an object',
      'defineLoss',
    ],
  ])('as it %s', (_, text, problem, fix) => {
    expect(loading(text)).toMatchObject(error(problem, fix));
  });
});

describe('a component that is none', () => {
  it.each([
    [
      'no kind',
      "name: 'a', create() {}",
      'component 1 of the plug-in mine has no kind',
      'give kind: one of loss',
    ],
    ['an unknown kind', "kind: 'tree', name: 'a'", 'is of the unknown kind tree', 'give kind'],
    ['no name', "kind: 'loss'", 'component 1 of the plug-in mine has no name', 'letters, digits'],
    ['a name with blanks', "kind: 'loss', name: 'a b'", 'has the name "a b"', 'letters, digits'],
    [
      'a name that no template can have',
      "kind: 'token function', name: 'a-1'",
      'has the name "a-1"',
      'letters alone',
    ],
    [
      'no summary',
      "kind: 'loss', name: 'a', summary: ''",
      'the loss a of the plug-in mine has no summary',
      'in one line',
    ],
    ['nothing that makes it', "kind: 'loss', name: 'a'", 'has no function create', 'add create'],
    [
      'options that are none',
      "kind: 'optimizer', name: 'a', create() {}, options: 3",
      'the optimizer a of the plug-in mine has a number as its options',
      'zod 4',
    ],
    [
      'options that are no object',
      "kind: 'loss', name: 'a', create() {}, options: { type: 'string' }",
      'has a schema of type string',
      'of an object',
    ],
    [
      'no records',
      "kind: 'codec', name: 'a', create() {}",
      'the codec a of the plug-in mine does not say what a record is',
      'records: lines',
    ],
    [
      'a name of Tagstream',
      "kind: 'loss', name: 'log', create() {}",
      'the plug-in mine registers a loss "log", but Tagstream',
      'another name',
    ],
    [
      'the name of a batch optimizer',
      "kind: 'optimizer', name: 'lbfgs', create() {}",
      'registers an optimizer "lbfgs", but Tagstream',
      'another name',
    ],
    [
      'the name of a macro',
      "kind: 'token function', name: 'Suffix', create() {}",
      'registers a token function "Suffix", but Tagstream',
      'another name',
    ],
  ])('as it has %s', (_, more, problem, fix) => {
    expect(loading(component(more))).toMatchObject(error(problem, fix));
  });

  it('nor one whose name another plug-in has', () => {
    const text = component("kind: 'loss', name: 'mean', create() {}");
    const two = [text, text.replace("'mine'", "'yours'")].map(moduleOf).join(', ');
    const load = () => parsePipeline(pipelineUsing(`[${two}]`), join(folder, 'a.yaml'));
    expect(thrownBy(load)).toMatchObject(
      error(
        'the plug-in yours registers a loss "mean", but the plug-in mine already has one',
        'another name',
      ),
    );
  });
});

describe('options that do not fit', () => {
  it.each([
    [
      'of a loss',
      'gamma: 0.02',
      'gamma: 7',
      'bounded.gamma: expected at most',
      'bounded is a loss of the plug-in its-package',
    ],
    [
      'that a loss does not know',
      'gamma: 0.02',
      'gama: 7',
      'unknown key "gama"',
      'did you mean gamma? known: gamma; bounded is a loss of',
    ],
    [
      'of an optimizer, by JSON Schema',
      'rate: 0.1',
      'rate: -1',
      'steps.rate: expected',
      'steps is an optimizer of the plug-in its-package',
    ],
    [
      'of a codec',
      'files: [train.tsv] } }\nstages',
      'file: [] } }\nstages',
      'unknown key "file"',
      'tsv is a codec of the plug-in its-package',
    ],
    [
      'of a transport',
      'files: [train.tsv] } }\nstages',
      'from: { queue: { name: a, nme: b } } } }\nstages',
      'unknown key "nme"',
      'queue is a transport of the plug-in its-package',
    ],
  ])('%s are said to be those of the plug-in', (_, from, to, problem, fix) => {
    const text = pipelineText.replace(from, to);
    expect(thrownBy(() => parsePipeline(text, join(folder, 'b.yaml')))).toMatchObject({
      ...error(problem, fix),
      place: { line: expect.any(Number), column: expect.any(Number) },
    });
  });

  it('of a token function are said with its template', () => {
    const text = pipelineText.replace('-1,0,2', '-1,0,two');
    expect(thrownBy(() => parsePipeline(text, join(folder, 'b.yaml')))).toMatchObject({
      code: 'template',
      problem: expect.stringContaining('%bucket cannot have the argument two'),
      fix: 'write it like U:%bucket[0,0,3]',
      place: { line: 6, column: expect.any(Number) },
    });
  });
});
