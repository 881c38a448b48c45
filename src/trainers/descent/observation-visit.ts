import type { Objective } from '../objective.js';
import { addToken, addTransitions, type CurvatureReading } from './add-curvature.js';
import { freeMarginals } from './free-marginals.js';
import type { Observation } from './observations.js';
import type { Visit } from './visit.js';
import { type VisitBlock, visitBlocks } from './visit-blocks.js';
import type { SentenceFinder, VisitedSentences } from './visited-sentences.js';
import { VisitedWeights } from './visited-weights.js';
import type { WeightBlock } from './weight-block.js';

/**
 * The log loss of the sentences that contain an observation, as a function of the weights of its
 * features: value, gradient and an approximation of the diagonal curvature,
 *
 *     h_k = sum over sentences and positions of value^2 p (1 - p)
 *
 * which takes positions for uncorrelated. Of partially labelled sentences, p is the marginal
 * without their labels. Sokolovska, Lavergne, Cappe and Yvon (2010), eq. 16.
 */
export class ObservationVisit implements Visit {
  readonly blocks: readonly VisitBlock[];
  readonly sentences: VisitedSentences;
  readonly gradient: Float64Array;
  readonly curvature: Float64Array;
  readonly #objective: Objective;
  readonly #observation: Observation;
  readonly #counts: Float64Array;
  readonly #weights: VisitedWeights;

  /** @param blocks those features of the observation whose weights may move */
  constructor(
    objective: Objective,
    finder: SentenceFinder,
    observation: Observation,
    blocks: readonly WeightBlock[],
  ) {
    this.#objective = objective;
    this.#observation = observation;
    this.blocks = visitBlocks(objective, blocks);
    this.sentences = finder.find(observation.tokens);
    this.#weights = new VisitedWeights(objective.parameters, this.blocks);
    this.gradient = new Float64Array(this.weights.length);
    this.curvature = new Float64Array(this.weights.length);
    this.#counts = new Float64Array(objective.parameters.matrixSize);
  }

  get weights(): Float64Array {
    return this.#weights.values;
  }

  place(): void {
    this.#weights.place();
  }

  evaluate(): number {
    this.gradient.fill(0);
    this.curvature.fill(0);
    let loss = 0;
    let cursor: Cursor = { sentence: 0, occurrence: 0 };
    const objective = this.#objective;
    const readsTransitions = this.#observation.tokens === undefined;
    for (const minibatch of this.sentences.minibatches) {
      const contribution = objective.contribute(minibatch, objective.loss, readsTransitions);
      loss += contribution.loss;
      const isPartial = minibatch.allowedStarts !== undefined;
      const { gradient, curvature } = this;
      const unused = isPartial ? new Float64Array(gradient.length) : curvature;
      const sums = { gradient, curvature: unused };
      const next = this.#add({ contribution, isResidual: true, sums }, cursor);
      if (isPartial) {
        const free = objective.contribute(minibatch, freeMarginals, readsTransitions);
        const other = { gradient: unused, curvature };
        this.#add({ contribution: free, isResidual: false, sums: other }, cursor);
      }
      cursor = next;
    }
    return loss;
  }

  /** Adds what a minibatch says, whose first sentence and occurrence are given; returns the next. */
  #add(reading: CurvatureReading, { sentence, occurrence }: Cursor): Cursor {
    const { labelled, sentenceStarts } = reading.contribution.minibatch;
    const { tokens, values } = this.#observation;
    const { firstTokens } = this.sentences;
    let at = occurrence;
    for (let s = 0; s < labelled.length; s += 1) {
      const start = sentenceStarts[s]!;
      const first = firstTokens[sentence + s]!;
      const end = first + sentenceStarts[s + 1]! - start;
      if (tokens === undefined) {
        if (labelled[s] === 1) addTransitions(reading, this.blocks[0]!, s, this.#counts);
        continue;
      }
      for (; at < tokens.length && tokens[at]! < end; at += 1) {
        const token = start + tokens[at]! - first;
        const value = values === undefined ? 1 : values[at]!;
        for (const block of this.blocks) addToken(reading, block, token, s, value);
      }
    }
    return { sentence: sentence + labelled.length, occurrence: at };
  }
}

/** The next sentence and occurrence of a visit. */
interface Cursor {
  readonly sentence: number;
  readonly occurrence: number;
}
