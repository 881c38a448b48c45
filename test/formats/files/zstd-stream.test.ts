import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import * as zlib from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { zstdStream } from '../../../src/formats/files/zstd-stream.js';
import { openInput } from '../../../src/formats/reading/open-input.js';
import { openOutput } from '../../../src/runtime/io/writing/open-output.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** A frame with one block that is stored as it is, by the format's specification. */
function frameOf(text: string): Buffer {
  const { length } = Buffer.from(text);
  const head = Buffer.of(
    0x28,
    0xb5,
    0x2f,
    0xfd,
    0x20,
    length,
    ((length << 3) & 0xff) | 1,
    length >> 5,
    0,
  );
  return Buffer.concat([head, Buffer.from(text)]);
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

const hasZstd = 'createZstdDecompress' in zlib;

describe('Zstandard', () => {
  it('is made by what Node has', () => {
    const made = new PassThrough();
    expect(zstdStream('pack', 'a', { createZstdCompress: () => made })).toBe(made);
    expect(zstdStream('unpack', 'a', { createZstdDecompress: () => made })).toBe(made);
    expect(() => zstdStream('pack', 'a.zst', {})).toThrow(
      /^a\.zst is compressed with Zstandard, which needs Node 22\.15 or later .* \(write \.gz\)$/,
    );
  });

  it('is recognised in files and on the standard input, and unpacked or refused with a reason', async () => {
    const path = join(directory, 'a.ndjson');
    writeFileSync(path, frameOf('{"text": "a"}\n'));
    const frame = frameOf('b\n');
    for (const [name, options, wanted] of [
      [path, {}, '{"text": "a"}\n'],
      [
        '-',
        { stdin: Readable.from([frame.subarray(0, 1), frame.subarray(1, 3), frame.subarray(3)]) },
        'b\n',
      ],
    ] as const) {
      const read = collect((await openInput(name, options)).chunks);
      if (hasZstd) expect(await read).toBe(wanted);
      else
        await expect(read).rejects.toThrow(/Node 22\.15 or later .*\(decompress it with zstd -d/);
    }
  });

  it('is written where the name says so, or refused before there is a file', async () => {
    const path = join(directory, 'a.zst');
    if (hasZstd) {
      const output = await openOutput(path);
      output.write('text\n', () => undefined);
      await output.commit();
      expect(await collect((await openInput(path)).chunks)).toBe('text\n');
    } else {
      await expect(openOutput(path)).rejects.toThrow(/Node 22\.15/);
      expect(readdirSync(directory)).toEqual([]);
    }
  });
});
