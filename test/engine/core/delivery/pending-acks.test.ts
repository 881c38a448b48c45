import { PassThrough } from 'node:stream';
import { lastValueFrom, tap, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { PendingAcks } from '../../../../src/engine/core/delivery/delivery.js';
import { tokenize } from '../../../../src/engine/operators/tokenize.js';
import { ndjsonCodec } from '../../../../src/formats/codecs/ndjson/ndjson-codec.js';
import { DeadLetters } from '../../../../src/runtime/io/dead-letters/dead-letters.js';
import { documentSource } from '../../../../src/runtime/io/sources/document-source.js';
import { CountingDelivery } from '../../operators/counting-delivery.js';

describe('PendingAcks', () => {
  it('acknowledges each delivery once', () => {
    const deliveries = [new CountingDelivery(), new CountingDelivery()];
    const pending = new PendingAcks();
    for (const delivery of deliveries) pending.add(delivery);
    expect(pending.length).toBe(2);
    pending.ackAll();
    pending.ackAll();
    expect(deliveries.map(({ acks }) => acks)).toEqual([1, 1]);
  });

  it('holds one delivery for any number of consecutive records, of several sentences too', async () => {
    const stdin = new PassThrough();
    const text = (i: number) => ['One. Two. Three.', 'One.', 'A b. C d.'][i % 3];
    for (let i = 0; i < 999; i += 1) stdin.write(`{"text":"${text(i)}"}\n${i % 10 ? '' : 'bad\n'}`);
    stdin.end();
    const ends: number[] = [];
    const pending = new PendingAcks();
    let most = 0;
    const sentences = documentSource({
      files: ['-'],
      stdin,
      codec: ndjsonCodec(),
      deadLetters: new DeadLetters({ policy: 'skip' }),
      onAcknowledged: ({ line }) => ends.push(line),
    }).pipe(
      tokenize(),
      tap(({ delivery }) => {
        delivery!.release();
        pending.add(delivery!);
        most = Math.max(most, pending.length);
      }),
      toArray(),
    );
    expect((await lastValueFrom(sentences)).length).toBe(1998);
    expect(most).toBe(2);
    expect(ends.at(-1) ?? 0).toBeLessThan(3);
    pending.ackAll();
    expect(ends.at(-1)).toBe(999 + 100);
  });
});
