import { isRecord } from '../../../engine/core/schema/is-record.js';
import type {
  Document,
  Overlaps,
  Range,
  TextSpan,
} from '../../../engine/core/sentence/document.js';
import { detectScheme } from '../../../engine/text/tags/detect-scheme.js';
import { spansOf } from '../../../engine/text/tags/spans.js';
import { isSpanScheme } from '../../../engine/text/tags/tag-scheme.js';
import type { Codec } from '../codec.js';
import { JsonText } from '../ndjson/json-text.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import { tagCellsOf } from '../tag-cells.js';
import { type OnReplaced, requireTokens } from '../writing.js';
import type { AnnotationChoice } from './annotations.js';
import type { OffsetUnit } from './counting.js';
import type { FoundSpan } from './placed-spans.js';

/** Names of the members that contain a span's offsets. */
export type SpanNames = readonly [start: string, end: string];

const ownNames: SpanNames = ['start', 'end'];

/** Returns the value as an object. Throws `wrong-shape` with the field name if it is not one. */
export function objectOf(field: string, value: unknown): ForeignRecord {
  if (isRecord(value)) {
    return value as ForeignRecord;
  }
  throw wrongShape(field, 'an object', value);
}

/** Returns the value as an array. Throws `wrong-shape` with the field name if it is not one. */
export function listOf(field: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw wrongShape(field, 'an array', value);
}

/**
 * Returns the paths of the spans in a list, for `ForeignFormat.reads`: objects with some members, or start, end and
 * label.
 */
export function spanPaths(
  list: string,
  names: readonly string[] = [...ownNames, 'label'],
): readonly string[] {
  return [...names.map(name => `${list}[].${name}`), ...[0, 1, 2].map(i => `${list}[][${i}]`)];
}

/** Returns the items of a list member as written; none if it is null or absent. */
export function itemsIn(record: JsonText, name: string): readonly JsonText[] {
  const list = record.at([name]);
  return list === undefined || list.value === null ? [] : list.items;
}

/** Returns an item of a list, whether existing or new. */
export function asWritten(item: unknown): ForeignRecord {
  return (item instanceof JsonText ? item.value : item) as ForeignRecord;
}

/** Returns the value as a string. Throws `wrong-shape` with the field name if it is not one. */
export function textOf(field: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw wrongShape(field, 'a string', value);
}

/** Returns the id of a record, a number or a string. */
export function idOf(value: unknown): { readonly id?: string } {
  return typeof value === 'string' || typeof value === 'number' ? { id: String(value) } : {};
}

/** Reads spans written as `[start, end, label]`, or as objects with these members under the given names. */
export function foundSpans(
  field: string,
  value: unknown,
  names: SpanNames = ownNames,
): readonly FoundSpan[] {
  return listOf(field, value).map((item, i) => foundSpan(`${field}[${i}]`, item, names));
}

/** Reads one span; an object without the given names is read by `start` and `end`. */
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

/** The source options for reading records. */
export interface ForeignReading {
  /** Unit of offsets, if it cannot be detected from the record. */
  readonly offsets?: OffsetUnit | undefined;
  /** Treatment of spans that overlap or are in pieces; `reject` if absent. */
  readonly overlaps?: Overlaps | undefined;
  /** Choice among several annotations of a record. */
  readonly annotations?: AnnotationChoice | undefined;
}

/** The format of an annotation tool's records, which are JSON. Its functions are pure. */
export interface ForeignFormat {
  readonly name: string;
  /**
   * Paths of all members that express text, tokens and labels, with `[]` for list items: `entities[].label`. All other
   * members belong to the user.
   */
  readonly reads: readonly string[];
  /** Returns additional paths for a record whose member names are its own. */
  readonly readsOf?: (record: ForeignRecord) => readonly string[];
  /** Returns the lines of a file, if a record is spread over several files. */
  readonly fileLines?: (path: string) => Uint8Array;
  /** Returns the files of a record, by suffix, if it is spread over several. */
  readonly recordFiles?: Codec['recordFiles'];
  /** Whether written files are a JSON array of records rather than a record per line. Both can be read. */
  readonly inArray?: boolean;
  /**
   * Returns the document that a record describes, with offsets in UTF-16 units; undefined if the annotator skipped it.
   *
   * @throws TagstreamError `wrong-shape` that explains the record's fault
   */
  toDocument(record: unknown, reading?: ForeignReading): Document | undefined;
  /** Returns a document for each annotation, if a record may have several annotators. */
  eachDocument?(record: unknown, reading?: ForeignReading): readonly Document[];
  /**
   * Returns the record of a labelled text, with offsets in the tool's unit, or in the unit of `reading`.
   */
  fromDocument(
    labelled: LabelledText,
    reading?: ForeignReading,
    onReplaced?: OnReplaced,
  ): ForeignRecord;
  /** Replaces the labels of a tool's record; ids, notes and all other content stay byte for byte. */
  revise(
    own: JsonText,
    labelled: LabelledText,
    reading?: ForeignReading,
    onReplaced?: OnReplaced,
  ): JsonText;
  /** Adds predicted spans to a tool's record, if `revise` would put them in the wrong place. */
  addPredicted?(own: JsonText, labelled: LabelledText, reading?: ForeignReading): JsonText;
  /** Names the content that `toDocument` omits within the paths that it reads. */
  unread?(record: ForeignRecord): readonly string[];
}

/**
 * A text with labelled spans, as exchanged between annotation tools; all offsets are UTF-16 units.
 */
export interface LabelledText {
  readonly id?: string;
  readonly text: string;
  /** Offsets of the tokens, if known. */
  readonly tokens?: readonly Range[] | undefined;
  /** Labelled spans; absent if the text is unlabelled. */
  readonly spans?: readonly TextSpan[] | undefined;
}

/**
 * Converts a document to a labelled text. If there is no text, joins the tokens by blanks; if the tags mark no spans,
 * as with parts of speech, each token not tagged `O` becomes a span.
 *
 * @param marksSpans whether the tags of the whole data set mark spans; if absent, the document's own tags decide
 * @throws TagstreamError `wrong-shape` if it has neither text nor tokens, or if only some tags are known
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
