/** Where the values of each leaf begin, and the end of all. */
export function leafStarts(sizes: Uint32Array): Uint32Array {
  const starts = new Uint32Array(sizes.length + 1);
  for (let leaf = 0; leaf < sizes.length; leaf += 1)
    starts[leaf + 1] = starts[leaf]! + sizes[leaf]!;
  return starts;
}
