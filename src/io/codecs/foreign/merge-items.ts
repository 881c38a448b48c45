import type { TextSpan } from '../../../core/sentence/text-span.js';

/**
 * What stands for spans in a record whose labels have changed: the item that stood for the same span before, else a new
 * one. Items that are no spans stay, before all others.
 *
 * @param spanOf the span that an item is for; undefined for one that is for none
 * @example
 * const spanOf = item => item.span;
 * const a = { id: 7, span: { start: 0, end: 3, label: 'PER' } };
 * mergeItems([a], [{ start: 0, end: 3, label: 'PER' }, { start: 4, end: 6, label: 'LOC' }], spanOf, span => ({ span }))
 * // => [{ id: 7, span: { start: 0, end: 3, label: 'PER' } }, { span: { start: 4, end: 6, label: 'LOC' } }]
 */
export function mergeItems<Item>(
  items: readonly Item[],
  spans: readonly TextSpan[],
  spanOf: (item: Item, i: number) => TextSpan | undefined,
  make: (span: TextSpan, i: number) => Item,
): Item[] {
  const keyOf = ({ start, end, label }: TextSpan) => `${start} ${end} ${label}`;
  const known = new Map<string, Item>();
  const others: Item[] = [];
  for (const [i, item] of items.entries()) {
    const span = spanOf(item, i);
    if (span === undefined) others.push(item);
    else if (!known.has(keyOf(span))) known.set(keyOf(span), item);
  }
  return [...others, ...spans.map((span, i) => known.get(keyOf(span)) ?? make(span, i))];
}
