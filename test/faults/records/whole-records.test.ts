import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Codec } from '../../../src/formats/codecs/codec.js';
import { conllCodec } from '../../../src/formats/codecs/conll/conll-codec.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { replayCodec } from '../../../src/runtime/io/dead-letters/replay-codec.js';
import { withRotations } from '../../../src/runtime/io/dead-letters/rotations.js';
import { documentSource } from '../../../src/runtime/io/sources/document-source.js';
import { workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
let runs = 0;

interface Letter {
  readonly start: number;
  readonly end: number;
  readonly code: string;
  readonly raw?: string;
  readonly rawBase64?: string;
  readonly truncated?: boolean;
}

/** Reads, and keeps what cannot be read. */
async function read(files: readonly string[], codec: Codec, given: { stdin?: Buffer } = {}) {
  const directory = join(folder, `${runs}`);
  runs += 1;
  mkdirSync(directory);
  const file = join(directory, 'rejected');
  const limits = { maxBytes: 2 ** 20, keep: 9, maxErrorRate: 1 };
  const deadLetters = new DeadLetters({ policy: 'dead-letter', file, ...limits });
  const stdin = Readable.from([given.stdin ?? Buffer.of()], { objectMode: false });
  const documents = await lastValueFrom(
    documentSource({ files, codec, deadLetters, stdin }).pipe(toArray()),
  );
  deadLetters.close();
  expect(deadLetters.dropped).toBe(0);
  const names = deadLetters.total === 0 ? [] : withRotations(file);
  for (const name of names) expect(statSync(name).size).toBeLessThanOrEqual(2 ** 20);
  const text = names.map(name => readFileSync(name, 'utf8')).join('');
  const letters = text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line) as Letter);
  return { names, text, letters, raws: documents.map(({ raw }) => raw), deadLetters };
}

function bytesOf({ raw, rawBase64 }: Letter): Buffer {
  return rawBase64 === undefined ? Buffer.from(raw!) : Buffer.from(rawBase64, 'base64');
}

const long = (length: number) => `{"text":"${'é'.repeat(length / 2)}"}`;
/** In JSON each of them takes six bytes. */
const controls = (length: number) => `{"text":"${'\u0001'.repeat(length)}"}`;
const input = Buffer.concat([
  Buffer.from(`\ufeff${long(1000)}\n${long(300_000).slice(0, -1)}\n{"text":"`),
  Buffer.alloc(400_000, 0xff),
  Buffer.from(`"}\r\n${controls(200_000)}\n${controls(900_000)}\n${long(1_500_000)}\r\n`),
  Buffer.from('{"text":"last"}'),
]);
const codec = ndjsonCodec({ maxLineBytes: 1_000_000 });
const larger = ndjsonCodec({ maxLineBytes: 2_000_000 });

describe('rejected records of more than 64 KiB', () => {
  it('are kept whole, or read again from the input, as far as the file has no room', {
    tags: 'slow',
  }, async () => {
    const [plain, packed] = [join(folder, 'plain'), join(folder, 'packed')];
    writeFileSync(plain, input);
    writeFileSync(packed, gzipSync(input));
    for (const file of [plain, packed]) {
      const first = await read([file], codec);
      expect(first.letters.map(({ code, truncated = false }) => [code, truncated])).toEqual([
        ['not-json', false],
        ['invalid-utf8', false],
        ['not-json', false],
        ['not-json', true],
        ['too-long', true],
      ]);
      expect(first.deadLetters.truncated).toBe(2);
      for (const letter of first.letters) {
        const bytes = input.subarray(letter.start, letter.end);
        const kept = bytesOf(letter);
        expect(kept.equals(letter.truncated ? bytes.subarray(0, kept.length) : bytes)).toBe(true);
      }
      // Nothing was mended: nothing is read, and the same is kept again.
      const second = await read(first.names, replayCodec(codec));
      expect([second.raws, second.text === first.text]).toEqual([[], true]);
      // What was too long is read from the input.
      const third = await read(first.names, replayCodec(larger));
      expect(third.raws).toEqual([long(1_500_000)]);
      expect(third.text.split('\n')).toEqual(first.text.split('\n').toSpliced(4, 1));
      // Not from one that is another by now.
      const changed = Buffer.from(input.toString('latin1').replace('"}\r\n', '"} \r\n'), 'latin1');
      writeFileSync(file, file === plain ? changed : gzipSync(changed));
      const fourth = await read(first.names, replayCodec(larger));
      expect([fourth.raws, fourth.text === first.text]).toEqual([[], true]);
    }
  });

  it('stay rejected where the input was a pipe, and they are longer than its format takes', async () => {
    const first = await read(['-'], codec, { stdin: input });
    const again = await read(first.names, replayCodec(larger));
    expect([again.raws, again.text === first.text]).toEqual([[], true]);
  });

  it('are blocks of lines as well', { tags: 'slow' }, async () => {
    const rows = (count: number, end: string) => `${'word N'.concat(end).repeat(count)}x${end}`;
    const text = `a N\r\n\r\n${rows(20_000, '\r\n')}\r\n${rows(50_000, '\r\n')}\r\nb N\r\n`;
    const file = join(folder, 'blocks');
    writeFileSync(file, text);
    const options = { columns: ['form', 'tag'] };
    const first = await read([file], conllCodec({ ...options, maxLineBytes: 200_000 }));
    expect(first.letters.map(({ code, truncated = false }) => [code, truncated])).toEqual([
      ['wrong-shape', false],
      ['too-long', true],
    ]);
    expect(bytesOf(first.letters[0]!).toString()).toBe(rows(20_000, '\n').slice(0, -1));
    const again = await read(first.names, replayCodec(conllCodec(options)));
    expect(again.letters.map(({ code, end }) => [code, end])).toEqual([
      ['wrong-shape', first.letters[0]!.end],
      ['wrong-shape', first.letters[1]!.end],
    ]);
    expect(bytesOf(again.letters[1]!).toString()).toBe(rows(50_000, '\n').slice(0, -1));
  });
});
