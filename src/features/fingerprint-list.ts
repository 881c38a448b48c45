/** A growing list of 64-bit fingerprints and the values of the features they stand for. */
export class FingerprintList {
  lo = new Int32Array(1024);
  hi = new Int32Array(1024);
  values = new Float64Array(1024);
  length = 0;

  /** Makes room for `count` more. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.lo.length) return;
    const capacity = Math.max(needed, this.lo.length * 2);
    const { lo, hi, values } = this;
    this.lo = new Int32Array(capacity);
    this.hi = new Int32Array(capacity);
    this.values = new Float64Array(capacity);
    this.lo.set(lo);
    this.hi.set(hi);
    this.values.set(values);
  }
}
