/** Median of several numbers. */
export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Milliseconds that a function takes: the median of several runs after one that does not count. */
export function time(work, runs) {
  work();
  const taken = [];
  for (let i = 0; i < runs; i += 1) {
    const start = performance.now();
    work();
    taken.push(performance.now() - start);
  }
  return median(taken);
}
