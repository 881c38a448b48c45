import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { bufferCount, filter, type OperatorFunction } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FlowLedger } from '../../../../src/engine/core/delivery/flow-ledger.js';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import { tracked } from '../../../../src/engine/operators/tracked.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../../../src/runtime/io/sources/document-source.js';

const codec = ndjsonCodec();
const deadLetters = new DeadLetters({ policy: 'skip' });

function records(count: number): PassThrough {
  const stdin = new PassThrough();
  stdin.end(Array.from({ length: count }, (_, id) => `{"id":${id},"text":"t"}\n`).join(''));
  return stdin;
}

/** What a stream comes to whose items are released and acknowledged where they come out. */
async function outcome(
  operator: OperatorFunction<Document, unknown>,
  ledger = new FlowLedger(),
): Promise<string | number> {
  const options = { files: ['-'], stdin: records(40), codec, deadLetters, budget: 8, ledger };
  let count = 0;
  return new Promise(resolve => {
    documentSource(options)
      .pipe(operator)
      .subscribe({
        next: item => {
          const { delivery } = item as Document;
          delivery?.release();
          delivery?.ack();
          count += 1;
        },
        error: (error: Error) => resolve(error.message),
        complete: () => resolve(count),
      });
  });
}

/** A pipe to write to, once it has a reader: to open it before would block the reader, which is this thread. */
async function openToWrite(path: string): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch {
      await new Promise(resolve => setTimeout(resolve, 5));
    }
  }
}

describe('a source whose budget is used up', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
  afterEach(() => void vi.useRealTimers());

  const passing = async (work: Promise<string | number>) => {
    let done = false;
    void work.finally(() => {
      done = true;
    });
    for (let i = 0; i < 40 && !done; i += 1) {
      vi.advanceTimersByTime(1000);
      for (let k = 0; k < 20; k += 1) await new Promise(resolve => setImmediate(resolve));
    }
    return work;
  };

  it('names a raw filter that drops records', async () => {
    expect(await passing(outcome(filter(({ id }) => Number(id) < 3)))).toBe(
      '8 records (153 bytes) are in flight and none returns: untracked operators hold 8 ' +
        '(raise the budget above what a stage holds back, or wrap operators that drop or collect items in tracked())',
    );
  });

  it('lets the same filter pass inside tracked()', async () => {
    expect(await passing(outcome(tracked(filter(({ id }) => Number(id) < 3))))).toBe(3);
  });

  it('names an operator that collects more than the budget', async () => {
    const ledger = new FlowLedger();
    const collecting = tracked(bufferCount<Document>(10), { items: 10, name: 'tens', ledger });
    expect(await passing(outcome(collecting, ledger))).toMatch(/none returns: tens holds 8 \(/);
    const eights = tracked(bufferCount<Document>(8), { items: 8, name: 'eights', ledger });
    expect(await passing(outcome(eights, ledger))).toBe(5);
  });

  it('waits as long as somebody is busy', async () => {
    const ledger = new FlowLedger();
    let busy = true;
    const leave = ledger.enter('the output', () => ({ items: 8, busy }));
    const work = outcome(
      filter(() => false),
      ledger,
    );
    let ended = false;
    void work.then(() => {
      ended = true;
    });
    for (let i = 0; i < 30; i += 1) {
      vi.advanceTimersByTime(1000);
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(ended).toBe(false);
    busy = false;
    expect(await passing(work)).toMatch(/none returns: the output holds 8 \(/);
    leave();
    expect(ledger.describe(0)).toBe('');
  });
});

describe('a named pipe', () => {
  let directory = '';
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'tagstream-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const fifo = () => {
    const path = join(directory, 'fifo');
    execFileSync('mkfifo', [path]);
    return path;
  };
  const descriptors = () => readdirSync('/proc/self/fd').length;
  const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms));

  it('is read to the end of its last writer', async () => {
    const path = fifo();
    const ids: unknown[] = [];
    const done = new Promise<void>((resolve, reject) => {
      documentSource({ files: [path], codec, deadLetters }).subscribe({
        next: ({ id }) => ids.push(id),
        error: reject,
        complete: resolve,
      });
    });
    const writer = await openToWrite(path);
    writeSync(writer, '{"id":"1","text":"a"}\n{"id":"2",');
    await pause(20);
    writeSync(writer, '"text":"b"}\n');
    closeSync(writer);
    await done;
    expect(ids).toEqual(['1', '2']);
  });

  it.runIf(process.platform === 'linux')(
    'is closed soon after unsubscribing, written to or not',
    async () => {
      const path = fifo();
      for (const written of [false, true]) {
        const before = descriptors();
        const seen: unknown[] = [];
        const subscription = documentSource({ files: [path], codec, deadLetters }).subscribe(d =>
          seen.push(d.id),
        );
        const writer = written ? await openToWrite(path) : undefined;
        await pause(30);
        if (writer !== undefined) writeSync(writer, '{"id":"1","text":"a"}\n');
        await pause(30);
        expect(seen).toEqual(written ? ['1'] : []);
        expect(descriptors()).toBe(before + 1 + (written ? 1 : 0));
        subscription.unsubscribe();
        if (writer !== undefined) closeSync(writer);
        // A busy machine takes its time.
        for (let i = 0; i < 100 && descriptors() !== before; i += 1) await pause(30);
        expect(descriptors()).toBe(before);
      }
    },
  );
});
