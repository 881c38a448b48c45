import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Line, LineSplitter, splitLines } from '../../../src/formats/lines/line-splitter.js';
import { bytesOf, cut } from '../../runtime/io/sources/read-all.js';

function split(chunks: readonly Uint8Array[], maxLineBytes = 100): Line[] {
  const splitter = new LineSplitter(maxLineBytes);
  return [...chunks.flatMap(chunk => splitter.push(chunk)), ...splitter.end()];
}

const brief = (lines: readonly Line[]) =>
  lines.map(({ number, start, end, text, bad }) => [number, start, end, bad?.error.code ?? text]);

describe('LineSplitter', () => {
  it('gives number, byte range and text of each line', () => {
    expect(brief(split([bytesOf('añb\n\nc\n')]))).toEqual([
      [1, 0, 4, 'añb'],
      [2, 5, 5, ''],
      [3, 6, 7, 'c'],
    ]);
  });

  it('drops a CR before the line end, also where the last line end is missing', () => {
    expect(brief(split([bytesOf('a\r\n\r\nb\rc\r')]))).toEqual([
      [1, 0, 1, 'a'],
      [2, 3, 3, ''],
      [3, 5, 8, 'b\rc'],
    ]);
  });

  it('drops byte order marks at the beginning of lines, and only there', () => {
    expect(
      brief(split([bytesOf('\ufeffa\n\ufeff\ufeffb \ufeff\n \ufeffc\n\ufeff\n\ufeff')])),
    ).toEqual([
      [1, 3, 4, 'a'],
      [2, 11, 16, 'b \ufeff'],
      [3, 17, 22, ' \ufeffc'],
      [4, 26, 26, ''],
      [5, 30, 30, ''],
    ]);
  });

  it('gives nothing for nothing', () => {
    expect(split([])).toEqual([]);
    expect(split([new Uint8Array(0)])).toEqual([]);
  });

  it('reports a line that is not UTF-8 in its place, with its bytes', () => {
    const bytes = Uint8Array.of(97, 10, 0xc3, 0x28, 13, 10, 98, 10);
    const lines = split([bytes]);
    expect(brief(lines)).toEqual([
      [1, 0, 1, 'a'],
      [2, 2, 4, 'invalid-utf8'],
      [3, 6, 7, 'b'],
    ]);
    expect(lines[1]!.bad!.raw).toEqual(Uint8Array.of(0xc3, 0x28));
    expect(lines[1]!.bad!.truncated).toBe(false);
  });

  it('refuses surrogates and overlong forms, as UTF-8 does', () => {
    const lines = split([Uint8Array.of(0xed, 0xa0, 0x80, 10, 0xc0, 0x80, 10)]);
    expect(brief(lines).map(line => line[3])).toEqual(['invalid-utf8', 'invalid-utf8']);
  });

  it('reports a line that is too long and continues after it', () => {
    const lines = split([bytesOf(`ok\n${'x'.repeat(11)}\n${'y'.repeat(10)}\n`)], 10);
    expect(brief(lines)).toEqual([
      [1, 0, 2, 'ok'],
      [2, 3, 14, 'too-long'],
      [3, 15, 25, 'yyyyyyyyyy'],
    ]);
    expect(lines[1]!.bad!.error.message).toBe(
      'a line of 11 bytes (the limit is 10; raise maxLineBytes or shorten the record)',
    );
  });

  it('keeps only the first 64 KiB of a line that is too long', () => {
    const chunks = Array.from({ length: 50 }, () => new Uint8Array(65_536).fill(120));
    const lines = split([...chunks, bytesOf('\nnext')], 1_000_000);
    expect(brief(lines)).toEqual([
      [1, 0, 50 * 65_536, 'too-long'],
      [2, 50 * 65_536 + 1, 50 * 65_536 + 5, 'next'],
    ]);
    expect(lines[0]!.bad!.raw.length).toBe(65_536);
    expect(lines[0]!.bad!.truncated).toBe(true);
  });

  it('begins in the middle: the rest of the line it is in is passed over', () => {
    const splitter = new LineSplitter(100, { offset: 20, line: 7 });
    expect(brief(splitter.push(bytesOf('\r\nnext\n')))).toEqual([[8, 22, 26, 'next']]);
  });

  it('gives the same lines however the bytes are cut', () => {
    const piece = fc.constantFrom(
      ...['a', 'é', '😀', '\n', '\r', '\r\n', '\ufeff', 'xxxxxxxxxxxx', '\u2028'].map(bytesOf),
      Uint8Array.of(0xff),
      Uint8Array.of(0xf0, 0x9f),
    );
    const property = fc.property(
      fc.array(piece, { maxLength: 40 }),
      fc.integer({ min: 1, max: 9 }),
      (pieces, size) => {
        const bytes = Buffer.concat(pieces);
        expect(split(cut(bytes, size), 12)).toEqual(split([bytes], 12));
      },
    );
    fc.assert(property, { seed: 1, numRuns: 2000 });
  });

  it('agrees with String.split on good text', () => {
    const property = fc.property(fc.string({ unit: 'binary', maxLength: 60 }), text => {
      const good = Buffer.from(text)
        .toString()
        .replaceAll('\r', '')
        .replaceAll(/^\ufeff+/gm, '');
      const expected = good.split('\n');
      if (expected.at(-1) === '') expected.pop();
      expect(split([bytesOf(good)], 1000).map(line => line.text)).toEqual(expected);
    });
    fc.assert(property, { seed: 1, numRuns: 500 });
  });
});

describe('splitLines', () => {
  it('gives one array a chunk, and none for a chunk without a line end', async () => {
    const arrays: string[][] = [];
    for await (const lines of splitLines(['a\nb', 'c', 'd\ne\nf'].map(bytesOf))) {
      arrays.push(lines.map(line => line.text));
    }
    expect(arrays).toEqual([['a'], ['bcd', 'e'], ['f']]);
  });
});
