import type { TextSpan } from '../../../core/sentence/text-span.js';
import type { JsonText } from '../ndjson/json-text.js';

/**
 * What stands for spans in a record whose labels have changed: the item that stood for the same span before, byte for byte,
 * else a new one. Items that are no spans stay, before all others.
 *
 * @param spanOf the span that an item is for; undefined for one that is for none
 * @param make an item, as a value
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
