import { TagstreamError } from '../../core/errors.js';
import type { ModelSpec } from '../model-spec.js';

/**
 * Refuses what does not go with labels in another scheme than that of the records.
 *
 * @throws TagstreamError `config`
 */
export function requireEncodable(spec: ModelSpec): void {
  if (spec.encode === undefined) return;
  const { hidden, layers, codes, segments, graph, dictionary, scorer } = spec;
  const others = { hidden, layers, codes, segments, graph, dictionary };
  const other = Object.entries(others).find(([, value]) => value !== undefined)?.[0];
  const wrong = scorer === 'hmm' || scorer === 'trees' ? `scorer: ${scorer}` : other;
  if (wrong === undefined) return;
  throw new TagstreamError('config', `encode: bioes does not go with ${wrong}`, {
    fix: 'leave one of them out: labels in another scheme are those of a chain',
  });
}
