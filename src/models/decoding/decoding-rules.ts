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
