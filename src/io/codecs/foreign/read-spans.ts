import { isRecord } from '../../../core/schema/is-record.js';
import type { Document, Overlaps, Range, TextSpan } from '../../../core/sentence/document.js';
import { detectScheme } from '../../../text/tags/detect-scheme.js';
import { spansOf } from '../../../text/tags/spans.js';
import { isSpanScheme } from '../../../text/tags/tag-scheme.js';
import type { Codec } from '../codec.js';
import { JsonText } from '../ndjson/json-text.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import { tagCellsOf } from '../tag-cells.js';
import { type OnReplaced, requireTokens } from '../writing.js';
import type { AnnotationChoice } from './annotations.js';
import type { OffsetUnit } from './counting.js';
import type { FoundSpan } from './placed-spans.js';

/** What the members of a span are called that hold its offsets. */
export type SpanNames = readonly [start: string, end: string];

const ownNames: SpanNames = ['start', 'end'];

/** The value as an object. Throws `wrong-shape` with the name of the field otherwise. */
export function objectOf(field: string, value: unknown): ForeignRecord {
  if (isRecord(value)) {
    return value as ForeignRecord;
  }
  throw wrongShape(field, 'an object', value);
}

/** The value as an array. Throws `wrong-shape` with the name of the field otherwise. */
export function listOf(field: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw wrongShape(field, 'an array', value);
}

/** Paths of the spans in a list, as `ForeignFormat.reads` has them: objects with some members, or start, end and label. */
export function spanPaths(
  list: string,
  names: readonly string[] = [...ownNames, 'label'],
): readonly string[] {
  return [...names.map(name => `${list}[].${name}`), ...[0, 1, 2].map(i => `${list}[][${i}]`)];
}

/** The items of a list that a record has under a name, as they are written; none where the member is null or absent. */
export function itemsIn(record: JsonText, name: string): readonly JsonText[] {
  const list = record.at([name]);
  return list === undefined || list.value === null ? [] : list.items;
}

/** An item of a list, be it one that was there before or a new one. */
export function asWritten(item: unknown): ForeignRecord {
  return (item instanceof JsonText ? item.value : item) as ForeignRecord;
}

/** The value as a string. Throws `wrong-shape` with the name of the field otherwise. */
export function textOf(field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw wrongShape(field, 'a string', value);
}

/** The id of a record, which tools give as a number or a string; nothing else is one. */
export function idOf(value: unknown): { readonly id?: string } {
  return typeof value === 'string' || typeof value === 'number' ? { id: String(value) } : {};
}

/** Spans as `[start, end, label]`, or as objects with these members under the given names. */
export function foundSpans(
  field: string,
  value: unknown,
  names: SpanNames = ownNames,
): readonly FoundSpan[] {
  return listOf(field, value).map((item, i) => foundSpan(`${field}[${i}]`, item, names));
}

/** One of them; members of other names are looked for as `start` and `end`. */
function foundSpan(at: string, item: unknown, names: SpanNames): FoundSpan {
  if (Array.isArray(item)) {
    const [start, end, label] = item as unknown[];
    return { at, start, end, label };
  }
  const span = objectOf(at, item);
  const [start, end] = names.some(name => span[name] !== undefined) ? names : ownNames;
  return { at, start: span[start], end: span[end], label: span.label, text: span.text };
}

/** A record as a tool writes it: parsed JSON. */
export type ForeignRecord = Readonly<Record<string, unknown>>;

/** What the options of a source say of records. */
export interface ForeignReading {
  /** What offsets count, where that is not to be found by the record. */
  readonly offsets?: OffsetUnit | undefined;
  /** What becomes of spans that overlap or are in pieces; `reject` if absent. */
  readonly overlaps?: Overlaps | undefined;
  /** Which annotation counts where a record has several. */
  readonly annotations?: AnnotationChoice | undefined;
}

/** The records of an annotation tool, which are JSON. Its functions keep nothing and change nothing. */
export interface ForeignFormat {
  readonly name: string;
  /**
   * Paths of all that says text, tokens and labels, `[]` for the items of a list: `entities[].label`. What is at no path
   * and below none belongs to the user.
   */
  readonly reads: readonly string[];
  /** Further such paths of a record, where it names its members itself. */
  readonly readsOf?: (record: ForeignRecord) => readonly string[];
  /** The lines of a file, where what belongs to a record is in several files. */
  readonly fileLines?: (path: string) => Uint8Array;
  /** The files of a record, where what belongs to it is in several: by what is added to their name. */
  readonly recordFiles?: Codec['recordFiles'];
  /** A file of it is a JSON array of records; otherwise it has a record per line. Both are read. */
  readonly inArray?: boolean;
  /**
   * The document that a record describes, its offsets in UTF-16 units; undefined for one that the annotator has put aside.
   *
   * @throws TagstreamError `wrong-shape` that says what is wrong with the record
   */
  toDocument(record: unknown, reading?: ForeignReading): Document | undefined;
  /** A document for each of its annotations, where a record may have those of several annotators. */
  eachDocument?(record: unknown, reading?: ForeignReading): readonly Document[];
  /** The record of a labelled text, with offsets as the tool counts them, or in the unit of `reading`. */
  fromDocument(
    labelled: LabelledText,
    reading?: ForeignReading,
    onReplaced?: OnReplaced,
  ): ForeignRecord;
  /** A record of the tool with other labels; ids, notes and all that is not labels stay byte for byte. */
  revise(
    own: JsonText,
    labelled: LabelledText,
    reading?: ForeignReading,
    onReplaced?: OnReplaced,
  ): JsonText;
  /** A record of the tool with the spans that a model has found, where `revise` would not put them in the right place. */
  addPredicted?(own: JsonText, labelled: LabelledText, reading?: ForeignReading): JsonText;
  /** Names what `toDocument` leaves out in places that it reads. */
  unread?(record: ForeignRecord): readonly string[];
}

/** A text with labelled spans, as annotation tools exchange it; all offsets are UTF-16 units. */
export interface LabelledText {
  readonly id?: string;
  readonly text: string;
  /** Places of the tokens, where they are known. */
  readonly tokens?: readonly Range[] | undefined;
  /** Absent where the text is not labelled. */
  readonly spans?: readonly TextSpan[] | undefined;
}

/**
 * A document as a labelled text. Where it has no text, this is its tokens with a blank between; where its tags mark no
 * spans, as parts of speech, each token but those tagged `O` is one.
 *
 * @param marksSpans whether the tags of its data set mark spans; judged by its own if absent
 * @throws TagstreamError `wrong-shape` if it has neither text nor tokens, or tags that are known in part
 * @example
 * labelledText({ tokens: ['New', 'York'], tags: ['B-LOC', 'I-LOC'] })
 * // => ({ text: 'New York', tokens: [[0, 3], [4, 8]], spans: [{ start: 0, end: 8, label: 'LOC' }] })
 */
export function labelledText(document: Document, marksSpans?: boolean): LabelledText {
  const { id, tokens } = document;
  const own = id === undefined ? {} : { id };
  if (tokens === undefined && document.text !== undefined) {
    const { text, spans } = document;
    return { ...own, text, ...(spans === undefined ? {} : { spans }) };
  }
  const { text, offsets } = placed(document);
  const tags = tagCellsOf(document, {});
  const spans = tags === undefined ? document.spans : textSpans(tags, offsets, marksSpans);
  return { ...own, text, tokens: offsets, ...(spans === undefined ? {} : { spans }) };
}

function placed(document: Document): { text: string; offsets: readonly Range[] } {
  const { text, offsets } = document;
  if (text !== undefined && offsets !== undefined) return { text, offsets };
  const tokens = document.tokens ?? requireTokens(document, 'text with spans');
  const found: Range[] = [];
  let at = 0;
  for (const token of tokens) {
    found.push([at, at + token.length]);
    at += token.length + 1;
  }
  return { text: tokens.join(' '), offsets: found };
}

function textSpans(
  tags: readonly string[],
  offsets: readonly Range[],
  marksSpans = tags.every(tag => tag === 'O') || isSpanScheme(detectScheme(new Set(tags))),
): TextSpan[] {
  const spans = marksSpans
    ? spansOf(tags)
    : tags.flatMap((label, t) => (label === 'O' ? [] : [{ label, start: t, end: t + 1 }]));
  return spans.map(({ label, start, end }) => ({
    start: offsets[start]![0],
    end: offsets[end - 1]![1],
    label,
  }));
}
