import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import type { Codec } from '../../../src/formats/codecs/codec.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { replayCodec } from '../../../src/runtime/io/dead-letters/replay-codec.js';
import { withRotations } from '../../../src/runtime/io/dead-letters/rotations.js';
import { writeDocuments } from '../../../src/runtime/io/document-sink.js';
import { documentSource } from '../../../src/runtime/io/sources/document-source.js';
import { openOutput } from '../../../src/runtime/io/writing/open-output.js';
import { taggingStages } from '../../../src/runtime/pipeline/tagging/tagging-stages.js';
import { cut } from '../../runtime/io/sources/read-all.js';
import { toyModel, toyModelBytes } from '../../runtime/pipeline/tagging/toy-tagger.js';
import { printSeed, randomOf } from '../seed.js';
import { randomLine } from './random-line.js';

printSeed('replayed records');

const folder = mkdtempSync(join(tmpdir(), 'tagstream-'));
afterAll(() => rmSync(folder, { recursive: true }));
const model = toyModel(toyModelBytes());
const options = { output: 'record', decoding: 'viterbi' } as const;
const stages = taggingStages(model, options, { sentences: 32 });
const codec = ndjsonCodec({ maxLineBytes: 2000 });

/** Tags, keeping bad records in `file`; what has gone out, by line. */
async function pass(files: readonly string[], input: Uint8Array, used: Codec, file: string) {
  const stdin = Readable.from(cut(input, 40_000), { objectMode: false });
  const stdout = new PassThrough();
  const written = stdout.toArray().then(pieces => Buffer.concat(pieces).toString());
  const limits = { maxBytes: 2 ** 20, keep: 50, maxErrorRate: 1 };
  const deadLetters = new DeadLetters({ policy: 'dead-letter', file, ...limits });
  let blank = 0;
  const onBlank = () => {
    blank += 1;
  };
  const documents = documentSource({ files, codec: used, deadLetters, onBlank, stdin });
  const output = await openOutput('-', { stdout });
  const { records } = await writeDocuments(documents.pipe(stages), output, used, options);
  deadLetters.close();
  stdout.end();
  const lines = (await written).split('\n').slice(0, -1);
  expect(lines).toHaveLength(records);
  expect(deadLetters.dropped).toBe(0);
  const names = deadLetters.total === 0 ? [] : withRotations(file);
  const letters = names.map(name => readFileSync(name, 'utf8')).join('');
  expect(letters.split('\n')).toHaveLength(deadLetters.total + 1);
  return { lines, letters, blank };
}

/** The first lines that are not the same. */
function differing(found: string, wanted: string): unknown[] {
  const lines = wanted.split('\n');
  const others = found.split('\n').map((line, i) => [line, lines[i]]);
  return others.filter(([a, b]) => a !== b).slice(0, 3);
}

interface Letter {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly raw?: string;
  readonly rawBase64?: string;
}

describe('dead letters of a damaged file', () => {
  it('are replayed as what they were, and as what they were mended to', {
    tags: 'slow',
    timeout: 0,
  }, async () => {
    const random = randomOf(77);
    const made = Array.from({ length: 12_000 }, (_, index) => randomLine(random, index).bytes);
    const input = Buffer.concat(made);
    const first = await pass(['-'], input, codec, join(folder, 'first'));
    const letters = first.letters
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line) as Letter);
    expect(first.lines.length + letters.length + first.blank).toBe(made.length);
    expect(letters.length).toBeGreaterThan(2000);
    expect(withRotations(join(folder, 'first')).length).toBeGreaterThan(1);

    // The bytes of a letter are those of the file at its place.
    for (const { start, end, raw, rawBase64 } of letters) {
      const bytes = raw === undefined ? Buffer.from(rawBase64!, 'base64') : Buffer.from(raw);
      if (!bytes.equals(input.subarray(start, end))) expect.fail(`not at ${start}: ${bytes}`);
    }

    // Nothing mended: nothing tagged, and the same letters, byte for byte.
    const files = withRotations(join(folder, 'first'));
    const replay = replayCodec(codec);
    const second = await pass(files, Buffer.of(), replay, join(folder, 'second'));
    expect(second.lines).toEqual([]);
    expect(differing(second.letters, first.letters)).toEqual([]);

    // Every third one mended: what comes out is what would have come of the mended file.
    const mended = letters.map((letter, i) =>
      i % 3 === 0
        ? { ...letter, rawBase64: undefined, raw: `{"id":${i},"text":"the dog é","x":1.0}` }
        : letter,
    );
    const text = mended.map(letter => `${JSON.stringify(letter)}\n`).join('');
    const third = await pass(['-'], Buffer.from(text), replay, join(folder, 'third'));
    const byHand = [...made];
    for (const [i, { line }] of letters.entries()) {
      byHand[line - 1] = Buffer.from(i % 3 === 0 ? `${mended[i]!.raw}\n` : '\n');
    }
    const whole = await pass(['-'], Buffer.concat(byHand), codec, join(folder, 'whole'));
    expect(whole.letters).toBe('');
    const old = new Set(first.lines);
    expect(third.lines).toEqual(whole.lines.filter(line => !old.has(line)));
    expect(third.lines).toHaveLength(Math.ceil(letters.length / 3));
    const left = first.letters.split('\n').filter((_, i) => i % 3 !== 0 || i === letters.length);
    expect(differing(third.letters, left.join('\n'))).toEqual([]);
  });
});
