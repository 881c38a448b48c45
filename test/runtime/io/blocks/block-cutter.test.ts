import { describe, expect, it } from 'vitest';
import { BlockCutter } from '../../../../src/runtime/io/blocks/block-cutter.js';
import { bytesOf } from '../sources/read-all.js';

const lines = { recordsAreLines: true, maxRecordBytes: 1000 };
const blocks = { recordsAreLines: false, maxRecordBytes: 10 };
const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

function cutterOf(bounds: typeof lines, blockBytes: number, content: string): BlockCutter {
  const cutter = new BlockCutter(bounds, blockBytes);
  cutter.push(bytesOf(content));
  return cutter;
}

describe('BlockCutter', () => {
  it('cuts after the first record that reaches the size', () => {
    const cutter = cutterOf(lines, 5, 'ab\ncd\nef\ngh');
    const taken: unknown[] = [];
    while (cutter.hasRecord) {
      const full = cutter.isFull;
      const { bytes, offset, line } = cutter.take();
      taken.push([text(bytes), offset, line, full]);
    }
    expect(taken).toEqual([
      ['ab\ncd\n', 0, 1, true],
      ['ef\n', 6, 3, false],
    ]);
    expect(cutter.offset).toBe(9);
    expect(cutter.line).toBe(4);
    expect(text(cutter.rest().bytes)).toBe('gh');
  });

  it.each([
    ['a\nb\n\nc\nd\n', 'a\nb\n\n'],
    ['a\r\n\r\nb\r\n', 'a\r\n\r\n'],
    ['a\n \t \nb\n', 'a\n \t \n'],
    ['a\n\u00a0\nb\n', ''],
    // A line of more than ten bytes cannot be read, and is not blank therefore.
    [`a\n${' '.repeat(10)}\nb`, `a\n${' '.repeat(10)}\n`],
    [`a\n${' '.repeat(11)}\nb`, ''],
    ['a\nb\n', ''],
    ['\n\na\n', '\n\n'],
  ])('of blocks %j it takes %j', (content, expected) => {
    const cutter = cutterOf(blocks, 1000, content);
    expect(cutter.hasRecord).toBe(expected !== '');
    if (cutter.hasRecord) expect(text(cutter.take().bytes)).toBe(expected);
  });

  it('lays blocks into memory that is spare, where there is enough', () => {
    const spare = [new ArrayBuffer(3), new ArrayBuffer(100)];
    const [small, large] = spare;
    new Uint8Array(large!).fill(120);
    const cutter = new BlockCutter(lines, 4, spare);
    cutter.push(bytesOf('ab\ncd\nefg\nhij\nk'));
    const taken = [cutter.take(), cutter.take(), cutter.rest()];
    expect(taken.map(({ bytes }) => text(bytes))).toEqual(['ab\ncd\n', 'efg\n', 'hij\nk']);
    expect(taken[0]!.bytes.buffer).toBe(large);
    expect(taken.map(({ bytes }) => bytes.buffer)).not.toContain(small);
    expect(spare).toEqual([]);
  });

  it('gives memory of its own, so that it can be moved to another thread', () => {
    const cutter = cutterOf(lines, 1, 'ab\ncd\n');
    const { bytes } = cutter.take();
    expect([bytes.byteOffset, bytes.buffer.byteLength]).toEqual([0, 3]);
    structuredClone(bytes, { transfer: [bytes.buffer] });
    expect(text(cutter.take().bytes)).toBe('cd\n');
  });

  it('says when the record that has begun is too long, and gives it in pieces', () => {
    const rows = 'a b\n'.repeat(20_000);
    const cutter = cutterOf(blocks, 100, `x\n\n${rows}`);
    expect(cutter.isLong).toBe(true);
    expect(text(cutter.take().bytes)).toBe('x\n\n');
    const { piece, ended } = cutter.takeLong();
    expect([text(piece.bytes) === rows, piece.offset, piece.line, ended]).toEqual([
      true,
      3,
      3,
      false,
    ]);
    // The line that is open may still be blank: it is the end of the record then.
    cutter.push(bytesOf('c d\n\r'));
    const more = cutter.takeLong();
    expect([text(more.piece.bytes), more.piece.line, more.ended]).toEqual(['c d\n', 20_003, false]);
    cutter.push(bytesOf('\ny\n\n'));
    const last = cutter.takeLong();
    expect([text(last.piece.bytes), last.ended, cutter.isLong]).toEqual(['\r\n', true, false]);
    expect(text(cutter.take().bytes)).toBe('y\n\n');
  });

  it('does not take a record for too long whose next line may be blank', () => {
    const cutter = cutterOf({ ...blocks, maxRecordBytes: 100_000 }, 100, 'a b\n');
    cutter.push(bytesOf(' '.repeat(99_000)));
    cutter.push(bytesOf(`${' '.repeat(900)}`));
    expect(cutter.isLong).toBe(false);
    cutter.push(bytesOf('\n'));
    expect(cutter.take().bytes.length).toBe(99_905);
  });
});
