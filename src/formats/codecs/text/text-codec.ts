import * as z from 'zod';
import { oneOf } from '../../../engine/core/schema/option-kinds.js';
import { parseOptions } from '../../../engine/core/schema/parse-options.js';
import type { Document } from '../../../engine/core/sentence/document.js';
import { redact } from '../../../engine/text/redact.js';
import { lineOptions } from '../../lines/line-options.js';
import type { IntoLines, Line } from '../../lines/line-splitter.js';
import type { Codec, DocumentDraft } from '../codec.js';
import { ndjsonFormat } from '../ndjson/ndjson-format.js';
import { spansInText } from '../ndjson/redacted-record.js';
import { readBlockRecords } from '../read-block-records.js';
import { readLineRecords } from '../read-line-records.js';
import { type DocumentPart, type OnReplaced, plainCell, reportLeftOut } from '../writing.js';

const LF = 10;

/** Replacement for line breaks in a file that is one record: the ASCII record separator, which texts do not contain. */
export const lineEndInRecord = '\x1e';

/**
 * Converts a whole file to one line: each line end becomes `lineEndInRecord`.
 *
 * @example
 * const line = textFileLines.begin().lines(new TextEncoder().encode('a\nb\n'));
 * new TextDecoder().decode(line) // => 'a\x1eb\x1e'
 */
export const textFileLines: IntoLines = {
  isNeeded: () => true,
  begin: () => ({
    lines: chunk => chunk.map(byte => (byte === LF ? lineEndInRecord.charCodeAt(0) : byte)),
    end: () => ({ rest: new Uint8Array(0) }),
  }),
};

const recordLines = new RegExp(`${lineEndInRecord}\uFEFF*`, 'g');

type TextOptions = z.output<typeof textOptions>;

const ofText: ReadonlySet<DocumentPart> = new Set(['text']);
const ofTokens: ReadonlySet<DocumentPart> = new Set(['tokens']);

/**
 * Returns the codec of plain text without labels: a line, a paragraph or a whole file is a record. Tokens and sentences are
 * found later.
 *
 * Tagged records are written as NDJSON: `{"text", "tokens", "offsets", "tags", ...}`, or as text with spans replaced. A
 * document is written as its text, or as its tokens separated by blanks; if a record is a line, line ends in the text become
 * blanks.
 *
 * @throws TagstreamError `config` for invalid options
 * @example
 * const codec = textCodec();
 * codec.writeDocument({ tokens: ['It', 'rains'] }) // => 'It rains\n'
 * codec.write({ document: { text: 'Go' }, tokens: ['Go'], tags: ['V'] }) // => '{"text":"Go","tokens":["Go"],"tags":["V"]}\n'
 */
export function textCodec(options: z.input<typeof textOptions> = {}): Codec {
  const checked = parseOptions(textOptions, options, 'text');
  const { records, maxLineBytes, maxTokens } = checked;
  const format = records === 'line' ? 'text' : `text ${records}`;
  const reading = { format, maxLineBytes, maxTokens };
  const { write } = ndjsonFormat({ maxLineBytes });
  return {
    name: 'text',
    format,
    recordsAreLines: records !== 'paragraph',
    recordEnd: '\n',
    ...(records === 'file' ? { intoLines: textFileLines } : {}),
    lenient: true,
    holdsSpans: true,
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) =>
      records === 'paragraph'
        ? readBlockRecords(bytes, context, {
            ...reading,
            isComment: () => false,
            parse: (lines: readonly Line[]) => draftOf(lines.map(({ text }) => text).join('\n')),
          })
        : readLineRecords(bytes, context, { ...reading, parse: draftOf }),
    writesResults: true,
    write: (tagged, writing) => {
      if (writing?.redact === undefined) return write(tagged, writing);
      const { text = '' } = tagged.document;
      const redacted = redact(text, spansInText(tagged), writing.redact);
      return written({ text: redacted }, checked, format, undefined);
    },
    writeDocument: (document, onReplaced, onDropped) => {
      if (document.raw === undefined || document.format !== format) {
        reportLeftOut(
          document,
          document.text === undefined ? ofTokens : ofText,
          () => false,
          onDropped,
        );
      }
      return written(document, checked, format, onReplaced);
    },
  };
}

function draftOf(line: string): DocumentDraft {
  const text = inLines(line).replace(/(?<![\r\n])[\r\n]+$/, '');
  return { text };
}

/** Returns a record with its line ends restored; byte order marks at the beginning of a line are dropped. */
function inLines(record: string): string {
  return record.replaceAll(recordLines, '\n');
}

function written(
  document: Document,
  { records }: TextOptions,
  format: string,
  onReplaced: OnReplaced | undefined,
): string {
  const { raw, text = document.tokens!.join(' ') } = document;
  if (raw !== undefined && document.format === format) {
    const own = inLines(raw);
    return records === 'paragraph' ? `${own}\n\n` : `${own.replace(/\n$/, '')}\n`;
  }
  if (records === 'file') return `${text}\n`;
  if (records === 'line') return `${plainCell(text, /[\r\n]+/g, ' ', onReplaced)}\n`;
  return `${plainCell(text, /\r?\n(?:[ \t]*\r?\n)+/g, '\n', onReplaced)}\n\n`;
}

export const textOptions = z.strictObject({
  records: oneOf(
    ['line', 'paragraph', 'file'],
    'line',
    'what a record is: a line, a paragraph (separated by blank lines), or the whole file',
  ),
  ...lineOptions,
});
