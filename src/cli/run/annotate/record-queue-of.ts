import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordQueue } from '../../../annotation/queue/record-queue.js';
import { TagstreamError } from '../../../core/errors.js';
import type { Log } from '../../../core/log.js';
import type { Codec } from '../../../io/codecs/codec.js';
import { splitRow } from '../../../io/codecs/conll/conll-layout.js';
import type { CellSeparator } from '../../../io/codecs/conll/delimited-cells.js';
import { convert } from '../../../io/convert.js';
import { fileError } from '../../../io/files/file-error.js';
import { standardStreams } from '../../../io/files/standard-streams.js';
import { jsonArrayLines } from '../../../io/lines/json-array-lines.js';
import { isGzip } from '../../../io/reading/is-gzip.js';
import { isZstd } from '../../../io/reading/is-zstd.js';
import { openInput } from '../../../io/reading/open-input.js';
import { readHead } from '../../../io/reading/read-head.js';
import { openOutput } from '../../../io/writing/open-output.js';
import { writeFully } from '../../../io/writing/write-fully.js';
import { type CodecChoice, codecOf } from '../../../pipeline/catalogue/codec-of.js';
import { convertibleFormat } from '../../files/convertible-format.js';
import { namedFormat } from '../../files/named-codec.js';
import { ReportedDeadLetters } from '../../report/reported-dead-letters.js';

/** Bytes of a file that are looked at for columns. */
const looked = 2 ** 16;

/** Formats that the queue reads from the file. */
const inLines: ReadonlySet<string> = new Set(['ndjson', 'text']);

/**
 * The records of a file in any format, packed or not. A file of lines is read where it is; of every other one a copy in
 * NDJSON is made among the temporary files, which is gone with the process.
 *
 * @param named the format; default: by the extension, then by the content, and plain text for the rest
 * @throws (rejects with) TagstreamError `usage` for an unknown format, `file`, `empty-sentence`, and what reading throws
 */
export async function recordQueueOf(
  file: string,
  named: string | undefined,
  log: Log,
): Promise<RecordQueue> {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return new RecordQueue(file);
  const format = named === undefined ? await formatOf(file, log) : namedFormat(named);
  const codec = codecOf(format);
  const isNdjson = format.name !== 'text';
  const isInLines = inLines.has(format.name) && Object.keys(format.options).length === 0;
  if (isInLines && !isWrapped(file, isNdjson)) return new RecordQueue(file, { isNdjson });
  const folder = mkdtempSync(join(tmpdir(), 'tagstream-'));
  try {
    const copy = join(folder, 'records.ndjson');
    if (isInLines) await copyLines(file, codec, copy);
    else await copyRecords(file, codec, copy, log);
    return new RecordQueue(file, { copy, isNdjson });
  } finally {
    // The queue has it open.
    rmSync(folder, { recursive: true, force: true });
  }
}

async function formatOf(file: string, log: Log): Promise<CodecChoice> {
  let found: CodecChoice & { readonly guessed?: string };
  try {
    found = await convertibleFormat(file, undefined, standardStreams().stdin, false, '--format');
  } catch (thrown) {
    if (!(thrown instanceof TagstreamError) || thrown.code !== 'usage') throw thrown;
    found = { name: 'conll', options: { columns: ['form'] }, guessed: 'conll:{columns: [form]}' };
  }
  const isSure = !['conll', 'letters'].includes(found.name) || (await areColumns(file, found));
  if (!isSure) return { name: 'text', options: {} };
  if (found.guessed !== undefined) {
    log.info(`${file} reads as ${found.guessed} (--format names another one)`);
  }
  return found;
}

/**
 * Whether a file has sentences in columns, rather than texts with as many words in each line: with sentences of several
 * rows between blank lines, or with cells between delimiters that are mostly single words.
 */
async function areColumns(file: string, { name, options }: CodecChoice): Promise<boolean> {
  if (name !== 'conll') return false;
  const { bytes } = await readHead(file, looked);
  const text = new TextDecoder().decode(bytes).replaceAll('\r', '');
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

/** Whether a file of lines is packed, or a JSON array. */
function isWrapped(file: string, isNdjson: boolean): boolean {
  const head = Buffer.alloc(64);
  try {
    const opened = openSync(file, 'r');
    try {
      const found = head.subarray(0, readSync(opened, head, 0, head.length, 0));
      return isGzip(found) || isZstd(found) || (isNdjson && jsonArrayLines.isNeeded(found));
    } finally {
      closeSync(opened);
    }
  } catch (cause) {
    throw fileError('read', file, cause);
  }
}

/** Bytes stay what they are, so that each record is read, or refused, as one of a plain file. */
async function copyLines(file: string, { intoLines }: Codec, copy: string): Promise<void> {
  const input = await openInput(file, { intoLines });
  const output = openSync(copy, 'w');
  try {
    for await (const chunk of input.chunks) writeFully(output, chunk);
  } finally {
    input.close();
    closeSync(output);
  }
}

async function copyRecords(file: string, from: Codec, copy: string, log: Log): Promise<void> {
  const to = codecOf({ name: 'ndjson', options: {} });
  const deadLetters = new ReportedDeadLetters({ policy: 'skip' }, log);
  const output = await openOutput(copy);
  await convert({ files: [file], from, to, output, deadLetters });
  await deadLetters.close();
  if (deadLetters.total > 0) log.warn(`${file}: ${deadLetters.summary()} cannot be labelled`);
}
