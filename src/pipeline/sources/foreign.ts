import { foreignCodec, foreignOptions } from '../../io/codecs/foreign/foreign-codec.js';
import { foreignFormats } from '../../io/codecs/foreign/foreign-formats.js';
import type { ForeignFormat } from '../../io/codecs/foreign/read-spans.js';
import { commonSourceShape, type SourceComponent, withoutCommon } from './source-component.js';

const summaries: Readonly<Record<string, string>> = {
  spans:
    '{"text", "spans": [{"start", "end", "label"}]}, offsets in UTF-16 units, the end exclusive',
  doccano: 'JSONL of doccano: {"text", "label": [[start, end, label]]}',
  spacy: 'records for spaCy: {"text", "entities": [[start, end, label]]}',
  prodigy: 'JSONL of Prodigy, with its tokens; answers other than accept are skipped and counted',
  'label-studio': 'tasks of Label Studio, an array or a line each',
  brat: 'standoff annotations of brat: .ann files, each with its text in the .txt file beside it',
};

/** Formats of texts with spans, as annotation tools write them; gold spans become tags in BIO. */
export const foreignSources: readonly SourceComponent[] = foreignFormats.map(sourceOf);

function sourceOf(format: ForeignFormat): SourceComponent {
  const { name } = format;
  return {
    name,
    summary: summaries[name]!,
    example: `source: { ${name}: { files: [${format.fileLines === undefined ? 'labelled.json' : 'labelled.ann'}], misaligned: widen } }`,
    ...(format.fileLines === undefined ? {} : { extensions: ['ann'] }),
    lenient: true,
    options: foreignOptions.extend(commonSourceShape),
    codecOptions: withoutCommon,
    codec: options => foreignCodec(format, withoutCommon(options)),
    columns: () => ['form'],
  };
}
