import type { Resources } from '../../features/resources/resources.js';
import type { ListSummary } from './model-summary.js';

/**
 * The lists of a model, gazetteers first and word vectors last, each with its size.
 *
 * @example
 * listsOf({ gazetteers: { cities: { text: 'New York\nRome', fold: false } } })
 * // => [{ name: 'cities', kind: 'gazetteer', size: 2 }]
 */
export function listsOf({
  gazetteers = {},
  clusters = {},
  vectors = {},
}: Resources = {}): ListSummary[] {
  const listed = (kind: ListSummary['kind'], lists: Readonly<Record<string, { text: string }>>) =>
    Object.entries(lists).map(([name, { text }]) => ({ name, kind, size: lineCount(text) }));
  return [
    ...listed('gazetteer', gazetteers),
    ...listed('clusters', clusters),
    ...listed('vectors', vectors),
  ];
}

function lineCount(text: string): number {
  return text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
}
