import { exp } from '../exp';
import { bitsOf, laneMask, lanes } from '../vectors';

/**
 * Lists of the active entries of a transition matrix, read as vectors: for each column of vectors, those that
 * hold an active entry. An entry is active if its score is not 0; all others contribute a common sum.
 *
 * Columns of vectors form groups of four, those with the most entries first, so that four sums are in registers
 * at once; shorter columns are padded with neutral entries. A group consists of words, the bytes of its entries
 * and the addresses of its four sums, and from `groupBytes` on its entries, a step of all four at a time: the
 * addresses of the numbers by which they are multiplied, then their weights.
 *
 * Sums and numbers are in a workspace with four vectors for each vector of a row: the sum, its starting value,
 * the multiplied row, and infinity past the last label.
 *
 * At `lists`, as words: the addresses of the first group, of the end of the last, of the labels to be checked, of
 * their end, and of the workspace; then, as a number, the weight of an inactive transition. A label to be checked
 * is two words, its offset in a row and the address of its sum.
 */
export const groupBytes: usize = 32;
/** Number of bytes per step: four addresses, and four vectors of weights. */
export const stepBytes: usize = 80;
/** Number of workspace bytes for each vector of a row, and their layout. */
export const placeBytes: usize = 64;
export const startAt: usize = 16;
export const rowAt: usize = 32;
export const pastAt: usize = 48;
/** Share of its starting value below which too much of a label's sum may have cancelled. */
export const leastShare = 0.0625;

/**
 * Lists the differences between the exponentials and exp(0), or whole exponentials if all possible entries of a
 * label are active. Each label starts from exp(0), or from 0 if it is listed wholly or checked.
 *
 * @param scratch 40 bytes for each vector of a row, and 4 for each vector of the matrix
 * @param matrix exponentials; each row is multiplied by one number
 * @param maximum the value subtracted from the scores
 */
export function listSums<T>(
  lists: usize,
  room: usize,
  scratch: usize,
  matrix: usize,
  maximum: T,
  labels: i32,
  width: i32,
): i32 {
  // Computed like the matrix's exponentials, so that the difference is exactly 0 for an inactive entry.
  const bases = exp<T>(v128.splat<T>(-maximum));
  const base = v128.extract_lane<T>(bases, 0);
  store<T>(lists, base, 24);
  const work = laySteps<T>(lists, room, labels, width);
  const checked = work + <usize>(width / lanes<T>()) * placeBytes;
  let check = checked;
  const floor = base * <T>leastShare;
  for (let column = 0; column < width; column += lanes<T>()) {
    const at = <usize>column * sizeof<T>();
    survey<T>(scratch + at, matrix + at, base, 0, labels, width);
    const whole = wholeLanes<T>(scratch + at, 0);
    const least = v128.load(scratch + at + <usize>width * sizeof<T>());
    const inside = laneMask<T>(column, labels);
    const risky = v128.and(v128.lt<T>(least, v128.splat<T>(floor)), v128.andnot(inside, whole));
    const place = work + at * (placeBytes >> 4);
    v128.store(place + startAt, v128.and(bases, v128.andnot(inside, v128.or(whole, risky))));
    for (let bits = bitsOf<T>(risky); bits != 0; bits &= bits - 1) {
      const lane = <usize>ctz<i32>(bits) * sizeof<T>();
      store<usize>(check, at + lane);
      store<usize>(check, place + lane, 4);
      check += 8;
    }
  }
  store<usize>(lists, checked, 8);
  store<usize>(lists, check, 12);
  return writeSteps<T>(lists, room, scratch, matrix, base, 0, labels, width);
}

/**
 * Lists scores, for maxima. Each label starts from 0, to which the best of all scores is added later, or from
 * minus infinity if all its possible entries are active and hence listed.
 */
export function listMaxima<T>(
  lists: usize,
  room: usize,
  scratch: usize,
  matrix: usize,
  labels: i32,
  width: i32,
): i32 {
  const work = laySteps<T>(lists, room, labels, width);
  const never = <T>-Infinity;
  for (let column = 0; column < width; column += lanes<T>()) {
    const at = <usize>column * sizeof<T>();
    survey<T>(scratch + at, matrix + at, 0, never, labels, width);
    const whole = wholeLanes<T>(scratch + at, never);
    const closed = v128.or(whole, v128.not(laneMask<T>(column, labels)));
    v128.store(work + at * (placeBytes >> 4) + startAt, v128.and(v128.splat<T>(never), closed));
  }
  return writeSteps<T>(lists, room, scratch, matrix, 0, never, labels, width);
}

/** Returns the maximum number of bytes that lists take after their head. */
export function listBytes<T>(labels: i32, width: i32): usize {
  const vectors = <usize>((width * sizeof<T>()) >>> 4);
  const groups = (vectors + 3) >> 2;
  const steps = groups * (groupBytes + <usize>labels * stepBytes);
  return steps + vectors * placeBytes + (((<usize>labels << 3) + 15) & ~15);
}

/** Lays out the groups and the workspace, which it fills for rows of zeros; returns the workspace. */
function laySteps<T>(lists: usize, room: usize, labels: i32, width: i32): usize {
  const groups = <usize>(width / lanes<T>() + 3) >> 2;
  const work = room + groups * (groupBytes + <usize>labels * stepBytes);
  store<usize>(lists, room);
  store<usize>(lists, work, 16);
  let place = work;
  for (let column = 0; column < width; column += lanes<T>()) {
    const past = v128.not(laneMask<T>(column, labels));
    v128.store(place, v128.splat<T>(0));
    v128.store(place, v128.splat<T>(0), startAt);
    v128.store(place, v128.splat<T>(0), rowAt);
    v128.store(place + pastAt, v128.and(past, v128.splat<T>(<T>Infinity)));
    place += placeBytes;
  }
  return work;
}

/**
 * Surveys a column of vectors. Writes the weight of unlisted entries to `out`: that of inactive entries, or
 * `never` if all possible entries are active. A row further on, it writes the minimum of the entries.
 */
function survey<T>(
  out: usize,
  matrix: usize,
  inactive: T,
  never: T,
  labels: i32,
  width: i32,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  const nothing = v128.splat<T>(never);
  const inactives = v128.splat<T>(inactive);
  const end = matrix + <usize>labels * rowBytes;
  // Number of active minus number of possible entries: a mask is -1.
  let surplus = v128.splat<T>(0);
  let least = v128.splat<T>(<T>Infinity);
  for (; matrix < end; matrix += rowBytes) {
    const value = v128.load(matrix);
    const active = v128.ne<T>(value, inactives);
    const possible = v128.gt<T>(value, nothing);
    if (sizeof<T>() == 4) surplus = i32x4.sub(i32x4.add(surplus, possible), active);
    else surplus = i64x2.sub(i64x2.add(surplus, possible), active);
    least = v128.pmin<T>(least, value);
  }
  const whole = sizeof<T>() == 4
    ? i32x4.ge_s(surplus, i32x4.splat(0))
    : i64x2.ge_s(surplus, i64x2.splat(0));
  v128.store(out, v128.bitselect(nothing, inactives, whole));
  v128.store(out + rowBytes, least);
}

/** Returns all bits of the lanes that `survey` found to be listed wholly. */
// @ts-expect-error: decorator
@inline
function wholeLanes<T>(surveyed: usize, never: T): v128 {
  return v128.eq<T>(v128.load(surveyed), v128.splat<T>(never));
}

/**
 * Writes the groups; returns the number of entries, that is vectors.
 *
 * @param scratch the results of `survey` for each vector of a row
 * @param never weight of an entry without effect, below every possible entry
 */
function writeSteps<T>(
  lists: usize,
  room: usize,
  scratch: usize,
  matrix: usize,
  inactive: T,
  never: T,
  labels: i32,
  width: i32,
): i32 {
  const rowBytes = <usize>width * sizeof<T>();
  const vectors = width / lanes<T>();
  const counts = scratch + 2 * rowBytes;
  const order = counts + (<usize>vectors << 2);
  const found = order + (<usize>vectors << 2);
  let total = 0;
  for (let v = 0; v < vectors; v += 1) {
    const rows = found + (<usize>(v * labels) << 2);
    const count = findRows<T>(rows, scratch, matrix, v, labels, width);
    total += count;
    store<i32>(counts + (<usize>v << 2), count);
    // Columns with the most entries first, ties in their order.
    let place = <usize>v;
    for (; place > 0; place -= 1) {
      const before = load<i32>(order + ((place - 1) << 2));
      if (load<i32>(counts + (<usize>before << 2)) >= count) break;
      store<i32>(order + (place << 2), before);
    }
    store<i32>(order + (place << 2), v);
  }
  const work = load<usize>(lists, 16);
  const nothing = v128.splat<T>(never);
  let group = room;
  for (let first = 0; first < vectors; first += 4) {
    const most = load<i32>(counts + (<usize>load<i32>(order + (<usize>first << 2)) << 2));
    store<usize>(group, <usize>most * stepBytes);
    for (let slot = 0; slot < 4; slot += 1) {
      // Past the last vector: an empty sum, which the first vector's sum overwrites.
      const isSpare = first + slot >= vectors;
      const v = load<i32>(order + (<usize>(isSpare ? first : first + slot) << 2));
      store<usize>(group + (<usize>slot << 2), work + <usize>v * placeBytes, 4);
      let address = group + groupBytes + (<usize>slot << 2);
      let weight = group + groupBytes + 16 + (<usize>slot << 4);
      const end = address + <usize>most * stepBytes;
      const at = <usize>v << 4;
      const less = v128.andnot(v128.splat<T>(inactive), wholeLanes<T>(scratch + at, never));
      const inside = laneMask<T>(v * lanes<T>(), labels);
      let row = found + (<usize>(v * labels) << 2);
      const last = row + (isSpare ? 0 : <usize>load<u32>(counts + (<usize>v << 2)) << 2);
      for (; row < last; row += 4) {
        const from = load<u32>(row);
        store<usize>(address, placeOf<T>(work, from));
        // An inactive entry next to an active one then has the weight 0, which changes nothing either.
        const value = v128.sub<T>(v128.load(matrix + at + <usize>from * rowBytes), less);
        v128.store(weight, v128.bitselect(value, nothing, inside));
        address += stepBytes;
        weight += stepBytes;
      }
      for (; address < end; address += stepBytes) {
        store<usize>(address, work + rowAt);
        v128.store(weight, nothing);
        weight += stepBytes;
      }
    }
    group += groupBytes + <usize>most * stepBytes;
  }
  store<usize>(lists, group, 4);
  return total;
}

/** Writes the rows in which a column of vectors has a listed entry; returns their number. */
function findRows<T>(
  rows: usize,
  scratch: usize,
  matrix: usize,
  v: i32,
  labels: i32,
  width: i32,
): i32 {
  const rowBytes = <usize>width * sizeof<T>();
  const inside = laneMask<T>(v * lanes<T>(), labels);
  const unlisted = v128.load(scratch + (<usize>v << 4));
  let vector = matrix + (<usize>v << 4);
  let next = rows;
  for (let row = 0; row < labels; row += 1) {
    store<i32>(next, row);
    const listed = v128.and(v128.ne<T>(v128.load(vector), unlisted), inside);
    next += <usize>v128.any_true(listed) << 2;
    vector += rowBytes;
  }
  return <i32>((next - rows) >> 2);
}

/** Returns the address of a label's number in the multiplied row. */
// @ts-expect-error: decorator
@inline
function placeOf<T>(work: usize, label: usize): usize {
  const at = label * sizeof<T>();
  return work + (at >> 4) * placeBytes + (at & 15) + rowAt;
}
