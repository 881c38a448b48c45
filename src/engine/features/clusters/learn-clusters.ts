import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import type { ClusterWords } from './cluster-corpus.js';
import { MergeLosses } from './merge-losses.js';

/** Successors or predecessors of each kind of word, as rows of numbers and counts. */
class Neighbours {
  readonly starts: Int32Array;
  readonly others: Int32Array;
  readonly times: Float64Array;

  /** @param side `to`: successors; `from`: predecessors */
  constructor({ words, from, to, times }: ClusterWords, side: 'to' | 'from') {
    const kinds = words.length + 2;
    const own = side === 'to' ? from : to;
    const other = side === 'to' ? to : from;
    this.starts = new Int32Array(kinds + 1);
    for (let i = 0; i < own.length; i += 1) this.starts[own[i]! + 1]! += 1;
    for (let k = 0; k < kinds; k += 1) this.starts[k + 1]! += this.starts[k]!;
    const next = this.starts.slice();
    this.others = new Int32Array(own.length);
    this.times = new Float64Array(own.length);
    for (let i = 0; i < own.length; i += 1) {
      const at = next[own[i]!]!;
      next[own[i]!] = at + 1;
      this.others[at] = other[i]!;
      this.times[at] = times[i]!;
    }
  }
}

/** A word, and the path to its cluster. */
export interface ClusteredWord {
  readonly path: string;
  readonly word: string;
  readonly count: number;
}

/** Result of `learnClusters`. */
export interface LearnedClusters {
  /** Words ordered by path, the most frequent words of a cluster first. */
  readonly words: readonly ClusteredWord[];
  readonly clusters: number;
  /** Average mutual information of neighbouring classes, in nats. */
  readonly mutualInformation: number;
}

/** Options of `learnClusters`. */
export interface LearnOptions {
  /** Number of final clusters; at least 2. */
  readonly classes: number;
  /** Called before each merge with the slots of the two classes and all losses. */
  readonly onMerge?: ((into: number, from: number, losses: MergeLosses) => void) | undefined;
}

/** Number of classes that are never merged: rare words, and sentence boundaries. */
const fixed = 2;

/**
 * Returns Brown clusters of words (Brown et al. 1992, with their window of classes): words are
 * added in order of frequency, and whenever there is one class too many, the two classes whose
 * merge loses the least mutual information are merged. Finally all classes are merged into one,
 * which gives the paths.
 *
 * The same text gives the same clusters. Cost O(V C^2) for V words and C classes, with a small
 * constant; memory O(C^2 + pairs).
 *
 * @example
 * const corpus = new ClusterCorpus();
 * for (const animal of ['cat', 'dog']) for (const verb of ['ran', 'sat']) corpus.add(['a', animal, verb]);
 * const { words } = learnClusters(corpus.settle(1), { classes: 3 });
 * const path = word => words.find(each => each.word === word).path;
 * [path('cat') === path('dog'), path('ran') === path('sat'), path('cat') === path('sat')] // => [true, true, false]
 */
export function learnClusters(corpus: ClusterWords, options: LearnOptions): LearnedClusters {
  requireArgument('learnClusters: the corpus', corpus, kinds.clusterWords);
  requireKnown('learnClusters', options, ['classes', 'onMerge']);
  const { words, counts } = corpus;
  const classes = Math.min(options.classes, words.length);
  const slots = fixed + classes + 1;
  const losses = new MergeLosses(slots, fixed);
  const window = new ClassWindow(corpus, losses);
  for (let kind = 0; kind < fixed; kind += 1) window.add(kind, kind);
  let free = fixed;
  for (let word = 0; word < words.length; word += 1) {
    window.add(word + fixed, free);
    free += 1;
    if (losses.open.length <= classes) continue;
    const [into, from] = leastLoss(losses);
    options.onMerge?.(into, from, losses);
    losses.merge(into, from);
    window.move(from, into);
    free = from;
  }
  const mutualInformation = informationOf(losses, corpus.total);
  const tree = new ClusterTree(slots);
  while (losses.open.length > 1) {
    const [into, from] = leastLoss(losses);
    options.onMerge?.(into, from, losses);
    losses.merge(into, from);
    tree.merge(into, from);
  }
  const paths = tree.paths();
  const found = words.map((word, i) => {
    return { path: paths[window.slotOf(i + fixed)]!, word, count: counts[i]! };
  });
  // Words are ordered by frequency, and the sort is stable.
  found.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
  return { words: found, clusters: classes, mutualInformation };
}

/** Returns the merge with the smallest loss, into the more frequent of the two classes. */
function leastLoss(losses: MergeLosses): readonly [into: number, from: number] {
  const [a, b] = losses.best();
  return losses.seen[b]! > losses.seen[a]! ? [b, a] : [a, b];
}

/** Words added so far, and their classes. */
class ClassWindow {
  readonly #losses: MergeLosses;
  readonly #next: Neighbours;
  readonly #previous: Neighbours;
  /** Slot of each kind of word; -1 before the kind is added. */
  readonly #slots: Int32Array;
  readonly #members: number[][];
  readonly #after: Float64Array;
  readonly #before: Float64Array;

  constructor(corpus: ClusterWords, losses: MergeLosses) {
    this.#losses = losses;
    this.#next = new Neighbours(corpus, 'to');
    this.#previous = new Neighbours(corpus, 'from');
    this.#slots = new Int32Array(corpus.words.length + fixed).fill(-1);
    this.#members = Array.from({ length: losses.slots }, () => []);
    this.#after = new Float64Array(losses.slots);
    this.#before = new Float64Array(losses.slots);
  }

  slotOf(kind: number): number {
    return this.#slots[kind]!;
  }

  /** Makes a kind of word a class of its own. */
  add(kind: number, slot: number): void {
    this.#slots[kind] = slot;
    this.#members[slot]!.push(kind);
    const seen = this.#count(this.#next, kind, this.#after);
    this.#count(this.#previous, kind, this.#before);
    this.#losses.add(slot, seen, this.#after, this.#before);
  }

  move(from: number, into: number): void {
    const moved = this.#members[from]!;
    const target = this.#members[into]!;
    for (const kind of moved) {
      this.#slots[kind] = into;
      target.push(kind);
    }
    this.#members[from] = [];
  }

  /** Counts how often each slot is a neighbour of a kind, and returns the total. */
  #count({ starts, others, times }: Neighbours, kind: number, into: Float64Array): number {
    into.fill(0);
    let sum = 0;
    for (let i = starts[kind]!; i < starts[kind + 1]!; i += 1) {
      const slot = this.#slots[others[i]!]!;
      if (slot >= 0) into[slot]! += times[i]!;
      sum += times[i]!;
    }
    return sum;
  }
}

function informationOf({ slots, pairs, seen }: MergeLosses, total: number): number {
  let sum = 0;
  for (let c = 0; c < slots; c += 1) {
    for (let d = 0; d < slots; d += 1) {
      const n = pairs[c * slots + d]!;
      if (n > 0) sum += (n / total) * Math.log((n * total) / (seen[c]! * seen[d]!));
    }
  }
  return sum;
}

/** The history of merges, from single words up to one class. */
class ClusterTree {
  /** Node that represents a slot, or the slot's own number below `#slots`. */
  readonly #nodes: number[];
  readonly #slots: number;
  readonly #children: (readonly [number, number])[] = [];

  constructor(slots: number) {
    this.#slots = slots;
    this.#nodes = Array.from({ length: slots }, (_, slot) => slot);
  }

  /** Merges two classes into slot `zero`. */
  merge(zero: number, one: number): void {
    this.#children.push([this.#nodes[zero]!, this.#nodes[one]!]);
    this.#nodes[zero] = this.#slots + this.#children.length - 1;
  }

  /**
   * Returns the path from the last merge down to each slot: `0` for the first of two classes, `1`
   * for the second.
   */
  paths(): string[] {
    const paths: string[] = new Array(this.#slots).fill('');
    const inner: string[] = new Array(this.#children.length).fill('');
    for (let node = this.#children.length - 1; node >= 0; node -= 1) {
      for (const [bit, child] of this.#children[node]!.entries()) {
        const path = `${inner[node]}${bit}`;
        if (child < this.#slots) paths[child] = path;
        else inner[child - this.#slots] = path;
      }
    }
    return paths;
  }
}
