import { TagstreamError } from '../../../core/errors.js';

/** Share of the records that all get, by default. */
const defaultOverlap = 0.2;

const mostPeople = 50;

/** What `--annotators` and `--overlap` say of a session. */
export interface ChosenAnnotators {
  readonly annotators?: readonly string[];
  readonly overlap?: number;
}

/**
 * The people of `--annotators`, a number or names.
 *
 * @throws TagstreamError `usage`
 * @example
 * annotatorsOf({ annotators: '2' }) // => ({ annotators: ['1', '2'], overlap: 0.2 })
 * annotatorsOf({ annotators: 'anna,ben', overlap: 1 }).annotators // => ['anna', 'ben']
 */
export function annotatorsOf(given: {
  readonly annotators?: string | undefined;
  readonly overlap?: number | undefined;
}): ChosenAnnotators {
  const { annotators: text, overlap = defaultOverlap } = given;
  if (text === undefined) return {};
  const count = /^\d+$/.test(text) ? Number(text) : undefined;
  const names =
    count === undefined
      ? text.split(',').map(name => name.trim())
      : Array.from({ length: Math.min(count, mostPeople + 1) }, (_, i) => String(i + 1));
  const wrong = names.some(name => !/^[\p{L}\p{N}_-]{1,40}$/u.test(name) || name === 'review');
  const distinct = new Set(names.map(name => name.toLowerCase())).size === names.length;
  if (wrong || !distinct || names.length === 0 || names.length > mostPeople) {
    throw new TagstreamError('usage', `--annotators ${text}`, {
      fix: `give 1 to ${mostPeople}, or names of letters and digits, none twice, as anna,ben`,
    });
  }
  if (!(overlap >= 0 && overlap <= 1)) {
    throw new TagstreamError('usage', `--overlap ${overlap}`, { fix: 'give a share from 0 to 1' });
  }
  return names.length === 1 ? {} : { annotators: names, overlap };
}

/**
 * The address of a person's own page.
 *
 * @example
 * addressOf('http://127.0.0.1:8765/?token=secret', 'anna') // => 'http://127.0.0.1:8765/?token=secret&annotator=anna'
 */
export function addressOf(address: string, name: string): string {
  const url = new URL(address);
  url.searchParams.set('annotator', name);
  return url.href;
}
