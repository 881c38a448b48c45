/** Shards that a corpus has by default, whatever number of threads works on them. */
const usual = 8;

/**
 * Cuts a corpus into consecutive shards of about as many tokens: sentences
 * `[ranges[i], ranges[i + 1])` are shard i. It depends on the corpus alone, and so do all sums.
 *
 * @param sentenceStarts first token of each sentence, and the number of tokens
 */
export function shardRanges(sentenceStarts: Uint32Array, most: number = usual): Uint32Array {
  const count = sentenceStarts.length - 1;
  const shards = Math.max(1, Math.min(most, count));
  const tokens = sentenceStarts[count]!;
  const ranges = new Uint32Array(shards + 1);
  let s = 0;
  for (let shard = 1; shard < shards; shard += 1) {
    const goal = (tokens * shard) / shards;
    while (s < count && sentenceStarts[s]! + sentenceStarts[s + 1]! <= 2 * goal) s += 1;
    ranges[shard] = s;
  }
  ranges[shards] = count;
  return ranges;
}
