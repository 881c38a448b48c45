/**
 * Writes the texts of labels one after the other, from `out` on; returns where they end. `texts` has the
 * address and the length of each label's text. Up to 15 bytes past the end of a text are read and written.
 */
export function writeLabels(labels: usize, count: i32, texts: usize, out: usize): usize {
  const end = labels + (<usize>count << 2);
  for (let at = labels; at < end; at += 4) {
    const entry = texts + (<usize>load<u32>(at) << 3);
    const text = load<usize>(entry);
    const length = load<usize>(entry, 4);
    for (let i: usize = 0; i < length; i += 16) v128.store(out + i, v128.load(text + i));
    out += length;
  }
  return out;
}
