import {
  type StreamStatus,
  streamStatus,
  type TrainingStatus,
  trainingStatus,
} from '../../nats/status.js';
import { textTable } from '../../reports/figures.js';
import { loadPipeline } from '../../runtime/pipeline/loading/load-pipeline.js';
import { printJson, printText } from '../report/terminal.js';
import { natsOfPipeline, withConnection } from './nats-of-pipeline.js';

/** Arguments of `cluster status`. */
export interface StatusArguments {
  readonly pipeline: string;
  readonly set?: readonly string[] | undefined;
  readonly json?: boolean | undefined;
}

/** Prints the progress of the work on a pipeline's streams. */
export async function showStatus({ pipeline: file, set, json }: StatusArguments): Promise<void> {
  const pipeline = loadPipeline(file, { set: set ?? [] });
  const { source, sink, training } = natsOfPipeline(pipeline);
  const streams: StreamStatus[] = [];
  for (const options of [source, sink]) {
    const stream = options?.stream;
    if (stream === undefined) continue;
    streams.push(await withConnection(options!, pipeline, each => streamStatus(each, stream)));
  }
  const queue =
    training &&
    (await withConnection(training, pipeline, each => trainingStatus(each, training.stream)));
  const parts = [streams.length > 0 && streamText(streams), queue && trainingText(queue)];
  const text = parts.filter(part => typeof part === 'string').join('\n');
  if (json === true) printJson({ streams, training: queue });
  else printText(text);
}

function trainingText({ queue, workers, runs }: TrainingStatus): string {
  const { waiting, inFlight, redelivered, requests } = workers;
  const heads = ['tasks', 'waiting', 'in flight', 'redelivered', 'workers'];
  const tasks = [queue, ...[waiting, inFlight, redelivered, requests].map(String)];
  const columns = ['training', 'pass', 'shards done', 'of', ''];
  const rows = runs.map(({ run, pass, done, shards, failed }) => [
    ...[run, String(pass ?? '-'), String(done), String(shards), failed ? 'failed' : ''],
  ]);
  const below = rows.length === 0 ? '' : `\n${textTable([columns, ...rows])}`;
  return textTable([heads, tasks]) + below;
}

function streamText(streams: readonly StreamStatus[]): string {
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
