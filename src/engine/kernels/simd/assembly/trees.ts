import { loadPair } from './vectors';

/**
 * Computes sums = base + the rows of some leaves, in float64; rows are `width` numbers wide, a multiple of eight. Eight
 * labels' sums stay in registers; leaves are added in order.
 */
export function addLeafRows<T>(
  sums: usize,
  base: usize,
  leaves: usize,
  count: i32,
  rows: usize,
  width: i32,
): void {
  const rowBytes = <usize>width * sizeof<T>();
  const end = leaves + ((<usize>count) << 2);
  for (let y = 0; y < width; y += 8) {
    const at = (<usize>y) << 3;
    let a = v128.load(base + at);
    let b = v128.load(base + at, 16);
    let c = v128.load(base + at, 32);
    let d = v128.load(base + at, 48);
    const column = rows + <usize>y * sizeof<T>();
    for (let leaf = leaves; leaf < end; leaf += 4) {
      const row = column + <usize>load<u32>(leaf) * rowBytes;
      a = f64x2.add(a, loadPair<T>(row));
      b = f64x2.add(b, loadPair<T>(row + 2 * sizeof<T>()));
      c = f64x2.add(c, loadPair<T>(row + 4 * sizeof<T>()));
      d = f64x2.add(d, loadPair<T>(row + 6 * sizeof<T>()));
    }
    v128.store(sums + at, a);
    v128.store(sums + at, b, 16);
    v128.store(sums + at, c, 32);
    v128.store(sums + at, d, 48);
  }
}
