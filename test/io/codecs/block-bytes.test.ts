import { expect, test } from 'vitest';
import { BlockBytes, type BlockTarget } from '../../../src/io/codecs/block-bytes.js';
import { conllOptions } from '../../../src/io/codecs/conll/conll-codec.js';
import { conllLayout } from '../../../src/io/codecs/conll/conll-layout.js';
import { PlainRows } from '../../../src/io/codecs/conll/plain-rows.js';
import type { PlainBlockReader } from '../../../src/io/codecs/plain-reader.js';

/** Rows of a text that comes in chunks of `size` bytes, and the bytes that were looked at for plain blocks. */
function read(text: string, size: number) {
  const rows = PlainRows.of(conllLayout(conllOptions.parse({})))!;
  let looked = 0;
  let found = 0;
  let plain = 0;
  const reader: PlainBlockReader = {
    read: (bytes, start) => {
      const block = rows.read(bytes, start);
      looked += (block === 'plain' ? rows.next : bytes.length) - start;
      return block;
    },
    take: () => rows.take(),
    get rowsEnd() {
      return rows.rowsEnd;
    },
    get next() {
      return rows.next;
    },
    get lines() {
      return rows.lines;
    },
  };
  const target: BlockTarget = {
    add: line => {
      if (line.text !== '') found += 1;
    },
    addPlain: (_, draft) => {
      const { length } = draft().tokens!;
      found += length;
      plain += length;
    },
  };
  const cut = new BlockBytes(target, reader, 2 ** 24);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) cut.push(bytes.subarray(at, at + size));
  cut.end();
  return { found, plain, again: looked / bytes.length };
}

const row = 'token NN B-NP\n';

test('looks at a long block that comes in small chunks a few times only', () => {
  for (const size of [7, 14, 400]) {
    const { found, again } = read(row.repeat(2 ** 16), size);
    expect(found).toBe(2 ** 16);
    expect(again).toBeLessThan(16);
  }
});

test('reads blocks of usual sizes from their bytes, row by row too', () => {
  const text = `${row.repeat(25)}\n`.repeat(400);
  for (const size of [row.length, 4096]) {
    const { found, plain } = read(text, size);
    expect([found, plain]).toEqual([10_000, 10_000]);
  }
});
