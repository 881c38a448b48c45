import { TagstreamError } from '../../engine/core/errors.js';
import { shortDigest } from '../../formats/files/node-parts.js';
import { splitLines } from '../../formats/lines/line-splitter.js';
import { openInput } from '../../formats/reading/open-input.js';
import { requireStream } from '../../nats/connection/open-connection.js';
import {
  eachStored,
  partitionOf,
  partitionSubject,
  subjectRead,
} from '../../nats/reading/consumers.js';
import type { TransportOptions } from '../../nats/transport-options.js';
import { type PutMessage, putRecords } from '../../nats/writing/store-message.js';
import { writeFully } from '../../runtime/io/writing/atomic-write.js';
import { loadPipeline } from '../../runtime/pipeline/loading/load-pipeline.js';
import { printError } from '../report/terminal.js';
import { natsOfPipeline, withConnection } from './nats-of-pipeline.js';

/** Arguments of `cluster put`. */
export interface PutArguments {
  readonly pipeline: string;
  readonly inputs?: readonly string[] | undefined;
  readonly set?: readonly string[] | undefined;
  readonly together: number;
}

/** Puts the lines of files into a pipeline's input stream. */
export async function putFiles(given: PutArguments): Promise<void> {
  const { pipeline: file, inputs = [], set, together } = given;
  const pipeline = loadPipeline(file, { set: set ?? [] });
  const { source } = natsOfPipeline(pipeline);
  const stream = source?.stream;
  if (stream === undefined) {
    throw new TagstreamError('config', 'the pipeline does not read from a NATS stream', {
      place: { source: file },
      fix: 'give one with source: { ndjson: { from: { nats: { stream: NAME } } } }',
    });
  }
  const options = { ...source!, stream };
  const { subject = stream, partition } = options;
  if (/[*>]/.test(subject)) throw needsSubject(subject);
  const counts = await withConnection(options, pipeline, async connection => {
    const subjects = [subjectRead(options) ?? stream];
    await requireStream(connection, { ...options, name: stream, subjects });
    const files = inputs.length === 0 ? ['-'] : inputs;
    const isOrdered = partition !== undefined;
    return putRecords(connection, messagesOf(files, together, options), { isOrdered });
  });
  const known = counts.known === 0 ? '' : `, ${counts.known} of them already there`;
  printError(`${counts.messages} messages are in ${stream}${known}\n`);
}

/** Lines of a message, and the number of the first line. */
interface Lines {
  readonly first: number;
  readonly lines: string[];
}

/**
 * Number of counters of equal messages. Messages that share a counter skip numbers, so that an endless input takes no
 * more memory.
 */
const counters = 2 ** 22;

/**
 * Yields messages of several lines each, grouped by partition. The id of a message comes from its subject and content,
 * and from how many equal messages were put before it: putting the same input again yields the same ids, whatever it is
 * called, and a line that occurs twice yields two.
 */
async function* messagesOf(
  files: readonly string[],
  together: number,
  options: TransportOptions & { readonly stream: string },
): AsyncGenerator<PutMessage, void, undefined> {
  const equal = new Uint32Array(counters);
  for (const file of files) {
    const waiting = new Map<string, Lines>();
    const message = (subject: string, { first, lines }: Lines) => {
      waiting.delete(subject);
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      const digest = shortDigest(`${subject}\n`, bytes);
      const counter = Number.parseInt(digest.slice(0, 8), 16) % counters;
      equal[counter]! += 1;
      const id = `${digest}:${equal[counter]}`;
      return { subject, bytes, id, place: { source: file, line: first } };
    };
    let number = 0;
    for await (const some of splitLines((await openInput(file, {})).chunks)) {
      for (const { text } of some) {
        number += 1;
        if (text === undefined) throw badLine(file, number);
        const subject = subjectOf(text, options);
        const collected = waiting.get(subject) ?? { first: number, lines: [] };
        waiting.set(subject, collected);
        collected.lines.push(text);
        if (collected.lines.length === together) yield message(subject, collected);
      }
    }
    for (const [subject, lines] of waiting) yield message(subject, lines);
  }
}

/** Returns the subject of a line: the partition of its record's id, if there are partitions. */
function subjectOf(line: string, options: TransportOptions & { readonly stream: string }): string {
  const { stream, subject = stream, partition, partitions } = options;
  return partition === undefined
    ? subject
    : partitionSubject(options, partitionOf(keyOf(line), partitions));
}

/**
 * Returns the id of a record. A line without an id, or that is not a record, is its own key, as
 * there is no order to keep.
 */
function keyOf(line: string): string {
  try {
    const { id } = JSON.parse(line) as { readonly id?: unknown };
    if (id === undefined || id === null) return line;
    return typeof id === 'string' ? id : JSON.stringify(id);
  } catch {
    return line;
  }
}

function badLine(source: string, line: number): TagstreamError {
  return new TagstreamError('invalid-utf8', 'the line is too long or not valid UTF-8', {
    place: { source, line },
    fix: 'correct it; the lines before it are in the stream',
  });
}

function needsSubject(subject: string): TagstreamError {
  return new TagstreamError('usage', `the pipeline reads several subjects, ${subject}`, {
    fix: 'choose one: --set source.ndjson.from.nats.subject=NAME',
  });
}

/** Arguments of `cluster read`. */
export interface ReadArguments {
  readonly pipeline: string;
  readonly set?: readonly string[] | undefined;
}

/** Prints the records of a pipeline's output stream, in the order in which they were stored. */
export async function printResults({ pipeline: file, set }: ReadArguments): Promise<void> {
  const pipeline = loadPipeline(file, { set: set ?? [] });
  const { sink } = natsOfPipeline(pipeline);
  const stream = sink?.stream;
  if (stream === undefined) {
    throw new TagstreamError('config', 'the pipeline does not name the stream of its sink', {
      place: { source: file },
      fix: 'give stream in sink.to.nats',
    });
  }
  await withConnection(sink!, pipeline, async connection => {
    for await (const { data } of eachStored(connection, { stream })) writeFully(1, data);
  });
}
