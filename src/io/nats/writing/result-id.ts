import type { Position } from '../../../core/delivery/delivery.js';

/**
 * The id of a result, made of the place of its record: the message and the bytes in it. It is the same whoever tags the
 * record, and however often, so that a stream stores the result once within its duplicate window.
 *
 * @example
 * resultId({ source: 'nats TEXTS#17', line: 1, start: 0, end: 31, cursor: 17 }) // => 'TEXTS:17:0-31'
 * resultId({ source: 'news.ndjson', line: 2, start: 31, end: 50 }) // => 'news.ndjson:31-50'
 */
export function resultId({ source, start, end, cursor }: Position): string {
  const message =
    typeof cursor === 'number' ? source.replace(/^nats (.*)#(\d+)$/, '$1:$2') : source;
  return `${message}:${start}-${end}`;
}

/** A result by its id: the part of a message of a stream. */
export interface ResultPart {
  readonly stream: string;
  readonly sequence: number;
  readonly start: number;
  readonly end: number;
}

/**
 * What an id says, where it is that of a result of a message.
 *
 * @example
 * partOf('TEXTS:17:0-31') // => ({ stream: 'TEXTS', sequence: 17, start: 0, end: 31 })
 * partOf('of another program') // => undefined
 */
export function partOf(id: string): ResultPart | undefined {
  const [, stream, ...numbers] = /^([^:]+):(\d+):(\d+)-(\d+)$/.exec(id) ?? [];
  if (stream === undefined) return undefined;
  const [sequence, start, end] = numbers.map(Number);
  return { stream, sequence: sequence!, start: start!, end: end! };
}
