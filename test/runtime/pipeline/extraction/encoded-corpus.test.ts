import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { DeadLetterOptions } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { parsePipeline } from '../../../../src/runtime/pipeline/loading/load-pipeline.js';
import { runPipeline } from '../../../../src/runtime/pipeline/run/run-pipeline.js';
import { workspace } from '../../../cli/commands/workspace.js';
import { columnText, lateLabels, ndjsonText, textRecords } from './corpora.js';

const folder = workspace();
const full = process.env.TAGSTREAM_FULL === '1';
let runs = 0;

interface Case {
  readonly name: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly source: string;
  readonly featurize?: string;
  readonly before?: string;
}

interface Trained {
  readonly model: Buffer;
  readonly sentences: number;
  readonly blank: number;
  readonly counts: unknown;
  readonly letters: string;
}

const plain = '["U00:%x[0,0]", "U01:%x[-1,0]/%x[0,0]", "U02:%suffix[0,0,2]", "B"]';

/** In this thread, all in the long way: what counts records reads them one by one. */
const recordByRecord = 0;

/** Trains on files and gives the bytes of the model, and what was said about the input. */
async function train(
  { files, source, featurize = `{ templates: ${plain} }`, before = '' }: Case,
  workers: number,
  policy: DeadLetterOptions['policy'] = 'skip',
): Promise<Trained> {
  runs += 1;
  const place = join(folder, String(runs));
  mkdirSync(place);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text);
  const pipeline = parsePipeline(
    `version: 1
name: corpus
source: ${source}
stages:
${before}  - featurize: ${featurize}
  - batch: { sentences: 200 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.1, l2: 0.1 } }
train: { epochs: 1, seed: 3, workers: ${Math.max(1, workers)} }
model: out.model
`,
    join(place, 'p.yaml'),
  );
  const file = join(place, 'letters');
  const deadLetters = new DeadLetters(policy === 'dead-letter' ? { policy, file } : { policy });
  let blank = 0;
  let sentences = 0;
  await runPipeline(pipeline, {
    deadLetters,
    sharedReading: 0,
    limit: workers === recordByRecord ? Number.MAX_SAFE_INTEGER : undefined,
    events: {
      onCorpus: size => {
        sentences = size;
      },
    },
    onBlank: () => {
      blank += 1;
    },
  });
  const model = readFileSync(join(place, 'out.model'));
  const total = deadLetters.total > 0 && policy === 'dead-letter';
  const letters = total ? readFileSync(file, 'utf8').replaceAll(place, '') : '';
  return { model, sentences, blank, counts: deadLetters.counts, letters };
}

const ndjson = '{ ndjson: { files: [a.ndjson] } }';
const conll = '{ conll: { files: [a.txt], columns: [form, pos, tag] } }';

// Records are long, so that few of them make two blocks of 256 KiB or more, which all cases have that do
// not say otherwise.
const count = 80;
const length = 2000;

const cases: readonly Case[] = [
  {
    name: 'NDJSON with text, in which the tokenizer finds tokens or none',
    files: { 'a.ndjson': textRecords(count, length) },
    source: ndjson,
    before: '  - tokenize: { tokenizer: regex, pattern: "[a-z]+" }\n',
  },
  {
    name: 'CoNLL columns',
    files: { 'a.txt': columnText(900, 30) },
    source: conll,
    featurize: '{ templates: ["U00:%x[0,0]", "U01:%x[0,1]/%x[1,1]", "B"] }',
  },
  {
    name: 'labels that appear late',
    files: { 'a.ndjson': lateLabels(count, length) },
    source: ndjson,
  },
  {
    name: 'templates of transitions',
    files: { 'a.ndjson': ndjsonText(count, { length }) },
    source: ndjson,
    featurize: '{ templates: ["U00:%x[0,0]", "B00:%x[0,0]", "*01:%x[-1,0]", "B"] }',
  },
  {
    name: 'real values',
    files: { 'a.ndjson': ndjsonText(count, { length, weights: true }) },
    source: ndjson,
    featurize: '{ templates: ["U00:%x[0,0]", "U01:%v[0,weight]", "B01:%v[0,weight]", "B"] }',
  },
  {
    name: 'a hashed index',
    files: { 'a.ndjson': ndjsonText(count, { length }) },
    source: ndjson,
    featurize: `{ templates: ${plain}, hashed: { rows: 500, edgeRows: 10 } }`,
  },
  {
    name: 'sentences labelled in part, with weights, some of them wrong',
    files: { 'a.ndjson': ndjsonText(count, { length, partly: true, unlabelledEvery: 7 }) },
    source: ndjson,
  },
  {
    name: 'the same with observed support',
    files: { 'a.ndjson': ndjsonText(count, { length, partly: true, badEvery: 9 }) },
    source: ndjson,
    featurize: '{ templates: ["U00:%x[0,0]", "B00:%x[0,0]", "B"], support: observed }',
  },
  {
    name: 'observed support',
    files: { 'a.ndjson': lateLabels(count, length) },
    source: ndjson,
    featurize: '{ templates: ["U00:%x[0,0]", "B00:%x[0,0]", "B"], support: observed }',
  },
  {
    name: 'several files, one of them empty and one packed',
    files: {
      'a.ndjson': ndjsonText(count, { length }),
      'b.ndjson': '',
      'c.ndjson': gzipSync(lateLabels(count, length)),
    },
    source: '{ ndjson: { files: [a.ndjson, b.ndjson, c.ndjson] } }',
  },
  {
    name: 'word lists',
    files: {
      'a.ndjson': ndjsonText(count, { length }),
      'names.txt': 'word1 word2\nWORD3\n',
      'paths.txt.gz': gzipSync('00\tword1\t9\n01\tword2\t8\n1\tword3\t7\n'),
    },
    source: ndjson,
    featurize: `{ templates: ${plain}, gazetteers: { names: { file: names.txt, fold: true } }, clusters: { brown: paths.txt.gz } }`,
  },
  {
    name: 'word vectors',
    files: {
      'a.ndjson': ndjsonText(count, { length }),
      'v.txt': 'word1 1 -0.5 2\nWORD2 0.25 0 1\n',
    },
    source: ndjson,
    featurize: `{ templates: ${plain}, vectors: { v: { file: v.txt, fold: true } } }`,
  },
  {
    name: 'one small file',
    files: { 'a.ndjson': ndjsonText(5) },
    source: ndjson,
  },
  {
    name: 'a cutoff, which is read record by record',
    files: { 'a.ndjson': ndjsonText(count, { length }) },
    source: ndjson,
    featurize: `{ templates: ${plain}, cutoff: 3 }`,
  },
  {
    name: 'a part of the records, which is read record by record',
    files: { 'a.ndjson': ndjsonText(count, { length }) },
    source: '{ ndjson: { files: [a.ndjson], split: { every: 3, take: [1] }, limit: 50 } }',
  },
];

describe('a corpus read in blocks', () => {
  it.each(cases)('gives the same model: $name', { tags: 'slow' }, async given => {
    const alone = await train(given, recordByRecord);
    // In the short form now two, now three.
    for (const workers of full ? [1, 2, 3] : [1, 2 + (cases.indexOf(given) % 2)]) {
      const { model, ...reported } = await train(given, workers);
      expect(model.equals(alone.model), `${workers} workers`).toBe(true);
      expect({ ...reported, model: alone.model }).toEqual(alone);
    }
    expect(alone.sentences).toBeGreaterThan(0);
  });

  const bad = ndjsonText(1000, { weights: true, badEvery: 37, blankEvery: 11, unlabelledEvery: 5 });
  const featurize = '{ templates: ["U00:%x[0,0]", "U01:%v[0,weight]", "B"] }';

  it.each(['skip', 'dead-letter'] as const)(
    'with bad records and blank lines: %s',
    { tags: 'slow' },
    async policy => {
      const given = { name: policy, files: { 'a.ndjson': bad }, source: ndjson, featurize };
      const alone = await train(given, recordByRecord, policy);
      for (const workers of full ? [1, 2, 3] : [1, policy === 'skip' ? 2 : 3]) {
        const { model, ...rest } = await train(given, workers, policy);
        const { model: expected, letters, ...reported } = alone;
        expect(model.equals(expected)).toBe(true);
        expect({ ...rest, letters: sorted(rest.letters) }).toEqual({
          ...reported,
          letters: sorted(letters),
        });
        expect(linesOf(rest.letters)).toEqual([...linesOf(rest.letters)].sort((a, b) => a - b));
      }
      expect(alone.counts).toEqual({ 'not-json': 9, 'unknown-column': 9 });
      expect(alone.blank).toBe(90);
      expect(alone.sentences).toBe(778);
    },
  );

  it('ends with the first bad record under fail', { tags: 'slow' }, async () => {
    const given = { name: 'fail', files: { 'a.ndjson': bad }, source: ndjson, featurize };
    const errors = (full ? [0, 1, 2, 3] : [0, 1, 2]).map(async workers => {
      const error = await train(given, workers, 'fail').catch((thrown: Error) => thrown);
      return (error as Error).message.replace(/^.*a\.ndjson/, '');
    });
    const [alone, ...others] = await Promise.all(errors);
    expect(alone).toMatch(/^:\d+: /);
    expect(others).toEqual(others.map(() => alone));
    expect(others.length).toBeGreaterThan(0);
  });

  it('ends with the error of a file that cannot be read to its end', async () => {
    const packed = gzipSync(ndjsonText(count, { length }));
    const files = { 'a.ndjson': packed.subarray(0, packed.length - 40) };
    const given = { name: 'cut', files, source: ndjson };
    for (const workers of [0, 1, 2]) {
      await expect(train(given, workers)).rejects.toThrow(/the gzip data is cut off/);
    }
  });
});

function sorted(letters: string): string[] {
  return letters.split('\n').sort();
}

/** Lines that the letters are about. */
function linesOf(letters: string): number[] {
  const lines = letters.split('\n').filter(letter => letter !== '');
  return lines.map(letter => (JSON.parse(letter) as { line: number }).line);
}
