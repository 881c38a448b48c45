import type { JsMsg } from '@nats-io/jetstream';

/** What results carry on of a message: its headers and subject. */
type Carried = Pick<JsMsg, 'headers' | 'subject'> & {
  /** Resolves when all that was sent of it is stored; absent where that may be in any order. */
  sent?: Promise<unknown>;
};

/** By the source in the positions of the records of each message in flight. */
const carried = new Map<string, Carried>();

/** The name of a message in positions of its records, as errors and dead letters show it. */
export function messageName(transport: string, sequence: number): string {
  return `${transport}#${sequence}`;
}

/**
 * Keeps headers and subject of a message until `dropHeaders`.
 *
 * @param isOrdered whether its results are to be stored one after the other
 */
export function carryHeaders(
  name: string,
  { headers, subject }: Pick<Carried, 'headers' | 'subject'>,
  isOrdered = false,
): void {
  carried.set(name, { headers, subject, ...(isOrdered ? { sent: Promise.resolve() } : {}) });
}

export function dropHeaders(name: string): void {
  carried.delete(name);
}

/** Stores a result of a message: when those before it are stored, where their order is to be kept. */
export function inTurn(name: string, store: () => Promise<unknown>): Promise<unknown> {
  const message = carried.get(name);
  if (message?.sent === undefined) return store();
  message.sent = message.sent.then(store);
  return message.sent;
}

/** The subject of the message that a record came with. */
export function subjectOfMessage(name: string): string | undefined {
  return carried.get(name)?.subject;
}

/** The headers of the message that a record came with, those of NATS itself left out. */
export function headersOf(name: string): readonly (readonly [name: string, value: string])[] {
  const headers = carried.get(name)?.headers;
  if (headers === undefined) return [];
  return headers
    .keys()
    .filter(key => !key.startsWith('Nats-'))
    .flatMap(key => headers.values(key).map(value => [key, value] as const));
}
