import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { map } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Position } from '../../../src/engine/core/delivery/delivery.js';
import { memberSpans } from '../../../src/formats/codecs/ndjson/member-spans.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { writeDocuments } from '../../../src/runtime/io/document-sink.js';
import { documentSource } from '../../../src/runtime/io/sources/document-source.js';
import { openOutput } from '../../../src/runtime/io/writing/open-output.js';
import { isNightly } from '../../house/long-forms.js';
import { cut } from '../../runtime/io/sources/read-all.js';
import { longForm } from '../long-form.js';
import { printSeed, randomOf } from '../seed.js';
import { randomLine } from './random-line.js';

printSeed('random lines');

const isWhole = longForm || isNightly;
const count = isWhole ? 100_000 : 10_000;
const owned = new Set(
  'tokens offsets sentences tags spans score probability marginals nbest gold nlp'.split(' '),
);

interface Passed {
  /** Output lines, and where in the input the record of each lay. */
  readonly lines: readonly string[];
  readonly positions: readonly Position[];
  readonly bad: Readonly<Record<string, number>>;
  readonly badTotal: number;
  readonly blanks: number;
}

/** Reads, tags each token `X` (texts are divided at white space), writes. */
async function pass(input: Buffer, chunk: number, maxLineBytes: number): Promise<Passed> {
  const stdin = new PassThrough();
  const pieces = cut(input, chunk)[Symbol.iterator]();
  const feed = () => {
    for (const piece of pieces) if (!stdin.write(piece)) return void stdin.once('drain', feed);
    stdin.end();
  };
  feed();
  const stdout = new PassThrough();
  const received: Buffer[] = [];
  stdout.on('data', (data: Buffer) => received.push(data));

  const codec = ndjsonCodec({ maxLineBytes });
  const deadLetters = new DeadLetters({ policy: 'skip' });
  const positions: Position[] = [];
  let blanks = 0;
  const onBlank = () => {
    blanks += 1;
  };
  const documents = documentSource({
    files: ['-'],
    stdin,
    codec,
    deadLetters,
    onBlank,
    budget: 99,
  });
  const tagged = documents.pipe(
    map(document => {
      positions.push(document.delivery!.position);
      const words = [...(document.text ?? '').matchAll(/\S+/g)];
      const tokens = document.tokens ?? words.map(match => match[0]);
      const offsets = words.map(match => [match.index, match.index + match[0].length] as const);
      const found = document.tokens === undefined ? { offsets } : {};
      const gold = document.tags === undefined ? {} : { gold: document.tags };
      return { document, tokens, ...found, ...gold, tags: tokens.map(() => 'X') };
    }),
  );
  const output = await openOutput('-', { stdout });
  const { records } = await writeDocuments(tagged, output, codec);
  const lines = Buffer.concat(received).toString().split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.length).toBe(records);
  const { counts: bad, total: badTotal } = deadLetters;
  return { lines, positions, bad, badTotal, blanks };
}

/** Key and value of each member that is not ours, as they are written. */
function unowned(line: string): string[] {
  return memberSpans(line)
    .filter(({ key }) => !owned.has(key))
    .map(m => line.slice(m.keyStart, m.valueEnd));
}

function lineCount(input: Buffer): number {
  const ends = input.filter(byte => byte === 10).length;
  return ends + (input.length > 0 && input.at(-1) !== 10 ? 1 : 0);
}

/** What holds for every input: each line has one outcome, and each output line is its own record. */
function check(input: Buffer, passed: Passed): void {
  const { lines, positions, badTotal, blanks } = passed;
  expect(lines.length + badTotal + blanks).toBe(lineCount(input));
  let last = 0;
  for (const [index, line] of lines.entries()) {
    const { start, end } = positions[index]!;
    const own = input.subarray(start, end).toString();
    const wrong = wrongOutput(own, line);
    if (start < last || wrong !== undefined) expect.fail(`${wrong ?? 'out of order'}: ${own}`);
    last = end;
  }
}

/** Plain comparisons, which are made 100,000 times. */
function wrongOutput(own: string, line: string): string | undefined {
  const record = JSON.parse(line);
  const before = JSON.parse(own);
  // Where it has spans of others, results are below a key, and nothing else changes.
  const isBelow = record.nlp !== undefined;
  const { tags, tokens = record.tokens } = isBelow ? record.nlp : record;
  if (tags.length !== tokens.length) return 'tags do not fit the tokens';
  if (!tags.every((tag: string) => tag === 'X')) return 'tags are not the predicted ones';
  if (isBelow) {
    const { nlp, ...others } = record;
    return JSON.stringify(others) === JSON.stringify(before) ? undefined : 'something changed';
  }
  if (before.tokens && String(before.tokens) !== String(record.tokens)) return 'tokens changed';
  const gold = before.gold ?? before.tags;
  if (JSON.stringify(gold ?? undefined) !== JSON.stringify(record.gold)) return 'gold changed';
  if (unowned(own).join('\n') !== unowned(line).join('\n')) return 'foreign fields changed';
  return undefined;
}

describe('NDJSON of any kind', () => {
  // What becomes of each line of each file: written, bad by code, blank.
  const outcomes: Record<string, [written: number, blank: number, bad: Record<string, number>]> = {
    'blank.ndjson': [1, 7, {}],
    'broken.ndjson': [0, 0, { 'not-json': 12 }],
    'crlf.ndjson': [4, 1, {}],
    'empty.ndjson': [0, 0, {}],
    'half.ndjson': [1, 0, { 'not-json': 1 }],
    'keys.ndjson': [9, 0, {}],
    'marks.ndjson': [3, 0, {}],
    'no-line-end.ndjson': [2, 0, {}],
    'not-utf8.ndjson': [2, 0, { 'invalid-utf8': 7 }],
    'numbers.ndjson': [5, 0, { 'not-a-number': 1 }],
    'scalars.ndjson': [0, 0, { 'not-an-object': 10, 'not-json': 4, 'wrong-shape': 1 }],
    'shapes.ndjson': [10, 0, { 'length-mismatch': 1, 'not-a-number': 1, 'wrong-shape': 13 }],
    'strings.ndjson': [7, 0, { 'not-json': 3 }],
    'tagged.ndjson': [4, 0, {}],
  };
  const directory = join(import.meta.dirname, 'corpus');

  it('knows every file of the corpus', () => {
    expect(readdirSync(directory).sort()).toEqual(Object.keys(outcomes).sort());
  });

  it.each(Object.entries(outcomes))('passes %s', async (file, [written, blanks, bad]) => {
    const input = readFileSync(join(directory, file));
    for (const chunk of [1, 5, 65_536]) {
      const passed = await pass(input, chunk, 1_000_000);
      check(input, passed);
      expect([passed.lines.length, passed.blanks, passed.bad]).toEqual([written, blanks, bad]);
    }
  });

  it('passes very long and very deep lines', { tags: 'slow', timeout: 0 }, async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000);
    const open = '{"a":'.repeat(100_000);
    const long = 'x '.repeat(200_000);
    const input = Buffer.from(
      [
        `{"id":1,"text":"${long}","deep":${deep}}`,
        `{"id":2,"text":"a","deep":${open}0${'}'.repeat(100_001)}`,
        `{"id":3,"text":"a"}${' '.repeat(800_000)}`,
        deep,
        open,
        `{"text":${deep}}`,
        `{"id":4,"text":"${'\\"'.repeat(100_000)}"}`,
      ].join('\n'),
    );
    const passed = await pass(input, 65_536, 700_000);
    check(input, passed);
    expect(passed.lines.map(line => JSON.parse(line).id)).toEqual([1, 2, 4]);
    expect(passed.bad).toEqual({
      'not-an-object': 1,
      'not-json': 1,
      'too-long': 1,
      'wrong-shape': 1,
    });
    expect(JSON.parse(passed.lines[0]!).tokens.length).toBe(200_000);
  });

  it(`passes ${count} random lines, each to one end`, { tags: 'slow', timeout: 0 }, async () => {
    const random = randomOf(20_000);
    const made = Array.from({ length: count }, (_, index) => randomLine(random, index));
    const input = Buffer.concat(made.map(line => line.bytes));
    const passed = await pass(input, 40_000, 2000);
    check(input, passed);

    // The lines that were not damaged are all written, foreign members as they were made.
    const byStart = new Map(passed.positions.map(({ start }, i) => [start, passed.lines[i]!]));
    let start = 0;
    let good = 0;
    for (const { bytes, foreign } of made) {
      if (foreign !== undefined) {
        const line = byStart.get(start);
        if (line === undefined) expect.fail(`not in the output: ${bytes}`);
        if (unowned(line).join('\n') !== foreign.join('\n')) expect.fail(`changed: ${line}`);
        good += 1;
      }
      start += bytes.length;
    }
    expect(good).toBeGreaterThan(0.3 * count);

    // The generator does reach every way a line can end.
    const codes = ['invalid-utf8', 'length-mismatch', 'not-a-number', 'not-an-object'];
    for (const code of [...codes, 'not-json', 'too-long', 'wrong-shape']) {
      expect(passed.bad[code]).toBeGreaterThan(count / 5000);
    }
    expect(passed.blanks).toBeGreaterThan(count / 100);
  });
});
