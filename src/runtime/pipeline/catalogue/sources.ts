import { Readable } from 'node:stream';
import * as z from 'zod';
import { Registry } from '../../../engine/core/registry.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import { conllCodec, conllOptions } from '../../../formats/codecs/conll/conll-codec.js';
import { conlluCodec } from '../../../formats/codecs/conllu/conllu-codec.js';
import { conlluOptions } from '../../../formats/codecs/conllu/conllu-columns.js';
import { crfsuiteCodec, crfsuiteOptions } from '../../../formats/codecs/crfsuite/crfsuite-codec.js';
import { foreignCodec, foreignOptions } from '../../../formats/codecs/foreign/foreign-codec.js';
import { foreignFormats } from '../../../formats/codecs/foreign/foreign-formats.js';
import { traitsOf } from '../../../formats/codecs/format-traits.js';
import { lettersCodec, lettersOptions } from '../../../formats/codecs/letters/letters-codec.js';
import { ndjsonCodec, ndjsonOptions } from '../../../formats/codecs/ndjson/ndjson-codec.js';
import { slashCodec, slashOptions } from '../../../formats/codecs/slash/slash-codec.js';
import { textCodec, textOptions } from '../../../formats/codecs/text/text-codec.js';
import { webannoCodec, webannoOptions } from '../../../formats/codecs/webanno/webanno-codec.js';
import { simulatedOptions, simulatedWords } from '../../io/simulated/simulated-words.js';
import {
  commonSourceShape,
  type SourceComponent,
  withoutCommon,
} from '../sources/source-component.js';

/** A format with its own options, which `codec` receives; its only column is the token by default. */
type Format = Pick<SourceComponent, 'name' | 'summary' | 'example'> &
  Partial<SourceComponent> & { readonly options: z.ZodObject };

function source(format: Format, codec: (options: never) => Codec): SourceComponent {
  return {
    codecOptions: withoutCommon,
    codec: options => codec(withoutCommon(options) as never),
    columns: () => ['form'],
    ...traitsOf(format.name),
    ...format,
    options: format.options.safeExtend(commonSourceShape),
  };
}

const records: readonly SourceComponent[] = [
  source(
    {
      name: 'ndjson',
      summary: 'one JSON object per line, with text, or tokens and tags',
      example: 'source: { ndjson: { files: [feed.ndjson], tag: upos } }',
      lenient: true,
      options: ndjsonOptions,
      // Ids, fields and a layout belong to the records of a single run: a model does not require them wherever it is
      // used.
      codecOptions: ({ ids: _ids, textField: _text, into: _into, records: _records, ...options }) =>
        withoutCommon(options),
    },
    ndjsonCodec,
  ),
  source(
    {
      name: 'conll',
      summary: 'one token per line in columns, a blank line after each sentence',
      example: 'source: { conll: { files: [train.txt], columns: [form, pos, tag] } }',
      options: conllOptions,
      columns: options => options.columns as string[],
    },
    conllCodec,
  ),
  source(
    {
      name: 'conllu',
      summary: 'CoNLL-U, the format of Universal Dependencies',
      example: 'source: { conllu: { files: [train.conllu], tag: upos } }',
      options: conlluOptions,
      columns: () => ['form', 'lemma', 'upos', 'xpos', 'feats', 'head', 'deprel', 'deps', 'misc'],
    },
    conlluCodec,
  ),
  source(
    {
      name: 'letters',
      summary: 'one word per line; its letters are the tokens, with one tag per letter',
      example: 'source: { letters: { files: [nettalk.data], columns: [word, phonemes] } }',
      options: lettersOptions,
    },
    lettersCodec,
  ),
  source(
    {
      name: 'text',
      summary: 'plain text without labels: a line, a paragraph or a file is a record',
      example: 'source: { text: { files: [raw.txt], records: line } }',
      lenient: true,
      options: textOptions,
    },
    textCodec,
  ),
  source(
    {
      name: 'slash',
      summary: 'one sentence per line, each word with its tag after a separator: The/DT jury/NN',
      example: "source: { slash: { files: [brown.txt], separator: '/' } }",
      options: slashOptions,
    },
    slashCodec,
  ),
  source(
    {
      name: 'crfsuite',
      summary: 'data of CRFsuite: a label and attributes per line, with tabs between',
      example:
        'source: { crfsuite: { files: [train.crfsuite.txt], attributes: { form: "w[0]" } } }',
      options: crfsuiteOptions,
      columns: options => {
        const names = Object.keys(options.attributes as Record<string, string>);
        return ['form', ...names.filter(name => name !== 'form')];
      },
    },
    crfsuiteCodec,
  ),
  source(
    {
      name: 'webanno',
      summary:
        'WebAnno TSV 3 of WebAnno and INCEpTION: a token per line, with columns for its layers',
      example: 'source: { webanno: { files: [export.tsv], column: 1 } }',
      lenient: true,
      options: webannoOptions,
    },
    webannoCodec,
  ),
];

const summaries: Readonly<Record<string, string>> = {
  spans:
    '{"text", "spans": [{"start", "end", "label"}]}, offsets in UTF-16 units, the end exclusive',
  doccano: 'JSONL of doccano: {"text", "label": [[start, end, label]]}',
  spacy: 'records for spaCy: {"text", "entities": [[start, end, label]]}',
  prodigy: 'JSONL of Prodigy, with its tokens; answers other than accept are skipped and counted',
  'label-studio': 'tasks of Label Studio, as an array or one per line',
  brat: 'standoff annotations of brat: .ann files, each with its text in the .txt file beside it',
};

/** Formats of texts with spans, as annotation tools write them; gold spans become tags in BIO. */
const foreignSources = foreignFormats.map(format => {
  const { name, fileLines } = format;
  const file = fileLines === undefined ? 'labelled.json' : 'labelled.ann';
  return source(
    {
      ...{ name, summary: summaries[name]!, lenient: true, options: foreignOptions },
      example: `source: { ${name}: { files: [${file}], misaligned: widen } }`,
    },
    options => foreignCodec(format, options),
  );
});

/** Sequences from a hidden Markov model, in the letters format, instead of files. */
const simulatedSource: SourceComponent = {
  name: 'simulated',
  summary: 'labelled sequences drawn from a hidden Markov model, for experiments',
  example: 'source: { simulated: { sequences: 100, length: 5, seed: 1 } }',
  options: simulatedOptions.extend({
    ...commonSourceShape,
    files: z
      .array(z.literal('-'))
      .length(1)
      .default(['-'])
      .describe('not read from files: the sequences are drawn at random'),
  }),
  codecOptions: () => ({}),
  codec: () => lettersCodec({ columns: ['word', 'labels'], tag: 'labels' }),
  columns: () => ['form'],
  generated: options => {
    const { sequences, length, seed, emission, transition } = simulatedOptions
      .strip()
      .parse(options);
    const lines = simulatedWords({ sequences, length, seed, emission, transition });
    return Readable.from(chunksOf(lines), { objectMode: false });
  },
};

/** Yields lines in buffers that hold many. */
function* chunksOf(lines: Iterable<string>): Generator<Buffer> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < 2 ** 16) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}

/** Every format that a pipeline file can read. */
export const sources: readonly SourceComponent[] = [...records, ...foreignSources, simulatedSource];

/** The same formats by name. */
export const sourceRegistry = new Registry('codec', sources);
