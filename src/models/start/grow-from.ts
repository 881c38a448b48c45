import { ExactIndex } from '../../features/index/exact-index.js';
import type { FeatureIndex } from '../../features/index/feature-index.js';
import { FingerprintInterner } from '../../features/index/fingerprint-interner.js';
import { outside } from '../labels/seen-transitions.js';
import type { Model } from '../model.js';
import type { TakenWeights } from './add-weights.js';
import { observeWeights } from './observe-weights.js';
import { requireSameFeatures } from './require-same-features.js';
import { takeWeights } from './take-weights.js';

/**
 * Gives an empty model the labels, features, transitions and weights of another one, so that it continues
 * learning on a stream where that one stopped; what the stream brings is added.
 *
 * @throws TagstreamError `config` where templates, columns or index are others; `too-large`
 */
export function growFrom(model: Model, start: Model): TakenWeights {
  requireSameFeatures(model.spec, start.spec);
  const { names, states } = start.labels;
  const numbers = names.map((name, y) => model.labels.intern(name) + (y % states));
  intern(model.stateIndex, start.stateIndex);
  intern(model.edgeIndex, start.edgeIndex);
  for (const [from, to] of transitionsOf(start)) {
    model.seen.add(from < 0 ? from : numbers[from]!, to < 0 ? to : numbers[to]!);
  }
  model.reserve();
  observeWeights(model, start);
  return takeWeights(model, start);
}

/**
 * Transitions from which the rules of another model are derived again; what a model file has seen is not in
 * it, but its rules are.
 */
function transitionsOf({ seen, labels, transitionRules }: Model): (readonly [number, number])[] {
  if (seen.size > 0) return [...seen.pairs()];
  const { scheme, also } = transitionRules;
  if (scheme === 'none') return [];
  const starts = labels.names.flatMap((name, y) =>
    /^[BS]-/.test(name) ? [[outside, y] as const] : [],
  );
  return [...starts, ...also];
}

/** Gives all features of another exact index rows in an empty one, whatever its cutoff. */
function intern(index: FeatureIndex, other: FeatureIndex): void {
  if (!(index instanceof ExactIndex && other instanceof ExactIndex)) return;
  const interner = new FingerprintInterner(index);
  const fingerprints = other.fingerprints();
  for (let times = 0; times < index.cutoff; times += 1) interner.rowsOf(fingerprints);
}
