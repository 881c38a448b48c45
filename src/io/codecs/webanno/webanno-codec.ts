import type * as z from 'zod';
import { TagstreamError } from '../../../core/errors.js';
import { parseOptions } from '../../../core/schema/parse-options.js';
import type { Document } from '../../../core/sentence/document.js';
import type { Line } from '../../lines/line-splitter.js';
import type { Codec } from '../codec.js';
import { readBlockRecords } from '../read-block-records.js';
import { readSentence } from './read-sentence.js';
import { replaceCells } from './replace-cells.js';
import { webannoOptions } from './webanno-options.js';
import { isHeader, ownCells } from './webanno-rows.js';

/**
 * WebAnno TSV 3, which WebAnno and INCEpTION export: a token per line, with its place in the text and a column for each feature of each
 * layer; a sentence is a record. Tagged sentences are their own lines with the column of the labels replaced, the first with the
 * head of the file. A sentence of another format has no place in a text, so that none can be written.
 *
 * @throws TagstreamError `config` on wrong options
 * @example
 * webannoCodec({ column: 2 }).format // => 'webanno 2 spans reject'
 */
export function webannoCodec(options: z.input<typeof webannoOptions> = {}): Codec {
  const checked = parseOptions(webannoOptions, options, 'webanno');
  const { maxLineBytes, maxTokens, column, spans, overlaps } = checked;
  const format = `webanno ${column} ${spans ? 'spans' : 'tokens'} ${overlaps}`;
  return {
    name: 'webanno',
    format,
    recordsAreLines: false,
    maxRecordBytes: maxLineBytes,
    async *read(bytes, context) {
      let head: string[] | undefined = [];
      const block = {
        ...{ format, maxLineBytes, maxTokens },
        isComment: (text: string) => {
          if (isHeader(text)) head?.push(text);
          return text.startsWith('#');
        },
        parse: (lines: readonly Line[]) => readSentence(lines, checked),
      };
      for await (const documents of readBlockRecords(bytes, context, block)) {
        const [first, ...others] = documents;
        // The head goes along with the first sentence.
        const withHead =
          head === undefined || head.length === 0 || first === undefined
            ? documents
            : [{ ...first, raw: `${head.join('\n')}\n\n\n${first.raw}` }, ...others];
        head = undefined;
        yield withHead;
      }
    },
    write: ({ document, tags }) => {
      if (!isOwn(document)) throw withoutPlace();
      return `${replaceCells(document.raw!, tags, checked)}\n\n`;
    },
    writeDocument: document => {
      if (!isOwn(document)) throw withoutPlace();
      return document.format === format || document.tags === undefined
        ? `${document.raw}\n\n`
        : `${replaceCells(document.raw!, document.tags, checked)}\n\n`;
    },
    unread: ({ raw }) => unreadCells(raw!, column),
  };
}

/** Names of what a sentence has besides: labels in other columns, and comments that are not its text. */
function unreadCells(raw: string, column: number): readonly string[] {
  return raw.split('\n').flatMap(row => {
    if (row.startsWith('#')) return isHeader(row) || row.startsWith('#Text=') ? [] : ['comments'];
    return row
      .split('\t')
      .slice(ownCells)
      .flatMap((cell, i) =>
        cell === '_' || cell === '' || i + 1 === column ? [] : [`column ${i + 1}`],
      );
  });
}

function isOwn({ raw, format }: Document): boolean {
  return raw !== undefined && format?.startsWith('webanno ') === true;
}

function withoutPlace(): TagstreamError {
  return new TagstreamError('wrong-shape', 'webanno writes only sentences that it has read', {
    fix: 'WebAnno and INCEpTION import CoNLL-U and CoNLL as well: --to conllu',
  });
}
