import { TagstreamError } from '../../engine/core/errors.js';
import type { Document } from '../../engine/core/sentence/document.js';
import { blankTagIn } from '../../engine/core/sentence/partial-tag.js';
import { counted } from '../../engine/core/wording/numbers.js';
import type { ParsedRecord } from '../../engine/interfaces/definitions.js';
import type { CodecComponent } from '../../engine/interfaces/loaded-plugin.js';
import { guarded, pluginFault } from '../../engine/interfaces/plugin-fault.js';
import { defaultMaxLineBytes } from '../lines/line-splitter.js';
import type { Codec, DocumentDraft } from './codec.js';
import { readBlockRecords } from './read-block-records.js';
import { readLineRecords } from './read-line-records.js';

/** Limits of a codec's records; see `lineOptions`. */
export interface RecordLimits {
  readonly maxLineBytes?: number | undefined;
  readonly maxTokens?: number | undefined;
}

/**
 * Wraps the codec of a plug-in, which then need not handle lines, limits, positions and rejected records.
 *
 * @param options the codec's own options, validated
 * @throws TagstreamError `config` if the codec cannot be created from them
 */
export function recordCodec(
  component: CodecComponent,
  options: Readonly<Record<string, unknown>>,
  { maxLineBytes = defaultMaxLineBytes, maxTokens }: RecordLimits = {},
): Codec {
  const { name, what, records } = component;
  const made = component.create(options);
  const format = `${name} ${JSON.stringify(options)}`;
  const parse = (text: string): DocumentDraft => {
    let parsed: ParsedRecord;
    try {
      parsed = made.parse(text);
    } catch (thrown) {
      throw pluginFault(thrown, what, 'wrong-shape');
    }
    return draftOf(parsed, what);
  };
  const written = (text: unknown): string => {
    if (typeof text === 'string') return text;
    throw new TagstreamError('wrong-shape', `${what} returned a ${typeof text} to write`, {
      fix: 'return the text of the record, line breaks included',
    });
  };
  const limits = { format, maxLineBytes, maxTokens };
  return {
    name,
    format,
    recordsAreLines: records === 'lines',
    maxRecordBytes: maxLineBytes,
    read: (bytes, context) =>
      records === 'lines'
        ? readLineRecords(bytes, context, { ...limits, parse })
        : readBlockRecords(bytes, context, {
            ...limits,
            isComment: () => false,
            parse: lines => parse(lines.map(({ text }) => text).join('\n')),
          }),
    write: tagged => written(guarded(what, 'wrong-shape', () => made.write(tagged))),
    writeDocument: document => {
      const { raw } = document;
      if (document.format === format && raw !== undefined) {
        return records === 'lines' ? `${raw}\n` : `${raw}\n\n`;
      }
      if (made.writeDocument === undefined) throw readsOnly(what);
      return written(guarded(what, 'wrong-shape', () => made.writeDocument!(document)));
    },
  };
}

/** Checks a record that the plug-in has parsed. */
function draftOf(parsed: ParsedRecord, what: string): DocumentDraft {
  const { id, text, tokens, columns, tags, partialTags, weight } = parsed ?? {};
  if (tokens === undefined && typeof text !== 'string') {
    throw new TagstreamError('wrong-shape', `${what} returned a record without text or tokens`, {
      fix: 'return { text } or { tokens } from parse, or throw an error that says what is wrong',
    });
  }
  if (tokens !== undefined) {
    requireTexts(tokens, 'tokens', what);
    if (tags !== undefined) requireTexts(tags, 'tags', what);
    for (const [name, values] of [
      ['tags', tags],
      ['partialTags', partialTags],
      ...Object.entries(columns ?? {}),
    ] as const) {
      if (values === undefined || values.length === tokens.length) continue;
      throw new TagstreamError(
        'length-mismatch',
        `${what} returned ${counted(tokens.length, 'token')} but ${values.length} ${name}`,
        { fix: 'return one per token from parse' },
      );
    }
    if (blankTagIn(tags ?? partialTags ?? []) >= 0) {
      throw new TagstreamError('wrong-shape', `${what} returned an empty tag`, {
        fix: 'return null in partialTags for an unknown tag, or throw an error that says what is wrong',
      });
    }
  }
  const given = { id, text, tokens, columns, tags, partialTags, weight };
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as Document;
}

function requireTexts(values: unknown, name: string, what: string): void {
  if (Array.isArray(values) && values.every(value => typeof value === 'string')) return;
  throw new TagstreamError(
    'wrong-shape',
    `${what} returned ${name} that are not a list of strings`,
    {
      fix: `return ${name} as a list of strings from parse`,
    },
  );
}

function readsOnly(what: string): TagstreamError {
  return new TagstreamError('wrong-shape', `${what} can only write tagged records`, {
    fix: 'implement writeDocument, or convert to another format',
  });
}
