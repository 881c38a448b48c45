import { combine } from './combine';
import { filtered, rowOf } from './rows';

// Rows of the features of sentences whose columns are text numbers, sentence by sentence, so that intermediate
// data stays in the L1 cache. The rows of single-text templates are stored with the text; other templates are
// combined and looked up. A work order is a table of words:
//
//   0 program   4 number of its templates   8 list of fingerprints, 12 first halves and 16 second halves of
//     contents: as in `combine`   20 stride   24 margin
//  28 number of columns   32 room for their numbers with margins, `stride` each   36 numbers   40 numbers per column
//  44 number of atoms   48 (column, offset in a text's record) of each atom
//  52 records of the texts, starting with those for the surroundings of a sentence   56 bytes per record
//  60 table   64 mask   68 filter   72 mask of the filter: as in `findRows`
//  76 starts and 80 rows, which are written   84 room for two words per template of the program
//  88 number of all templates   92 for each of them (offset of its number for token 0 with margins, offset in
//     the record), or (0, its number in the program)

/**
 * Adds the rows of the sentence with tokens [first, end) after the first `count` rows; returns the new
 * number of rows. `fixed` is 0, or has a number per token: those with a number from 0 on get no rows.
 */
export function encodeTexts(order: usize, first: i32, end: i32, count: u32, fixed: usize): u32 {
  const length = end - first;
  combineTexts(order, first, length);
  const combined = load<i32>(order, 4);
  const list = load<usize>(order, 8);
  const records = load<usize>(order, 52);
  const bytes = load<usize>(order, 56);
  const starts = load<usize>(order, 76) + (<usize>first << 2);
  const rows = load<usize>(order, 80);
  const found = load<usize>(order, 84);
  const plan = load<usize>(order, 92);
  const planEnd = plan + (<usize>load<u32>(order, 88) << 3);
  const known = fixed + (<usize>first << 2);
  for (let t: usize = 0; t < <usize>length; t += 1) {
    if (fixed != 0 && load<i32>(known + (t << 2)) >= 0) {
      store<u32>(starts + ((t + 1) << 2), count);
      continue;
    }
    look(order, list + ((t * <usize>combined) << 3), found);
    for (let template = plan; template < planEnd; template += 8) {
      const number = load<usize>(template);
      const place = load<usize>(template, 4);
      const row =
        number == 0
          ? load<u32>(found + (place << 2))
          : load<u32>(records + <usize>load<u32>(number + (t << 2)) * bytes + place);
      // A missing row is overwritten by the next one, which avoids a branch.
      store<u32>(rows + (<usize>count << 2), row - 1);
      count += u32(row != 0);
    }
    store<u32>(starts + ((t + 1) << 2), count);
  }
  return count;
}

/** Writes the fingerprints of a sentence's combined features to the work order's list. */
// @ts-expect-error: decorator
@inline
export function combineTexts(order: usize, first: i32, length: i32): void {
  pad(order, first, length);
  fill(order, length);
  const combined = load<i32>(order, 4);
  if (combined == 0) return;
  const list = load<usize>(order, 8);
  const lo = load<usize>(order, 12);
  const hi = load<usize>(order, 16);
  const stride = load<i32>(order, 20);
  combine(load<usize>(order), combined, lo, hi, stride, load<i32>(order, 24), length, list);
}

/**
 * Writes the numbers of a sentence and its surroundings, so that accesses around a token need no bounds
 * check.
 */
// @ts-expect-error: decorator
@inline
function pad(order: usize, first: i32, length: i32): void {
  const stride = load<u32>(order, 20);
  const margin = load<u32>(order, 24);
  const columns = load<u32>(order, 28);
  const around = load<usize>(order, 32);
  const numbers = load<usize>(order, 36) + (<usize>first << 2);
  const each = load<u32>(order, 40);
  for (let column: u32 = 0; column < columns; column += 1) {
    const before = around + ((<usize>(column * stride)) << 2);
    const own = before + (<usize>margin << 2);
    const after = own + (<usize>length << 2);
    const outside = 2 * margin * column;
    for (let i: u32 = 0; i < margin; i += 1) {
      store<u32>(before + (<usize>i << 2), outside + i);
      store<u32>(after + (<usize>i << 2), outside + margin + i);
    }
    memory.copy(own, numbers + ((<usize>(column * each)) << 2), <usize>length << 2);
  }
}

/** Writes the contents of all combined atoms, at each token and around the sentence. */
// @ts-expect-error: decorator
@inline
function fill(order: usize, length: i32): void {
  const stride = load<u32>(order, 20);
  const places = <usize>length + 2 * load<usize>(order, 24);
  const around = load<usize>(order, 32);
  const atoms = load<u32>(order, 44);
  const records = load<usize>(order, 52);
  const bytes = load<usize>(order, 56);
  for (let atom: u32 = 0; atom < atoms; atom += 1) {
    const source = load<usize>(order, 48) + (<usize>atom << 3);
    const numbers = around + ((<usize>(load<u32>(source) * stride)) << 2);
    const content = records + load<usize>(source, 4);
    const lo = load<usize>(order, 12) + ((<usize>(atom * stride)) << 2);
    const hi = load<usize>(order, 16) + ((<usize>(atom * stride)) << 2);
    for (let i: usize = 0; i < places; i += 1) {
      const hash = load<u64>(content + <usize>load<u32>(numbers + (i << 2)) * bytes);
      store<u32>(lo + (i << 2), <u32>hash);
      store<u32>(hi + (i << 2), <u32>(hash >> 32));
    }
  }
}

/** Writes the row + 1 of each fingerprint of a token, or 0; checks the filter first. */
// @ts-expect-error: decorator
@inline
function look(order: usize, list: usize, found: usize): void {
  const templates = load<u32>(order, 4);
  const table = load<usize>(order, 60);
  const mask = load<u32>(order, 64);
  const filter = load<usize>(order, 68);
  const filterMask = load<u32>(order, 72);
  const passed = found + (<usize>templates << 2);
  for (let at = found; at < passed; at += 4) store<u32>(at, 0);
  const next = filtered(mask, filter, filterMask, list, 0, templates, passed);
  for (let at = passed; at < next; at += 4) {
    const k = <usize>load<u32>(at);
    store<u32>(found + (k << 2), rowOf(table, mask, filter, filterMask, load<u64>(list + (k << 3))));
  }
}
