import { isDeepStrictEqual } from 'node:util';
import type { Document, Origin } from '../../../engine/core/sentence/document.js';
import { type JsonPath, JsonText, jsonText } from '../ndjson/json-text.js';
import { goldMember, modelMember, resultNames } from '../ndjson/owned-members.js';
import type { OnDropped, OnReplaced } from '../writing.js';
import { areSameSpans } from './annotations.js';
import type { ForeignFormat, ForeignReading, ForeignRecord, LabelledText } from './read-spans.js';

/** Name of the member that contains the original record. */
export const originMember = '_origin';

/**
 * Returns the data that is kept to export a record back to its tool.
 *
 * @param record its JSON
 * @param text text of the document created from it
 */
export function originOf(format: string, record: JsonText, text: string | undefined): Origin {
  const place = text === undefined ? undefined : placeOf(record, text);
  const id = record.at(['id'])?.text;
  const own = id === undefined || id === 'null' ? {} : { id };
  if (place === undefined) return { json: jsonText({ format, record }), ...own };
  const kept = record.withAt(place, null);
  return {
    json: jsonText({ format, text: place, record: kept }),
    ...own,
    text: record.at(place)!.text,
  };
}

/** Settings of the export back to a tool, and callbacks for losses. */
export interface GoingBack {
  readonly reading: ForeignReading;
  readonly onReplaced: OnReplaced | undefined;
  readonly onDropped: OnDropped | undefined;
}

/**
 * Restores the record that a document came from, from the `_origin` kept by `originOf`, with its current labels:
 * byte-identical if these have not changed. Members added to the JSON since then come last. Undefined if the document
 * came from another format, or its text has changed.
 */
export function backToOrigin(
  source: JsonText,
  document: Document,
  labelled: LabelledText,
  format: ForeignFormat,
  { reading, onReplaced, onDropped }: GoingBack,
): JsonText | undefined {
  const origin = keptOrigin(source);
  if (origin?.format !== format.name) return undefined;
  const { text, spans = [] } = labelled;
  const { place, record } = origin;
  const written = source.at(['text']);
  // A derived text, such as that of HTML, has no place in the record.
  const isPlaced = place.length > 0;
  const own = isPlaced ? record.withAt(place, written?.value === text ? written : text) : record;
  const before = format.toDocument(own.value, { ...reading, annotations: 'first' });
  if (before?.text !== text) return undefined;
  const isLabelled =
    document.tags !== undefined ||
    document.partialTags !== undefined ||
    document.spans !== undefined;
  const isUnchanged = !isLabelled || areSameSpans(text, before.spans, spans);
  const labelledNow = isUnchanged ? own : format.revise(own, labelled, reading, onReplaced);
  return withAdded(labelledNow, source, onDropped);
}

/** Members that have the same meaning in both records, or identify the origin. */
const expressed: ReadonlySet<string> = new Set([
  ...['id', 'text', 'tokens', 'offsets', 'sentences', 'tags', 'gold', originMember],
]);

/** Members for model results and Tagstream's notes, which no tool accepts. */
const passing: ReadonlySet<string> = new Set([...resultNames, modelMember, '_annotation']);

function withAdded(record: JsonText, source: JsonText, onDropped: OnDropped | undefined): JsonText {
  const added: Record<string, JsonText> = Object.create(null);
  for (const { key, valueStart, valueEnd } of source.members) {
    if (key === 'tags' && source.at(['gold']) !== undefined) onDropped?.(key);
    if (expressed.has(key)) continue;
    const text = source.text.slice(valueStart, valueEnd);
    const own = record.at([key])?.text;
    if (passing.has(key) || !record.isObject || (own !== undefined && own !== text))
      onDropped?.(key);
    else if (own === undefined) added[key] = new JsonText(text);
  }
  return Object.keys(added).length === 0 ? record : record.with(added);
}

function keptOrigin(source: JsonText) {
  if (!source.text.includes(`"${originMember}"`)) return undefined;
  const kept = source.at([originMember]);
  if (kept?.isObject !== true) return undefined;
  const { format, text: place = [], record } = kept.value as Readonly<Record<string, unknown>>;
  const isOne =
    typeof format === 'string' &&
    Array.isArray(place) &&
    place.length <= 2 &&
    place.every(key => typeof key === 'string') &&
    typeof record === 'object' &&
    record !== null;
  return isOne ? { format, place: place as JsonPath, record: kept.at(['record'])! } : undefined;
}

/** Returns the path of a record's text: under its own name, or at the only path that holds this text. */
function placeOf(record: JsonText, text: string): JsonPath | undefined {
  const usual: readonly JsonPath[] = [['text'], ['data', 'text'], ['data'], ['0']];
  const places = record.isObject
    ? [...usual, ...[...record.members].reverse().map(({ key }) => [key])]
    : usual;
  const inside = record.at(['data'])?.members.map(({ key }) => ['data', key]) ?? [];
  return [...places, ...inside].find(path => record.at(path)?.value === text);
}

/** A JSON record whose members are carried over to another format. */
export interface Carried {
  readonly record: JsonText;
  readonly document: Document;
  readonly labelled: LabelledText;
}

/** A record, and its members in the other format. */
export interface Carrying extends Carried {
  readonly members: ForeignRecord;
}

/**
 * Converts an annotation tool's record to another tool's: with the members of the other format; members that belong to
 * neither format are unchanged and in order. If its members express more than a text and labels, or clash with names of
 * the other format, the whole record is kept too (`_origin`).
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
  // A record of several documents cannot be attached to each.
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
 * Converts an NDJSON record to an annotation tool's: its tokens and gold tags become a text with spans; all other
 * members are kept, in `_origin` if the tool uses their names.
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
  // Spans that an earlier run of `tag` added repeat its tags.
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
 * Names the content of a record that its document lacks: members outside the format, and details of labels and tokens.
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
    // If each annotation is a document, none is omitted.
    ...(reading.annotations === 'each' ? [] : (from.unread?.(value) ?? [])),
  ];
}

function readsOf(from: ForeignFormat, record: ForeignRecord): readonly string[] {
  return [...from.reads, ...(from.readsOf?.(record) ?? [])];
}

/** Inserts the members of the other format into the record, of whose own members only id and text remain. */
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

/** Returns the object with the labels, also from a pair of text and object. */
function asObject({ value }: JsonText): ForeignRecord {
  return (Array.isArray(value) ? value[1] : value) as ForeignRecord;
}

function headOf(path: string): string {
  return /^[^.[{]*/.exec(path)![0];
}

/**
 * Returns the shortest paths of a record's content outside the paths that are read: `meta`, not its members. `[]`
 * matches any item of a list, `[1]` an item of a nested list, and `{}` any member. Null counts as absent.
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
