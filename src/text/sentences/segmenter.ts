import { TagstreamError } from '../../core/errors.js';

/** The locale that is used where none is given: never the host's own, so that runs can be repeated. */
export const defaultLocale = 'en';

/** Making a segmenter costs far more than a short text does, and there are few locales in use. */
const made = new Map<string, Intl.Segmenter>();

/**
 * The segmenter of a locale and a granularity; the same one each time.
 *
 * Its rules are those of the Unicode version that the running engine was built with.
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
