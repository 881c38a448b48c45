import { existsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Registry } from '../../core/registry.js';
import { type CellSeparator, splitRow } from '../../io/codecs/conll/conll-layout.js';
import { formatCalled, formatsByExtension, traitsOf } from '../../io/codecs/format-traits.js';
import { jsonLayoutOf } from '../../io/codecs/ndjson/json-document-lines.js';
import { isBlank } from '../../io/codecs/read-line-records.js';
import { beginsAsJson } from '../../io/lines/line-bytes.js';
import { beginningOf, FirstRecord } from '../../io/reading/beginning-of.js';
import { refuseUtf16 } from '../../io/reading/first-bytes.js';
import { readsOnce } from '../../io/reading/read-bytes.js';
import { readHead } from '../../io/reading/read-head.js';
import type { ModelSpec } from '../../models/model-spec.js';
import type { CodecChoice } from '../../pipeline/catalogue/codec-of.js';
import type { SourceComponent } from '../../pipeline/sources/source-component.js';
import { characterTokenizer } from '../../text/tokenizers/character-tokenizer.js';
import { unicodeTokenizer } from '../../text/tokenizers/unicode-tokenizer.js';

/** Number of bytes that are examined. */
const looked = 1024;
const lookedFirst = 2 ** 14;
const lookedInJson = 2 ** 20;

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
 * Returns the format of an input: the named one, otherwise that of the file's extension, otherwise
 * NDJSON if the standard input begins like JSON, otherwise the format of the model's training data.
 * Untagged input in another format is plain text.
 */
export async function inputFormat(hints: InputHints, stdin: Readable): Promise<InputFormat> {
  if (hints.named?.includes(':') === true) {
    const { namedFormat } = await import('./named-codec.js');
    return namedFormat(hints.named, hints.selects === true ? ['split', 'limit'] : []);
  }
  const trained = hints.spec?.input as TrainedInput | undefined;
  const named = hints.named === undefined ? undefined : formatCalled(hints.named);
  const known = named ?? (await formatOfFile(hints));
  const beginning = known === undefined ? await beginningOfInput(hints, stdin) : '';
  const isJson = hints.file === '-' && beginsAsJson(beginning);
  const name =
    known ?? (isJson ? await formatOfJson(beginning, hints) : (trained?.codec ?? 'ndjson'));
  const own = trained?.codec === name ? trained.options : {};
  const isLooked = named === undefined && name === 'ndjson' && hints.beginning === undefined;
  const options = isLooked ? await withFields(hints, own, beginning) : own;
  const { canLackTags } = hints.sources?.find(name) ?? traitsOf(name);
  const more = hints.untagged === true && canLackTags === true ? { tagOptional: true } : {};
  const format = { name, options: { ...options, ...more } };
  if (known !== undefined || hints.untagged !== true || fitsFormat(format, beginning, hints.spec))
    return format;
  return { name: 'text', options: {}, guessed: true };
}

/** Returns NDJSON options: those of the model, and others that the records need. */
async function withFields(
  { file, untagged = false }: InputHints,
  own: TrainedInput['options'],
  given: string,
): Promise<TrainedInput['options']> {
  if (file !== '-' && (readsOnce(file) || !existsSync(file))) return own;
  const beginning = file === '-' ? given : await firstText(file);
  // Most records have their text or tokens under the usual name, and the start of the command waits
  // for this.
  const isUsual = (untagged || file === '-') && usual.test(beginning);
  if (beginning === '' || (isUsual && jsonLayoutOf(beginning) === undefined)) return own;
  const { ndjsonOptionsOf } = await import('./json-format.js');
  return { ...(await ndjsonOptionsOf(file, beginning, { untagged })), ...own };
}

async function firstText(file: string): Promise<string> {
  return new TextDecoder().decode((await readHead(file, lookedFirst)).bytes);
}

const usual = /"(?:text|tokens)"\s*:/;

/** Returns the format by extension; a JSON file may be in the format of an annotation tool. */
async function formatOfFile(hints: InputHints): Promise<string | undefined> {
  const { file, sources, untagged } = hints;
  const name = formatByExtension(file, sources);
  if (name !== 'ndjson' || file === '-' || readsOnce(file)) return name;
  // An unreadable file is reported when it is opened.
  if (!existsSync(file)) return name;
  // For tagging, the first record is enough: most are short, and the start of the command waits for
  // this.
  const first = untagged === true ? await readHead(file, lookedFirst) : undefined;
  const isEnough = first !== undefined && new FirstRecord().isWhole(first.bytes);
  const { bytes } = isEnough ? first : await readHead(file, lookedInJson);
  return formatOfJson(new TextDecoder().decode(bytes), hints);
}

/** Records whose text is not a top-level field: `{"data": {"text": ...}}`, and `["text", {...}]`. */
const elsewhere = /"data"\s*:\s*\{|^\s*(?:\[\s*){1,2}"/;

async function formatOfJson(beginning: string, { file, untagged }: InputHints): Promise<string> {
  if (untagged === true ? !elsewhere.test(beginning) : file === '-') return 'ndjson';
  const { jsonFormat, untaggedJsonFormat } = await import('./json-format.js');
  return untagged === true ? untaggedJsonFormat(beginning) : jsonFormat(beginning);
}

async function beginningOfInput(
  { file, beginning, untagged }: InputHints,
  stdin: Readable,
): Promise<string> {
  if (beginning !== undefined) return beginning;
  if (file === '-') {
    const found = await beginningOf(stdin);
    return beginsAsJson(found) ? found : found.slice(0, looked);
  }
  // Input that can be read only once would be lost by reading ahead.
  if (untagged !== true || readsOnce(file)) return '';
  const { bytes } = await readHead(file, looked);
  refuseUtf16(bytes, file);
  return new TextDecoder().decode(bytes);
}

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
  if (name === 'crfsuite') return areMostly(lines, line => line.includes('\t'));
  if (name === 'conllu' || name === 'webanno')
    return areMostly(lines, line => line.startsWith('#') || line.includes('\t'));
  if (name === 'slash') {
    const separator = typeof options.separator === 'string' ? options.separator : '/';
    return areMostly(lines, line =>
      splitRow(line, 'whitespace').every(word => word.includes(separator)),
    );
  }
  const ofCharacters = spec?.tokenize?.tokenizer === 'characters';
  return name === 'conll' ? areRows(lines, options, ofCharacters) : true;
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
