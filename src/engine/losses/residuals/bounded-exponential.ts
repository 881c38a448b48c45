import { TagstreamError } from '../../core/errors.js';
import { requireKnown } from '../../core/schema/require-argument.js';

/** Default log loss above which the loss is linear. */
const usualBound = 10;

/** The largest bounds for which sums over a corpus, and in float64 their gradient's squared norm, stay finite. */
const largest = { float64: 300, float32: 60 } as const;

/** The largest allowed bound. */
export const largestBound = largest.float64;

/**
 * The function exp(l) - 1 of a log loss l = -log p, that is 1/p - 1, and its derivative.
 *
 * 1/p grows by a factor with every token, up to 10^600 for a sentence of 600 tokens and ten labels. So above a bound
 * on l (10: p below 1 in 22,000) the loss continues along its tangent:
 *
 *     exp(bound) - 1 + exp(bound) (l - bound)
 *
 * This is still convex in l and continuously differentiable. A minimum at which no l exceeds the bound is also a
 * minimum of the unbounded loss, if the latter is convex; during the search, the longest sentences do not outweigh
 * all others, so fewer iterations are needed.
 *
 * With a bound of 300 the loss is effectively the unbounded one in float64: in a sum, a sentence with 1/p = 10^130
 * leaves no digit of any other sentence.
 */
export class BoundedExponential {
  readonly bound: number;
  readonly #atBound: number;
  readonly #slope: number;

  /** @throws TagstreamError `config` if the bound is not positive, or above 300 */
  constructor(bound = usualBound) {
    if (!(bound > 0 && bound <= largestBound)) {
      throw new TagstreamError('config', `${bound} is not a valid bound of an exponential loss`, {
        fix: `give a log loss above 0, up to ${largestBound}`,
      });
    }
    this.bound = bound;
    this.#atBound = Math.expm1(bound);
    this.#slope = Math.exp(bound);
  }

  /** Returns exp(l) - 1, bounded; not negative. */
  loss(l: number): number {
    return l <= this.bound ? Math.expm1(l) : this.#atBound + this.#slope * (l - this.bound);
  }

  /** Returns d loss / d l, at least 1. */
  weight(l: number): number {
    return l <= this.bound ? Math.exp(l) : this.#slope;
  }

  /** @throws TagstreamError `config` if residuals of this precision cannot hold the weights of sentences */
  requireRoom(precision: 'float64' | 'float32'): void {
    if (this.bound <= largest[precision]) return;
    const problem = `the bound ${this.bound} of an exponential loss is too large for float32`;
    throw new TagstreamError('config', problem, {
      fix: `use the kernel simd64, or a bound up to ${largest.float32}`,
    });
  }
}

/** Common base of losses that are exponentials of the log losses of sentences or tokens. */
export abstract class BoundedLoss {
  protected readonly exponential: BoundedExponential;

  /** @param options the log loss above which the loss continues along its tangent; default 10 */
  constructor(options: { readonly bound?: number | undefined } = {}) {
    requireKnown('the options of the loss', options, ['bound']);
    this.exponential = new BoundedExponential(options.bound);
  }

  /** The log loss above which the loss continues along its tangent. */
  get bound(): number {
    return this.exponential.bound;
  }
}
