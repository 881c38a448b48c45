import type * as z from 'zod';
import { parseOptions } from '../../../core/schema/parse-options.js';
import type { Document } from '../../../core/sentence/document.js';
import type { Codec } from '../codec.js';
import { type DocumentPart, reportLeftOut } from '../left-out.js';
import { type OnReplaced, plainCell } from '../plain-cell.js';
import { readLineRecords } from '../read-line-records.js';
import { requireTokens } from '../require-tokens.js';
import { sentenceRanges } from '../sentence-ranges.js';
import { formatOfCells, tagCell } from '../tag-cells.js';
import { readWords } from './read-words.js';
import { slashOptions } from './slash-options.js';

const held: ReadonlySet<DocumentPart> = new Set(['tokens', 'tags', 'sentences']);

/**
 * A sentence a line, each word with its tag after a separator, as in the Brown corpus: `The/at jury/nn said/vbd`.
 *
 * Tagged sentences have the predicted tags in the place of gold ones. Where a document has no tags, its words stand alone.
 *
 * @throws TagstreamError `config` on wrong options
 * @example
 * const codec = slashCodec();
 * codec.writeDocument({ tokens: ['It', '1/2'], tags: ['PRON', 'NUM'] }) // => 'It/PRON 1/2/NUM\n'
 * codec.write({ document: {}, tokens: ['It'], gold: ['X'], tags: ['PRON'] }) // => 'It/PRON\n'
 */
export function slashCodec(options: z.input<typeof slashOptions> = {}): Codec {
  const checked = parseOptions(slashOptions, options, 'slash');
  const {
    separator,
    columns = ['form', 'tag'],
    tagOptional,
    unknown,
    alternatives,
    iob1,
    maxLineBytes,
    maxTokens,
  } = checked;
  const tagCells = {
    unknown,
    alternatives,
    iob1,
    spanTags: checked.spanTags,
    outside: checked.outside,
  };
  const layout = { separator, columns, tagOptional, tagCells };
  const names = checked.columns === undefined ? '' : ` ${columns.join(' ')}`;
  const format = `slash ${separator}${names}${formatOfCells(tagCells)}`;
  const holdsColumn = (name: string) => name !== 'form' && columns.includes(name);
  const inTag = new RegExp(`(?:[ \\t\\r\\n]|${escaped(separator)})+|^$`, 'g');
  const inWord = /[ \t\r\n]+|^$/g;
  const written = (
    tokens: readonly string[],
    tags: readonly string[] | undefined,
    { sentences, columns: others }: Laid,
    onReplaced?: OnReplaced,
  ) => {
    const word = (t: number) => {
      const form = plainCell(tokens[t]!, inWord, '_', onReplaced);
      if (tags === undefined) return form;
      const cells = columns.slice(1).map(name => {
        const value = name === 'tag' ? tags[t]! : String(others?.[name]?.[t] ?? '_');
        return plainCell(value, inTag, '_', onReplaced);
      });
      return [form, ...cells].join(separator);
    };
    let text = '';
    for (const [start, end] of sentenceRanges(sentences, tokens.length)) {
      for (let t = start; t < end; t += 1) text += `${word(t)}${t + 1 === end ? '\n' : ' '}`;
    }
    return text;
  };
  return {
    name: 'slash',
    format,
    recordsAreLines: true,
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) =>
      readLineRecords(bytes, context, {
        ...{ format, maxLineBytes, maxTokens },
        parse: line => readWords(line, layout, maxTokens),
      }),
    write: ({ document, tokens, tags, sentences }) =>
      written(tokens, tags, {
        sentences: sentences ?? document.sentences,
        columns: document.columns,
      }),
    writeDocument: (document, onReplaced, onDropped) => {
      if (document.format === format && document.raw !== undefined) return `${document.raw}\n`;
      const { partialTags } = document;
      reportLeftOut(document, held, holdsColumn, onDropped);
      const tags = document.tags ?? partialTags?.map(tag => tagCell(tag, tagCells));
      return written(requireTokens(document, 'words with tags'), tags, document, onReplaced);
    },
  };
}

/** What is written beside tokens and tags. */
interface Laid {
  readonly sentences?: Document['sentences'] | undefined;
  readonly columns?: Document['columns'] | undefined;
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
