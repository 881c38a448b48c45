import type * as z from 'zod';
import { parseOptions } from '../../../core/schema/parse-options.js';
import type { Line } from '../../lines/line-splitter.js';
import type { Codec } from '../codec.js';
import { type DocumentPart, reportLeftOut } from '../left-out.js';
import { readBlockRecords } from '../read-block-records.js';
import { requireTokens } from '../require-tokens.js';
import { formatOfCells, tagCell } from '../tag-cells.js';
import { conlluColumns, conlluOptions, tagPlaceOf } from './conllu-columns.js';
import { readSentence, unreadLines } from './read-sentence.js';
import { newSentences, replaceTags } from './write-sentence.js';

const held: ReadonlySet<DocumentPart> = new Set([
  ...(['id', 'text', 'tokens', 'offsets', 'sentences', 'tags', 'weight'] as const),
  'start of a document',
]);

/**
 * CoNLL-U, the format of Universal Dependencies.
 *
 * Tagged sentences are their own lines with the tag column replaced. Gold tags are thereby lost: to
 * keep both, write NDJSON or CoNLL.
 *
 * @throws TagstreamError `config` on wrong options
 * @example
 * const codec = conlluCodec();
 * const document = { id: 's1', tokens: ['Go', '!'], tags: ['VERB', 'PUNCT'] };
 * codec.writeDocument(document).split('\n')[1] // => '1\tGo\t_\tVERB\t_\t_\t_\t_\t_\t_'
 */
export function conlluCodec(options: z.input<typeof conlluOptions> = {}): Codec {
  const checked = parseOptions(conlluOptions, options, 'conllu');
  const { tag, maxLineBytes, maxTokens, alternatives, iob1 } = checked;
  const place = tagPlaceOf(tag)!;
  const cells = {
    unknown: checked.unknown ?? (tag === 'upos' ? '_' : undefined),
    alternatives,
    iob1,
    spanTags: checked.spanTags,
    outside: checked.outside,
  };
  const format = `conllu ${tag}${formatOfCells({ ...cells, unknown: checked.unknown })}`;
  const block = {
    format,
    maxLineBytes,
    maxTokens,
    isComment: (text: string) => text.startsWith('#'),
    parse: (lines: readonly Line[]) => readSentence(lines, place, cells),
  };
  const holdsColumn = (name: string) =>
    name !== tag && (conlluColumns as readonly string[]).includes(name);
  return {
    name: 'conllu',
    format,
    recordsAreLines: false,
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) => readBlockRecords(bytes, context, block),
    write: ({ document, tokens, offsets, sentences, tags }) => {
      const { raw } = document;
      const isOwn = raw !== undefined && document.format?.startsWith('conllu ') === true;
      const own = isOwn ? replaceTags(raw, place, tags) : undefined;
      return own ?? newSentences({ document, tokens, offsets, sentences, tags }, place);
    },
    writeDocument: (document, onReplaced, onDropped) => {
      const { raw, offsets, sentences, partialTags } = document;
      if (raw !== undefined && document.format === format) return `${raw}\n\n`;
      const tokens = requireTokens(document, 'CoNLL-U');
      reportLeftOut(document, held, holdsColumn, onDropped);
      if (Number.isNaN(document.weight)) onDropped?.('weight');
      const isWhole = sentences === undefined || sentences.length === 1;
      if (document.text !== undefined && !isWhole && offsets === undefined) onDropped?.('text');
      const tags = document.tags ?? partialTags?.map(each => tagCell(each, cells));
      return newSentences({ document, tokens, offsets, sentences, tags, onReplaced }, place);
    },
    unread: unreadLines,
  };
}
