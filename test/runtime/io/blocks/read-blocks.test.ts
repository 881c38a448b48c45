import { PassThrough } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import type { BadRecord } from '../../../../src/formats/bad-records/bad-record.js';
import type { Codec } from '../../../../src/formats/codecs/codec.js';
import { conllCodec } from '../../../../src/formats/codecs/conll/conll-codec.js';
import { conlluCodec } from '../../../../src/formats/codecs/conllu/conllu-codec.js';
import { lettersCodec } from '../../../../src/formats/codecs/letters/letters-codec.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { type BlockOrBad, readBlocks } from '../../../../src/runtime/io/blocks/read-blocks.js';
import { everyNth } from '../../../house/long-forms.js';
import { bytesOf, cut, readAll } from '../sources/read-all.js';

const signal = new AbortController().signal;

/** What is found in a stream, block by block, as `readAll` finds it in the whole. */
async function readInBlocks(codec: Codec, chunks: readonly Uint8Array[], blockBytes: number) {
  const documents: Document[] = [];
  const bad: BadRecord[] = [];
  const blocks: number[] = [];
  let blanks = 0;
  for await (const item of readBlocks(chunks, { source: 'test', codec, signal, blockBytes })) {
    if (item.kind === 'bad') {
      bad.push(item.bad);
      continue;
    }
    const { bytes, offset, line } = item.block;
    blocks.push(bytes.length);
    const context = {
      source: 'test',
      from: { offset, line, atLineStart: true },
      onBad: (record: BadRecord) => bad.push(record),
      onBlank: () => {
        blanks += 1;
      },
      deliver: (position: BadRecord['position']) => ({
        position,
        release: () => undefined,
        ack: () => undefined,
        reject: () => undefined,
      }),
    };
    for await (const list of codec.read([bytes], context)) documents.push(...list);
  }
  return { documents, bad, blanks, blocks };
}

const plain = ({ documents, bad, blanks }: Awaited<ReturnType<typeof readAll>>) => ({
  documents: documents.map(({ delivery, ...rest }) => ({ ...rest, at: delivery!.position })),
  bad: bad.map(({ position, raw, truncated, error }) => ({
    position,
    truncated,
    raw: Buffer.from(raw).toString('latin1'),
    message: error.message,
  })),
  blanks,
});

const maxLineBytes = 60;
const long = 'x'.repeat(70_000);
const ends = ['\n', '\n', '\n', '\r\n', '\n\n', '\n \t\n', ' \n', '\n\r\n', ''];
const rows: readonly [Codec, readonly string[]][] = [
  [
    ndjsonCodec({ maxLineBytes }),
    ['{"tokens":["a"]}', '{"text":"é😀"}', '{', 'null', `{"text":"${long}"}`, ' '.repeat(90)],
  ],
  [
    conllCodec({ columns: ['form', 'tag'], comment: '#', maxLineBytes }),
    ['a X', 'é Y\nb Z', '# c', 'a', `${long} Z`, 'a X\nb Y\nc Z\n'.repeat(9000), ' '.repeat(61)],
  ],
  [
    conlluCodec({ maxLineBytes }),
    ['1\ta\t_\tX\t_\t_\t_\t_\t_\t_', '# text = é', 'a', long, ' '.repeat(80_000)],
  ],
  [
    lettersCodec({ columns: ['word', 'phonemes'], maxLineBytes }),
    ['ab\txy', 'é\tz', 'abc\tx', long],
  ],
];

for (const part of everyNth(4, rows)) {
  describe.each(part.rows)('blocks of %j', { tags: part.tags }, (codec, records) => {
    const piece = fc.tuple(
      fc.constantFrom(...records, ...records.filter(record => record.length < 100)),
      fc.constantFrom(...ends),
    );
    const texts = fc
      .tuple(fc.constantFrom('', '\ufeff'), fc.array(piece, { maxLength: 12 }))
      .map(([mark, pieces]) => mark + pieces.flat().join(''));

    it('hold what the stream holds, at the same places', async () => {
      const property = fc.asyncProperty(
        texts,
        fc.constantFrom(1, 3, 40, 1000, 70_000, 1_000_000),
        fc.constantFrom(1, 20, 100, 100_000),
        async (text, chunk, blockBytes) => {
          const bytes = bytesOf(text);
          // Pieces of a few bytes are for short texts: the number of them is what takes time.
          const size = Math.max(chunk, Math.ceil(bytes.length / 2000));
          const { blocks, ...found } = await readInBlocks(codec, cut(bytes, size), blockBytes);
          expect(plain(found)).toEqual(plain(await readAll(codec, [bytes])));
        },
      );
      await fc.assert(property, { seed: 1, numRuns: 150 });
    });

    it('are about as large as was said', async () => {
      const record = `${records[0]!}\n\n`;
      const bytes = bytesOf(record.repeat(2000));
      const { blocks, documents } = await readInBlocks(codec, cut(bytes, 10_000), 4096);
      expect(documents).toHaveLength(2000);
      expect(Math.max(...blocks)).toBeLessThan(4096 + record.length);
      for (const length of blocks.slice(0, -1)) expect(length).toBeGreaterThanOrEqual(4096);
    });
  });
}

describe('a stream in blocks', () => {
  const codec = ndjsonCodec({ maxLineBytes: 1000 });
  const textOf = (item: BlockOrBad | undefined) =>
    item?.kind === 'block' ? Buffer.from(item.block.bytes).toString() : item?.kind;

  it('waits for no clock, and holds what is at hand together', { tags: 'slow' }, async () => {
    const clock = vi.spyOn(globalThis, 'setTimeout');
    try {
      const stream = new PassThrough();
      const blocks = readBlocks(stream, { source: 's', codec, signal });
      for (let i = 0; i < 5; i += 1) {
        // In several chunks, as many as are there.
        for (let part = 0; part < i; part += 1) stream.write(`{"part":${part}}\n`);
        stream.write(`{"a":${i}}\n`);
        const text = textOf((await blocks.next()).value!)!;
        expect(text.split('\n')).toHaveLength(i + 2);
        expect(text.endsWith(`{"a":${i}}\n`)).toBe(true);
      }
      expect(clock).not.toHaveBeenCalled();
    } finally {
      clock.mockRestore();
    }
  });

  it('is filled where the stream does not pause, however long a chunk takes', {
    tags: 'slow',
  }, async () => {
    async function* chunks() {
      for (let i = 0; i < 4; i += 1) {
        for (let turn = 0; turn < 3; turn += 1) await new Promise(done => setImmediate(done));
        yield bytesOf(`{"a":${i}}\n`);
      }
    }
    const sizes = async (pauses: boolean) => {
      const found: number[] = [];
      const options = { source: 's', codec, signal, blockBytes: 16, pauses };
      for await (const item of readBlocks(chunks(), options)) found.push(textOf(item)!.length);
      return found;
    };
    expect(await sizes(false)).toEqual([16, 16]);
    expect(await sizes(true)).toEqual([8, 8, 8, 8]);
  });

  it('goes out as it is when nothing more is at hand', { tags: 'slow' }, async () => {
    const stream = new PassThrough();
    const blocks = readBlocks(stream, { source: 's', codec, signal });
    stream.write('{"a":1}\n{"b":');
    expect(textOf((await blocks.next()).value!)).toBe('{"a":1}\n');
    const next = blocks.next();
    stream.write('2}\n{"c":3}\n');
    expect(textOf((await next).value!)).toBe('{"b":2}\n{"c":3}\n');
    stream.end('{"d":4}');
    expect(textOf((await blocks.next()).value!)).toBe('{"d":4}');
    expect((await blocks.next()).done).toBe(true);
  });

  it('ends when it is asked to, with the whole records that are there', {
    tags: 'slow',
  }, async () => {
    const stop = new AbortController();
    const stream = new PassThrough();
    const blocks = readBlocks(stream, { source: 's', codec, signal: stop.signal });
    const next = blocks.next();
    stream.write('{"a":1}\n{"b":');
    await new Promise(resolve => setImmediate(resolve));
    stop.abort();
    expect(textOf((await next).value!)).toBe('{"a":1}\n');
    expect((await blocks.next()).done).toBe(true);
  });

  it('ends in the middle of a record that is too long when it is asked to', {
    tags: 'slow',
  }, async () => {
    const stop = new AbortController();
    const stream = new PassThrough();
    const blocks = readBlocks(stream, { source: 's', codec, signal: stop.signal });
    const next = blocks.next();
    stream.write(`{"a":1}\n${'x'.repeat(100_000)}`);
    expect(textOf((await next).value!)).toBe('{"a":1}\n');
    const last = blocks.next();
    await new Promise(resolve => setImmediate(resolve));
    stop.abort();
    expect((await last).done).toBe(true);
  });

  it('gives what is whole before an error of reading', { tags: 'slow' }, async () => {
    async function* chunks() {
      yield bytesOf('{"a":1}\n{"b"');
      throw new Error('broken');
    }
    const blocks = readBlocks(chunks(), { source: 's', codec, signal });
    expect(textOf((await blocks.next()).value!)).toBe('{"a":1}\n');
    await expect(blocks.next()).rejects.toThrowError('broken');
  });

  it('holds little of a record that is too long', { tags: 'slow' }, async () => {
    const chunk = new Uint8Array(1 << 20).fill(120);
    let highest = 0;
    function* chunks() {
      for (let i = 0; i < 300; i += 1) {
        yield chunk;
        if (i % 50 === 0) highest = Math.max(highest, process.memoryUsage().arrayBuffers);
      }
    }
    // What others have left behind would hide what this takes.
    setFlagsFromString('--expose-gc');
    (runInNewContext('gc') as () => void)();
    const before = process.memoryUsage().arrayBuffers;
    const found: BlockOrBad[] = [];
    for await (const item of readBlocks(chunks(), { source: 's', codec, signal })) found.push(item);
    expect(found.map(({ kind }) => kind)).toEqual(['bad']);
    const { position, raw, error } = (found[0] as { bad: BadRecord }).bad;
    expect(position).toEqual({ source: 's', line: 1, start: 0, end: 300 << 20 });
    expect([raw.length, error.code]).toEqual([65_536, 'too-long']);
    expect(highest - before).toBeLessThan(150 << 20);
  });
});
