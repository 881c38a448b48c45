import { TagstreamError } from '../../core/errors.js';
import { splitLines } from '../../io/lines/lines.js';
import { requireStream } from '../../io/nats/connection/require-stream.js';
import { putRecords } from '../../io/nats/writing/put-records.js';
import { openInput } from '../../io/reading/open-input.js';
import { loadPipeline } from '../../pipeline/loading/load-pipeline.js';
import { natsOfPipeline } from './nats-of-pipeline.js';
import { withConnection } from './with-connection.js';

/** Arguments of `cluster put`. */
export interface PutArguments {
  readonly pipeline: string;
  readonly inputs?: readonly string[] | undefined;
  readonly set?: readonly string[] | undefined;
  readonly together: number;
}

/** Puts the lines of files into the stream that a pipeline reads. */
export async function putFiles(given: PutArguments): Promise<void> {
  const { pipeline: file, inputs = [], set, together } = given;
  const pipeline = loadPipeline(file, { set: set ?? [] });
  const { source } = natsOfPipeline(pipeline);
  const stream = source?.stream;
  if (stream === undefined) {
    throw new TagstreamError('config', 'the pipeline reads no stream', {
      place: { source: file },
      fix: 'give one with source: { ndjson: { from: { nats: { stream: NAME } } } }',
    });
  }
  const subject = source!.subject ?? stream;
  if (/[*>]/.test(subject)) throw needsSubject(subject);
  const counts = await withConnection(source!, pipeline, async connection => {
    await requireStream(connection, { ...source!, name: stream, subjects: [subject] });
    return putRecords(
      connection,
      subject,
      messagesOf(inputs.length === 0 ? ['-'] : inputs, together),
    );
  });
  const known = counts.known === 0 ? '' : `, of which it had ${counts.known} already`;
  process.stderr.write(`${counts.messages} messages are in ${stream}${known}\n`);
}

/** Several lines a message, each message with the place of its first line as id. */
async function* messagesOf(
  files: readonly string[],
  together: number,
): AsyncGenerator<{ bytes: Uint8Array; id: string }, void, undefined> {
  for (const file of files) {
    let lines: string[] = [];
    let number = 0;
    const message = () => {
      const id = `${file}:${number - lines.length + 1}`;
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      lines = [];
      return { bytes, id };
    };
    for await (const some of splitLines((await openInput(file, {})).chunks)) {
      for (const line of some) {
        number += 1;
        if (line.text === undefined) throw badLine(file, number);
        lines.push(line.text);
        if (lines.length === together) yield message();
      }
    }
    if (lines.length > 0) yield message();
  }
}

function badLine(source: string, line: number): TagstreamError {
  return new TagstreamError('invalid-utf8', 'the line is too long, or no UTF-8', {
    place: { source, line },
    fix: 'correct it; what stands before it is in the stream',
  });
}

function needsSubject(subject: string): TagstreamError {
  return new TagstreamError(
    'usage',
    `the pipeline reads the subjects ${subject}, which are several`,
    {
      fix: 'choose one: --set source.ndjson.from.nats.subject=NAME',
    },
  );
}
