import type { Delivery } from './delivery.js';

/** What has a delivery, or belongs to a document that has one. */
interface Delivered {
  readonly delivery?: Delivery;
  readonly document?: { readonly delivery?: Delivery };
}

/**
 * An item that came of one with the delivery `whole`, with a share of it: its own, and that of its document
 * where that was the same. The item is not changed.
 *
 * @example
 * const [whole, share] = [{}, {}];
 * withDelivery({ tokens: ['a'] }, whole, share).delivery === share // => true
 */
export function withDelivery<Item extends object>(
  item: Item,
  whole: Delivery,
  share: Delivery,
): Item & { readonly delivery: Delivery } {
  if (Array.isArray(item))
    return Object.assign(item.slice() as Item & unknown[], { delivery: share });
  const { document } = item as Delivered;
  if (document?.delivery !== whole) return { ...item, delivery: share };
  return { ...item, document: { ...document, delivery: share }, delivery: share };
}
