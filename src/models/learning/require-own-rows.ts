import { TagstreamError } from '../../core/errors.js';
import { PackedIndex } from '../../features/index/packed-index.js';
import type { Model } from '../model.js';

/** @throws TagstreamError `config` for a model that was read for tagging, in which features share weights */
export function requireOwnRows({ stateIndex }: Model): void {
  if (!(stateIndex instanceof PackedIndex)) return;
  throw new TagstreamError('config', 'the model was read for tagging: its features share weights', {
    fix: 'read its file with readModel to train it further',
  });
}
