import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { pieces } from './vector-control.js';

/** Where threads find vectors of bfloat16 that are taken together: their addresses, factors, and sums of products. */
export class NarrowTable {
  readonly offset: number;
  readonly most: number;
  /** The addresses of the vectors. */
  readonly addresses: Uint32Array;
  /** A factor for each. */
  readonly factors: Float64Array;
  readonly #sums: Float64Array;

  constructor(memory: LinearMemory, offset: number, most: number) {
    memory.refresh(offset + NarrowTable.bytes(most));
    this.offset = offset;
    this.most = most;
    this.addresses = new Uint32Array(memory.buffer, offset, most);
    const numbers = offset + 8 * most;
    this.factors = new Float64Array(memory.buffer, numbers, most);
    this.#sums = new Float64Array(memory.buffer, numbers + 8 * most, 2 * most * pieces);
  }

  static bytes(most: number): number {
    return 8 * most * (2 + 2 * pieces);
  }

  static create(memory: LinearMemory, most: number): NarrowTable {
    return new NarrowTable(memory, memory.allocate(NarrowTable.bytes(most)), most);
  }

  /** Two sums for each vector, of a piece of them. */
  sums(piece: number): Float64Array {
    return this.#sums.subarray(2 * this.most * piece, 2 * this.most * (piece + 1));
  }
}
