import { TagstreamError } from '../../engine/core/errors.js';
import { type FileUse, requireApart } from '../../formats/files/require-apart.js';
import {
  type DeadLetterOptions,
  deadLetterPlace,
} from '../../runtime/io/dead-letters/dead-letters.js';
import { deadLetterUses } from '../../runtime/io/written-uses.js';

/** Files of a command by their role; undefined if a file is not named. */
export type NamedFiles = Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * Requires that a command does not write a file that it reads, or that it writes for another
 * purpose. Must be called before any file is opened.
 *
 * @throws TagstreamError `usage`
 * @example
 * requireFilesApart({ reads: { 'the input': ['a', 'b'] }, writes: { 'the output': 'c' } }) // => undefined
 */
export function requireFilesApart(named: {
  readonly reads: NamedFiles;
  readonly writes: NamedFiles;
  readonly deadLetters?: DeadLetterOptions;
  readonly more?: readonly FileUse[];
}): void {
  const { reads, writes, deadLetters, more = [] } = named;
  const rejected = deadLetters === undefined ? [] : deadLetterUses(deadLetterPlace(deadLetters));
  requireApart({ reads: usesOf(reads), writes: [...usesOf(writes), ...more, ...rejected] });
}

function usesOf(named: NamedFiles): FileUse[] {
  return Object.entries(named).flatMap(([what, paths]) =>
    [paths ?? []].flat().map(path => ({ path, what })),
  );
}

/**
 * Rejects the standard output as the file of a page, as scores are printed there.
 *
 * @throws TagstreamError `usage`
 */
export function requirePageFile(html: string | undefined): void {
  if (html !== '-') return;
  throw new TagstreamError('usage', '--html - would mix the page with the scores', {
    fix: 'name a file',
  });
}
