import { TagstreamError } from '../../core/errors.js';
import { kinds, requireArgument, requireKnown } from '../../core/schema/require-argument.js';
import type { WordClusters } from './resources.js';

const line = /^([01]+)\t([^\t]+)(?:\t(\d+))?$/;

/**
 * Returns word clusters for `%cluster`, from text in Brown format: `path TAB word TAB count`, one
 * word per line.
 *
 * The count may be absent. For a repeated word, which `fold` may produce, the line with the highest
 * count wins, and the first one on ties. Cost O(n log n) for n words.
 *
 * @param options.fold ignores case; default false
 * @param options.source name of the file, for errors
 * @param options.bits default path prefix lengths for templates; if absent, only whole paths
 * @throws TagstreamError `wrong-shape`, with the line number
 * @example
 * wordClusters('01\tcat\t9\n00\trun\t5\n01\tdog\t7\n').text // => '00\trun\n01\tcat\tdog'
 * wordClusters('00\tMay\t2\n01\tmay\t9\n', { fold: true }).text // => '01\tmay'
 */
export function wordClusters(
  text: string,
  options: {
    readonly fold?: boolean | undefined;
    readonly source?: string | undefined;
    readonly bits?: readonly number[] | undefined;
  } = {},
): WordClusters {
  requireArgument('wordClusters: the clusters', text, kinds.text);
  requireKnown('wordClusters', options, ['fold', 'source', 'bits']);
  const { fold = false, source, bits } = options;
  const best = new Map<string, { path: string; count: number }>();
  for (const [i, raw] of text.split('\n').entries()) {
    const row = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
    if (row === '') continue;
    const parts = line.exec(row);
    if (parts === null) {
      throw new TagstreamError('wrong-shape', 'this line is not in the format of word clusters', {
        place: { ...(source === undefined ? {} : { source }), line: i + 1 },
        fix: 'write PATH (of 0 and 1), tab, WORD, tab, COUNT, as tagstream word-clusters does',
      });
    }
    const [, path, written, counted] = parts;
    const word = fold ? written!.toLowerCase() : written!;
    const count = Number(counted ?? 0);
    const before = best.get(word);
    if (before === undefined || count > before.count) best.set(word, { path: path!, count });
  }
  return { text: grouped(best), fold, ...(bits === undefined ? {} : { bits }) };
}

function grouped(words: ReadonlyMap<string, { path: string }>): string {
  const clusters = new Map<string, string[]>();
  for (const [word, { path }] of words) {
    const cluster = clusters.get(path);
    if (cluster === undefined) clusters.set(path, [word]);
    else cluster.push(word);
  }
  const lines = [...clusters].map(([path, members]) => [path, ...members.sort()].join('\t'));
  return lines.sort().join('\n');
}
