// Writes the rows kept by `readRows`, each with its label as an additional cell, and a blank line after each sentence.
// A work order is a table of words:
//
//   0 (address, end, whether there is a tab) of each row   4 number of sentences   8 ends of sentences, as row numbers
//  12 labels of the rows   16 (address, length) of each label's text   20 whether cells are separated by tabs
//  24 where to write
//
// Up to 15 bytes past the end of the output are overwritten, and as many past the end of texts are read.

/** Writes all rows; returns the end of the output. */
export function writeRows(order: usize): usize {
  let row = load<usize>(order);
  let sentence = load<usize>(order, 8);
  const sentencesEnd = sentence + (<usize>load<u32>(order, 4) << 2);
  let label = load<usize>(order, 12);
  const texts = load<usize>(order, 16);
  const byTab = load<u32>(order, 20) != 0;
  let out = load<usize>(order, 24);
  let number: u32 = 0;
  for (; sentence < sentencesEnd; sentence += 4) {
    const end = load<u32>(sentence);
    for (; number < end; number += 1) {
      const from = load<usize>(row);
      out = copied(from, load<usize>(row, 4) - from, out);
      store<u8>(out, byTab || load<u32>(row, 8) != 0 ? 9 : 32);
      const text = texts + (<usize>load<u32>(label) << 3);
      out = copied(load<usize>(text), load<usize>(text, 4), out + 1);
      store<u8>(out, 10);
      out += 1;
      row += 12;
      label += 4;
    }
    store<u8>(out, 10);
    out += 1;
  }
  return out;
}

/** Copies bytes in pieces of 16, up to 15 too many; returns the end of the copy. */
// @ts-expect-error: decorator
@inline
export function copied(from: usize, bytes: usize, out: usize): usize {
  for (let i: usize = 0; i < bytes; i += 16) v128.store(out + i, v128.load(from + i));
  return out + bytes;
}
