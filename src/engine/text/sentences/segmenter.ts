import { TagstreamError } from '../../core/errors.js';

/** Default locale, never that of the host, so that runs are reproducible. */
export const defaultLocale = 'en';

/**
 * Segmenters by locale and granularity. Creating one costs far more than segmenting a short text,
 * and few locales are in use.
 */
const made = new Map<string, Intl.Segmenter>();

/**
 * Returns the segmenter of a locale and a granularity, the same one each time.
 *
 * Its rules are those of the Unicode version with which the running engine was built.
 *
 * @throws TagstreamError `config` if the locale is not a valid language tag
 * @example
 * [...segmenter('word', 'en').segment('two words')].length // => 3
 */
export function segmenter(
  granularity: 'grapheme' | 'word' | 'sentence',
  locale: string = defaultLocale,
): Intl.Segmenter {
  const key = `${granularity} ${locale}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  try {
    const fresh = new Intl.Segmenter(locale, { granularity });
    made.set(key, fresh);
    return fresh;
  } catch (cause) {
    throw new TagstreamError('config', `\`${locale}\` is not a valid locale`, {
      fix: 'give a BCP 47 language tag such as `en`, `de` or `ja`',
      cause,
    });
  }
}

/** Number of UTF-16 units passed to the segmenter at a time, and the lookahead at their end. */
const windowSize = 2048;
const lookahead = 256;

/**
 * Returns the ends of the segments of a text in UTF-16 units; the last one is the length of the text.
 *
 * Takes linear time. (A segmenter may copy its whole input for every segment, so it gets the text
 * in windows. Each window begins at a boundary; no Unicode rule looks back across a boundary, or
 * ahead across more than a few characters except in contrived text.)
 *
 * @example
 * segmentEnds('two words', new Intl.Segmenter('en', { granularity: 'word' })) // => [3, 4, 9]
 */
export function segmentEnds(text: string, segmenter: Intl.Segmenter): number[] {
  const ends: number[] = [];
  let start = 0;
  let size = windowSize;
  while (start < text.length) {
    const windowEnd = Math.min(start + size, text.length);
    const limit = windowEnd < text.length ? windowEnd - lookahead : windowEnd;
    let reached = start;
    for (const { index, segment } of segmenter.segment(text.slice(start, windowEnd))) {
      const end = start + index + segment.length;
      if (end > limit) break;
      ends.push(end);
      reached = end;
      // A larger window is for a single long segment; many short segments are cheaper in small
      // windows.
      if (size > windowSize) break;
    }
    size = reached === start ? size * 2 : windowSize;
    start = reached;
  }
  return ends;
}

/**
 * Describes the problem with a text as a language tag (BCP 47); undefined if it is well-formed,
 * known or not.
 *
 * @example
 * localeProblem('pt-BR') // => undefined
 * localeProblem('pt_BR') // => '"pt_BR" is not a language tag (BCP 47): write pt-BR'
 * localeProblem('?') // => '"?" is not a language tag (BCP 47): give one such as en, de or pt-BR'
 */
export function localeProblem(text: string): string | undefined {
  if (isLocale(text)) return undefined;
  const hyphens = text.replaceAll('_', '-');
  const fix = isLocale(hyphens) ? `write ${hyphens}` : 'give one such as en, de or pt-BR';
  return `${JSON.stringify(text)} is not a language tag (BCP 47): ${fix}`;
}

/**
 * Returns the language of a locale, in lower case.
 *
 * @throws TagstreamError `config` if the locale is not a valid language tag
 * @example
 * languageOf('pt-BR') // => 'pt'
 */
export function languageOf(locale: string = defaultLocale): string {
  const problem = localeProblem(locale);
  if (problem !== undefined) throw new TagstreamError('config', problem);
  return locale.split('-')[0]!.toLowerCase();
}

function isLocale(text: string): boolean {
  try {
    Intl.getCanonicalLocales(text);
    return true;
  } catch {
    return false;
  }
}
