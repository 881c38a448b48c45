import { spawn } from 'node:child_process';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { beginningOf } from '../../../src/formats/reading/beginning-of.js';

async function rest(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

const pieces = (text: string | Buffer, length: number) => {
  const bytes = Buffer.from(text);
  const found: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += length) found.push(bytes.subarray(at, at + length));
  return Readable.from(found, { objectMode: false });
};

const long = `{"text":"${'a '.repeat(100_000)}"}\n{"text":"b"}\n`;

it.each([
  ['a long record', long],
  ['a long item of an array', `[${long.trim().replace('\n', ',\n')}]`],
  ['a record without an end', long.slice(0, 50_000)],
  ['a short text', 'Go.'],
])('waits for the first record of JSON, and leaves the stream as it was: %s', async (_, text) => {
  for (const length of [1_700, 40_960, 1_000_000]) {
    const stream = pieces(text, length);
    const beginning = await beginningOf(stream);
    expect(text.startsWith(beginning)).toBe(true);
    if (text.startsWith('{') || text.startsWith('[')) {
      expect(beginning.length).toBeGreaterThanOrEqual(Math.min(text.length, 200_000));
    }
    expect((await rest(stream)).toString()).toBe(text);
  }
});

it('reads a long record a few times for each piece that comes, not for each byte', async () => {
  const stream = pieces(long, 40_960);
  let reads = 0;
  const read = stream.read.bind(stream);
  stream.read = (size?: number) => {
    reads += 1;
    return read(size) as unknown;
  };
  await beginningOf(stream);
  expect(reads).toBeLessThan(40);
});

it('does not wait for more of a text, nor after the first record', async () => {
  for (const text of ['Ben flew to', '{"text":"a"}\n']) {
    const stream = new PassThrough();
    stream.write(text);
    expect(await beginningOf(stream)).toBe(text);
    stream.end(' Rome.');
    expect((await rest(stream)).toString()).toBe(`${text} Rome.`);
  }
});

it('waits for what a pipe holds back, and ends with it', async () => {
  const child = spawn(process.execPath, [
    '-e',
    'process.stdout.write("[{"); setTimeout(() => process.stdout.write("}]"), 100)',
  ]);
  expect(await beginningOf(child.stdout)).toBe('[{}]');
  expect((await rest(child.stdout)).toString()).toBe('[{}]');
});

it('is empty where there is nothing', async () => {
  expect(await beginningOf(Readable.from([], { objectMode: false }))).toBe('');
  const destroyed = new PassThrough();
  destroyed.destroy();
  expect(await beginningOf(destroyed)).toBe('');
});

it('unpacks gzip, of which the stream stays packed', async () => {
  const packed = gzipSync(`${JSON.stringify({ text: 'a' })}\n`.repeat(3));
  for (const length of [7, 1_000]) {
    const stream = pieces(packed, length);
    expect((await beginningOf(stream)).startsWith('{"text":"a"}')).toBe(true);
    expect((await rest(stream)).equals(packed)).toBe(true);
  }
});

it.each([
  ['utf16le with a mark', Buffer.from('\ufeffBen lives.', 'utf16le'), 'iconv -f utf-16 '],
  ['utf16le', Buffer.from('Ben lives.', 'utf16le'), 'iconv -f utf-16le '],
  ['utf16be', Buffer.from('Ben lives.', 'utf16le').swap16(), 'iconv -f utf-16be '],
  [
    'utf32',
    Buffer.from([0xff, 0xfe, 0, 0, 0x42, 0, 0, 0, 0x65, 0, 0, 0]),
    'it is UTF-32 (convert it to UTF-8, for example with iconv -f utf-32 ',
  ],
])('refuses %s with the command that converts it', async (_, bytes, message) => {
  await expect(beginningOf(pieces(bytes, 100))).rejects.toThrow(message);
});
