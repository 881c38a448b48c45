import type { Document } from '../../../core/sentence/document.js';
import type { Origin } from '../../../core/sentence/origin.js';
import { type JsonPath, JsonText, jsonText } from '../ndjson/json-text.js';
import { modelMember, resultNames } from '../ndjson/owned-members.js';
import type { OnDropped, OnReplaced } from '../plain-cell.js';
import { areSameSpans } from './annotations.js';
import type { ForeignFormat, ForeignReading, LabelledText } from './read-spans.js';

/** The member that holds what is kept of a record. */
export const originMember = '_origin';

/**
 * What is kept of a record so that it can go back to its tool.
 *
 * @param record its JSON
 * @param text of the document that was made of it
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

/** How a record goes back to its tool, and where that reports what does not. */
export interface GoingBack {
  readonly reading: ForeignReading;
  readonly onReplaced: OnReplaced | undefined;
  readonly onDropped: OnDropped | undefined;
}

/**
 * The record that a document came from, by what `originOf` has kept in its JSON as `_origin`, with the labels of now: the
 * very same where these have not changed. Members that were added to the JSON since come last. Undefined where it came from
 * elsewhere, or has another text by now.
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
  // A text that is made of the record, as of HTML, is at no place in it.
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

/** Members that say the same in both records, or where it came from. */
const expressed: ReadonlySet<string> = new Set([
  ...['id', 'text', 'tokens', 'offsets', 'sentences', 'tags', 'gold', originMember],
]);

/** Results of a model, and notes of Tagstream, which no tool takes. */
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

/** Where a text stands in a record: under a name of its own, or at the only place that has it. */
function placeOf(record: JsonText, text: string): JsonPath | undefined {
  const usual: readonly JsonPath[] = [['text'], ['data', 'text'], ['data'], ['0']];
  const places = record.isObject
    ? [...usual, ...[...record.members].reverse().map(({ key }) => [key])]
    : usual;
  const inside = record.at(['data'])?.members.map(({ key }) => ['data', key]) ?? [];
  return [...places, ...inside].find(path => record.at(path)?.value === text);
}
