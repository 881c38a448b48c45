import type { Lattice } from '../lattice.js';
import { Region } from '../memory/region.js';
import { type SegmentTables, stateAfter } from '../segments/segment-tables.js';
import { type SimdExports, SimdModule } from './simd-exports.js';

/** Maximum distance between scores; larger ones are left to log space. */
const furthest = 100;

/** Minimum value in a scaled recursion: with `furthest`, no later product underflows. */
const leastValue = 2 ** -300;

/** Tables of a sentence, in the order of their place in memory; see `assembly/segments/frame.ts`. */
const tables = [
  ...(['masks', 'plain', 'own', 'entered', 'edgeSums', 'pairSums', 'row'] as const),
  ...([
    'emissions',
    'spans',
    'alpha',
    'beta',
    'after',
    'ends',
    'rest',
    'reached',
    'scales',
  ] as const),
  ...(['before', 'endStates', 'path'] as const),
];
type TableName = (typeof tables)[number];

/** Tables of integers that depend only on the labels. */
const lists = ['firsts', 'kindOf', 'startsAt', 'pairs'] as const;

/** Words of a frame, in the order of the fields of `Frame`. */
const words = [
  ...(['labels', 'width', 'states', 'longest', 'lengths', 'befores', 'kinds'] as const),
  ...(['boundaries'] as const),
  ...(['insides', 'outsides', 'matrixSize', 'firsts', 'kindOf', 'startsAt', 'masks'] as const),
  ...(['pairs', 'pairSums', 'emissionScores', 'transitionScores', 'edgeScores', 'slots'] as const),
  ...(['nodes', 'edges', 'sums', 'spanScores', 'spanNodes', 'emissions', 'spans'] as const),
  ...(['plain', 'own', 'alpha', 'beta', 'after', 'ends', 'rest', 'reached', 'scales'] as const),
  ...(['entered', 'edgeSums', 'row', 'before', 'endStates', 'path'] as const),
];
type Word = (typeof words)[number];

/** The working memory of the recursions over one lattice's spans; grows with the longest sentence. */
export class SegmentMemory {
  readonly #lattice: Lattice;
  readonly #module: SimdModule;
  readonly #frame: Region;
  readonly #slots: Region;
  readonly #lists: Region;
  readonly #numbers: Region;
  #tables: SegmentTables | undefined;
  #at: Partial<Record<Word, number>> = {};
  /** Capacity in tokens. */
  #capacity = 0;
  /** The sentence's first token in the minibatch, and its number of tokens. */
  first = 0;
  length = 0;

  constructor(lattice: Lattice) {
    const { memory } = lattice;
    this.#lattice = lattice;
    this.#module = new SimdModule(memory, lattice.nodes.precision === 'float64' ? 'f64' : 'f32');
    this.#frame = new Region(memory);
    this.#slots = new Region(memory);
    this.#lists = new Region(memory);
    this.#numbers = new Region(memory);
  }

  /** Number of lanes for a label's states. */
  get states(): number {
    return this.#at.states!;
  }

  /** Returns a table of the sentence processed last; valid until memory grows. */
  view(name: TableName): Float64Array {
    const { buffer } = this.#lattice.memory;
    return new Float64Array(buffer, this.#at[name]!);
  }

  /**
   * Writes the probabilities of a sentence's labels, label pairs and spans to the lattice; returns log Z, or NaN, with
   * unusable results, if a number might underflow.
   */
  run(s: number): number {
    const frame = this.#open(s);
    const { first, length } = this;
    const run: SimdExports = this.#module.run;
    const subtracted = run.exponentiateSegments(frame, first, length, furthest);
    if (Number.isNaN(subtracted)) return Number.NaN;
    const logSum = run.forwardSegments(frame, length, leastValue, furthest);
    if (Number.isNaN(logSum)) return Number.NaN;
    const isSafe = run.backwardSegments(frame, first, length, leastValue, furthest);
    return isSafe ? logSum + subtracted : Number.NaN;
  }

  /**
   * Writes the best labels of a sentence to `labels`, at its tokens' places; returns their score. Ties go to the lower
   * label at the last token at which sequences differ. Cost O(T (L^2 + maxLength * pairs inside spans)).
   */
  best(s: number, labels: Int32Array): number {
    const frame = this.#open(s);
    const { first, length } = this;
    const score = this.#module.run.bestSegments(frame, first, length);
    if (score > Number.NEGATIVE_INFINITY) {
      labels.set(new Int32Array(this.#lattice.memory.buffer, this.#at.path!, length), first);
    }
    return score;
  }

  #open(s: number): number {
    const lattice = this.#lattice;
    const { sentenceStarts } = lattice.batch!;
    this.first = sentenceStarts[s]!;
    this.length = sentenceStarts[s + 1]! - this.first;
    const segments = lattice.segments!;
    const { labels, boundaries, insideFrom, outsideFrom, types, maxLength, states, befores } =
      segments.tables;
    const isSame = this.#tables === segments.tables && this.#at.width === lattice.width;
    if (!isSame || this.length > this.#capacity) {
      this.#capacity = Math.max(this.length, isSame ? 2 * this.#capacity : 0);
      this.#tables = segments.tables;
      this.#at = {
        ...{ labels, width: lattice.width, states: 2 * Math.ceil(states / 2) },
        ...{ longest: states - 1, lengths: maxLength, befores },
        ...{ kinds: types.length, boundaries: boundaries.length },
        ...{ insides: insideFrom.length, outsides: outsideFrom.length },
        matrixSize: lattice.matrixSize,
      };
      this.#placeLists(segments.tables);
      this.#placeNumbers(segments.tables);
      this.#frame.write(Uint32Array.from(words, word => this.#at[word] ?? 0));
    }
    // Must precede the view of the frame, because making room may grow the memory.
    const slots = this.#placeSlots();
    const frame = this.#frame.words(words.length);
    const write = (word: Word, value: number) => {
      frame[words.indexOf(word)] = value;
    };
    write('slots', slots);
    write('emissionScores', lattice.emissionScores.offset);
    write('transitionScores', lattice.transitionScores.offset);
    write('edgeScores', lattice.edgeScores.offset);
    write('nodes', lattice.nodes.offset);
    write('edges', lattice.edges.offset);
    const bytes = lattice.nodes.precision === 'float64' ? 8 : 4;
    write('sums', lattice.transitions.offset + lattice.pairSumsAt(s) * bytes);
    write('spanScores', segments.offsets.spanScores);
    write('spanNodes', segments.offsets.spanNodes);
    return this.#frame.offset;
  }

  /** Returns the address of the slots of the sentence's tokens; 0 if there are none. */
  #placeSlots(): number {
    const { slots, edgeSlots } = this.#lattice;
    if (slots === 0) return 0;
    this.#slots.write(edgeSlots.subarray(this.first, this.first + this.length));
    return this.#slots.offset;
  }

  #placeLists(own: SegmentTables): void {
    const { first, opens, typeOf, boundaries } = own;
    const zip = (from: Int32Array, to: Int32Array) => Array.from(from, (y, p) => [y, to[p]!]);
    const lengths = {
      firsts: Array.from(first, starts => stateAfter(own, -1, starts)),
      kindOf: Array.from(typeOf, (kind, y) => (opens[y] === 1 ? kind : -1)),
      startsAt: boundaries.flatMap(({ startsAt }) => Array.from(startsAt)),
      pairs: [...zip(own.insideFrom, own.insideTo), ...zip(own.outsideFrom, own.outsideTo)].flat(),
    };
    this.#lists.write(Int32Array.from(lists.flatMap(name => lengths[name])));
    let at = this.#lists.offset;
    for (const name of lists) {
      this.#at[name] = at;
      at += 4 * lengths[name].length;
    }
  }

  #placeNumbers({ boundaries, insideFrom, outsideFrom, befores }: SegmentTables): void {
    const { labels, width, states, longest, kinds } = this.#at as Record<Word, number>;
    const matrix = labels * width;
    const masks = boundaries.length;
    const tokens = this.#capacity;
    const counts: Record<TableName, number> = {
      ...{ masks: masks * matrix, plain: (1 + masks) * matrix, own: (1 + masks) * matrix },
      ...{ entered: befores > 1 ? matrix : 0 },
      ...{ edgeSums: 2 * matrix, pairSums: insideFrom.length + outsideFrom.length, row: width },
      ...{ emissions: tokens * width, spans: tokens * kinds * states + longest * kinds },
      ...{ alpha: tokens * labels * states, beta: labels * states, after: labels * states },
      ...{ ends: tokens * width, rest: tokens * width, reached: masks * tokens * width },
      scales: tokens + 1,
      ...{ before: (tokens * labels * states) / 2, endStates: labels, path: tokens },
    };
    // Each table takes whole vectors.
    const rounded = (count: number) => 2 * Math.ceil(count / 2);
    this.#numbers.reserve(8 * tables.reduce((sum, name) => sum + rounded(counts[name]), 0));
    let at = this.#numbers.offset;
    for (const name of tables) {
      this.#at[name] = at;
      at += 8 * rounded(counts[name]);
    }
    this.view('ends').fill(0, 0, counts.ends);
    const placed = this.view('masks').fill(0, 0, counts.masks);
    for (const [i, { mask }] of boundaries.entries()) {
      for (const [pair, is] of mask.entries()) {
        placed[i * matrix + Math.floor(pair / labels) * width + (pair % labels)] = is;
      }
    }
  }
}

const memories = new WeakMap<Lattice, SegmentMemory>();

/** Returns the memory of a lattice, always the same one. */
export function segmentMemoryOf(lattice: Lattice): SegmentMemory {
  let memory = memories.get(lattice);
  if (memory === undefined) {
    memory = new SegmentMemory(lattice);
    memories.set(lattice, memory);
  }
  return memory;
}
