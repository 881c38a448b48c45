import type { TransitionMask } from '../../inference/mask-scores.js';
import type { TagScheme } from '../../text/tags/tag-scheme.js';
import type { LabelSet } from '../labels/label-set.js';
import type { TagDictionary } from '../labels/tag-dictionary.js';

/** The part of a model that a decoder needs; a `Model` is one. */
export interface DecodingRules {
  readonly labels: LabelSet;
  readonly scheme: TagScheme;
  /** What the tag scheme forbids; undefined where that is nothing. */
  readonly transitionMask: TransitionMask | undefined;
  readonly dictionary: TagDictionary | undefined;
  /** How its texts are divided, where that is known. */
  readonly spec?: { readonly tokenize?: Readonly<Record<string, unknown>> | undefined };
}

/**
 * The labels of a model without what restricts them: all transitions are allowed, and there is no dictionary.
 *
 * @example
 * unrestricted({ labels: new LabelSet(['B-X']), scheme: 'bio', transitionMask: {}, dictionary: {} }).transitionMask // => undefined
 */
export function unrestricted(rules: DecodingRules): DecodingRules {
  return {
    get labels() {
      return rules.labels;
    },
    get scheme() {
      return rules.scheme;
    },
    transitionMask: undefined,
    dictionary: undefined,
  };
}
