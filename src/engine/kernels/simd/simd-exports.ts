import type { LinearMemory, WasmMemory } from '../memory/linear-memory.js';
import { instantiate } from './instantiate.js';

/** Functions for compressed rows, whose numbers are float64 in both precisions. */
export interface CompressedExports {
  scoreEmissions_f64(...given: number[]): void;
  accumulateRows_f64(...given: number[]): void;
  addScaled_f64(out: number, source: number, count: number, factor: number): void;
  addPairs(...given: number[]): void;
  accumulatePairs(...given: number[]): void;
  widen(out: number, source: number, count: number): void;
  narrow(out: number, source: number, count: number): void;
  addChain_f64(...given: number[]): void;
  addChainInFloat64(...given: number[]): void;
}

/** The functions of the module for one precision; addresses and counts are integers. */
export interface SimdExports {
  readonly compressed: CompressedExports;
  scoreEmissions(...given: number[]): void;
  copyScaled(out: number, source: number, count: number, factor: number): void;
  addScaled(out: number, source: number, count: number, factor: number): void;
  exponentiateRows(...given: number[]): void;
  exponentiateMatrix(scores: number, exps: number, labels: number, width: number): number;
  forward(...given: number[]): number;
  backward(...given: number[]): number;
  forwardBackwardLog(...given: number[]): number;
  viterbi(...given: number[]): number;
  exponentiateSegments(frame: number, first: number, length: number, furthest: number): number;
  forwardSegments(frame: number, length: number, least: number, furthest: number): number;
  backwardSegments(...given: number[]): number;
  bestSegments(frame: number, first: number, length: number): number;
  addLeafRows(...given: number[]): void;
  accumulateRows(...given: number[]): void;
  scoreStatePairs(...given: number[]): void;
  accumulateStatePairs(...given: number[]): void;
  scaleNumbers(table: number, count: number, factor: number): void;
  forwardSparse(...given: number[]): number;
  backwardSparse(...given: number[]): number;
  sumBlocks(...given: number[]): void;
  sumPairs(...given: number[]): void;
  viterbiSparse(...given: number[]): number;
  exponentiateListed(...given: number[]): void;
  forwardListed(...given: number[]): number;
  backwardListed(...given: number[]): number;
  viterbiListed(...given: number[]): number;
  listChain(...given: number[]): number;
  addChain(...given: number[]): void;
  listSums(...given: number[]): number;
  listMaxima(...given: number[]): number;
  listBytes(labels: number, width: number): number;
  listNegatives(...given: number[]): void;
  listIncoming(...given: number[]): void;
  transpose(out: number, matrix: number, labels: number, width: number, rest: number): void;
  countNonZeros(matrix: number, labels: number, width: number): number;
  isDense(matrix: number, labels: number, width: number, limit: number): number;
  countFinite(matrix: number, labels: number, width: number): number;
  pruneTokens(...given: number[]): number;
  forwardPruned(...given: number[]): number;
  backwardPruned(...given: number[]): number;
  viterbiPruned(...given: number[]): number;
  findPair(pairs: number, from: number, to: number, pair: number): number;
  sameBits(a: number, b: number, bytes: number): number;
  averageRows(...given: number[]): void;
  penaliseRows(...given: number[]): void;
  penaliseAgedRows(...given: number[]): void;
  penaliseAgedRow(...given: number[]): void;
  penaliseNumbers(weights: number, received: number, count: number, total: number): void;
  chargeRows(...given: number[]): void;
  chargeCopies(...given: number[]): void;
  chargeNumbers(...given: number[]): void;
  averageNumbers(...given: number[]): void;
  stepRows(...given: number[]): void;
  stepNumbers(...given: number[]): void;
}

/** Exports common to both precisions. */
type Single =
  | 'compressed'
  | 'sameBits'
  | 'findPair'
  | 'pruneTokens'
  | 'forwardPruned'
  | 'backwardPruned'
  | 'viterbiPruned';

const names = [
  'scoreEmissions',
  'copyScaled',
  'addScaled',
  'exponentiateRows',
  'exponentiateMatrix',
  'forward',
  'backward',
  'forwardBackwardLog',
  'viterbi',
  'exponentiateSegments',
  'forwardSegments',
  'backwardSegments',
  'bestSegments',
  'addLeafRows',
  'accumulateRows',
  'scoreStatePairs',
  'accumulateStatePairs',
  'scaleNumbers',
  'forwardSparse',
  'backwardSparse',
  'sumBlocks',
  'sumPairs',
  'viterbiSparse',
  'exponentiateListed',
  'forwardListed',
  'backwardListed',
  'viterbiListed',
  'listChain',
  'addChain',
  'listSums',
  'listMaxima',
  'listBytes',
  'listNegatives',
  'listIncoming',
  'transpose',
  'countNonZeros',
  'isDense',
  'countFinite',
  'averageRows',
  'penaliseRows',
  'penaliseAgedRows',
  'penaliseAgedRow',
  'penaliseNumbers',
  'chargeRows',
  'chargeCopies',
  'chargeNumbers',
  'averageNumbers',
  'stepRows',
  'stepNumbers',
] as const satisfies readonly Exclude<keyof SimdExports, Single>[];

function simdExports(memory: WasmMemory, suffix: 'f32' | 'f64'): SimdExports {
  const exports = instantiate(memory);
  const named = names.map(name => [name, exports[`${name}_${suffix}`]]);
  const { sameBits, findPair, pruneTokens, forwardPruned, backwardPruned, viterbiPruned } = exports;
  return {
    ...Object.fromEntries(named),
    sameBits,
    findPair,
    ...{ pruneTokens, forwardPruned, backwardPruned, viterbiPruned },
    compressed: exports,
  } as unknown as SimdExports;
}

/** The module over one memory, in one precision; instantiated again once the memory is shared. */
export class SimdModule {
  readonly #memory: LinearMemory;
  readonly #suffix: 'f32' | 'f64';
  #instantiated: WasmMemory | undefined;
  #run!: SimdExports;

  constructor(memory: LinearMemory, suffix: 'f32' | 'f64') {
    this.#memory = memory;
    this.#suffix = suffix;
  }

  get run(): SimdExports {
    if (this.#instantiated !== this.#memory.memory) {
      this.#instantiated = this.#memory.memory;
      this.#run = simdExports(this.#instantiated, this.#suffix);
    }
    return this.#run;
  }
}
