/** Rows of a table with a number for each of their lanes; each row is listed once. Memory is used again. */
export class GradientRows {
  /** Lanes of a row. */
  size = 1;
  /** Rows that are listed. */
  count = 0;
  rows: Int32Array = new Int32Array(64);
  /** `[count x size]`. */
  sums: Float64Array = new Float64Array(64);
  /** Of each row of the table its place in the list, from 1; 0 where it is not listed. */
  #places = new Int32Array(64);

  /** Empties the list, for a table of `tableRows` rows. Cost O(rows listed before). */
  clear(size: number, tableRows: number): void {
    for (let i = 0; i < this.count; i += 1) this.#places[this.rows[i]!] = 0;
    this.count = 0;
    this.size = size;
    if (this.#places.length >= tableRows) return;
    this.#places = new Int32Array(Math.max(tableRows, 2 * this.#places.length));
  }

  /** Where the sums of a row start; zeros if it was not listed yet. */
  at(row: number): number {
    const place = this.#places[row]!;
    if (place > 0) return (place - 1) * this.size;
    const start = this.count * this.size;
    if (this.count === this.rows.length) {
      const rows = new Int32Array(2 * this.count);
      rows.set(this.rows);
      this.rows = rows;
    }
    if (start + this.size > this.sums.length) {
      const sums = new Float64Array(2 * (start + this.size));
      sums.set(this.sums.subarray(0, start));
      this.sums = sums;
    }
    this.sums.fill(0, start, start + this.size);
    this.rows[this.count] = row;
    this.count += 1;
    this.#places[row] = this.count;
    return start;
  }

  /** Makes the lanes 0 that may have no weight: those without a 1 in `allowed`, in the table's layout. */
  mask(allowed: Uint8Array): void {
    const { size, sums } = this;
    for (let i = 0; i < this.count; i += 1) {
      const row = this.rows[i]! * size;
      for (let y = 0; y < size; y += 1) if (allowed[row + y] !== 1) sums[i * size + y] = 0;
    }
  }

  /** Sum of squares. */
  squaredNorm(): number {
    let sum = 0;
    const end = this.count * this.size;
    for (let i = 0; i < end; i += 1) sum += this.sums[i]! * this.sums[i]!;
    return sum;
  }

  /** Inner product with the same rows of a table. */
  dot(table: ArrayLike<number>): number {
    const { size, sums } = this;
    let sum = 0;
    for (let i = 0; i < this.count; i += 1) {
      const row = this.rows[i]! * size;
      for (let y = 0; y < size; y += 1) sum += sums[i * size + y]! * table[row + y]!;
    }
    return sum;
  }
}
