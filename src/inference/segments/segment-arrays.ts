import type { Lattice } from '../../kernels/lattice.js';
import type { SegmentTables } from '../../kernels/segments/segment-tables.js';

const names = ['alpha', 'beta', 'after', 'ends', 'rest'] as const;

/** What `LogSegments` works on for one sentence; grows with the longest sentence. */
export class SegmentArrays {
  tables!: SegmentTables;
  /** First token of the sentence in the minibatch, and its number of tokens. */
  first = 0;
  length = 0;
  /** `[tokens x labels x states]` forward values. */
  alpha = new Float64Array(0);
  /** `[labels x states]` backward values of a token, and of the one after it. */
  beta = new Float64Array(0);
  after = new Float64Array(0);
  /** `[tokens x labels]` all that leads up to a label with the span that it is in, if any, ended there. */
  ends = new Float64Array(0);
  /** `[tokens x labels]` all that follows a label at which a span has ended. */
  rest = new Float64Array(0);
  /** Log of the sum over all label sequences. */
  total = 0;

  /** Makes room for a sentence. */
  open(lattice: Lattice, s: number): void {
    const { sentenceStarts } = lattice.batch!;
    const segments = lattice.segments!;
    const { labels, states } = segments.tables;
    this.tables = segments.tables;
    this.first = sentenceStarts[s]!;
    this.length = sentenceStarts[s + 1]! - this.first;
    const { length } = this;
    const sizes = {
      ...{ alpha: length * labels * states, beta: labels * states, after: labels * states },
      ...{ ends: length * labels, rest: length * labels },
    };
    for (const name of names) {
      if (this[name].length < sizes[name]) this[name] = new Float64Array(2 * sizes[name]);
    }
  }

  /** The slot of a token of the sentence with transitions of its own, -1 where it has none. */
  slotAt(lattice: Lattice, t: number): number {
    return lattice.edgeSlots[this.first + t]!;
  }
}
