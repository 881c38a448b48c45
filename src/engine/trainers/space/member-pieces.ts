import type { LinearMemory } from '../../kernels/memory/linear-memory.js';
import { type VectorFunctions, vectorFunctions } from '../../kernels/simd/vector-functions.js';
import { operations, paddedLength, pieceLength, pieces, VectorControl } from './vector-control.js';
import { NarrowTable, SparseTable } from './vector-tables.js';

/** The addresses of a space's memory, for another thread. */
export interface SpacePlaces {
  readonly control: number;
  /** Length of the vectors. */
  readonly size: number;
}

/** The pieces of all vectors assigned to one thread. */
export class MemberPieces {
  readonly #memory: LinearMemory;
  readonly #run: VectorFunctions;
  readonly #control: VectorControl;
  readonly #length: number;
  readonly #padded: number;
  readonly #first: number;
  readonly #end: number;
  #table: SparseTable | undefined;
  #narrow: NarrowTable | undefined;

  constructor(memory: LinearMemory, places: SpacePlaces, member: number, members: number) {
    this.#memory = memory;
    this.#run = vectorFunctions(memory.memory);
    this.#control = new VectorControl(memory, places.control);
    this.#length = pieceLength(places.size);
    this.#padded = paddedLength(places.size);
    this.#first = Math.floor((pieces * member) / members);
    this.#end = Math.floor((pieces * (member + 1)) / members);
  }

  /** Executes the operation of the control. */
  work(): void {
    const { sums } = this.#control;
    for (let piece = this.#first; piece < this.#end; piece += 1) {
      const from = piece * this.#length;
      const count = Math.min(this.#length, this.#padded - from);
      sums[piece] = count > 0 ? this.#work(piece, 8 * from, count) : 0;
    }
  }

  #work(piece: number, at: number, count: number): number {
    const run = this.#run;
    const [operation, out, x, y, z] = this.#control.words as unknown as number[];
    const [a, b] = this.#control.factors as unknown as number[];
    switch (operation) {
      case operations.combine:
        return run.combineThenDot(out! + at, a!, x! + at, b!, y! + at, z! + at, count);
      case operations.dot:
        return run.dotVectors(x! + at, y! + at, count);
      case operations.multiply:
        return run.multiplyThenDot(out! + at, x! + at, y! + at, z! + at, count);
      case operations.count:
        return run.countActive(x! + at, count);
      case operations.narrow:
        return run.narrowDifference(out! + at / 4, x! + at, y! + at, count);
      case operations.products:
        return this.#products(piece, at, count);
      case operations.mix:
        return this.#mix(at, count);
      default:
        return this.#sumSparse(piece, out!, count, x!, y!);
    }
  }

  #products(piece: number, at: number, count: number): number {
    const [, table, x, y, many] = this.#control.words as unknown as number[];
    const sums = this.#tableAt(table!).sums(piece);
    sums.fill(0);
    this.#run.addProducts(table!, many!, at / 4, x! + at / 4, y! + at, count, sums.byteOffset);
    return 0;
  }

  #mix(at: number, count: number): number {
    const [, table, out, , many] = this.#control.words as unknown as number[];
    const [a] = this.#control.factors as unknown as number[];
    const { byteOffset } = this.#tableAt(table!).factors;
    this.#run.mixVectors(out! + at, a!, table!, byteOffset, many!, at / 4, count);
    return 0;
  }

  #tableAt(offset: number): NarrowTable {
    if (this.#narrow?.offset !== offset) {
      this.#narrow = new NarrowTable(this.#memory, offset, this.#control.words[5]!);
    }
    return this.#narrow;
  }

  #sumSparse(piece: number, out: number, count: number, offset: number, vectors: number): number {
    const run = this.#run;
    if (this.#table?.offset !== offset) {
      this.#table = new SparseTable(this.#memory, offset, vectors);
    }
    run.clearVector(out + 8 * piece * this.#length, count);
    for (let row = 0; row < vectors; row += 1) {
      const words = this.#table.row(row);
      run.addAtPlaces(out, words[0]!, words[1]!, words[2 + piece]!, words[3 + piece]!);
    }
    return 0;
  }
}
