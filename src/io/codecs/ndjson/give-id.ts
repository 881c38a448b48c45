import type { Position } from '../../../core/delivery/delivery.js';
import { hashing } from '../../files/hashing.js';
import type { DocumentDraft } from '../codec.js';
import { memberSpans } from './member-spans.js';

/** What an id that is made follows from: the bytes of the record, or also its input and place in it. */
export type IdsFrom = 'content' | 'position';

/** Hexadecimal digits of such an id: 128 bits. */
const digits = 32;

/**
 * Gives a record without an id one that is the same whenever it is read: the first 128 bits of the SHA-256
 * of its text; with `position` of the name of the input, the byte where it begins, and its text. It becomes
 * the first member of the text, or takes the place of an id that is null. One hash a record.
 *
 * @example
 * const draft = { tokens: ['a'], raw: '{"tokens": ["a"]}' };
 * giveId(draft, { source: 'a', line: 1, start: 0, end: 17 }, 'content');
 * draft.raw // => '{"id":"0ac3c01163961c6349fb2599f4ca4ea3","tokens": ["a"]}'
 */
export function giveId(draft: DocumentDraft, { source, start }: Position, from: IdsFrom): void {
  const { raw } = draft;
  if (draft.id !== undefined || raw === undefined) return;
  const hashed = from === 'content' ? raw : `${source}\n${start}\n${raw}`;
  const id = hashing().hash('sha256', hashed, 'hex').slice(0, digits);
  draft.id = id;
  draft.raw = withId(raw, id);
}

function withId(raw: string, id: string): string {
  const empty = memberSpans(raw).findLast(({ key }) => key === 'id');
  if (empty !== undefined) {
    return `${raw.slice(0, empty.valueStart)}"${id}"${raw.slice(empty.valueEnd)}`;
  }
  // A record has a text or tokens, so that a member follows.
  const start = raw.indexOf('{') + 1;
  return `${raw.slice(0, start)}"id":"${id}",${raw.slice(start)}`;
}
