import { type StreamStatus, streamStatus } from '../../io/nats/status/stream-status.js';
import { loadPipeline } from '../../pipeline/loading/load-pipeline.js';
import { textTable } from '../../reports/text-table.js';
import { natsOfPipeline } from './nats-of-pipeline.js';
import { withConnection } from './with-connection.js';

/** Arguments of `cluster status`. */
export interface StatusArguments {
  readonly pipeline: string;
  readonly set?: readonly string[] | undefined;
  readonly json?: boolean | undefined;
}

/** Prints how far the work on the streams of a pipeline has come. */
export async function showStatus({ pipeline: file, set, json }: StatusArguments): Promise<void> {
  const pipeline = loadPipeline(file, { set: set ?? [] });
  const { source, sink } = natsOfPipeline(pipeline);
  const streams: StreamStatus[] = [];
  for (const options of [source, sink]) {
    const stream = options?.stream;
    if (stream === undefined) continue;
    streams.push(await withConnection(options!, pipeline, each => streamStatus(each, stream)));
  }
  process.stdout.write(json === true ? `${JSON.stringify({ streams })}\n` : text(streams));
}

function text(streams: readonly StreamStatus[]): string {
  const rows = streams.map(({ stream, messages, bytes, last, leader, lagging }) => [
    ...[stream, String(messages), String(bytes), String(last), leader ?? '-'],
    lagging.length === 0 ? '-' : lagging.join(' '),
  ]);
  const heads = ['stream', 'messages', 'bytes', 'last', 'leader', 'lagging'];
  const consumers = streams.flatMap(({ stream, consumers: all }) =>
    all.map(each => [
      `${stream}/${each.consumer}`,
      ...[each.waiting, each.inFlight, each.redelivered, each.acknowledged, each.requests].map(
        String,
      ),
    ]),
  );
  const columns = ['consumer', 'waiting', 'in flight', 'redelivered', 'acknowledged', 'runs'];
  const below = consumers.length === 0 ? '' : `\n${textTable([columns, ...consumers])}`;
  return textTable([heads, ...rows]) + below;
}
