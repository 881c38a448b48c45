import { TagstreamError } from '../../engine/core/errors.js';
import { type CellSeparator, splitRow } from '../../formats/codecs/conll/conll-layout.js';
import { columnsIn } from '../../formats/codecs/conllu/surface-words.js';
import { jsonLayoutOf } from '../../formats/codecs/ndjson/json-document-lines.js';
import { jsonArrayLines } from '../../formats/lines/json-array-lines.js';
import { beginsAsJson } from '../../formats/lines/line-bytes.js';
import { refuseUtf16 } from '../../formats/reading/first-bytes.js';
import { readHead } from '../../formats/reading/read-head.js';
import type { CodecChoice } from '../../runtime/pipeline/catalogue/codec-of.js';
import { foreignNameIn } from '../../runtime/pipeline/init/guess/guess-foreign.js';
import {
  beginningOfFile,
  lookAtFile,
  neededOptions,
} from '../../runtime/pipeline/init/look-at-file.js';

/** The format of a content. */
export interface ContentFormat extends CodecChoice {
  /** Error for tags that are numbers without names. */
  readonly nameless?: TagstreamError | undefined;
}

/** The use of the records. */
export interface ContentUse {
  /** Whether records come without tags, so that a content that no format fits is text. */
  readonly untagged: boolean;
  /** Whether any content other than JSON is text. */
  readonly isText?: boolean;
}

/** Number of bytes of a file that are examined, as in `init`. */
const looked = 2 ** 20;

/**
 * Returns the format of a file's content as `init` recognises it, for all commands. The columns of tags are found only
 * if they are needed.
 *
 * @throws TagstreamError `wrong-shape` if no format fits, `file`, `invalid-utf8`
 */
export async function formatOfContent(file: string, use: ContentUse): Promise<ContentFormat> {
  const head = await readHead(file, looked);
  refuseUtf16(head.bytes, file);
  const beginning = Buffer.from(head.bytes).toString();
  if (mayBeJson(beginning)) return formatOfJson(beginning, file, use);
  if (use.isText === true) return { name: 'text', options: {} };
  const lookedAt = () => {
    try {
      const { format: name, options } = lookAtFile(head, file, {});
      return { name, options };
    } catch (thrown) {
      // CoNLL-U Plus without tags has columns all the same.
      const columns = columnsIn(beginning.split('\n', 1)[0]!);
      if (columns === undefined || !(thrown instanceof TagstreamError)) throw thrown;
      return { name: 'conllu', options: { columns } };
    }
  };
  if (!use.untagged) return lookedAt();
  const found = withoutTags(lookedAt);
  if (!areColumns(beginning, found)) return { name: 'text', options: {} };
  const { tag: _, ...layout } = found.options;
  return found.name === 'conllu' ? { ...found, options: layout } : found;
}

/** Returns a format that was looked for; one token per line if that failed, as with a content without tags. */
function withoutTags(find: () => CodecChoice): CodecChoice {
  try {
    return find();
  } catch (thrown) {
    if (thrown instanceof TagstreamError) return { name: 'conll', options: { columns: ['form'] } };
    throw thrown;
  }
}

/** Returns whether an input may be JSON; an empty input may be in any format. */
export function mayBeJson(beginning: string): boolean {
  return beginning.trim() === '' || beginsAsJson(beginning);
}

/**
 * Returns the format of JSON records, with the options that reading them completely needs; most need none.
 *
 * @param beginning beginning of the input; a file is read for the options
 */
export async function formatOfJson(
  beginning: string,
  file: string,
  { untagged }: ContentUse,
): Promise<ContentFormat> {
  const name = jsonFormat(beginning);
  if (name !== 'ndjson') return { name, options: {} };
  let nameless: TagstreamError | undefined;
  const onNameless = (error: TagstreamError) => {
    nameless = error;
  };
  const head =
    file === '-'
      ? { bytes: Buffer.from(beginning), whole: true }
      : await beginningOfFile(file, looked);
  const options = neededOptions(head, file, { untagged, onNameless });
  return { name, options, nameless };
}

/**
 * Returns the name of the format of JSON records: that of an annotation tool, otherwise NDJSON.
 *
 * @example
 * jsonFormat('{"text": "Go, Ann", "label": [[4, 7, "PER"]]}\n{"text') // => 'doccano'
 * jsonFormat('[{"tokens": ["a"]},') // => 'ndjson'
 */
export function jsonFormat(beginning: string): string {
  if (jsonLayoutOf(beginning) !== undefined) return 'ndjson';
  return foreignNameIn(recordsOf(beginning)) ?? 'ndjson';
}

/** Returns the lines of the records; the last line may be incomplete. */
function recordsOf(beginning: string): readonly string[] {
  const bytes = Buffer.from(beginning.replaceAll(/^\uFEFF+/gm, ''));
  const lines = jsonArrayLines.isNeeded(bytes) ? jsonArrayLines.begin().lines(bytes) : bytes;
  return Buffer.from(lines)
    .toString()
    .split('\n')
    .filter(line => line.trim() !== '');
}

/**
 * Returns whether a content has sentences in columns rather than texts with an equal number of words per line: it has
 * sentences of several rows between blank lines, or cells between delimiters that are mostly single words. Formats other
 * than columns and letters cannot be mistaken.
 */
export function areColumns(beginning: string, { name, options }: CodecChoice): boolean {
  if (name !== 'conll') return name !== 'letters';
  const text = beginning.replaceAll('\r', '');
  const blocks = text.split(/\n\s*\n/).map(block => block.trim().split('\n'));
  const { separator = 'whitespace', columns } = options as {
    readonly separator?: CellSeparator;
    readonly columns: readonly string[];
  };
  if (separator === 'whitespace') {
    const isWord = (row: string) => columns.length > 1 || !/\s/.test(row.trim());
    return blocks.length > 1 && blocks.some(rows => rows.length > 1) && blocks.flat().every(isWord);
  }
  const rows = blocks.flat();
  const texts = rows.filter(row => splitRow(row, separator).some(cell => /\S\s+\S/.test(cell)));
  return 2 * texts.length < rows.length;
}
