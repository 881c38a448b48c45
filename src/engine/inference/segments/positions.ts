import type { Minibatch } from '../../core/minibatch/minibatch.js';
import { PositionMinibatch } from '../../core/minibatch/position-minibatch.js';
import type { Kernel } from '../../kernels/kernel.js';
import { Lattice } from '../../kernels/lattice.js';
import { SegmentScores } from '../../kernels/segments/segment-scores.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/**
 * Scores the tokens and segment candidates of a minibatch in one pass, as positions of a separate
 * lattice, from which token and transition scores are copied to `lattice` and span scores to its
 * `segments`. A span is scored in the lane of its type's first label. Cost O(active features * L).
 */
export function scorePositions(
  kernel: Kernel,
  store: ParameterStore,
  lattice: Lattice,
  batch: Minibatch,
): void {
  const tables = store.layout.segments!.tables();
  const expanded = batch.positions ?? new PositionMinibatch(batch);
  lattice.positions ??= new Lattice(lattice.memory, store.precision, lattice.readsPairSums);
  const { positions } = lattice;
  positions.open(store, expanded);
  kernel.score(store, positions);
  lattice.open(store, batch);
  lattice.segments ??= new SegmentScores(lattice.memory, tables);
  const { segments } = lattice;
  segments.open(tables, batch.tokens);
  const { width, matrixSize, slots } = lattice;
  // Read views last, because memory may have grown.
  const scores = positions.emissionScores.view;
  const emissions = lattice.emissionScores.view;
  const spans = segments.scores;
  const { lanes, befores } = tables;
  const kinds = lanes.length;
  const lengths = tables.maxLength + 1;
  for (let s = 0; s < batch.sentences.length; s += 1) {
    const first = batch.sentenceStarts[s]!;
    const tokens = batch.sentenceStarts[s + 1]! - first;
    const from = expanded.sentenceStarts[s]!;
    emissions.set(scores.subarray(from * width, (from + tokens) * width), first * width);
    if (befores > 1) {
      scorePaired(lattice, s);
      continue;
    }
    let place = segments.at(first, 1);
    let row = (from + tokens) * width;
    for (let c = 0; c < tokens * lengths; c += 1) {
      for (let k = 0; k < kinds; k += 1) spans[place + k] = scores[row + lanes[k]!]!;
      place += kinds;
      row += width;
    }
  }
  lattice.transitionScores.view.set(positions.transitionScores.view.subarray(0, matrixSize));
  if (slots === 0) return;
  if (befores > 1) {
    eachOwnSlot(lattice, (own, placed) => {
      const matrix = positions.edgeScores.view.subarray(placed, placed + matrixSize);
      lattice.edgeScores.view.set(matrix, own);
    });
    return;
  }
  lattice.edgeScores.view.set(positions.edgeScores.view.subarray(0, slots * matrixSize));
}

/**
 * Visits the tokens with transitions of their own, with the offset of their square in the lattice
 * and in that of the positions.
 */
function eachOwnSlot(lattice: Lattice, visit: (own: number, placed: number) => void): void {
  const { matrixSize, edgeSlots } = lattice;
  const { sentenceStarts } = lattice.batch!;
  const positions = lattice.positions!;
  for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
    const by = positions.batch!.sentenceStarts[s]! - sentenceStarts[s]!;
    for (let t = sentenceStarts[s]!; t < sentenceStarts[s + 1]!; t += 1) {
      const slot = edgeSlots[t]!;
      if (slot >= 0) visit(slot * matrixSize, positions.edgeSlots[t + by]! * matrixSize);
    }
  }
}

/**
 * Visits the candidates of a sentence, with the offset of their span scores, the number of
 * distinguished labels before them, and their positions.
 */
function eachCandidate(
  lattice: Lattice,
  s: number,
  visit: (place: number, befores: number, position: number) => void,
): void {
  const { sentenceStarts } = lattice.batch!;
  const [first, end] = [sentenceStarts[s]!, sentenceStarts[s + 1]!];
  const segments = lattice.segments!;
  const { maxLength, befores, states } = segments.tables;
  let position = lattice.positions!.batch!.sentenceStarts[s]! + end - first;
  for (let t = first; t < end; t += 1) {
    for (let length = 1; length <= maxLength; length += 1) {
      visit(segments.atState(t, length), befores, position);
      position += 1;
    }
    visit(segments.atState(t, states - 1), 1, position);
    position += 1;
  }
}

/**
 * Scores the spans of a sentence by the label before them: adds the scores of features with both
 * labels.
 */
function scorePaired(lattice: Lattice, s: number): void {
  const { positions, width, matrixSize } = lattice;
  const { emissionScores, edgeScores, transitionScores, edgeSlots } = positions!;
  const segments = lattice.segments!;
  const { lanes, labels, maxLength } = segments.tables;
  const apart = maxLength * lanes.length;
  const [spans, scores] = [segments.scores, emissionScores.view];
  const [squares, plain] = [edgeScores.view, transitionScores.view];
  eachCandidate(lattice, s, (place, befores, position) => {
    const square = edgeSlots[position]! * matrixSize;
    for (let k = 0; k < lanes.length; k += 1) {
      const lane = lanes[k]!;
      const own = scores[position * width + lane]!;
      let at = place + k;
      for (let before = 0; before < befores; before += 1) {
        // Weight squares are added to the plain transitions; the first token has no label before it.
        const pair = before * width + lane;
        const isOwn = square < 0 || before === labels;
        spans[at] = isOwn ? own : own + (squares[square + pair]! - plain[pair]!);
        at += apart;
      }
    }
  });
}

/** Places the residuals of a sentence's spans where `scorePaired` read their scores. */
function placePaired(lattice: Lattice, s: number): void {
  const { positions, width, matrixSize } = lattice;
  const { nodes, edges, edgeSlots } = positions!;
  const segments = lattice.segments!;
  const { lanes, labels, maxLength } = segments.tables;
  const apart = maxLength * lanes.length;
  const [spans, placed, squares] = [segments.nodes, nodes.view, edges.view];
  eachCandidate(lattice, s, (place, befores, position) => {
    const square = edgeSlots[position]! * matrixSize;
    if (square >= 0) squares.fill(0, square, square + matrixSize);
    for (let k = 0; k < lanes.length; k += 1) {
      const lane = lanes[k]!;
      let at = place + k;
      let sum = 0;
      for (let before = 0; before < befores; before += 1) {
        const residual = spans[at]!;
        sum += residual;
        if (square >= 0 && before < labels) squares[square + before * width + lane] = residual;
        at += apart;
      }
      placed[position * width + lane] = sum;
    }
  });
}

/**
 * Copies the token, transition and span residuals of all sentences back to the lattice of
 * positions, whose features have the weights: the inverse of `scorePositions`.
 */
export function placeResiduals(lattice: Lattice, { sentences, sentenceStarts }: Minibatch): void {
  const { width, matrixSize, slots, positions } = lattice;
  const segments = lattice.segments!;
  const { lanes, maxLength, befores } = segments.tables;
  const starts = positions!.batch!.sentenceStarts;
  const nodes = lattice.nodes.view;
  const placed = positions!.nodes.view;
  const spans = segments.nodes;
  const kinds = lanes.length;
  for (let s = 0; s < sentences.length; s += 1) {
    const first = sentenceStarts[s]!;
    const end = sentenceStarts[s + 1]!;
    const from = starts[s]!;
    placed.set(nodes.subarray(first * width, end * width), from * width);
    let row = (from + end - first) * width;
    placed.fill(0, row, starts[s + 1]! * width);
    if (befores > 1) {
      placePaired(lattice, s);
      continue;
    }
    let place = segments.at(first, 1);
    for (let c = 0; c < (end - first) * (maxLength + 1); c += 1) {
      for (let k = 0; k < kinds; k += 1) placed[row + lanes[k]!] = spans[place + k]!;
      place += kinds;
      row += width;
    }
  }
  const sums = sentences.length * matrixSize;
  positions!.transitions.view.set(lattice.transitions.view.subarray(0, sums));
  if (slots === 0) return;
  if (befores > 1) {
    eachOwnSlot(lattice, (own, at) => {
      positions!.edges.view.set(lattice.edges.view.subarray(own, own + matrixSize), at);
    });
    return;
  }
  positions!.edges.view.set(lattice.edges.view.subarray(0, slots * matrixSize));
}

/** Returns token labels at the tokens' positions; -1 at candidates. */
export function atPositions(
  labels: Int32Array,
  { sentenceStarts }: Minibatch,
  positions: Minibatch,
): Int32Array {
  const placed = new Int32Array(positions.tokens).fill(-1);
  for (let s = 0; s + 1 < sentenceStarts.length; s += 1) {
    const own = labels.subarray(sentenceStarts[s]!, sentenceStarts[s + 1]!);
    placed.set(own, positions.sentenceStarts[s]!);
  }
  return placed;
}
