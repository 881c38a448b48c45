/** Properties of a format that are needed before its codec is created; reading them loads no schema. */
export interface FormatTraits {
  /** File name extensions of the format, without the leading dot. */
  readonly extensions?: readonly string[];
  /** Whether records may lack tags only if the option `tagOptional` is true; otherwise they always may. */
  readonly canLackTags?: boolean;
  /** Whether records are JSON objects or arrays. */
  readonly inJson?: boolean;
  /**
   * Whether records may mix other programs' fields with their own: for ids, for a text under any name, for results and
   * errors.
   */
  readonly hasFields?: boolean;
  /** Whether tagged records are written as JSON with all results. */
  readonly writesJson?: boolean;
  /** Content of each line, an NDJSON object or a text, if lines are records with default options. */
  readonly lines?: 'objects' | 'texts';
  /** Default options for reading records that are to be written in another format. */
  readonly toConvert?: Readonly<Record<string, unknown>>;
}

const traits: Readonly<Record<string, FormatTraits>> = {
  ndjson: {
    ...{ extensions: ['ndjson', 'jsonl', 'json'], inJson: true, lines: 'objects' },
    ...{ hasFields: true, writesJson: true },
  },
  text: { writesJson: true, lines: 'texts', toConvert: { records: 'paragraph' } },
  slash: { canLackTags: true },
  letters: { canLackTags: true },
  conll: { canLackTags: true },
  conllu: { extensions: ['conllu', 'conllup'] },
  brat: { extensions: ['ann'] },
  spans: { inJson: true },
  ...{ doccano: { inJson: true }, spacy: { inJson: true } },
  ...{ prodigy: { inJson: true }, 'label-studio': { inJson: true } },
};

/**
 * Returns the traits of a format; empty for a plug-in's format, which is unknown here.
 *
 * @example
 * traitsOf('conll') // => { canLackTags: true }
 * traitsOf('of-a-plugin') // => ({})
 */
export function traitsOf(format: string): FormatTraits {
  return Object.hasOwn(traits, format) ? traits[format]! : {};
}

/** Formats by file name extension. */
export const formatsByExtension: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(traits).flatMap(([name, { extensions = [] }]) =>
    extensions.map(extension => [extension, name]),
  ),
);

/** Names of programs whose data has columns, the label last. */
const inColumns = /^(?:wapiti|crfpp|crf\+\+)$/i;

/**
 * Returns the format that the command line names: by its own name, or by that of a program that
 * uses it.
 *
 * @example
 * formatCalled('wapiti') // => 'conll'
 * formatCalled('crfsuite') // => 'crfsuite'
 */
export function formatCalled(name: string): string {
  return inColumns.test(name) ? 'conll' : name;
}
