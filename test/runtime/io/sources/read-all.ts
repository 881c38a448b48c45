import type { Delivery } from '../../../../src/engine/core/delivery/delivery.js';
import type { Document } from '../../../../src/engine/core/sentence/document.js';
import type { BadRecord } from '../../../../src/formats/bad-records/bad-record.js';
import type { Codec } from '../../../../src/formats/codecs/codec.js';

/** What a codec made of some bytes. */
export interface ReadResult {
  readonly documents: readonly Document[];
  readonly bad: readonly BadRecord[];
  readonly blanks: number;
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** The bytes in pieces of `size`. */
export function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let i = 0; i < bytes.length; i += size) pieces.push(bytes.subarray(i, i + size));
  return pieces;
}

export async function readAll(
  codec: Codec,
  input: string | readonly Uint8Array[],
): Promise<ReadResult> {
  const documents: Document[] = [];
  const bad: BadRecord[] = [];
  let blanks = 0;
  const chunks = typeof input === 'string' ? [bytesOf(input)] : input;
  const context = {
    source: 'test',
    onBad: (record: BadRecord) => bad.push(record),
    onBlank: () => {
      blanks += 1;
    },
    deliver: (position: Delivery['position']): Delivery => ({
      position,
      release: () => undefined,
      ack: () => undefined,
      reject: () => undefined,
    }),
  };
  for await (const batch of codec.read(chunks, context)) documents.push(...batch);
  return { documents, bad, blanks };
}

/** A document without what only says where it came from. */
export function content({ raw, format, delivery, ...rest }: Document): Document {
  return rest;
}
