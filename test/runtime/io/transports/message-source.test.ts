import { gzipSync } from 'node:zlib';
import { concat, lastValueFrom, of, Subject, take, tap, throwError, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Position } from '../../../../src/engine/core/delivery/delivery.js';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import type { Message, MessageRequest } from '../../../../src/engine/interfaces/messages.js';
import type { BadRecord } from '../../../../src/formats/bad-records/bad-record.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import {
  type DocumentSourceOptions,
  documentSource,
} from '../../../../src/runtime/io/sources/document-source.js';
import { messageSource } from '../../../../src/runtime/io/transports/message-source.js';

const line = (i: number) => `{"id": "${i}", "text": "number ${i}"}`;

/** A place whose messages note that they are acknowledged, and how many were asked for. */
class Place {
  readonly acknowledged: number[] = [];
  readonly requests: MessageRequest[] = [];
  taken = 0;
  readonly #bytes: readonly string[];

  constructor(...bytes: readonly string[]) {
    this.#bytes = bytes;
  }

  message(cursor: number): Message {
    return {
      ...{ bytes: this.#bytes[cursor]!, cursor },
      ack: () => void this.acknowledged.push(cursor),
    };
  }

  *messages(from = 0): Generator<Message> {
    for (let cursor = from; cursor < this.#bytes.length; cursor += 1) {
      this.taken += 1;
      yield this.message(cursor);
    }
  }

  documents(options: Partial<DocumentSourceOptions> = {}) {
    const read = (request: MessageRequest) => {
      this.requests.push(request);
      return this.messages(request.from as number | undefined);
    };
    const deadLetters = new DeadLetters({ policy: 'skip' });
    const transport = messageSource({ name: 'place', read });
    return documentSource({ transport, codec: ndjsonCodec(), deadLetters, ...options });
  }
}

const settle = tap(({ delivery }: Document) => {
  delivery!.release();
  delivery!.ack();
});

const idsOf = (documents: readonly Document[]) => documents.map(({ id }) => id);

describe('a source of messages', () => {
  it('gives records their place in their message', async () => {
    const place = new Place(`${line(0)}\n${line(1)}\n`, line(2));
    const documents = await lastValueFrom(place.documents().pipe(settle, toArray()));
    const positions = documents.map(({ delivery }) => delivery!.position);
    // The content tells a message from others that have its number in another run.
    const [one, same, other] = positions.map(({ identity }) => identity);
    expect([one === same, one === other, one!.length]).toEqual([true, false, 32]);
    expect(positions.map(({ identity: _, ...position }) => position)).toEqual([
      { source: 'place#0', line: 1, start: 0, end: 31, cursor: 0 },
      { source: 'place#0', line: 2, start: 32, end: 63, cursor: 0 },
      { source: 'place#1', line: 1, start: 0, end: 31, cursor: 1 },
    ]);
  });

  it('acknowledges a message with the last of its records, whatever their order', async () => {
    const place = new Place(`${line(0)}\n${line(1)}\nbad\n`, line(2), 'bad', '');
    const documents = await lastValueFrom(place.documents({ budget: 9 }).pipe(toArray()));
    expect(place.acknowledged).toEqual([2, 3]);
    const [first, second, third] = documents.map(({ delivery }) => delivery!);
    third!.ack();
    second!.ack();
    expect(place.acknowledged).toEqual([2, 3, 1]);
    first!.ack();
    expect(place.acknowledged).toEqual([2, 3, 1, 0]);
  });

  it('asks for the next message when there is room', async () => {
    const place = new Place(...Array.from({ length: 50 }, (_, i) => line(i)));
    const seen: Document[] = [];
    const ended = new Promise<void>(resolve => {
      place.documents({ budget: 3 }).subscribe({
        next: document => seen.push(document),
        complete: resolve,
      });
    });
    const pause = () => new Promise(resolve => setTimeout(resolve, 5));
    await pause();
    expect([seen.length, place.taken]).toEqual([3, 4]);
    for (let i = 0; i < 50; i += 1) {
      while (seen.length <= i) await pause();
      seen[i]!.delivery!.release();
      seen[i]!.delivery!.ack();
    }
    await ended;
    expect(place.acknowledged).toHaveLength(50);
  });

  it('leaves a message that is not read to its end to the next run', async () => {
    const place = new Place(line(0), `${line(1)}\n${line(2)}\n`, line(3));
    const limited = place.documents({ selection: { limit: 2 } }).pipe(settle, toArray());
    expect(idsOf(await lastValueFrom(limited))).toEqual(['0', '1']);
    expect(place.acknowledged).toEqual([0]);
    const taken = new Place(line(0), line(1));
    await lastValueFrom(taken.documents().pipe(settle, take(1)));
    await new Promise(resolve => setTimeout(resolve, 2));
    expect([taken.acknowledged, taken.requests[0]!.signal.aborted]).toEqual([[0], true]);
  });

  it('brings a message that was handled in part on from there', async () => {
    const text = [0, 1, 2].map(line).join('\n');
    let after: Position | undefined;
    const place = new Place(line(9), text, line(3));
    const onAcknowledged = (position: Position) => {
      after = position;
    };
    let left = 3;
    const part = place.documents({ onAcknowledged }).pipe(
      tap(({ delivery }) => {
        delivery!.release();
        left -= 1;
        if (left >= 0) delivery!.ack();
      }),
    );
    await lastValueFrom(part);
    expect(after).toMatchObject({ source: 'place#1', line: 2, cursor: 1 });
    const resumed = place.documents({ resumeAfter: JSON.parse(JSON.stringify(after)) });
    expect(idsOf(await lastValueFrom(resumed.pipe(settle, toArray())))).toEqual(['2', '3']);
    expect(place.requests.map(({ from }) => from)).toEqual([undefined, 1]);
    expect(place.acknowledged).toEqual([0, 1, 2]);
  });

  it('has an observable too, and passes its error on after what came before', async () => {
    const failure = new Error('gone');
    const messages = [line(0), line(1)].map(bytes => ({ bytes }));
    const read = () =>
      concat(
        of(...messages),
        throwError(() => failure),
      );
    const deadLetters = new DeadLetters({ policy: 'skip' });
    const transport = messageSource({ name: 'place', read });
    const seen: unknown[] = [];
    const documents = documentSource({ transport, codec: ndjsonCodec(), deadLetters }).pipe(
      settle,
      tap(({ id }) => seen.push(id)),
    );
    await expect(lastValueFrom(documents)).rejects.toBe(failure);
    expect(seen).toEqual(['0', '1']);
  });

  it('rejects a message of gzip data that is not whole as one record, and says why', async () => {
    const whole = gzipSync(`${line(0)}\n${line(1)}\n`);
    const changed = Buffer.from(whole);
    changed[whole.length - 7]! ^= 1;
    const messages = [
      ...[whole.subarray(0, -1), whole.subarray(0, 30), changed],
      ...[
        Buffer.concat([whole, Buffer.from('garbage')]),
        Buffer.concat([whole, Buffer.alloc(2), whole]),
      ],
      ...[
        whole,
        Buffer.concat([whole, Buffer.alloc(9)]),
        Buffer.concat([gzipSync(line(2)), gzipSync('')]),
      ],
    ];
    const acknowledged: number[] = [];
    const read = () =>
      messages.map((bytes, i) => ({ bytes, cursor: i, ack: () => void acknowledged.push(i) }));
    const found: BadRecord[] = [];
    const deadLetters = new DeadLetters({ policy: 'skip' });
    deadLetters.add = bad => void found.push(bad);
    const transport = messageSource({ name: 'place', read });
    const documents = documentSource({ transport, codec: ndjsonCodec(), deadLetters });
    const seen = idsOf(await lastValueFrom(documents.pipe(settle, toArray())));
    expect(seen).toEqual(['0', '1', '0', '1', '2']);
    expect(acknowledged).toEqual(messages.map((_, i) => i));
    expect(found.map(({ error }) => error.problem.split('gzip data ')[1])).toEqual([
      ...['is cut off', 'is cut off', 'is damaged', 'is damaged'],
      'is followed by data that is not gzip',
    ]);
    expect(found.map(({ raw }) => raw)).toEqual(messages.slice(0, 5));
  });

  it('unpacks a message when its turn comes, up to what a record may have', async () => {
    const text = (bytes: number) => `{"id": "0", "text": "${'x'.repeat(bytes)}"}`;
    const wide = 17 * 2 ** 20;
    const messages = [gzipSync(text(wide)), gzipSync(line(1)), gzipSync(text(2 ** 20))];
    for (const [maxLineBytes, expected] of [
      [undefined, ['too-long']],
      // Less than the default is for records, of which there may be several in a message.
      [100, ['too-long', 'too-long']],
      [2 * wide, []],
    ] as const) {
      const found: BadRecord[] = [];
      const deadLetters = new DeadLetters({ policy: 'skip' });
      deadLetters.add = bad => void found.push(bad);
      const read = () => messages.map(bytes => ({ bytes }));
      const transport = messageSource({ name: 'place', read }, { maxLineBytes });
      const codec = ndjsonCodec({ maxLineBytes });
      const documents = documentSource({ transport, codec, deadLetters });
      const seen = await lastValueFrom(documents.pipe(settle, toArray()));
      expect(found.map(({ error }) => error.code)).toEqual(expected);
      expect(seen).toHaveLength(messages.length - expected.length);
    }
  });

  it('ends at once, while it waits, when nothing more is wanted', async () => {
    for (const end of ['signal', 'unsubscribe']) {
      const messages = new Subject<Message>();
      const read = () => messages;
      const deadLetters = new DeadLetters({ policy: 'skip' });
      const transport = messageSource({ name: 'place', read });
      const controller = new AbortController();
      const options = { transport, codec: ndjsonCodec(), deadLetters, signal: controller.signal };
      let completed = false;
      const subscription = documentSource(options).subscribe({
        complete: () => {
          completed = true;
        },
      });
      await new Promise(resolve => setTimeout(resolve, 2));
      if (end === 'signal') controller.abort();
      else subscription.unsubscribe();
      await new Promise(resolve => setTimeout(resolve, 2));
      expect([completed, messages.observed]).toEqual([end === 'signal', false]);
    }
  });
});
