import { closeSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordQueue } from '../../../annotation/queue/record-queue.js';
import { AnnotationServer } from '../../../annotation/server/annotation-server.js';
import { AnnotationSession } from '../../../annotation/session/session.js';
import { strategyOf } from '../../../annotation/strategies/strategies.js';
import {
  type AnnotationTask,
  spansTask,
  tagsTask,
  taskOfTags,
} from '../../../annotation/task/annotation-task.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import type { Log } from '../../../engine/core/log.js';
import type { AnnotatorCounts } from '../../../engine/core/run-status.js';
import { counted } from '../../../engine/core/wording/numbers.js';
import { readModel } from '../../../engine/models/files/model-file.js';
import type { Codec } from '../../../formats/codecs/codec.js';
import { traitsOf } from '../../../formats/codecs/format-traits.js';
import { fileError } from '../../../formats/files/file-error.js';
import { standardStreams } from '../../../formats/files/standard-streams.js';
import { jsonArrayLines } from '../../../formats/lines/json-array-lines.js';
import { isGzip, isZstd } from '../../../formats/reading/first-bytes.js';
import { openInput } from '../../../formats/reading/open-input.js';
import { readBytes } from '../../../formats/reading/read-bytes.js';
import { readHead } from '../../../formats/reading/read-head.js';
import { convert } from '../../../runtime/io/convert.js';
import { atomicWrite, writeFully } from '../../../runtime/io/writing/atomic-write.js';
import { openOutput } from '../../../runtime/io/writing/open-output.js';
import { writeModelFile } from '../../../runtime/io/writing/write-model-file.js';
import { type CodecChoice, codecOf } from '../../../runtime/pipeline/catalogue/codec-of.js';
import { areColumns } from '../../files/content-format.js';
import { convertibleFormat } from '../../files/convertible-format.js';
import { namedFormat } from '../../files/named-codec.js';
import { requireFilesApart } from '../../files/require-files.js';
import { ReportedDeadLetters } from '../../report/reported-dead-letters.js';
import type { Reporting } from '../../report/reporting.js';
import { stopSignal } from '../../signals/stop-signal.js';
import type { AnnotateArguments } from './annotate-options.js';
import { rulesOf } from './rules-of.js';

/** Serves the page for labelling a file's records, until the process receives a signal to end. */
export async function annotateFile(given: AnnotateArguments, report: Reporting): Promise<void> {
  const { records, out, model, seed, preset, retrain } = given;
  if (records === undefined || out === undefined) {
    throw new TagstreamError(
      'usage',
      `${records === undefined ? 'the file of records' : '--out'} is missing`,
      { fix: 'write: tagstream annotate news.txt --labels PER,LOC --out labelled.ndjson' },
    );
  }
  const save = given.save ?? `${out.replace(/\.[^./\\]+$/, '')}.model`;
  requireFilesApart({
    reads: { 'the records': records, '--model': model, '--guidelines': given.guidelines },
    writes: { '--out': out, '--save': save },
  });
  const bytes = model === undefined ? undefined : readBytes(model);
  const task = annotationTaskOf(given, bytes && { bytes, file: model! });
  const guidelines =
    given.guidelines === undefined
      ? undefined
      : new TextDecoder().decode(readBytes(given.guidelines));
  const queue = await recordQueueOf(records, given.format, report.log);
  const session = await AnnotationSession.open({
    ...annotatorsOf(given),
    ...{ queue, out, task, preset, model: bytes, seed, retrain },
    ...rulesOf(given, task),
    strategy: strategyOf(given.strategy),
    onNotice: text => report.log.warn(text),
  });
  const saveModel = () => {
    writeModelFile(save, [session.model.bytes()]);
    mergeAnswers(session, report.log);
    return save;
  };
  const stop = stopSignal(report, given.shutdownTimeout);
  try {
    const { port = 8765, host, token, origin } = given;
    const place = { port, host, token, origin, guidelines, saveModel, modelFile: save };
    const server = await AnnotationServer.start(session, place);
    const size = counted(session.reader.queue.size, 'record');
    if (origin !== undefined) report.log.info(`listens on ${server.own} for the proxy`);
    for (const { name } of session.review === undefined ? [] : session.annotators) {
      report.log.info(`${name}: ${addressOf(server.url, name)}`);
    }
    if (session.review !== undefined) {
      report.log.info(`to decide where they do not agree: ${addressOf(server.url, 'review')}`);
    }
    report.log.info(`${size} of ${records}; open ${server.url} (Ctrl+C ends)`, { url: server.url });
    if (report.status !== undefined) report.status.annotators = () => annotatorCounts(session);
    report.status?.begin();
    await new Promise<void>(resolve => {
      if (stop.signal.aborted) resolve();
      stop.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await server.close();
    if (session.model.answers > 0) {
      saveModel();
      const accepted = session.annotators.reduce((sum, { progress }) => sum + progress.accepted, 0);
      report.log.info(`the model of ${counted(accepted, 'accepted answer')} is in ${save}`);
    }
  } finally {
    stop.dispose();
    await session.close();
  }
}

function annotatorCounts(session: AnnotationSession): readonly AnnotatorCounts[] {
  return session.annotators.map(annotator => {
    const { accepted, corrections, progressive } = session.progress(annotator);
    return { name: annotator.name, accepted, corrections: corrections.last, score: progressive };
  });
}

/** Writes the annotators' labels to one file, without the records on which they disagree. */
function mergeAnswers({ review, options }: AnnotationSession, log: Log): void {
  if (review === undefined) return;
  const { lines, undecided } = review.of.merged(review.by);
  atomicWrite(options.out, lines.map(line => `${line}\n`).join(''));
  const left = undecided === 0 ? '' : `; ${counted(undecided, 'record')} to be decided left out`;
  log.info(`${counted(lines.length, 'answer')} in ${options.out}${left}`);
}

/**
 * Returns the task named on the command line, or that of the initial model.
 *
 * @throws TagstreamError `usage`
 */
function annotationTaskOf(
  { labels, tags }: { readonly labels?: string | undefined; readonly tags?: string | undefined },
  model: { readonly bytes: Uint8Array; readonly file: string } | undefined,
): AnnotationTask {
  if (labels !== undefined && tags !== undefined) {
    throw new TagstreamError('usage', '--labels cannot be combined with --tags', {
      fix: 'use --labels for spans, --tags for one label per token',
    });
  }
  if (labels !== undefined) return spansTask(names(labels));
  if (tags !== undefined) return tagsTask(names(tags));
  if (model !== undefined) return taskOfTags(readModel(model.bytes, model.file).labels.tags);
  throw new TagstreamError('usage', 'no labels given', {
    fix: 'give --labels PER,LOC for spans, --tags NOUN,VERB for one label per token, or --model',
  });
}

function names(list: string): string[] {
  return list.split(',').map(name => name.trim());
}

/** Default share of the records that every annotator gets. */
const defaultOverlap = 0.2;

const mostPeople = 50;

/** Settings of `--annotators` and `--overlap`. */
export interface ChosenAnnotators {
  readonly annotators?: readonly string[];
  readonly overlap?: number;
}

/**
 * Returns the annotators of `--annotators`, which is a number or names.
 *
 * @throws TagstreamError `usage`
 * @example
 * annotatorsOf({ annotators: '2' }) // => ({ annotators: ['1', '2'], overlap: 0.2 })
 * annotatorsOf({ annotators: 'anna,ben', overlap: 1 }).annotators // => ['anna', 'ben']
 */
export function annotatorsOf(given: {
  readonly annotators?: string | undefined;
  readonly overlap?: number | undefined;
}): ChosenAnnotators {
  const { annotators: text, overlap = defaultOverlap } = given;
  if (text === undefined) return {};
  const count = /^\d+$/.test(text) ? Number(text) : undefined;
  const names =
    count === undefined
      ? text.split(',').map(name => name.trim())
      : Array.from({ length: Math.min(count, mostPeople + 1) }, (_, i) => String(i + 1));
  const wrong = names.some(name => !/^[\p{L}\p{N}_-]{1,40}$/u.test(name) || name === 'review');
  const distinct = new Set(names.map(name => name.toLowerCase())).size === names.length;
  if (wrong || !distinct || names.length === 0 || names.length > mostPeople) {
    throw new TagstreamError(
      'usage',
      `--annotators ${text} is neither a number nor a list of names`,
      {
        fix: `give 1 to ${mostPeople}, or distinct names of letters and digits, such as anna,ben`,
      },
    );
  }
  if (!(overlap >= 0 && overlap <= 1)) {
    throw new TagstreamError('usage', `--overlap ${overlap} is not a share`, {
      fix: 'give a number from 0 to 1',
    });
  }
  return names.length === 1 ? {} : { annotators: names, overlap };
}

/**
 * Returns the address of an annotator's page.
 *
 * @example
 * addressOf('http://127.0.0.1:8765/?token=secret', 'anna') // => 'http://127.0.0.1:8765/?token=secret&annotator=anna'
 */
export function addressOf(address: string, name: string): string {
  const url = new URL(address);
  url.searchParams.set('annotator', name);
  return url.href;
}

/** Number of bytes of a file that are examined for columns. */
const looked = 2 ** 16;

/**
 * Opens the records of a file in any format, compressed or not. A file of lines is read in place;
 * any other is copied as NDJSON into a temporary file, which is removed when the process ends.
 *
 * @param named name of the format; default: determined by the extension, otherwise by the content,
 * otherwise plain text
 * @throws (rejects with) TagstreamError `usage` for an unknown format, `file`, `empty-sentence`, and errors of reading
 */
export async function recordQueueOf(
  file: string,
  named: string | undefined,
  log: Log,
): Promise<RecordQueue> {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return new RecordQueue(file);
  const format = named === undefined ? await formatOf(file, log) : namedFormat(named);
  const codec = codecOf(format);
  const { lines } = traitsOf(format.name);
  const isNdjson = lines !== 'texts';
  const isInLines = lines !== undefined && Object.keys(format.options).length === 0;
  if (isInLines && !isWrapped(file, isNdjson)) return new RecordQueue(file, { isNdjson });
  const folder = mkdtempSync(join(tmpdir(), 'tagstream-'));
  try {
    const copy = join(folder, 'records.ndjson');
    if (isInLines) await copyLines(file, codec, copy);
    else await copyRecords(file, codec, copy, log);
    return new RecordQueue(file, { copy, isNdjson });
  } finally {
    // The queue keeps the file open.
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
  const { bytes } = await readHead(file, looked);
  const isSure = areColumns(new TextDecoder().decode(bytes), found);
  if (!isSure) return { name: 'text', options: {} };
  if (found.guessed !== undefined) {
    log.info(`${file} reads as ${found.guessed} (--format names another one)`);
  }
  return found;
}

/** Returns whether a file of lines is compressed, or a JSON array. */
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

/**
 * Copies lines byte for byte, so that each record is read or rejected as in an uncompressed file.
 */
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
