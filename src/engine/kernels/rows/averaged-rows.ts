/**
 * Returns the gain of a parameter's exponential average since its first sentence. With r = rho^(n - b) that sentence's
 * remaining share, gain and loss are 1 / (1 - r) and r / (1 - r), so that (rho^k - r) / (1 - r) is `kept * gain - loss` with
 * `kept` = rho^k. A parameter younger than any sentence keeps nothing.
 */
export function gainOf(rest: number): number {
  return rest < 1 ? 1 / (1 - rest) : 1e300;
}

/**
 * Rows of a table, with the factors that bring their exponential averages up to date: see `Kernel.averageRows`. Memory is
 * reused.
 */
export class AveragedRows {
  readonly table: 'state' | 'edges';
  count = 0;
  rows = new Uint32Array(64);
  /** For each row: the kept share of its average, its gain and loss, and its weights' scale. */
  factors = new Float64Array(4 * 64);
  /** The gain of each lane's label, followed by the losses of all lanes. */
  lanes: Float64Array = new Float64Array(0);
  /** The largest gain of a lane. */
  most = 1;

  constructor(table: 'state' | 'edges') {
    this.table = table;
  }

  add(row: number, kept: number, rest: number, scale: number): void {
    const { count } = this;
    if (count === this.rows.length) {
      const [rows, factors] = [this.rows, this.factors];
      this.rows = new Uint32Array(2 * count);
      this.rows.set(rows);
      this.factors = new Float64Array(8 * count);
      this.factors.set(factors);
    }
    const gain = gainOf(rest);
    const { factors } = this;
    const at = 4 * count;
    this.rows[count] = row;
    factors[at] = kept;
    factors[at + 1] = gain;
    factors[at + 2] = rest * gain;
    factors[at + 3] = scale;
    this.count = count + 1;
  }
}
