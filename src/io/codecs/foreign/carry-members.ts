import { isDeepStrictEqual } from 'node:util';
import type { Document } from '../../../core/sentence/document.js';
import { JsonText, jsonText } from '../ndjson/json-text.js';
import { goldMember } from '../ndjson/owned-members.js';
import type { OnDropped } from '../plain-cell.js';
import { originMember, originOf } from './origin.js';
import type { ForeignFormat, ForeignReading, ForeignRecord, LabelledText } from './read-spans.js';

/** A record of JSON whose members are to go into one of another format. */
export interface Carried {
  readonly record: JsonText;
  readonly document: Document;
  readonly labelled: LabelledText;
}

/** A record, and the members that it has in another format. */
export interface Carrying extends Carried {
  readonly members: ForeignRecord;
}

/**
 * A record of an annotation tool as one of another: with the members of the other format, and all that are of neither byte
 * for byte, in their order. Where members of the one hold more than a text and its labels, or are named as those of the
 * other, the record goes along as a whole (`_origin`).
 */
export function carryForeign(
  carried: Carrying,
  from: ForeignFormat,
  reading: ForeignReading,
  to: ForeignFormat,
  onDropped?: OnDropped,
): JsonText {
  const { record, document, members } = carried;
  const unread = unreadOf(carried, from, reading);
  // A record of several documents cannot go along with each.
  if (reading.annotations === 'each') return withoutOthers(members, unread, onDropped);
  if (to.recordFiles !== undefined) return withoutOthers(members, unread, onDropped);
  const own = new Set(readsOf(from, asObject(record)).map(headOf));
  const isWhole =
    record.isObject &&
    unread.every(
      path => !own.has(headOf(path)) && isPresent(record, path) && !Object.hasOwn(members, path),
    );
  if (isWhole) return intoRecord(carried, own);
  const { json, id } = originOf(from.name, record, document.text);
  const named = id === undefined ? members : { ...members, id: new JsonText(id) };
  return new JsonText(jsonText({ ...named, [originMember]: new JsonText(json) }));
}

/**
 * A record of NDJSON as one of an annotation tool: its tokens and gold tags have become a text with spans, all its other
 * members stay. Those that are named as members of the tool are kept in `_origin`.
 *
 * @param tagColumn the column of the gold tags
 */
export function carryNdjson(
  carried: Carrying,
  tagColumn: string | undefined,
  to: ForeignFormat,
  onDropped?: OnDropped,
): JsonText {
  const { record, document, labelled, members } = carried;
  const gold = tagColumn === undefined ? goldMember(record) : undefined;
  const own = new Set(['tokens', 'offsets', ...(gold === undefined ? [] : [gold])]);
  if (members.tokens === undefined && document.tokens !== undefined) {
    const isKnown = isDeepStrictEqual(labelled.text.split(' '), document.tokens);
    if (!isKnown)
      for (const name of ['tokens', 'offsets']) if (isPresent(record, name)) onDropped?.(name);
  }
  if (document.text !== undefined && document.text !== labelled.text) onDropped?.('text');
  const names = [...new Set(record.members.map(({ key }) => key))];
  const others = names.filter(name => !own.has(name) && name !== 'id' && name !== 'text');
  if (to.recordFiles !== undefined) {
    const columns = Object.keys(document.columns ?? {}).map(name => `columns.${name}`);
    const dropped = others.filter(name => name !== 'columns' && isPresent(record, name));
    return withoutOthers(members, [...dropped, ...columns], onDropped);
  }
  const taken = others.filter(name => Object.hasOwn(members, name));
  for (const name of taken) own.add(name);
  // Spans of an earlier run of `tag` say what its tags say.
  if (taken.includes('spans') && isPresent(record, 'spans')) onDropped?.('spans');
  const hidden = taken.filter(name => name !== 'spans' && isPresent(record, name));
  if (hidden.length === 0) return intoRecord(carried, own);
  if (isPresent(record, originMember)) hidden.push(originMember);
  const kept = Object.fromEntries(hidden.map(name => [name, record.at([name])]));
  return intoRecord(carried, own).with({
    [originMember]: { format: 'ndjson', record: kept },
  });
}

/**
 * Names of what a record holds that its document does not: members that are of no format, and those of labels and tokens
 * that say more than the tool needs to know.
 */
export function unreadOf(
  { record, document, labelled }: Carried,
  from: ForeignFormat,
  reading: ForeignReading = {},
): string[] {
  const value = asObject(record);
  const canonical = from.fromDocument(labelled, reading);
  const isCanonical = (path: string) => {
    const head = headOf(path);
    return head !== path && isDeepStrictEqual(value[head], canonical[head]);
  };
  const isText = (path: string) =>
    path.startsWith('data') && record.at(path.split('.'))?.value === document.text;
  const isId = (path: string) => path === 'id' && document.id !== undefined;
  const paths = unreadPaths(value, readsOf(from, value));
  return [
    ...paths.filter(path => !isCanonical(path) && !isText(path) && !isId(path)),
    // Where each annotation is a document, none is left out.
    ...(reading.annotations === 'each' ? [] : (from.unread?.(value) ?? [])),
  ];
}

function readsOf(from: ForeignFormat, record: ForeignRecord): readonly string[] {
  return [...from.reads, ...(from.readsOf?.(record) ?? [])];
}

/** The members of the other format in the record, in which no member of its own format is left but id and text. */
function intoRecord({ record, labelled, members }: Carrying, own: ReadonlySet<string>): JsonText {
  const keepsText = members.text !== undefined && record.at(['text'])?.value === labelled.text;
  const gone = [...own, 'text'].filter(name => name !== 'text' || !keepsText);
  const { id, text, ...more } = members;
  const hasId = isPresent(record, 'id');
  return record.with({
    ...Object.fromEntries(gone.map(name => [name, undefined])),
    ...(hasId || id === undefined ? {} : { id }),
    ...(keepsText || text === undefined ? {} : { text }),
    ...more,
  });
}

function withoutOthers(
  members: ForeignRecord,
  others: readonly string[],
  onDropped: OnDropped | undefined,
): JsonText {
  for (const name of others) onDropped?.(name);
  return new JsonText(jsonText(members));
}

function isPresent(record: JsonText, name: string): boolean {
  return (record.at([name])?.text ?? 'null') !== 'null';
}

/** The object with the labels, of a pair of text and object too. */
function asObject({ value }: JsonText): ForeignRecord {
  return (Array.isArray(value) ? value[1] : value) as ForeignRecord;
}

function headOf(path: string): string {
  return /^[^.[{]*/.exec(path)![0];
}

/**
 * Paths of what a record holds at none of the paths that are read, each the shortest one: `meta`, not what is in it. `[]`
 * stands for any item of a list, `[1]` for one of a list within a list, and `{}` for any member where that is a path that is
 * read. Null is nothing.
 *
 * @example
 * const record = { text: 'a', meta: { x: 1 }, spans: [{ start: 0, note: 'b' }, { start: 1, note: 'c' }] };
 * unreadPaths(record, ['text', 'spans[].start']) // => ['meta', 'spans[].note']
 */
export function unreadPaths(record: unknown, reads: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const isRead = new Set(reads);
  const leadsOn = new Set<string>();
  for (const path of reads) {
    for (let at = 1; at < path.length; at += 1) {
      if ('.[{'.includes(path[at]!)) leadsOn.add(path.slice(0, at));
    }
  }
  const walk = (value: unknown, path: string): void => {
    if (value === null || isRead.has(path)) return;
    const isNested = typeof value === 'object' && (path === '' || leadsOn.has(path));
    if (!isNested) {
      found.add(path);
    } else if (Array.isArray(value)) {
      const isInner = path.endsWith('[]');
      for (const [i, item] of value.entries()) walk(item, `${path}[${isInner ? i : ''}]`);
    } else {
      const isAny = leadsOn.has(`${path}{}`);
      for (const [key, item] of Object.entries(value as object)) {
        walk(item, isAny ? `${path}{}` : path === '' ? key : `${path}.${key}`);
      }
    }
  };
  walk(record, '');
  return [...found];
}
