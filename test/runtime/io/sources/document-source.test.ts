import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { lastValueFrom, tap, toArray } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Position } from '../../../../src/engine/core/delivery/delivery.js';
import { TagstreamError } from '../../../../src/engine/core/errors.js';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import { conllCodec } from '../../../../src/formats/codecs/conll/conll-codec.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import {
  type DocumentSourceOptions,
  documentSource,
} from '../../../../src/runtime/io/sources/document-source.js';
import type {
  Transport,
  TransportStream,
} from '../../../../src/runtime/io/transports/transport.js';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

const turn = () => new Promise(resolve => setImmediate(resolve));
const turns = async (count: number) => {
  for (let i = 0; i < count; i += 1) await turn();
};

function file(name: string, content: string | Uint8Array): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `{"id":${from + i},"text":"t"}\n`).join('');

type Options = Partial<DocumentSourceOptions> & { files: readonly string[] };

const source = (options: Options) =>
  documentSource({
    codec: ndjsonCodec(),
    deadLetters: new DeadLetters({ policy: 'skip' }),
    ...options,
  });

/** All ids, each document released and acknowledged as it comes. */
async function ids(options: Options): Promise<string[]> {
  const documents = source(options);
  const all: string[] = [];
  await new Promise<void>((resolve, reject) => {
    documents.subscribe({
      next: document => {
        all.push(document.id ?? document.tokens!.join(' '));
        document.delivery!.release();
        document.delivery!.ack();
      },
      error: reject,
      complete: resolve,
    });
  });
  return all;
}

describe('documentSource', () => {
  it('ends with the first bad record where nothing else was said', async () => {
    const files = [file('input', `${lines(0, 2)}{"id"\n${lines(3, 4)}`)];
    const read: unknown[] = [];
    const documents = documentSource({ files, codec: ndjsonCodec() });
    const reading = lastValueFrom(documents.pipe(tap(({ id }) => read.push(id))));
    await expect(reading).rejects.toMatchObject({ code: 'not-json' });
    expect(read).toEqual(['0', '1']);
  });

  it('reads files one after the other, and anew for each subscription', async () => {
    const files = [file('a', lines(0, 3)), file('b.gz', gzipSync(lines(3, 5)))];
    expect(await ids({ files })).toEqual(['0', '1', '2', '3', '4']);
    const documents = source({ files });
    const first = await lastValueFrom(documents.pipe(toArray()));
    const second = await lastValueFrom(documents.pipe(toArray()));
    expect(first.map(document => document.id)).toEqual(second.map(document => document.id));
    expect(first[4]!.delivery!.position).toEqual({ source: files[1], line: 2, start: 20, end: 39 });
  });

  it('completes at the end of the input, released or not', async () => {
    const all = await lastValueFrom(source({ files: [file('a', lines(0, 3))] }).pipe(toArray()));
    expect(all.length).toBe(3);
  });

  it('never has more than its budget in flight', async () => {
    const waiting: Document[] = [];
    let most = 0;
    let seen = 0;
    let completed = false;
    source({ files: [file('a', lines(0, 1000))], budget: 7 }).subscribe({
      next: document => {
        seen += 1;
        waiting.push(document);
        most = Math.max(most, waiting.length);
      },
      complete: () => {
        completed = true;
      },
    });
    while (!completed) {
      await turn();
      expect(waiting.length).toBeLessThanOrEqual(7);
      // A second release of the same delivery gives no second credit.
      for (const document of waiting.splice(0, 3)) {
        document.delivery!.release();
        document.delivery!.release();
      }
    }
    expect([seen, most]).toEqual([1000, 7]);
  });

  it('stands still without released deliveries, and continues with the first', async () => {
    const seen: Document[] = [];
    const stdin = new PassThrough();
    stdin.end(lines(0, 10));
    source({ files: ['-'], stdin, budget: 2 }).subscribe(d => seen.push(d));
    await turns(50);
    expect(seen.map(document => document.id)).toEqual(['0', '1']);
    seen[0]!.delivery!.release();
    await turns(50);
    expect(seen.map(document => document.id)).toEqual(['0', '1', '2']);
  });

  it('closes its input when it is unsubscribed from, also while it waits', async () => {
    const stdin = new PassThrough();
    const seen: Document[] = [];
    const subscription = source({ files: ['-'], stdin }).subscribe(d => seen.push(d));
    stdin.write(`${lines(0, 2)}{"id":`);
    await turns(20);
    expect(seen.map(document => document.delivery!.position)).toEqual([
      { source: '<stdin>', line: 1, start: 0, end: 19 },
      { source: '<stdin>', line: 2, start: 20, end: 39 },
    ]);
    subscription.unsubscribe();
    expect(stdin.destroyed).toBe(true);
    await turns(5);
    expect(seen.length).toBe(2);
  });

  it('emits nothing after it was unsubscribed from in the middle of a chunk', async () => {
    const seen: string[] = [];
    await new Promise<void>(resolve => {
      const subscription = source({ files: [file('a', lines(0, 10))] }).subscribe(document => {
        seen.push(document.id!);
        if (seen.length < 3) return;
        subscription.unsubscribe();
        resolve();
      });
    });
    await turns(20);
    expect(seen).toEqual(['0', '1', '2']);
  });

  it('selects records, bad ones counted, and stops reading at the limit', async () => {
    const content = `${lines(0, 2)}bad\n\n${lines(3, 30)}`;
    const files = [file('a', content), file('b', lines(100, 130))];
    const selection = { split: { every: 10, take: [2, 9] } };
    const deadLetters = new DeadLetters({ policy: 'skip' });
    expect(await ids({ files, selection, deadLetters })).toEqual([
      '9',
      '12',
      '19',
      '22',
      '29',
      '102',
      '109',
      '112',
      '119',
      '122',
      '129',
    ]);
    expect(deadLetters.counts).toEqual({ 'not-json': 1 });
    expect(await ids({ files, selection: { ...selection, limit: 8 } })).toEqual([
      '9',
      '12',
      '19',
      '22',
      '29',
      '102',
      '109',
    ]);
    const stdin = new PassThrough();
    stdin.write(lines(0, 5));
    expect(await ids({ files: ['-'], stdin, selection: { limit: 2 } })).toEqual(['0', '1']);
  });

  it('sends bad and rejected records to the dead letters', async () => {
    const deadLetters = new DeadLetters({ policy: 'skip' });
    const files = [file('a', `${lines(0, 1)}null\n${lines(2, 4)}`)];
    const documents = await lastValueFrom(source({ files, deadLetters }).pipe(toArray()));
    expect(deadLetters.counts).toEqual({ 'not-an-object': 1 });
    documents[1]!.delivery!.reject(new TagstreamError('unknown-column', 'no column pos'));
    documents[1]!.delivery!.reject(new TagstreamError('unknown-column', 'no column pos'));
    documents[1]!.delivery!.ack();
    expect(deadLetters.counts).toEqual({ 'not-an-object': 1, 'unknown-column': 1 });
  });

  it('ends with the error of a bad record where the policy is to fail, after those before it', async () => {
    const files = [file('a', `${lines(0, 2)}null\n${lines(3, 5)}`)];
    const seen: string[] = [];
    const error = await new Promise(resolve => {
      source({ files, deadLetters: new DeadLetters({ policy: 'fail' }) }).subscribe({
        next: document => seen.push(document.id!),
        error: resolve,
      });
    });
    expect(seen).toEqual(['0', '1']);
    expect(error).toMatchObject({ code: 'not-an-object', place: { source: files[0], line: 3 } });
  });

  it('ends with the error of a rejected record where the policy is to fail', async () => {
    const files = [file('a', lines(0, 5))];
    const error = await new Promise(resolve => {
      source({ files, deadLetters: new DeadLetters({ policy: 'fail' }) }).subscribe({
        next: document => document.delivery!.reject(new TagstreamError('unknown-column', 'no pos')),
        error: resolve,
      });
    });
    expect(error).toMatchObject({ message: `${files[0]}:1: no pos` });
  });

  it('ends with an error that names a file that is missing', async () => {
    const missing = join(directory, 'missing');
    await expect(ids({ files: [file('a', lines(0, 1)), missing] })).rejects.toThrowError(
      `cannot read ${missing}: no such file or directory (check the path)`,
    );
  });

  it('reports how far all records are settled', async () => {
    const settled: Position[] = [];
    const files = [file('a', `${lines(0, 2)}null\n${lines(3, 5)}`)];
    const options = { files, onAcknowledged: (position: Position) => settled.push(position) };
    const documents = await lastValueFrom(source(options).pipe(toArray()));
    documents[1]!.delivery!.ack();
    expect(settled).toEqual([]);
    documents[0]!.delivery!.ack();
    expect(settled.map(position => position.line)).toEqual([3]);
    documents[3]!.delivery!.ack();
    documents[2]!.delivery!.reject(new TagstreamError('stage', 'no'));
    expect(settled.map(position => position.line)).toEqual([3, 5]);
  });
});

describe('documentSource with resumeAfter', () => {
  const content = `${lines(0, 3)}bad\n\n${lines(4, 6)}`;

  async function positions(options: Options): Promise<Map<string, Position>> {
    const documents = await lastValueFrom(source(options).pipe(toArray()));
    return new Map(documents.map(d => [d.id ?? d.tokens!.join(' '), d.delivery!.position]));
  }

  it.each([
    ['plain', content, {}],
    ['packed', gzipSync(content), {}],
    ['selected', content, { selection: { split: { every: 100, except: [99] } } }],
  ])('continues after any record, with the same positions: %s', async (_, bytes, more) => {
    const files = [file('a', bytes), file('b', lines(6, 8)), file('c', lines(8, 9))];
    const whole = await positions({ files, ...more });
    expect([...whole.keys()]).toEqual(['0', '1', '2', '4', '5', '6', '7', '8']);
    for (const [id, resumeAfter] of whole) {
      const deadLetters = new DeadLetters({ policy: 'skip' });
      const rest = await positions({ files, resumeAfter, deadLetters, ...more });
      expect([...rest]).toEqual([...whole].filter(([other]) => Number(other) > Number(id)));
      expect(deadLetters.total).toBe(Number(id) < 3 ? 1 : 0);
    }
  });

  it('continues after any sentence of a format of many lines', async () => {
    const files = [file('a', 'a X\nb X\n\nc X\n\n\nd X\n')];
    const codec = conllCodec({ columns: ['form', 'tag'] });
    const whole = await positions({ files, codec });
    const all = ['a b', 'c', 'd'];
    expect([...whole.keys()]).toEqual(all);
    for (const [index, key] of all.entries()) {
      const rest = await positions({ files, codec, resumeAfter: whole.get(key)! });
      expect([...rest]).toEqual([...whole].slice(index + 1));
    }
  });

  it('refuses a position in a file that is not given', async () => {
    const resumeAfter = { source: 'other', line: 3, start: 0, end: 9 };
    await expect(ids({ files: [file('a', content)], resumeAfter })).rejects.toMatchObject({
      code: 'checkpoint',
      message:
        'other:3: the run to resume was reading a file that is not given now (give the same files in the same order)',
    });
  });

  it('closes a stream that is opened after its reader has left', async () => {
    let open = (_: IteratorResult<TransportStream>) => {};
    let closed = 0;
    const transport: Transport = {
      open: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () =>
            new Promise(resolve => {
              open = resolve;
            }),
        }),
      }),
      lag: () => undefined,
    };
    documentSource({ transport, codec: ndjsonCodec() }).subscribe().unsubscribe();
    await new Promise(setImmediate);
    const close = () => {
      closed += 1;
    };
    open({ done: false, value: { close } as TransportStream });
    await new Promise(setImmediate);
    expect(closed).toBe(1);
  });
});
