import { TagstreamError } from '../../../engine/core/errors.js';
import type { TextSpan } from '../../../engine/core/sentence/document.js';
import { wrongShape } from '../ndjson/record-shapes.js';
import { countingOf, type OffsetUnit } from './counting.js';
import type { FoundSpan } from './placed-spans.js';
import { type ForeignReading, type ForeignRecord, listOf, objectOf } from './read-spans.js';

/** The text displayed by a Label Studio task. */
export interface TaskText {
  readonly text: string;
  /** The default unit of offsets. */
  readonly unit: OffsetUnit;
  /** Offsets of the paragraphs in UTF-16 units, if there are any. */
  readonly paragraphs?: readonly number[];
  /** Whether the text is HTML without tags. */
  readonly isOneNode?: boolean;
}

/** Label Studio controls that assign a label to pieces of a text. */
const kinds = ['labels', 'hypertextlabels', 'paragraphlabels', 'taxonomy'] as const;

/** The members of a region that hold its position and label. */
export const regionMembers: readonly string[] = [
  ...['start', 'end', 'startOffset', 'endOffset', 'globalOffsets', 'text'],
  ...kinds,
];

export type RegionKind = (typeof kinds)[number];

/** Returns the control that created a result, if it labels pieces of text. */
export function regionKind(result: ForeignRecord): RegionKind | undefined {
  const value = placeAndLabels(result);
  return marksText(value) || value === result
    ? kinds.find(kind => value[kind] != null)
    : kinds.find(kind => kind !== 'taxonomy' && value[kind] != null);
}

/** Whether a result labels a piece of text. */
export function isRegion(result: ForeignRecord): boolean {
  return result.type !== 'relation' && regionKind(result) !== undefined;
}

function placeAndLabels(result: ForeignRecord): ForeignRecord {
  return result.value === undefined ? result : objectOf('value', result.value);
}

function marksText({ start, end, globalOffsets, startOffset }: ForeignRecord): boolean {
  return (start !== undefined && end !== undefined) || (globalOffsets ?? startOffset) !== undefined;
}

/**
 * Returns the region of a result with its position in the text; undefined for results that concern the whole text, or
 * add information to another result's region.
 *
 * @param results results of the annotation
 * @throws TagstreamError `wrong-shape` if a piece of text has no label, several labels, or an invalid position
 */
export function foundRegion(
  at: string,
  index: number,
  results: readonly ForeignRecord[],
  text: TaskText,
): FoundSpan | undefined {
  const result = results[index]!;
  if (result.type === 'relation') return undefined;
  const value = placeAndLabels(result);
  const kind = regionKind(result);
  const isMore = (other: ForeignRecord) =>
    other !== result && result.id !== undefined && other.id === result.id && isRegion(other);
  if (kind === undefined || (kind === 'taxonomy' && results.some(isMore))) {
    if (!marksText(value) || isElsewhere(value) || results.some(isMore)) return undefined;
    throw withoutLabel(at, result, value);
  }
  const labels = listOf(`${at}.${kind}`, value[kind]);
  if (labels.length !== 1) throw wrongShape(`${at}.${kind}`, 'one label', labels);
  const [label] = labels;
  const shown = typeof value.text === 'string' ? value.text : undefined;
  const path = kind === 'taxonomy' && Array.isArray(label) ? label.join('/') : label;
  return { at, ...placeIn(at, value, text), label: path, text: shown };
}

/** Whether a value marks a range of audio, or a part of an image. */
function isElsewhere(value: ForeignRecord): boolean {
  return value.channel !== undefined || value.x !== undefined || value.instant !== undefined;
}

/** Returns the offsets in the text, in the record's unit. */
function placeIn(at: string, value: ForeignRecord, { paragraphs, isOneNode }: TaskText) {
  const { start, end, startOffset, endOffset, globalOffsets } = value;
  if (Number.isInteger(start) && Number.isInteger(end)) return { start, end };
  if (paragraphs !== undefined && startOffset !== undefined) {
    const starts = [start, end].map(number => paragraphs[Number(number)] ?? Number.NaN);
    return { start: starts[0]! + Number(startOffset), end: starts[1]! + Number(endOffset) };
  }
  if (globalOffsets !== undefined) {
    const place = objectOf(`${at}.globalOffsets`, globalOffsets);
    return { start: place.start, end: place.end };
  }
  if (isOneNode === true && start === end) return { start: startOffset, end: endOffset };
  if (startOffset === undefined) return { start, end };
  throw new TagstreamError('wrong-shape', `${at} has no globalOffsets, only a path in HTML`, {
    fix: 'export it with a version of Label Studio that writes globalOffsets',
  });
}

function withoutLabel(at: string, result: ForeignRecord, value: ForeignRecord): TagstreamError {
  const shown = typeof value.text === 'string' ? ` ${JSON.stringify(value.text.slice(0, 40))}` : '';
  const type = typeof result.type === 'string' ? ` by ${result.type}` : '';
  return new TagstreamError(
    'wrong-shape',
    `${at} marks${shown || ' a piece of text'}${type}, without a label`,
    {
      fix: `label it (${kinds.join(', ')} are read), or remove it`,
    },
  );
}

/** Creates the value of a result that marks a span. */
export function regionValue(
  { start, end, label }: TextSpan,
  kind: RegionKind,
  { text, unit, paragraphs }: TaskText,
  { offsets }: ForeignReading,
): object {
  const shown = text.slice(start, end);
  const { fromUnits } = countingOf(text, offsets ?? unit);
  const place = { start: fromUnits(start), end: fromUnits(end) };
  const labels = kind === 'taxonomy' ? [label.split('/')] : [label];
  if (paragraphs !== undefined) {
    const number = (at: number) => paragraphs.findLastIndex(first => first <= at);
    const [first, last] = [number(start), number(end - 1)];
    const path = { start: String(first), end: String(last) };
    const within = { startOffset: start - paragraphs[first]!, endOffset: end - paragraphs[last]! };
    return { ...path, ...within, text: shown, [kind]: labels };
  }
  if (kind === 'hypertextlabels') return { globalOffsets: place, text: shown, [kind]: labels };
  return { ...place, text: shown, [kind]: labels };
}
