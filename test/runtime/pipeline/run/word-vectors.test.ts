import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { readModel, writeModel } from '../../../../src/engine/models/files/model-file.js';
import { readModelHeader } from '../../../../src/engine/models/files/model-header.js';
import { Tagger } from '../../../../src/engine/models/tagger.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { tagstream } from '../../../cli/commands/run-command.js';
import { toyRecords, workspace } from '../../../cli/commands/workspace.js';
import { sentenceOf } from '../../../engine/features/sentence-of.js';
import { train } from '../../../engine/models/examples/train.js';
import { wordVectors } from '../../../engine/models/examples/word-lists.js';
import { expectSame } from '../tagging/plain/same-either-way.js';
import { listedPipeline } from './listed-pipeline.js';

const folder = workspace();
const path = (name: string) => join(folder, name);

/** Words of the records, by what they are; one of them has no vector. */
const rows = [
  ...['the 1 0.1 -0.25', 'a 0.9 0 -0.2', 'DOG 0 3 0.5', 'cat 0.1 2 0.75', 'house -0.1 2.5 0'],
  ...['runs 0 0 -1', 'sees 0.1 0.2 -3', 'quick -1 -1 0.5', 'old -2 -1.5 1'],
].map(row => `${row}\n`);

const pipelineWith = (featurize: string, epochs = 4) =>
  listedPipeline(path('p.yaml'), featurize, epochs);

async function run(featurize: string, epochs = 4, resume = false): Promise<Buffer> {
  await runPipeline(pipelineWith(featurize, epochs), {
    resume,
    deadLetters: new DeadLetters({ policy: 'fail' }),
  });
  if (epochs === 4) rmSync(path('checkpoints'), { recursive: true });
  return readFileSync(path('out.model'));
}

const chosen =
  '{ templates: ["U:%x[-1,0]", "B"], vectors: { v: { file: v.txt.gz, fold: true, words: 8, scale: 2 } } }';

beforeAll(() => {
  writeFileSync(path('train.ndjson'), `${toyRecords(40).join('\n')}\n`);
  writeFileSync(path('v.txt.gz'), gzipSync(rows.join('')));
  writeFileSync(path('v.txt'), rows.join(''));
  const home = path('node_modules/wink-embeddings-test');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, 'package.json'), '{ "version": "1.0.0", "main": "./vectors.json" }');
  const vectors = rows.map((row, i) => {
    const [word, ...numbers] = row.trim().split(' ');
    return [word!, [...numbers.map(Number), 1, i]];
  });
  const head = { dimensions: 3, wordIndex: 4, size: rows.length };
  const json = { ...head, vectors: Object.fromEntries(vectors) as object };
  writeFileSync(join(home, 'vectors.json'), JSON.stringify(json));
});

describe('word vectors in a pipeline file', () => {
  it('become part of the model, with templates for the token and its neighbours', async () => {
    const { spec } = readModel(await run(chosen));
    const { v } = spec.resources!.vectors!;
    expect(v).toMatchObject({ fold: true, dimensions: 3 });
    expect(v!.text).toBe('the\na\ndog\ncat\nhouse\nruns\nsees\nquick');
    const lengths = Array.from(v!.steps, (step, i) =>
      Math.hypot(...Array.from(v!.numbers.subarray(3 * i, 3 * i + 3), number => number * step)),
    );
    for (const length of lengths) expect(length).toBeCloseTo(2, 1);
    expect(spec.templates.split('\n').slice(2)).toEqual([
      'U:vector:v[-1]:%vector[-1,0,v]',
      'U:vector:v[0]:%vector[0,0,v]',
      'U:vector:v[1]:%vector[1,0,v]',
    ]);
  });

  it('are reported where they do not match the words of the corpus', { tags: 'slow' }, async () => {
    const codes = Array.from({ length: 9 }, (_, i) => `${(16 + i).toString(2)}\tw${i}\n`);
    writeFileSync(path('codes.txt'), codes.join(''));
    const warned = async (lists: string) => {
      const messages: string[] = [];
      await runPipeline(pipelineWith(`{ templates: ["U:%x[-1,0]", "B"], ${lists} }`), {
        events: { onWarning: (code, message) => messages.push(`${code}: ${message}`) },
      });
      rmSync(path('checkpoints'), { recursive: true });
      return messages;
    };
    expect(await warned('vectors: { v: { file: v.txt, fold: true } }')).toEqual([]);
    expect(await warned('vectors: { v: { file: v.txt, words: 2 } }')).toEqual([
      expect.stringMatching(/^list-match: vectors v cover \d+ % of the words, too few to help/),
    ]);
    expect(await warned('clusters: { c: codes.txt }')).toEqual([
      expect.stringMatching(/^list-match: clusters c cover 0 % of the words/),
      expect.stringContaining('all paths have 5 bits'),
    ]);
  });

  it('come from a file or from an installed package', async () => {
    const plain = '{ templates: ["U:%x[-1,0]", "B"], vectors: { v: v.txt } }';
    const packed = plain.replace('v.txt', 'wink-embeddings-test');
    expect(readModel(await run(packed)).spec.resources).toEqual(
      readModel(await run(plain)).spec.resources,
    );
  });

  it('give the same bytes, also where a run is resumed without their file', async () => {
    const whole = await run(chosen);
    expect((await run(chosen)).equals(whole)).toBe(true);
    await run(chosen, 2);
    rmSync(path('v.txt.gz'));
    expect((await run(chosen, 4, true)).equals(whole)).toBe(true);
    writeFileSync(path('v.txt.gz'), gzipSync(rows.join('')));
  });

  it('are named where they are wrong', async () => {
    writeFileSync(path('bad.txt'), 'a 1 2\nb 1\n');
    writeFileSync(path('nan.txt'), 'a 1 2\nb 1 NaN\n');
    writeFileSync(path('zero.txt'), '2 0\na\nb\n');
    writeFileSync(path('cut.gz'), gzipSync(rows.join('')).subarray(0, 40));
    mkdirSync(path('folder'));
    const failure = (file: string, more = '') =>
      run(`{ templates: ["U:%x[0,0]"], vectors: { v: { file: ${file}${more} } } }`).then(
        () => 'none',
        (error: Error) => error.message.replaceAll(`${folder}/`, ''),
      );
    expect(await failure('none/v.txt')).toMatch(/^cannot read none\/v\.txt: no such file/);
    expect(await failure('none.txt')).toMatch(
      /^there is no file none\.txt, and no npm package of that name is installed here \(correct the path, or install/,
    );
    expect(await failure('folder')).toMatch(/^cannot read folder: it is a directory/);
    expect(await failure('bad.txt')).toMatch(/^bad\.txt:2: expected a word and 2 numbers/);
    expect(await failure('nan.txt')).toMatch(/^nan\.txt:2: expected a word and 2 numbers/);
    expect(await failure('zero.txt')).toMatch(
      /^zero\.txt: the vectors have 0 dimensions, but 1 to/,
    );
    expect(await failure('cut.gz')).toMatch(/cut\.gz: the gzip data is cut off/);
    expect(() => pipelineWith('{ templates: [U], vectors: { v: { file: a, scale: 0 } } }')).toThrow(
      /scale/,
    );
    expect(() => pipelineWith('{ model: m, vectors: { v: a } }')).toThrow(
      /use gazetteers, clusters and vectors with templates/,
    );
  });
});

describe('a model with word vectors', () => {
  const records = toyRecords(300, false).map((record, i) =>
    i % 7 === 0 ? record.replace('"dog"', '"unseen"').replace('"the"', '"The"') : record,
  );

  it('tags the same in blocks, record by record, by workers and from code', {
    tags: 'slow',
  }, async () => {
    const bytes = await run(chosen);
    const model = readModel(bytes);
    const tagger = new Tagger(model);
    writeFileSync(path('in.ndjson'), `${records.join('\n')}\n`);
    const tag = (...more: string[]) =>
      tagstream(['tag', '--model', path('out.model'), path('in.ndjson'), ...more]);
    const whole = await tag();
    expect(whole.code).toBe(0);
    const tags = whole.stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as { tokens: string[]; tags: string[] });
    expect(tags.map(({ tokens }) => tagger.tag(tokens))).toEqual(tags.map(each => each.tags));
    expect(tagger.tagMany(tags)).toEqual(tags.map(each => each.tags));
    expect(tags.map(({ tokens }) => tagger.analyze(tokens).tags)).toEqual(
      tags.map(each => each.tags),
    );
    expect((await tag('--limit', '100000')).stdout).toBe(whole.stdout);
    expect((await tag('--workers', '2')).stdout).toBe(whole.stdout);
    const posterior = { output: 'record', decoding: 'posterior', marginals: true } as const;
    const format = { name: 'ndjson', options: {} } as const;
    await expectSame(model, format, posterior, [`${records.join('\n')}\n`]);
  });

  it('is of a version that older programs refuse, and others are not', () => {
    const version = (bytes: Uint8Array) => new DataView(bytes.buffer).getUint32(4, true);
    const sentences = [sentenceOf(['w1', 'w2'], { tags: ['X', 'Y'] })];
    const none = writeModel(train(sentences, { spec: { templates: 'U:%x[0,0]' } }));
    const resources = wordVectors;
    const some = writeModel(
      train(sentences, { spec: { templates: 'U:%vector[0,0,v]', resources } }),
    );
    expect([version(none), version(some)]).toEqual([1, 5]);
    expect(readModelHeader(some).resources).toEqual([
      { kind: 'vectors', name: 'v', fold: false, dimensions: 3 },
    ]);
  });
});
