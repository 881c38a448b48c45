/** Entries per label, and share of all pairs, up to which lists are faster than vectors. */
const limits = {
  sums: { 4: { labels: 24, share: 0.15 }, 8: { labels: 16, share: 0.3 } },
  maxima: { 4: { labels: 24, share: 0.15 }, 8: { labels: 16, share: 0.3 } },
} as const;

/** Labels below which lists never pay, for numbers of 4 or 8 bytes. */
export function fewestLabels(bytes: 4 | 8): number {
  return Math.min(limits.sums[bytes].labels, limits.maxima[bytes].labels);
}

/** Whether lists of `entries` transitions are faster than going over all of them, a vector at a time. */
export function listsPay(
  kind: 'sums' | 'maxima',
  bytes: 4 | 8,
  labels: number,
  entries: number,
): boolean {
  const limit = limits[kind][bytes];
  return labels >= limit.labels && entries <= limit.share * labels ** 2;
}
