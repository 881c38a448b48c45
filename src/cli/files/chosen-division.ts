import { existsSync } from 'node:fs';
import { TagstreamError } from '../../engine/core/errors.js';
import type { ModelSpec } from '../../engine/models/model-spec.js';
import { parseAbbreviations } from '../../engine/text/sentences/abbreviations.js';
import { localeProblem } from '../../engine/text/sentences/segmenter.js';
import { builtInTokenizers } from '../../engine/text/tokenizers/named-tokenizer.js';
import { readText } from '../../formats/reading/read-text.js';
import type { TokenizeStageOptions } from '../../runtime/pipeline/options/tokenize-options.js';

/** Arguments of commands that tokenize texts. */
export interface TokenizerArguments {
  /** Name of a tokenizer, or path of a model file that has one. */
  readonly tokenizer?: string | undefined;
  readonly locale?: string | undefined;
  /** Path of a file with abbreviations that do not end a sentence. */
  readonly abbreviations?: string | undefined;
}

/**
 * Returns the file named by `--tokenizer`; undefined if it is absent or names a built-in tokenizer.
 */
export function tokenizerFile({ tokenizer }: TokenizerArguments): string | undefined {
  return builtInTokenizers.find(name => name === tokenizer) === undefined ? tokenizer : undefined;
}

/**
 * Returns the tokenization set on the command line; undefined if there is none. With single
 * characters as tokens, a text is one sentence.
 *
 * @throws TagstreamError `usage` for an invalid locale, a locale or abbreviations without effect,
 * and a tokenizer that is neither a name nor a file; `file` and `wrong-shape` for a file of
 * abbreviations
 * @example
 * chosenDivision({}) // => undefined
 * chosenDivision({ tokenizer: 'characters' }).sentences // => false
 */
export function chosenDivision(given: TokenizerArguments): TokenizeStageOptions | undefined {
  const { tokenizer: named, locale = 'en', abbreviations: list } = given;
  if ((named ?? given.locale ?? list) === undefined) return undefined;
  const problem = localeProblem(locale);
  if (problem !== undefined) throw new TagstreamError('usage', `--locale: ${problem}`);
  const model = tokenizerFile(given);
  if (list !== undefined && (model !== undefined || named === 'characters')) {
    const why =
      model === undefined ? 'characters are one sentence' : 'a model finds sentences itself';
    throw new TagstreamError(
      'usage',
      `--abbreviations has no effect with --tokenizer ${named}: ${why}`,
      {
        fix: 'leave one of them out',
      },
    );
  }
  if (model !== undefined && given.locale !== undefined) {
    throw new TagstreamError('usage', `--locale has no effect with --tokenizer ${model}`, {
      fix: 'leave it out: the model knows the language of its texts',
    });
  }
  const abbreviations = list === undefined ? undefined : parseAbbreviations(readText(list), list);
  if (model === undefined) {
    const tokenizer = builtInTokenizers.find(name => name === named) ?? 'regex';
    return { tokenizer, locale, sentences: tokenizer !== 'characters', abbreviations };
  }
  if (!existsSync(model)) {
    throw new TagstreamError('usage', `--tokenizer ${model}: there is no such tokenizer or file`, {
      fix: `use ${builtInTokenizers.join(', ')}, or the path of a model file with a learned tokenizer`,
    });
  }
  return { tokenizer: 'learned', model, locale, sentences: true, abbreviations };
}

/**
 * Returns the options of a named tokenizer in a model's language; undefined for a tokenizer from a
 * file, as the model's bytes then contain it.
 */
export function namedDivision(
  division: TokenizeStageOptions | undefined,
  { tokenize }: ModelSpec,
): TokenizeStageOptions | undefined {
  if (division === undefined || division.model !== undefined) return undefined;
  const { locale = division.locale } = (tokenize ?? {}) as Partial<TokenizeStageOptions>;
  return { ...division, locale };
}
