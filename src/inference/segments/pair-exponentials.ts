import type { Reals } from '../../core/reals.js';
import type { SegmentTables } from '../../kernels/segments/segment-tables.js';

/** Exponentials of transitions, and sums of what comes before and after them that are yet to be multiplied by these. */
export class PairExponentials {
  /** `[labels x labels]` of all pairs, and for each mask of `boundaries` of its pairs alone. */
  all = new Float64Array(0);
  boundaries: Float64Array[] = [];
  /** Sums by pair: of those at which a span ends, mask by mask, and of the others. */
  boundarySums: Float64Array[] = [];
  sums = new Float64Array(0);

  open({ labels, boundaries }: SegmentTables): void {
    const size = labels * labels;
    if (this.all.length === size && this.boundaries.length === boundaries.length) return;
    const table = () => new Float64Array(size);
    this.all = table();
    this.sums = table();
    this.boundaries = boundaries.map(table);
    this.boundarySums = boundaries.map(table);
  }

  /** Fills in exponentials; whether no score is further from 0 than `furthest`, but where it forbids a pair. */
  exponentiate(
    { labels, boundaries }: SegmentTables,
    scores: Reals,
    start: number,
    width: number,
    furthest: number,
  ): boolean {
    const { all } = this;
    for (let from = 0; from < labels; from += 1) {
      for (let to = 0; to < labels; to += 1) {
        const score = scores[start + from * width + to]!;
        if (!(Math.abs(score) <= furthest) && score !== Number.NEGATIVE_INFINITY) return false;
        all[from * labels + to] = Math.exp(score);
      }
    }
    for (const [i, { mask }] of boundaries.entries()) {
      const own = this.boundaries[i]!;
      for (let pair = 0; pair < all.length; pair += 1) own[pair] = mask[pair]! * all[pair]!;
    }
    return true;
  }

  clearSums(): void {
    this.sums.fill(0);
    for (const sums of this.boundarySums) sums.fill(0);
  }

  /** matrix += factor * the sums, multiplied by their exponentials. */
  addTo(matrix: Reals, labels: number, width: number, factor: number): void {
    const { all, sums, boundaries, boundarySums } = this;
    for (let from = 0; from < labels; from += 1) {
      for (let to = 0; to < labels; to += 1) {
        const pair = from * labels + to;
        let sum = all[pair]! * sums[pair]!;
        for (let i = 0; i < boundaries.length; i += 1) {
          sum += boundaries[i]![pair]! * boundarySums[i]![pair]!;
        }
        matrix[from * width + to]! += factor * sum;
      }
    }
  }
}
