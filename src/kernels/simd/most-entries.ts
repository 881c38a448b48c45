/** Fewest labels, and the share of all pairs, up to which lists are faster than vectors. */
const limits = {
  sums: { 4: { labels: 16, share: 0.14 }, 8: { labels: 16, share: 0.32 } },
  maxima: { 4: { labels: 32, share: 0.08 }, 8: { labels: 20, share: 0.12 } },
} as const;

/** What lists are for, and the bytes of their numbers. */
export interface ListKind {
  readonly kind: 'sums' | 'maxima';
  readonly bytes: 4 | 8;
}

/** Labels below which lists never pay. */
export function fewestLabels({ kind, bytes }: ListKind): number {
  return limits[kind][bytes].labels;
}

/**
 * The most entries with which lists are taken to be faster than going over all transitions, a vector at a
 * time; below 0 where they never are. Below what was measured with lists made once for a batch (see the page
 * of the kernels), as to recreate them for each sentence costs time, too: 8 microseconds for 50 labels. Sums in
 * float64 are those of batch optimizers, which make them once for a pass over the corpus.
 */
export function mostEntries(wanted: ListKind, labels: number): number {
  if (labels < fewestLabels(wanted)) return -1;
  return Math.floor(limits[wanted.kind][wanted.bytes].share * labels ** 2);
}
