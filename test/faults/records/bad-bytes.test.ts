import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { lastValueFrom, tap, toArray } from 'rxjs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Position } from '../../../src/engine/core/delivery/delivery.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../../src/runtime/io/sources/document-source.js';
import { root, tagstream } from '../../cli/commands/run-command.js';
import { trainHere } from '../../cli/commands/train-here.js';
import { toyPipeline, workspace } from '../../cli/commands/workspace.js';
import { count, longForm, reportCounts } from '../long-form.js';

const folder = workspace();
const model = join(folder, 'toy.model');
const letters = join(folder, 'dead.ndjson');
beforeAll(async () => {
  await trainHere(toyPipeline(folder));
});

/** A line, what becomes of it (`out`, `blank`, or the code of its dead letter), and its line end. */
type Line = readonly [bytes: string | Buffer, outcome: string, end?: string];
const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);
const lines: readonly Line[] = [
  ['{"id":1,"tokens":["the","dog"]}', 'out'],
  ['{"id":2,"tokens":["the"', 'not-json'],
  ['{"id":3 "tokens":[]}', 'not-json', '\r\n'],
  ['null', 'not-an-object'],
  ['7', 'not-an-object'],
  ['"text"', 'not-an-object'],
  ['true', 'not-an-object', '\r\n'],
  ['[{"tokens":["a"]}]', 'not-an-object'],
  ['', 'blank'],
  ['', 'blank', '\r\n'],
  [' \t ', 'blank'],
  ['{"id":4,"tokens":["dog"],"id":5,"tokens":["cat","a"]}', 'out', '\r\n'],
  ['{"id":6,"__proto__":{"tokens":["x"]},"tokens":["cat"]}', 'out'],
  ['{"id":7,"__proto__":{"tokens":["x"]}}', 'wrong-shape'],
  [`{"id":8,"tokens":["a"],"deep":${deep('[', ']')}}`, 'out'],
  [deep('[', ']'), 'not-an-object'],
  ['{"a":'.repeat(100_000), 'not-json'],
  [`{"text":${deep('[', ']')}}`, 'wrong-shape'],
  ['{"id":9,"text":"ein Häuschen für 😀 und €"}', 'out', '\r\n'],
  [Buffer.of(0x7b, 0x22, 0xc3, 0x22, 0x7d), 'invalid-utf8'],
  [Buffer.from('{"id":10,"text":"\ufffd"}').fill(0xed, 17, 18), 'invalid-utf8', '\r\n'],
  [Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]), 'invalid-utf8'],
  ['{"id":11,"tokens":["\\ud800","\\udc00x"]}', 'out'],
  ['{"id":12,"tokens":["a\\u0000b"]}', 'out'],
  ['{"id":13,"tokens":["a\u0000b"]}', 'not-json'],
  ['\u0000', 'not-json'],
  ['{"id":14,"text":"one\u2028two\u2029 three\u0085"}', 'out'],
  ['\ufeff{"id":15,"tokens":["a"]}', 'out'],
  ['{"id":16,"text":"   "}', 'out'],
  ['{"id":17,"tokens":["a","b"],"tags":["X"]}', 'length-mismatch'],
  ['{"id":18,"tokens":["no","line","end"]}', 'out', ''],
];
const mark = Buffer.of(0xef, 0xbb, 0xbf);
const all = Buffer.concat([
  mark,
  ...lines.flatMap(([bytes, , end = '\n']) => [Buffer.from(bytes), Buffer.from(end)]),
]);

/** The bytes of each line without its end, with where they begin. */
function placed(
  given: readonly Line[],
  from = 0,
): { start: number; bytes: Buffer; outcome: string }[] {
  let start = from;
  return given.map(([text, outcome, end = '\n']) => {
    const whole = Buffer.from(text);
    // A byte order mark is no part of the record.
    const before = whole.indexOf(mark) === 0 ? mark.length : 0;
    const place = { start: start + before, bytes: whole.subarray(before), outcome };
    start += whole.length + end.length;
    return place;
  });
}

interface Letter extends Position {
  readonly code: string;
  readonly raw?: string;
  readonly rawBase64?: string;
  readonly truncated?: boolean;
}

function lettersOf(file: string): Letter[] {
  const text = readFileSync(file, 'utf8').trim();
  return text === '' ? [] : text.split('\n').map(line => JSON.parse(line) as Letter);
}

const expectedBad = placed(lines, mark.length)
  .map((place, i) => ({ ...place, line: i + 1 }))
  .filter(({ outcome }) => outcome !== 'out' && outcome !== 'blank');

describe.each(['1', '2'])('bad bytes through tag --workers %s', workers => {
  it('come out, are dead letters with their bytes and place, or are blank: each line once', async () => {
    rmSync(letters, { force: true });
    const given = ['tag', '--model', model, '--workers', workers, '--dead-letter', letters];
    const { code, stdout, stderr } = await tagstream(given, { stdin: all });
    expect(code).toBe(0);
    const out = stdout.trimEnd().split('\n');
    const ids = out.map(line => /"id":(\d+)/.exec(line)![1]);
    expect(ids).toEqual(['1', '4', '6', '8', '9', '11', '12', '14', '15', '16', '18']);
    const dead = lettersOf(letters).sort((a, b) => a.start - b.start);
    expect(dead.map(each => [each.line, each.code, each.start])).toEqual(
      expectedBad.map(each => [each.line, each.outcome, each.start]),
    );
    for (const [i, letter] of dead.entries()) {
      const slice = all.subarray(letter.start, letter.end);
      expect(slice.equals(expectedBad[i]!.bytes)).toBe(true);
      const { raw, rawBase64 = '' } = letter;
      const kept = raw === undefined ? Buffer.from(rawBase64, 'base64') : Buffer.from(raw);
      if (letter.truncated === true) expect(slice.subarray(0, kept.length)).toEqual(kept);
      else expect(kept).toEqual(slice);
    }
    expect(stderr).toContain('3 blank lines were skipped');
    expect(out.length + dead.length + 3).toBe(lines.length);
    reportCounts(`bad bytes, ${workers} workers`, { out: out.length, dead: dead.length, blank: 3 });
  });
});

describe('bad bytes through the source of the library', () => {
  const plain = lines.filter(([bytes]) => bytes.length < 1000);
  const input = Buffer.concat([
    mark,
    ...plain.flatMap(([bytes, , end = '\n']) => [Buffer.from(bytes), Buffer.from(end)]),
  ]);

  /** Reads the input in chunks; each line with its outcome and place. */
  async function read(chunks: readonly Buffer[]) {
    const stdin = new PassThrough({ highWaterMark: 2 ** 20 });
    for (const chunk of chunks) stdin.write(chunk);
    stdin.end();
    const found: [line: number, start: number, end: number, outcome: string][] = [];
    let blank = 0;
    const deadLetters = new DeadLetters({ policy: 'skip' });
    deadLetters.add = ({ position: { line, start, end }, error, raw }) => {
      expect(Buffer.from(raw).equals(input.subarray(start, end))).toBe(true);
      found.push([line, start, end, error.code]);
    };
    const onBlank = () => {
      blank += 1;
    };
    const documents = documentSource({
      ...{ files: ['-'], codec: ndjsonCodec(), deadLetters, onBlank, stdin },
    });
    await lastValueFrom(
      documents.pipe(
        tap(({ raw, delivery }) => {
          const { line, start, end } = delivery!.position;
          expect(input.subarray(start, end).toString()).toBe(raw);
          found.push([line, start, end, 'out']);
          delivery!.release();
          delivery!.ack();
        }),
        toArray(),
      ),
    );
    return { found: found.sort((a, b) => a[0] - b[0]), blank };
  }

  it('are the same lines wherever the bytes are cut', { tags: 'slow' }, async () => {
    const counts = new Map<string, number>();
    const expected = placed(plain, mark.length).flatMap(({ start, bytes, outcome }, i) =>
      outcome === 'blank' ? [] : [[i + 1, start, start + bytes.length, outcome]],
    );
    const cuts: Buffer[][] = [[input], Array.from(input, byte => Buffer.of(byte))];
    for (let at = 1; at < input.length; at += 1) {
      cuts.push([input.subarray(0, at), input.subarray(at)]);
    }
    for (const chunks of cuts) {
      const { found, blank } = await read(chunks);
      expect(found).toEqual(expected);
      expect(blank).toBe(3);
      count(counts, 'ways to cut');
    }
    reportCounts('chunk boundaries', counts);
    expect(counts.get('ways to cut')).toBe(input.length + 1);
  });
});

describe.each(['1', '2'])('a line without end through tag --workers %s', workers => {
  const mebibytes = longForm ? 1024 : 64;

  it('is one dead letter, and is never held as a whole', { tags: 'slow' }, async () => {
    rmSync(letters, { force: true });
    const command = resolve(root, 'dist/cli/main.js');
    const given = ['tag', '--model', model, '--workers', workers, '--dead-letter', letters];
    const child = spawn(process.execPath, [command, ...given]);
    const ended = new Promise<number | null>(done => child.on('close', done));
    let stdout = '';
    child.stdout.on('data', data => {
      stdout += data;
    });
    const peak = () => {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024;
    };
    const write = (chunk: Buffer | string) =>
      new Promise<void>((done, fail) =>
        child.stdin.write(chunk, error => (error ? fail(error) : done())),
      );
    const good = '{"id":1,"tokens":["the","dog"]}\n';
    await write(good);
    const piece = Buffer.alloc(2 ** 20, 'x');
    for (let i = 0; i < 32; i += 1) await write(piece);
    const warm = peak();
    for (let i = 32; i < mebibytes; i += 1) await write(piece);
    await write(`\n${good}`);
    const most = peak();
    child.stdin.end();
    expect(await ended).toBe(0);
    expect(stdout.trim().split('\n').length).toBe(2);
    const [letter, ...others] = lettersOf(letters);
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ line: 2, code: 'too-long', truncated: true });
    expect([letter!.start, letter!.end]).toEqual([good.length, good.length + mebibytes * 2 ** 20]);
    expect(letter!.raw).toBe('x'.repeat(65_536));
    reportCounts(`a line of ${mebibytes} MiB, ${workers} workers`, {
      'MiB after 32': Math.round(warm),
      'MiB at most': Math.round(most),
    });
    // The longest line that is taken has 16 MiB; what is longer must not take more than that again.
    expect(most - warm).toBeLessThan(32);
    expect(most).toBeLessThan(300);
  });
});
