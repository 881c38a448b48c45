import { combine } from './combine';
import { addRows } from './rows';

// Rows of the features of sentences whose columns are numbers of texts, sentence by sentence, so that what
// lies between stays in the first cache. A work order is a table of words:
//
//   0 program   4 templates   8 list of fingerprints: all as `combine` takes them
//  12 first halves and 16 second halves of the contents   20 stride   24 margin
//  28 contents after a sentence: (lo, hi) from the nearest on
//  32 atoms, of which 36 has (address of the texts of its column, its place in a text's contents, 8 bytes)
//  40 contents of the texts, and 44 the bytes for each text
//  48 table   52 mask   56 filter   60 mask of the filter: as `addRows` takes them
//  64 starts and 68 rows, which are written

/**
 * Adds the rows of tokens [first, end), which are one sentence, after `count` rows of those before; returns
 * the number of rows then.
 */
export function encodeTexts(order: usize, first: i32, end: i32, count: u32): u32 {
  const length = end - first;
  const templates = load<i32>(order, 4);
  const list = load<usize>(order, 8);
  const lo = load<usize>(order, 12);
  const hi = load<usize>(order, 16);
  const stride = load<i32>(order, 20);
  const margin = load<i32>(order, 24);
  const after = load<usize>(order, 28);
  const atoms = load<i32>(order, 32);
  const contents = load<usize>(order, 40);
  const bytes = load<usize>(order, 44);
  for (let atom = 0; atom < atoms; atom += 1) {
    const source = load<usize>(order, 36) + (<usize>atom << 3);
    const texts = load<usize>(source) + (<usize>first << 2);
    const place = contents + load<usize>(source, 4);
    const out = <usize>(atom * stride + margin) << 2;
    for (let t: usize = 0; t < <usize>length; t += 1) {
      const content = load<u64>(place + <usize>load<u32>(texts + (t << 2)) * bytes);
      store<u32>(lo + out + (t << 2), <u32>content);
      store<u32>(hi + out + (t << 2), <u32>(content >> 32));
    }
    for (let i: usize = 0; i < <usize>margin; i += 1) {
      const at = out + ((<usize>length + i) << 2);
      store<u32>(lo + at, load<u32>(after + (i << 3)));
      store<u32>(hi + at, load<u32>(after + (i << 3), 4));
    }
  }
  combine(load<usize>(order), templates, lo, hi, stride, margin, length, list);
  return addRows(
    load<usize>(order, 48),
    load<u32>(order, 52),
    load<usize>(order, 56),
    load<u32>(order, 60),
    list,
    length,
    templates,
    0,
    count,
    load<usize>(order, 64) + (<usize>first << 2),
    load<usize>(order, 68),
    0,
  );
}
