import { TagstreamError } from '../../../engine/core/errors.js';
import type { TextSpan } from '../../../engine/core/sentence/document.js';
import type { JsonText } from '../ndjson/json-text.js';

/**
 * Treatment of a record with annotations by several people. `agree` rejects the record unless they are equal; `first`
 * uses the first; `each` makes a record of each; `majority` uses the spans that more than half of them contain.
 */
export const annotationChoices = ['agree', 'first', 'each', 'majority'] as const;

export type AnnotationChoice = (typeof annotationChoices)[number];

/** One annotator's work on a text. */
export interface Annotation {
  /** Position in the record and annotator, for errors. */
  readonly name: string;
  readonly spans: readonly TextSpan[];
}

/**
 * Chooses the spans of a text with at least one annotation.
 *
 * @throws TagstreamError `wrong-shape` if they differ but must agree
 * @example
 * const by = (name, ...labels) => ({ name, spans: labels.map(label => ({ start: 0, end: 3, label })) });
 * const all = [by('a', 'PER'), by('b', 'PER', 'ORG'), by('c', 'ORG')];
 * ['first', 'majority'].map(choice => chosenSpans('Ann', all, choice).map(({ label }) => label)) // => [['PER'], ['PER', 'ORG']]
 */
export function chosenSpans(
  text: string,
  all: readonly Annotation[],
  choice: AnnotationChoice = 'agree',
): readonly TextSpan[] {
  const [first, ...others] = all;
  if (choice === 'first' || others.length === 0) return first!.spans;
  const counts = new Map<string, { span: TextSpan; names: Set<string> }>();
  for (const { name, spans } of all) {
    for (const span of spans) {
      const key = keyOf(text, span);
      const known = counts.get(key) ?? { span, names: new Set() };
      counts.set(key, known);
      known.names.add(name);
    }
  }
  const votes = [...counts.values()];
  if (choice === 'majority') {
    return votes.filter(({ names }) => 2 * names.size > all.length).map(({ span }) => span);
  }
  const disputed = votes.find(({ names }) => names.size < all.length);
  if (disputed === undefined) return first!.spans;
  const { span, names } = disputed;
  const lacking = all.find(({ name }) => !names.has(name))!;
  const shown = JSON.stringify(text.slice(span.start, span.end).slice(0, 40));
  throw new TagstreamError(
    'wrong-shape',
    `${all.length} annotations disagree: ${[...names][0]} has ${span.label} at ${shown}, ${lacking.name} does not`,
    { fix: 'set annotations in the source to first, each or majority, or correct the record' },
  );
}

/** Returns a span's key, which ignores white space at its ends. */
function keyOf(text: string, { start, end, label }: TextSpan): string {
  const shown = text.slice(start, end);
  const from = start + shown.length - shown.trimStart().length;
  return `${from} ${from + shown.trim().length} ${label}`;
}

/** Whether two lists contain the same spans, in any order. */
export function areSameSpans(
  text: string,
  before: readonly TextSpan[] | undefined,
  now: readonly TextSpan[],
): boolean {
  const keys = (spans: readonly TextSpan[]) => spans.map(span => keyOf(text, span)).sort();
  return before !== undefined && keys(before).join('\n') === keys(now).join('\n');
}

/**
 * Updates the span items of a record whose labels have changed: keeps the items of unchanged spans byte for byte, and
 * creates the others. Items that are not spans are kept, and come first.
 *
 * @param spanOf returns the span of an item; undefined for other items
 * @param make creates an item
 */
export function mergeItems(
  items: readonly JsonText[],
  spans: readonly TextSpan[],
  spanOf: (value: unknown, i: number) => TextSpan | undefined,
  make: (span: TextSpan, i: number) => unknown,
): unknown[] {
  const keyOf = ({ start, end, label }: TextSpan) => `${start} ${end} ${label}`;
  const known = new Map<string, JsonText>();
  const others: JsonText[] = [];
  for (const [i, item] of items.entries()) {
    const span = spanOf(item.value, i);
    if (span === undefined) others.push(item);
    else if (!known.has(keyOf(span))) known.set(keyOf(span), item);
  }
  return [...others, ...spans.map((span, i) => known.get(keyOf(span)) ?? make(span, i))];
}
