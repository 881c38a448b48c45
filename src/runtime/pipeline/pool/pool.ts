import { from, lastValueFrom, type ObservableInput, tap, toArray } from 'rxjs';
import {
  kinds,
  requireArgument,
  requireKnown,
} from '../../../engine/core/schema/require-argument.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import type { Iteration } from '../../../engine/core/training/trainer.js';
import type { TokenFunctions } from '../../../engine/features/template/token-function.js';
import { readInspected } from '../../../engine/models/inspection/read-inspected.js';
import { kernels } from '../../../engine/models/kernels.js';
import { Tagger } from '../../../engine/models/tagger.js';
import { tokenize } from '../../../engine/operators/tokenize.js';
import { modelTokenizer } from '../stages/chosen-tokenizer.js';
import { type HeldOutLosses, type PoolExpert, pooledModels } from './pooled-models.js';

/** A request to `pool`. */
export interface PoolRequest {
  /** Two or more model files of linear chains with the same labels, columns and tokenizer. */
  readonly experts: readonly Uint8Array[];
  /** Labelled records on which no expert was trained, for learning the weights; required without `weights`. */
  readonly heldOut?: ObservableInput<Document>;
  /** Weights of the experts, instead of learned ones. */
  readonly weights?: readonly number[];
  /**
   * The parameter a of a Dirichlet prior on learned weights, at least 1. With a prior, weights are positive and sum to
   * 1; the larger a, the closer they are to 1/K; 1 imposes only the constraint. Default: free weights.
   */
  readonly prior?: number;
  /** Token functions of plug-ins that templates of the experts may name. */
  readonly functions?: TokenFunctions;
}

/** The result of `pool`. */
export interface Pooled {
  /** Tagger that uses the pool. */
  readonly tagger: Tagger;
  /** Model file for `Tagger`, `readModel` and the command. */
  readonly bytes: Uint8Array;
  /** Weight of each expert. Weights need not sum to 1, and may be negative. */
  readonly weights: readonly number[];
  /** Losses on the held-out records, if there are any. */
  readonly heldOut?: HeldOutLosses;
  /** The last iteration of L-BFGS, if weights were learned. */
  readonly iteration?: Iteration;
}

/**
 * Makes one model of several linear chains, by a logarithmic opinion pool:
 *
 *     p(y | x) = prod_k p_k(y | x)^w_k / Z(x)
 *
 * The weights w minimise the log loss of the held-out records, by L-BFGS from 1/K each; they are free, so their sum
 * shows the confidence of the pool compared with that of its experts. The potentials of a linear chain are linear in
 * its weights, so the pool is a linear chain with the features of all experts: an ordinary model file, which tags as
 * fast as any model with as many features, and whose further training trains all experts jointly. Gupta, Conditional
 * Random Fields, section 2.6; after Smith, Cohn and Osborne (2005).
 *
 * @throws (rejects with) TagstreamError `config` if the experts cannot be combined; `template` if templates of two
 *   experts have the same text but different macros; `empty-sentence` if no held-out record is labelled
 * @example
 * const corpus = [
 *   { tokens: ['Anna', 'flew', 'to', 'Oslo'], tags: ['B-PER', 'O', 'O', 'B-LOC'] },
 *   { tokens: ['Oslo', 'is', 'cold'], tags: ['B-LOC', 'O', 'O'] },
 * ];
 * const heldOut = [{ tokens: ['Anna', 'is', 'cold'], tags: ['B-PER', 'O', 'O'] }];
 * const trainer = { lbfgs: { l2: 0.01 } };
 * const words = await train({ corpus, features: { templates: 'U00:%x[0,0]\nB' }, trainer });
 * const shapes = await train({ corpus, features: { templates: 'U01:%shape[0,0]\nB' }, trainer });
 * const { tagger, weights } = await pool({ experts: [words.bytes, shapes.bytes], heldOut });
 * [weights.length, tagger.tag(['Oslo', 'is', 'cold'])] // => [2, ['B-LOC', 'O', 'O']]
 */
export async function pool(request: PoolRequest): Promise<Pooled> {
  requireKnown('pool', request, ['experts', 'heldOut', 'weights', 'prior', 'functions']);
  const { experts: files, heldOut, weights, prior, functions } = request;
  requireArgument('pool.experts', files, kinds.list);
  const experts = files.map((bytes, k): PoolExpert => {
    const source = `experts[${k}]`;
    return { source, ...readInspected(bytes, source, kernels.simd64, functions) };
  });
  const sentences = heldOut === undefined ? undefined : await sentencesOf(heldOut, experts);
  const pooled = pooledModels(experts, { weights, heldOut: sentences, prior });
  return { ...pooled, tagger: Tagger.fromBytes(pooled.bytes, { source: '<pool>', functions }) };
}

function sentencesOf(documents: ObservableInput<Document>, [expert]: readonly PoolExpert[]) {
  const taken = tap(({ delivery }: Document) => {
    delivery?.release();
    delivery?.ack();
  });
  const tokenizer = expert === undefined ? undefined : modelTokenizer(expert.model);
  return lastValueFrom(from(documents).pipe(taken, tokenize(tokenizer), toArray()));
}
