/** Fewest labels, and the share of all pairs, up to which lists are faster than vectors. */
const limits = {
  sums: { 4: { labels: 16, share: 0.2 }, 8: { labels: 16, share: 0.3 } },
  maxima: { 4: { labels: 32, share: 0.06 }, 8: { labels: 20, share: 0.07 } },
} as const;

/** Where a batch has fewer tokens for each label, making the lists may cost as much as it saves. */
const tokensPerLabel = 4;
const shareOfSmall = 0.3;

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
 * Whether lists of `entries` transitions are faster than going over all of them, a vector at a time, for a
 * batch of so many tokens. The limits are measured: see the page of the kernels.
 */
export function listsPay(
  { kind, bytes }: ListKind,
  labels: number,
  entries: number,
  tokens: number,
): boolean {
  const limit = limits[kind][bytes];
  const share = limit.share * (tokens < tokensPerLabel * labels ? shareOfSmall : 1);
  return labels >= limit.labels && entries <= share * labels ** 2;
}
