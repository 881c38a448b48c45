import type { Position } from '../engine/core/delivery/delivery.js';
import type { Document } from '../engine/core/sentence/document.js';
import { shortDigest } from './files/node-parts.js';

/**
 * Returns the id of a result: the place of its record, and what distinguishes the record from others at a place of the
 * same name, such as an earlier stream, an earlier version of a file or another standard input. It is the same whichever
 * run tags the record, and however often, so that a stream stores the result once within its duplicate window.
 *
 * @param record the record, whose content counts if no message identifies it
 * @example
 * resultId({ source: 'nats TEXTS#17', line: 1, start: 0, end: 31, cursor: 17, identity: '1a2b' }, {})
 * // => 'TEXTS:17:0-31:1a2b'
 * resultId({ source: '-', line: 2, start: 31, end: 50 }, { raw: '{"text": "It rains"}' })
 * // => '-:31-50:0f572604107d96ee1cc7807274297e9d'
 */
export function resultId(
  { source, start, end, cursor, identity }: Position,
  record: Document | undefined,
): string {
  const place = typeof cursor === 'number' ? source.replace(/^nats (.*)#(\d+)$/, '$1:$2') : source;
  return `${place}:${start}-${end}:${identity ?? contentOf(record ?? {})}`;
}

function contentOf({ raw, id, text, tokens }: Document): string {
  return shortDigest(raw ?? JSON.stringify([id, text, tokens]));
}

/** The part of a stream's message to which a result belongs, according to its id. */
export interface ResultPart {
  readonly stream: string;
  readonly sequence: number;
  readonly start: number;
  readonly end: number;
  /** What distinguishes the message from others that once had its number. */
  readonly identity: string;
}

/**
 * Parses the id of a message's result; undefined for other ids.
 *
 * @example
 * resultPartOf('TEXTS:17:0-31:1a2b')
 * // => ({ stream: 'TEXTS', sequence: 17, start: 0, end: 31, identity: '1a2b' })
 * resultPartOf('of another program') // => undefined
 */
export function resultPartOf(id: string): ResultPart | undefined {
  const [, stream, ...parts] = /^([^:]+):(\d+):(\d+)-(\d+):(\w+)$/.exec(id) ?? [];
  if (stream === undefined) return undefined;
  const [sequence, start, end] = parts.slice(0, 3).map(Number);
  return { stream, sequence: sequence!, start: start!, end: end!, identity: parts[3]! };
}
