import type { Document } from '../../../core/sentence/document.js';
import type { Origin } from '../../../core/sentence/origin.js';
import type { TextSpan } from '../../../core/sentence/text-span.js';
import type { OnReplaced } from '../plain-cell.js';
import type { ForeignFormat, ForeignRecord } from './foreign-format.js';
import type { LabelledText } from './labelled-text.js';

/**
 * What is kept of a record so that it can go back to its tool.
 *
 * @param record parsed JSON
 * @param text of the document that was made of it
 * @example
 * originOf('doccano', { id: 1, text: 'Ann', label: [] }, 'Ann')
 * // => ({ format: 'doccano', text: ['text'], record: { id: 1, text: null, label: [] } })
 */
export function originOf(format: string, record: unknown, text: string | undefined): Origin {
  const place = text === undefined ? undefined : placeOf(record, text);
  if (place === undefined) return { format, record };
  return { format, text: place, record: placed(record, place, null) };
}

/**
 * The record that a document came from, by what `originOf` has kept in its NDJSON as `_origin`, with the labels of now:
 * the very same where these have not changed. Undefined where it came from elsewhere, or has another text by now.
 */
export function backToOrigin(
  document: Document,
  labelled: LabelledText,
  format: ForeignFormat,
  onReplaced?: OnReplaced,
): unknown {
  const origin = keptOrigin(document);
  if (origin?.format !== format.name) return undefined;
  const { text, spans = [] } = labelled;
  const { text: place = [], record } = origin;
  const own = place.length === 0 ? record : placed(record, place, text);
  const before = format.toDocument(own);
  if (before?.text !== text) return undefined;
  const isLabelled = document.tags !== undefined || document.partialTags !== undefined;
  if (!isLabelled || isSame(before.spans, spans, text)) return own;
  return format.revise?.(own as ForeignRecord, labelled, onReplaced);
}

function keptOrigin({ raw, format }: Document): Origin | undefined {
  if (raw === undefined || format?.startsWith('ndjson') !== true || !raw.includes('"_origin"')) {
    return undefined;
  }
  const { _origin: kept } = JSON.parse(raw) as { readonly _origin?: Partial<Origin> | null };
  const isOne =
    typeof kept?.format === 'string' &&
    (kept.text === undefined || (Array.isArray(kept.text) && kept.text.length <= 2)) &&
    typeof kept.record === 'object' &&
    kept.record !== null;
  return isOne ? (kept as Origin) : undefined;
}

/** Where a text stands in a record: in it, or in its `data`. */
function placeOf(record: unknown, text: string): readonly string[] | undefined {
  if (!isObject(record)) return undefined;
  const [own] = Object.entries(record).find(([, value]) => value === text) ?? [];
  if (own !== undefined) return [own];
  if (!isObject(record.data)) return undefined;
  const [inside] = Object.entries(record.data).find(([, value]) => value === text) ?? [];
  return inside === undefined ? undefined : ['data', inside];
}

function placed(record: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (!isObject(record) || key === undefined || !Object.hasOwn(record, key)) return record;
  const inner = rest.length === 0 ? value : placed(record[key], rest, value);
  // By its entries, so that a member named `__proto__` is one.
  const entries = Object.entries(record).map(([name, old]) => [name, name === key ? inner : old]);
  return Array.isArray(record) ? entries.map(([, each]) => each) : Object.fromEntries(entries);
}

/** Whether spans are the same, whatever their order; white space at their ends does not count. */
function isSame(
  before: readonly TextSpan[] | undefined,
  now: readonly TextSpan[],
  text: string,
): boolean {
  const keys = (spans: readonly TextSpan[]) =>
    spans.map(({ start, end, label }) => {
      const shown = text.slice(start, end);
      const from = start + shown.length - shown.trimStart().length;
      return `${from} ${from + shown.trim().length} ${label}`;
    });
  return before !== undefined && keys(before).sort().join('\n') === keys(now).sort().join('\n');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
