import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TagstreamError } from '../../../src/engine/core/errors.js';
import { openInput } from '../../../src/formats/reading/open-input.js';
import { cut } from '../../runtime/io/sources/read-all.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const text = 'one\ntwo\n'.repeat(50_000);

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

describe('openInput', () => {
  it('reads a file', async () => {
    const path = file('a.txt', text);
    const input = await openInput(path);
    expect([input.source, input.offset]).toEqual([path, 0]);
    expect(await collect(input.chunks)).toBe(text);
  });

  it('takes texts in the place of bytes on the standard input', async () => {
    const [high, low] = ['\ud83d', '\ude00'];
    const input = await openInput('-', { stdin: Readable.from(['a', 'é', high, `${low}z`]) });
    expect(await collect(input.chunks)).toBe('aé😀z');
    const half = await openInput('-', { stdin: Readable.from([high]) });
    expect(await collect(half.chunks)).toBe('\ufffd');
  });

  it.each([0, 7, 400_000])(
    'reads a plain file in chunks from two buffers, from byte %i',
    async start => {
      const input = await openInput(file('a.txt', text), { start, chunkBytes: 1000 });
      const buffers = new Set<unknown>();
      let found = '';
      let left = input.left()!;
      expect(left).toBe(text.length - start);
      for await (const chunk of input.chunks) {
        buffers.add(chunk.buffer);
        found += new TextDecoder().decode(chunk);
        expect(chunk.length).toBe(Math.min(1000, left));
        left -= chunk.length;
        expect(input.left()).toBe(left);
      }
      expect(found).toBe(text.slice(start));
      expect(buffers.size).toBe(start === text.length ? 0 : 2);
      input.close();
    },
  );

  it('reads on where a file grows, and stops where it is closed', async () => {
    const path = file('a.txt', 'one');
    const input = await openInput(path, { chunkBytes: 3 });
    const chunks = input.chunks[Symbol.asyncIterator]();
    const next = async (): Promise<string | undefined> => {
      const { done, value } = await chunks.next();
      return done === true ? undefined : Buffer.from(value).toString();
    };
    expect(await next()).toBe('one');
    appendFileSync(path, 'twotrifou');
    // The next read may have been at the end of the file before it grew; nobody hears of the rest then.
    const rest = await next();
    expect([undefined, 'two']).toContain(rest);
    input.close();
    // One chunk at most was read ahead.
    const last = await next().catch(error => error.code);
    expect([undefined, 'file', 'tri']).toContain(last);
    const end = await next().catch(error => error.code);
    expect([undefined, 'file']).toContain(end);
  });

  it('unpacks gzip whatever the size of its chunks', async () => {
    const input = await openInput(file('a.gz', gzipSync(text)), { chunkBytes: 10 });
    expect(await collect(input.chunks)).toBe(text);
    input.close();
  });

  it('begins in the middle of a plain file', async () => {
    const input = await openInput(file('a.txt', text), { start: text.length - 4 });
    expect(input.offset).toBe(text.length - 4);
    expect(await collect(input.chunks)).toBe('two\n');
  });

  it.each(['', 'x', 'xy'])('reads the short file %j', async content => {
    expect(await collect((await openInput(file('a.txt', content))).chunks)).toBe(content);
  });

  it('unpacks gzip whatever its name, from its beginning, and several members', async () => {
    const packed = Buffer.concat([gzipSync(text), gzipSync('more')]);
    const input = await openInput(file('a.txt', packed), { start: 10 });
    expect(input.offset).toBe(0);
    expect(await collect(input.chunks)).toBe(`${text}more`);
  });

  it('reads the standard input for -, packed or not, in chunks of any size', async () => {
    for (const size of [1, 7, 100_000]) {
      for (const bytes of [Buffer.from('plain'), gzipSync('plain')]) {
        const input = await openInput('-', { stdin: Readable.from(cut(bytes, size)), start: 3 });
        expect([input.source, input.offset]).toEqual(['<stdin>', 0]);
        expect(await collect(input.chunks)).toBe('plain');
      }
    }
  });

  it('ends when it is closed while it waits', async () => {
    const stdin = new PassThrough();
    const input = await openInput('-', { stdin });
    const reading = collect(input.chunks).then(
      () => 'ended',
      () => 'failed',
    );
    stdin.write('abc');
    await new Promise(resolve => setImmediate(resolve));
    input.close();
    expect(await reading).toBe('failed');
    expect(stdin.destroyed).toBe(true);
  });

  it('says what is wrong with a path', async () => {
    const missing = join(directory, 'missing');
    await expect(openInput(missing)).rejects.toMatchObject({
      code: 'file',
      message: `cannot read ${missing}: no such file or directory (check the path)`,
    });
    await expect(openInput(directory)).rejects.toMatchObject({
      code: 'file',
      message: `cannot read ${directory}: it is a directory (name a file)`,
    });
  });

  it('gives all that is whole before gzip data is cut off, wherever it is', async () => {
    const lines = 'one\ntwo\n';
    const packed = Buffer.concat([gzipSync(lines), gzipSync('three\n', { level: 0 })]);
    const first = gzipSync(lines).length;
    for (let end = 2; end < packed.length; end += 1) {
      const path = file('a.gz', packed.subarray(0, end));
      const { found, error } = await untilError((await openInput(path, { chunkBytes: 5 })).chunks);
      const ended = end === first || error?.code === 'file';
      expect([end, ended, `${lines}three\n`.startsWith(found)]).toEqual([end, true, true]);
      if (end >= first) expect(found.startsWith(lines)).toBe(true);
      if (end !== first) {
        expect(error?.message).toBe(
          `cannot read ${path}: the gzip data is cut off after ${end} bytes (records before the cut were read; fetch the whole file again)`,
        );
      }
    }
  });

  it('says what is wrong with gzip data, and gives what comes before that', async () => {
    const packed = gzipSync(text);
    const changed = (at: number) => {
      const bytes = Buffer.from(packed);
      bytes[bytes.length - at]! ^= 1;
      return bytes;
    };
    const followedBy = (...more: Uint8Array[]) => Buffer.concat([packed, ...more]);
    const garbage = `the data after its gzip data, from byte ${packed.length}, is not gzip`;
    const cases = [
      [changed(8), 'the gzip data is damaged: its checksum does not match its contents', true],
      [changed(1), 'the gzip data is damaged: its checksum does not match its contents', true],
      [changed(30), 'the gzip data is damaged: ', false],
      [followedBy(Buffer.from('garbage')), garbage, true],
      [followedBy(Buffer.alloc(600), Buffer.from('x')), garbage, true],
      [followedBy(Buffer.alloc(3), packed), garbage, true],
      [followedBy(Buffer.of(0x1f, 0x8b, 9, 9, 9, 9, 9, 9, 9, 9)), 'a header is wrong', true],
    ] as const;
    for (const [bytes, problem, isWhole] of cases) {
      const { found, error } = await untilError((await openInput(file('a.gz', bytes))).chunks);
      expect(error).toMatchObject({ code: 'file', message: expect.stringContaining(problem) });
      expect(text.startsWith(found)).toBe(true);
      if (isWhole) expect(found).toBe(text);
    }
  });

  it('reads empty gzip, zeros behind it, and headers with all that they may have', async () => {
    const raw = deflateRawSync('one');
    const trailer = gzipSync('one').subarray(-8);
    const flags = Buffer.of(0x1f, 0x8b, 8, 2 + 4 + 8 + 16, 0, 0, 0, 0, 0, 3);
    const named = Buffer.concat([flags, Buffer.from('\x02\x00abname\0note\0zz'), raw, trailer]);
    for (const [bytes, wanted] of [
      [gzipSync(''), ''],
      [Buffer.concat([gzipSync('one'), Buffer.alloc(1000)]), 'one'],
      [Buffer.concat([gzipSync(''), gzipSync('one'), gzipSync('')]), 'one'],
      [named, 'one'],
    ] as const) {
      for (const chunkBytes of [1, 9, 65_536]) {
        const stdin = Readable.from(cut(bytes, chunkBytes));
        expect(await collect((await openInput('-', { stdin })).chunks)).toBe(wanted);
      }
    }
  });
});

async function untilError(chunks: AsyncIterable<Uint8Array>) {
  const all: Uint8Array[] = [];
  let error: TagstreamError | undefined;
  try {
    for await (const chunk of chunks) all.push(Uint8Array.from(chunk));
  } catch (thrown) {
    error = thrown as TagstreamError;
  }
  return { found: Buffer.concat(all).toString(), error };
}
