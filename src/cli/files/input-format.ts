import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { TagstreamError } from '../../engine/core/errors.js';
import type { Registry } from '../../engine/core/registry.js';
import type { ModelSpec } from '../../engine/models/model-spec.js';
import { characterTokenizer } from '../../engine/text/tokenizers/character-tokenizer.js';
import { unicodeTokenizer } from '../../engine/text/tokenizers/unicode-tokenizer.js';
import { type CellSeparator, splitRow } from '../../formats/codecs/conll/conll-layout.js';
import { columnsIn, conlluLayout, rowKind } from '../../formats/codecs/conllu/surface-words.js';
import { formatCalled, formatsByExtension, traitsOf } from '../../formats/codecs/format-traits.js';
import { isBlank } from '../../formats/codecs/read-line-records.js';
import { beginsAsJson } from '../../formats/lines/line-bytes.js';
import { beginningOf, FirstRecord } from '../../formats/reading/beginning-of.js';
import { refuseUtf16 } from '../../formats/reading/first-bytes.js';
import { readsOnce } from '../../formats/reading/read-bytes.js';
import { readHead } from '../../formats/reading/read-head.js';
import type { CodecChoice } from '../../runtime/pipeline/catalogue/codec-of.js';
import type { SourceComponent } from '../../runtime/pipeline/sources/source-component.js';

/** Number of bytes that are examined, and of characters for the format of the model's training data. */
const looked = 2 ** 20;
const lookedFirst = 2 ** 14;
const lookedForRows = 1024;

/** Facts known about an input. */
export interface InputHints {
  readonly file: string;
  /** Format as named on the command line. */
  readonly named?: string | undefined;
  /** Model specification, whose format and columns are the last resort. */
  readonly spec?: ModelSpec | undefined;
  /** All formats, including those of plug-ins; absent without plug-ins. */
  readonly sources?: Registry<SourceComponent> | undefined;
  /** Whether a named format may select records by `split` and `limit`. */
  readonly selects?: boolean;
  /** Whether records come without tags. */
  readonly untagged?: boolean;
  /** Beginning of the input, if the input must not be read. */
  readonly beginning?: string | undefined;
}

/** A format, and whether it was guessed from the beginning of the input. */
export interface InputFormat extends CodecChoice {
  readonly guessed?: boolean;
}

/**
 * Returns the format of an input: the named one; otherwise that of the file's extension; otherwise that of its content,
 * as all commands recognise it (`formatOfContent`), unless the format of the model's training data fits. Of the standard
 * input, only JSON is recognised; untagged input that no format fits is plain text.
 */
export async function inputFormat(hints: InputHints, stdin: Readable): Promise<InputFormat> {
  if (hints.named?.includes(':') === true) {
    const { namedFormat } = await import('./named-codec.js');
    return namedFormat(hints.named, hints.selects === true ? ['split', 'limit'] : []);
  }
  const trained = hints.spec?.input as TrainedInput | undefined;
  const found =
    hints.named === undefined
      ? await foundFormat(hints, stdin, trained)
      : { name: formatCalled(hints.named), options: {} };
  const { name, guessed } = found;
  const own = trained?.codec === name ? trained.options : {};
  const { canLackTags } = hints.sources?.find(name) ?? traitsOf(name);
  const more = hints.untagged === true && canLackTags === true ? { tagOptional: true } : {};
  const options = { ...found.options, ...own, ...columnsOf(found), ...more };
  return { name, options, ...(guessed === true ? { guessed } : {}) };
}

/** Returns the columns of CoNLL-U Plus, which are those of the file, whatever the model was trained on. */
function columnsOf({ name, options }: CodecChoice): CodecChoice['options'] {
  return name === 'conllu' && options.columns !== undefined ? { columns: options.columns } : {};
}

/** Whether the extension of a file says its format; JSON and CoNLL-U have several layouts. */
export function isSureByName(name: string | undefined): name is string {
  return name !== undefined && name !== 'ndjson' && name !== 'conllu';
}

async function foundFormat(
  hints: InputHints,
  stdin: Readable,
  trained: TrainedInput | undefined,
): Promise<InputFormat> {
  const { file, sources, untagged = false } = hints;
  const byName = formatByExtension(file, sources);
  const usual = { name: byName ?? trained?.codec ?? 'ndjson', options: {} };
  if (isSureByName(byName) || hints.beginning !== undefined) return usual;
  const isInput = file === '-';
  // Input that can be read only once would be lost by reading ahead; an unreadable file is reported when it is opened.
  if (!isInput && (readsOnce(file) || !existsSync(file))) return usual;
  const beginning = isInput ? await beginningOf(stdin) : await firstText(file);
  if (beginning.trim() === '') return usual;
  if (beginsAsJson(beginning)) {
    // Loading what tells formats apart takes time, for which the start of the command waits.
    if (!mayDiffer(beginning) && (untagged || isInput)) return { name: 'ndjson', options: {} };
    const { formatOfJson } = await import('./content-format.js');
    const found = await formatOfJson(beginning, file, { untagged });
    return { ...found, guessed: found.name !== 'ndjson' };
  }
  if (byName === undefined && trained !== undefined) {
    const more = untagged ? { tagOptional: true } : {};
    const own = { name: trained.codec, options: { ...trained.options, ...more } };
    if (fitsFormat(own, beginning.slice(0, lookedForRows), hints.spec)) return usual;
  }
  if (isInput) return untagged ? { name: 'text', options: {}, guessed: true } : usual;
  const { formatOfContent } = await import('./content-format.js');
  try {
    const found = await formatOfContent(file, { untagged });
    return { ...found, guessed: found.name !== byName };
  } catch (thrown) {
    if (thrown instanceof TagstreamError && thrown.code === 'wrong-shape') return usual;
    throw thrown;
  }
}

async function firstText(file: string): Promise<string> {
  // The start of the command waits for this, and most first records are short.
  const first = (await readHead(file, lookedFirst)).bytes;
  const isWhole = first.length < lookedFirst || new FirstRecord().isWhole(first);
  const bytes = isWhole ? first : (await readHead(file, looked)).bytes;
  refuseUtf16(bytes, file);
  return new TextDecoder().decode(bytes);
}

/**
 * Finds what the records of annotation tools have, and records in parts of one object: labels, texts that are not members,
 * lists of lists.
 */
const labelled =
  /"(?:data|labels?|entities|ents|annotations|completions|annotation_id|spans|answer|paragraphs|rows)"\s*:|:\s*\[\s*\[/;

/** Whether JSON may be something other than NDJSON with its usual members. */
function mayDiffer(beginning: string): boolean {
  return !usual.test(beginning) || /^\s*\[\s*[["]/.test(beginning) || labelled.test(beginning);
}

const usual = /"(?:text|tokens)"\s*:/;

interface TrainedInput {
  readonly codec: string;
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * Returns the extension of a file name, ignoring that of compression; the name itself if it has
 * none.
 */
export function extensionOf(file: string): string {
  return file
    .replace(/\.(?:gz|zst)$/, '')
    .split('.')
    .at(-1)!;
}

/** Returns the format that belongs to the extension of a file name; undefined if there is none. */
export function formatByExtension(
  file: string,
  sources?: Registry<SourceComponent>,
): string | undefined {
  const extension = extensionOf(file);
  return (
    formatsByExtension[extension] ??
    sources?.items.find(({ extensions }) => extensions?.includes(extension))?.name
  );
}

/**
 * Returns whether an input may be in a format, judging by its beginning; up to a tenth of its lines
 * may be broken.
 *
 * @param beginning beginning of the input; its last line counts only if it is the first one
 * @param spec model specification; a character model reads rows of more than one character as text
 * @example
 * fitsFormat({ name: 'ndjson', options: {} }, '{"text": "a"}') // => true
 * fitsFormat({ name: 'spacy', options: {} }, 'Ben flew to New York.') // => false
 * fitsFormat({ name: 'webanno', options: {} }, 'Ben flew to New York.') // => false
 * fitsFormat({ name: 'conll', options: { columns: ['form', 'tag'] } }, 'Ben flew to New York.') // => false
 * fitsFormat({ name: 'conll', options: { columns: ['form', 'tag'] } }, 'Ben B-PER\nflew O\n') // => true
 * const tabs = { columns: ['form', 'tag'], separator: 'tab', tagOptional: true };
 * fitsFormat({ name: 'conll', options: tabs }, 'Ben flew to New York.') // => false
 * fitsFormat({ name: 'conll', options: tabs }, 'Ben\nflew\nto\nNew York') // => true
 * fitsFormat({ name: 'conll', options: tabs }, '他們喜歡圖書館。我看書。') // => false
 * fitsFormat({ name: 'conll', options: tabs }, '你好世界', { tokenize: { tokenizer: 'characters' } }) // => false
 * fitsFormat({ name: 'conll', options: tabs }, `${'flew\tO\n'.repeat(20)}broken\tO\tO\n`) // => true
 */
export function fitsFormat(
  { name, options }: CodecChoice,
  beginning: string,
  spec?: Pick<ModelSpec, 'tokenize'>,
): boolean {
  const all = beginning.split(/\r?\n/);
  const lines = (all.length > 1 ? all.slice(0, -1) : all).filter(line => !isBlank(line));
  if (lines.length === 0) return true;
  if (traitsOf(name).inJson === true) return lines.some(beginsAsJson);
  if (name === 'crfsuite') return areMostly(lines, line => /\t[^\t]*[=:]/.test(line));
  if (name === 'webanno') return areMostly(lines, line => /^(?:#|\d+-\d[\d.]*\t)/.test(line));
  if (name === 'conllu') return areConllu(lines, options);
  if (name === 'slash') {
    const separator = typeof options.separator === 'string' ? options.separator : '/';
    return areMostly(lines, line =>
      splitRow(line, 'whitespace').every(word => word.includes(separator)),
    );
  }
  const ofCharacters = spec?.tokenize?.tokenizer === 'characters';
  return name === 'conll' ? areRows(lines, options, ofCharacters) : true;
}

/** Returns whether lines have the columns of CoNLL-U, or of CoNLL-U Plus that the options name. */
function areConllu(lines: readonly string[], { columns }: CodecChoice['options']): boolean {
  const layout = conlluLayout(columns as readonly string[] | undefined);
  const isRow = (cells: readonly string[]) =>
    cells.length === layout.width && rowKind(cells, layout) !== undefined;
  const isOther = (line: string) => columns === undefined && columnsIn(line) !== undefined;
  return (
    !lines.some(isOther) &&
    areMostly(lines, line => line.startsWith('#') || isRow(line.split('\t')))
  );
}

/**
 * Maximum number of tokens that Unicode dictionaries may find within a token of a file: in scripts
 * without spaces, more indicate a sentence.
 */
const mostInToken = 4;

/**
 * Returns whether lines are rows with the right number of cells, most of them with a token rather
 * than a sentence: no blank between words, and few words.
 */
function areRows(
  lines: readonly string[],
  options: CodecChoice['options'],
  ofCharacters: boolean,
): boolean {
  const { columns = ['form', 'pos', 'tag'], separator, comment, tagOptional } = options;
  const width = (columns as readonly string[]).length;
  const rows = lines
    .filter(line => typeof comment !== 'string' || !line.startsWith(comment))
    .map(line => splitRow(line, (separator ?? 'whitespace') as CellSeparator));
  const [tokenizer, most] = ofCharacters
    ? [characterTokenizer(), 1]
    : [unicodeTokenizer(), mostInToken];
  const isSentence = (cell: string) => /\S\s+\S/.test(cell) || tokenizer(cell, most).length > most;
  const sentences = rows.filter(([first]) => isSentence(first!));
  return (
    areMostly(
      rows,
      ({ length }) => length === width || (tagOptional === true && length === width - 1),
    ) && 2 * sentences.length <= rows.length
  );
}

/**
 * Returns whether at least nine tenths of the items fit, as a broken line does not change the
 * format of a file.
 */
function areMostly<Item>(items: readonly Item[], fits: (item: Item) => boolean): boolean {
  return 10 * items.filter(item => !fits(item)).length <= items.length;
}
