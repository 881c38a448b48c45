import { TagstreamError } from '../../core/errors.js';
import { ExactIndex } from '../../features/index/exact-index.js';
import type { Model } from '../model.js';

/** @throws TagstreamError `config` for a model that was read for tagging, in which features share weights */
export function requireOwnRows({ stateIndex }: Model): void {
  if (!(stateIndex instanceof ExactIndex && stateIndex.sharesRows)) return;
  throw new TagstreamError('config', 'the model was read for tagging: its features share weights', {
    fix: 'read its file with readModel to train it further',
  });
}
