import { createReadStream } from 'node:fs';
import { TagstreamError } from '../../engine/core/errors.js';
import { shortDigest } from '../../formats/files/node-parts.js';
import { splitLines } from '../../formats/lines/line-splitter.js';
import type { Connection } from '../../nats/connection/open-connection.js';
import { subjectRead } from '../../nats/reading/consumers.js';
import { streamStatus } from '../../nats/status.js';
import {
  type Misplaced,
  type RejectedPart,
  type Verification,
  verifyResults,
} from '../../nats/verification/verify-results.js';
import { maxRejectedBytes, readRejected } from '../../runtime/io/dead-letters/rejected-record.js';
import { withRotations } from '../../runtime/io/dead-letters/rotations.js';
import { unpackedMessage } from '../../runtime/io/transports/message-source.js';
import { loadPipeline } from '../../runtime/pipeline/loading/load-pipeline.js';
import { printJson, printText } from '../report/terminal.js';
import { natsOfPipeline, withConnection } from './nats-of-pipeline.js';

/** Arguments of `cluster verify`. */
export interface VerifyArguments {
  readonly pipeline: string;
  readonly set?: readonly string[] | undefined;
  readonly rejected?: readonly string[] | undefined;
  readonly json?: boolean | undefined;
  readonly wait?: boolean | undefined;
}

/** Maximum number of misplaced parts that are named. */
const named = 5;

/**
 * Compares a pipeline's output stream with its input stream.
 *
 * @throws TagstreamError `connection` if a record has no result or more than one
 */
export async function verifyOutput(given: VerifyArguments): Promise<void> {
  const { pipeline: file, set, rejected: files = [], json } = given;
  const pipeline = loadPipeline(file, { set: set ?? [] });
  const { source, sink } = natsOfPipeline(pipeline);
  const [from, to] = [source?.stream, sink?.stream];
  if (from === undefined || to === undefined) throw needsStreams(file);
  const { maxLineBytes } = pipeline.source.options as { readonly maxLineBytes?: number };
  const rejected = await rejectedParts(files, `nats ${from}`);
  const found = await withConnection(source!, pipeline, async connection => {
    if (given.wait === true) await untilIdle(connection, from);
    return verifyResults(connection, {
      input: { stream: from, subject: subjectRead({ ...source!, stream: from }) },
      output: { stream: to },
      unpacked: bytes => unpackedMessage(bytes, maxLineBytes).chunk,
      rejected,
    });
  });
  if (json === true) printJson(found);
  else printText(text(found, from, to));
  const { missing, doubled } = found;
  if (missing.length + doubled.length === 0) return;
  throw new TagstreamError(
    'connection',
    `${to} is incomplete: ${missing.length} records of ${from} are missing, ${doubled.length} occur more than once`,
    {
      fix: 'records in flight count as missing until their run ends; pass dead-letter files with --rejected',
    },
  );
}

function text(
  { messages, results, rejected, foreign, missing, doubled }: Verification,
  from: string,
  to: string,
): string {
  const lines = [
    `${messages} messages of ${from}; in ${to}: ${results} results of them, ${foreign} others; ${rejected} rejected`,
    ...list('missing', missing, from),
    ...list('more than once', doubled, from),
  ];
  if (missing.length + doubled.length === 0) lines.push('each record occurs once');
  return `${lines.join('\n')}\n`;
}

function list(what: string, parts: readonly Misplaced[], stream: string): string[] {
  if (parts.length === 0) return [];
  const first = parts
    .slice(0, named)
    .map(part => `${stream}:${part.sequence}:${part.start}-${part.end}`);
  const more = parts.length > named ? ` and ${parts.length - named} more` : '';
  return [`${what}: ${first.join(', ')}${more}`];
}

/** Milliseconds between checks of a stream. */
const pause = 250;

/** Resolves when a stream has consumers, and none of them has messages to deliver or in flight. */
async function untilIdle(connection: Connection, stream: string): Promise<void> {
  for (;;) {
    const { consumers } = await streamStatus(connection, stream);
    const idle = consumers.every(({ waiting, inFlight }) => waiting === 0 && inFlight === 0);
    if (consumers.length > 0 && idle) return;
    await new Promise(resolve => setTimeout(resolve, pause));
  }
}

function needsStreams(file: string): TagstreamError {
  return new TagstreamError(
    'config',
    'the pipeline does not name both its source stream and its result stream',
    {
      place: { source: file },
      fix: 'give stream in source.*.from.nats and in sink.to.nats',
    },
  );
}

/**
 * Returns the rejected records of a stream from dead-letter files, each once, by message number.
 */
async function rejectedParts(
  files: readonly string[],
  transport: string,
): Promise<ReadonlyMap<number, readonly RejectedPart[]>> {
  const found = new Map<number, Map<string, RejectedPart>>();
  for (const file of files.flatMap(each => withRotations(each))) {
    const lines = splitLines(createReadStream(file), { maxLineBytes: maxRejectedBytes });
    for await (const some of lines) {
      for (const { text } of some) {
        const { position, raw } = readRejected(text);
        const { source, start, end } = position;
        const sequence = Number(source.slice(transport.length + 1));
        if (!source.startsWith(`${transport}#`) || !Number.isInteger(sequence)) continue;
        const known = found.get(sequence) ?? new Map<string, RejectedPart>();
        const key = `${start} ${shortDigest(raw)}`;
        found.set(sequence, known.set(key, { start, end, raw }));
      }
    }
  }
  return new Map([...found].map(([sequence, parts]) => [sequence, [...parts.values()]]));
}
