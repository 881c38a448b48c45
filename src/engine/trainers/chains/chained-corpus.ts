import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';
import { ClassPotentials, type TokenClasses, tokenClasses } from './class-potentials.js';

/** Maximum number of emission potentials: 128 MiB. */
const mostNumbers = 2 ** 24;

/** The corpus and parameters of an objective. */
export interface CorpusAndWeights {
  readonly corpus: readonly Minibatch[];
  readonly parameters: ParameterStore;
}

/** A corpus as chains of token classes, with the potentials of the classes. */
export interface ChainedCorpus {
  readonly potentials: ClassPotentials;
  readonly states: TokenClasses;
  readonly edges: TokenClasses;
  /** First token of each sentence, and the number of tokens. */
  readonly starts: Uint32Array;
  /** Gold label of each token. */
  readonly gold: Int32Array;
  /** Weight of each sentence. */
  readonly weights: Float64Array;
}

/**
 * Returns the chains of an objective's corpus; undefined if sentences are partially labelled, or if the
 * classes do not fit into memory.
 */
export function chainedCorpus({ corpus, parameters }: CorpusAndWeights): ChainedCorpus | undefined {
  const { labels } = parameters;
  if (corpus.some(({ allowedStarts }) => allowedStarts !== undefined)) return undefined;
  if (labels >= 2 ** 16) return undefined;
  const states = tokenClasses(corpus, 'state');
  const edges = tokenClasses(corpus, 'edge');
  if (states.count * labels > mostNumbers) return undefined;
  const starts = [0];
  const gold = new Int32Array(states.of.length);
  const weights: number[] = [];
  let before = 0;
  for (const minibatch of corpus) {
    gold.set(minibatch.gold.subarray(0, minibatch.tokens), before);
    for (let s = 0; s < minibatch.sentences.length; s += 1) {
      starts.push(before + minibatch.sentenceStarts[s + 1]!);
      weights.push(minibatch.weights === undefined ? 1 : minibatch.weights[s]!);
    }
    before += minibatch.tokens;
  }
  return {
    potentials: new ClassPotentials(parameters, states, edges),
    states,
    edges,
    starts: Uint32Array.from(starts),
    gold,
    weights: Float64Array.from(weights),
  };
}
