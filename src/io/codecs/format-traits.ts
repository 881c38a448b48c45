/** What a format can do, for those who have to know before its codec is made: no schema is loaded for it. */
export interface FormatTraits {
  /** Ends of names of files that are in the format, without the full stop. */
  readonly extensions?: readonly string[];
  /** Records may come without tags if the option `tagOptional` is true; others always may. */
  readonly canLackTags?: boolean;
  /** Records are JSON objects or arrays. */
  readonly inJson?: boolean;
  /** Records have fields of other programs among their own: for ids, for a text under any name, for results and errors. */
  readonly hasFields?: boolean;
  /** Tagged records are written as JSON, with all results. */
  readonly writesJson?: boolean;
  /** With default options each line is a record by itself, an NDJSON object or a text. */
  readonly lines?: 'objects' | 'texts';
  /** Options with which records are read to be written in another format, unless others are given. */
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
  conllu: { extensions: ['conllu'] },
  brat: { extensions: ['ann'] },
  spans: { inJson: true },
  ...{ doccano: { inJson: true }, spacy: { inJson: true } },
  ...{ prodigy: { inJson: true }, 'label-studio': { inJson: true } },
};

/**
 * What a format can do; nothing is known here of one of a plug-in.
 *
 * @example
 * traitsOf('conll') // => { canLackTags: true }
 * traitsOf('of-a-plugin') // => ({})
 */
export function traitsOf(format: string): FormatTraits {
  return Object.hasOwn(traits, format) ? traits[format]! : {};
}

/** Formats that the extension of a file name determines. */
export const formatsByExtension: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(traits).flatMap(([name, { extensions = [] }]) =>
    extensions.map(extension => [extension, name]),
  ),
);
