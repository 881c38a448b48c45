import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { concat, from, map, Observable, of, throwError } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RunStatus } from '../../../src/engine/core/run-status.js';
import type { Document } from '../../../src/engine/core/sentence/document.js';
import type { TaggedDocument } from '../../../src/engine/core/sentence/tagged-document.js';
import { lettersCodec } from '../../../src/formats/codecs/letters/letters-codec.js';
import { ndjsonCodec } from '../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { DeadLetters } from '../../../src/runtime/io/dead-letters/dead-letters.js';
import { writeDocuments } from '../../../src/runtime/io/document-sink.js';
import { documentSource } from '../../../src/runtime/io/sources/document-source.js';
import { openOutput } from '../../../src/runtime/io/writing/open-output.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const turn = () => new Promise(resolve => setImmediate(resolve));

interface Ends {
  released: number;
  acknowledged: number;
  rejected: string[];
}

function tagged(id: string, ends?: Ends, tag = 'X'): TaggedDocument {
  const delivery = ends && {
    position: { source: 's', line: 1, start: 0, end: 1 },
    release: () => {
      ends.released += 1;
    },
    ack: () => {
      ends.acknowledged += 1;
    },
    reject: (error: Error) => ends.rejected.push(error.message),
  };
  const document: Document = { id, ...(delivery && { delivery }) };
  return { document, tokens: ['a'], tags: [tag] };
}

const newEnds = (): Ends => ({ released: 0, acknowledged: 0, rejected: [] });
const line = (id: string) => `{"id":"${id}","tokens":["a"],"tags":["X"]}\n`;
const numbers = (count: number) => Array.from({ length: count }, (_, i) => String(i));

/** A stream that keeps what it is given, piece by piece, and confirms it when asked to. */
class SlowStream extends Writable {
  readonly pieces: string[] = [];
  confirm: () => void = () => undefined;

  override _write(chunk: Buffer, _: string, callback: (error?: Error) => void): void {
    this.pieces.push(chunk.toString());
    this.confirm = callback;
  }
}

describe('writeDocuments', () => {
  it('writes lines in order in large pieces', async () => {
    const stdout = new PassThrough();
    const write = stdout.write.bind(stdout);
    let pieces = 0;
    stdout.write = ((...args: Parameters<typeof write>) => {
      pieces += 1;
      return write(...args);
    }) as typeof stdout.write;
    const output = await openOutput('-', { stdout });
    let received = '';
    stdout.on('data', chunk => {
      received += chunk;
    });
    const documents = from(numbers(10_000)).pipe(map(id => tagged(id)));
    const result = await writeDocuments(documents, output, ndjsonCodec());
    expect(result).toEqual({ records: 10_000 });
    const text = numbers(10_000).map(line).join('');
    expect(received).toBe(text);
    expect(pieces).toBe(Math.ceil(text.length / 65_536));
  });

  it('releases and acknowledges when the output has the line, and not before', async () => {
    const stdout = new SlowStream();
    const ends = newEnds();
    const written = writeDocuments(
      of(tagged('1', ends), tagged('2', ends)),
      await openOutput('-', { stdout }),
      ndjsonCodec(),
    );
    await turn();
    expect(stdout.pieces).toEqual([line('1') + line('2')]);
    expect(ends).toEqual({ released: 0, acknowledged: 0, rejected: [] });
    stdout.confirm();
    expect(await written).toEqual({ records: 2 });
    expect(ends).toEqual({ released: 2, acknowledged: 2, rejected: [] });
  });

  it('writes a lone line when the event loop turns, without waiting for more', async () => {
    const stdout = new PassThrough();
    let stop: () => void = () => undefined;
    const endless = new Observable<TaggedDocument>(subscriber => {
      subscriber.next(tagged('1'));
      stop = () => subscriber.complete();
    });
    const written = writeDocuments(endless, await openOutput('-', { stdout }), ndjsonCodec());
    await turn();
    await turn();
    expect(stdout.read().toString()).toBe(line('1'));
    stop();
    expect(await written).toEqual({ records: 1 });
  });

  it('holds a source back to its budget', async () => {
    const stdin = new PassThrough();
    stdin.end(
      numbers(20)
        .map(id => `{"id":"${id}","tokens":["a"]}\n`)
        .join(''),
    );
    const stdout = new SlowStream();
    let emitted = 0;
    const deadLetters = new DeadLetters({ policy: 'skip' });
    const codec = ndjsonCodec();
    const status = new RunStatus();
    const options = { files: ['-'], stdin, codec, deadLetters, budget: 5, status };
    const documents = documentSource(options).pipe(
      map(document => {
        emitted += 1;
        return { document, tokens: ['a'], tags: ['X'] };
      }),
    );
    const output = await openOutput('-', { stdout });
    const written = writeDocuments(documents, output, codec, {}, { status });
    for (const expected of [5, 10, 15, 20]) {
      for (let i = 0; i < 20; i += 1) await turn();
      expect(emitted).toBe(expected);
      // What the output has not confirmed is not out yet.
      expect([status.recordsIn, status.recordsOut]).toEqual([expected, expected - 5]);
      stdout.confirm();
    }
    expect(await written).toEqual({ records: 20 });
    expect(status.recordsOut).toBe(20);
    expect(stdout.pieces.join('')).toBe(numbers(20).map(line).join(''));
  });

  it('writes a file and gives it its name at the end', async () => {
    const path = join(directory, 'out.ndjson');
    await writeDocuments(of(tagged('1')), await openOutput(path), ndjsonCodec());
    expect(readFileSync(path, 'utf8')).toBe(line('1'));
    expect(readdirSync(directory)).toEqual(['out.ndjson']);
  });

  it('keeps no file of a stream that fails, but hands on what came before to a stream', async () => {
    const failing = concat(
      of(tagged('1')),
      throwError(() => new Error('broken')),
    );
    const path = join(directory, 'out.ndjson');
    await expect(
      writeDocuments(failing, await openOutput(path), ndjsonCodec()),
    ).rejects.toThrowError('broken');
    expect(readdirSync(directory)).toEqual([]);
    const stdout = new PassThrough();
    const output = await openOutput('-', { stdout });
    await expect(writeDocuments(failing, output, ndjsonCodec())).rejects.toThrowError('broken');
    expect(stdout.read().toString()).toBe(line('1'));
  });

  it('rejects a document that the format cannot hold, and continues', async () => {
    const stdout = new PassThrough();
    const ends = newEnds();
    const codec = lettersCodec({ columns: ['word'] });
    const documents = of(tagged('1', ends), tagged('2', ends, 'XX'), tagged('3', ends, 'Y'));
    const result = await writeDocuments(documents, await openOutput('-', { stdout }), codec);
    expect(result).toEqual({ records: 2 });
    expect(stdout.read().toString()).toBe('a\tX\na\tY\n');
    expect([ends.acknowledged, ends.rejected.length]).toEqual([2, 1]);
    expect(ends.rejected[0]).toMatch('the tag "XX" is not one letter');
  });

  it('fails for such a document where there is nobody to reject it to', async () => {
    const output = await openOutput('-', { stdout: new PassThrough() });
    await expect(
      writeDocuments(of(tagged('1', undefined, 'XX')), output, lettersCodec()),
    ).rejects.toMatchObject({ code: 'wrong-shape' });
  });

  it('ends without an error when the reader of the output goes away', async () => {
    let unsubscribed = false;
    const endless = new Observable<TaggedDocument>(subscriber => {
      const timer = setInterval(() => subscriber.next(tagged('1')), 0);
      return () => {
        unsubscribed = true;
        clearInterval(timer);
      };
    });
    let writes = 0;
    const stdout = new Writable({
      write: (_chunk, _encoding, callback) => {
        writes += 1;
        callback(writes > 3 ? Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }) : null);
      },
    });
    const output = await openOutput('-', { stdout });
    expect(await writeDocuments(endless, output, ndjsonCodec())).toEqual({ records: 3 });
    expect(unsubscribed).toBe(true);
  });

  it('reports a full disk', async () => {
    const documents = from(numbers(10_000)).pipe(map(id => tagged(id)));
    const written = writeDocuments(documents, await openOutput('/dev/full'), ndjsonCodec());
    await expect(written).rejects.toMatchObject({
      code: 'file',
      message:
        'cannot write /dev/full: no space is left on the device (free some space, or write somewhere else)',
    });
  });
});
