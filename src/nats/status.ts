import { bucketClient } from './connection/client.js';
import { keepTrying } from './connection/keep-trying.js';
import type { Connection } from './connection/open-connection.js';

/** The progress of the work on a stream. */
export interface StreamStatus {
  readonly stream: string;
  readonly messages: number;
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
  /** The server that leads the stream's replicas, and its followers with their lag; absent outside a cluster. */
  readonly leader?: string | undefined;
  readonly lagging: readonly string[];
  readonly consumers: readonly ConsumerStatus[];
}

/** Progress of the taggers that share a consumer. */
export interface ConsumerStatus {
  readonly consumer: string;
  /** Number of messages not yet delivered. */
  readonly waiting: number;
  /** Number of messages that runs are working on. */
  readonly inFlight: number;
  /** Number of messages in flight that were delivered more than once. */
  readonly redelivered: number;
  /** Sequence number up to which all messages are acknowledged. */
  readonly acknowledged: number;
  /** Number of open requests for messages at the server: about one per run. */
  readonly requests: number;
}

/**
 * Returns the state of a stream and its consumers as reported by the servers.
 *
 * @throws (rejects with) TagstreamError `connection`, also for a missing stream
 */
export async function streamStatus(connection: Connection, stream: string): Promise<StreamStatus> {
  const { manager } = connection;
  return keepTrying(connection, `look at the stream ${stream}`, async () => {
    const { state, cluster } = await manager.streams.info(stream);
    const consumers: ConsumerStatus[] = [];
    for await (const info of manager.consumers.list(stream)) {
      if (info.config.durable_name === undefined) continue;
      consumers.push({
        consumer: info.name,
        waiting: info.num_pending,
        inFlight: info.num_ack_pending,
        redelivered: info.num_redelivered,
        acknowledged: info.ack_floor.stream_seq,
        requests: info.num_waiting,
      });
    }
    const replicas = cluster?.replicas ?? [];
    return {
      ...{ stream, messages: state.messages, bytes: state.bytes },
      ...{ first: state.first_seq, last: state.last_seq, leader: cluster?.leader, consumers },
      lagging: replicas.filter(({ current }) => !current).map(({ name }) => name),
    };
  });
}

/** Progress of the trainings that share a task queue. */
export interface TrainingStatus {
  /** Name of the queue. */
  readonly queue: string;
  readonly workers: Pick<ConsumerStatus, 'waiting' | 'inFlight' | 'redelivered' | 'requests'>;
  readonly runs: readonly TrainingRun[];
}

/** A training whose results are stored. */
export interface TrainingRun {
  readonly run: string;
  readonly shards: number;
  /** Number of the last pass that has begun, from 1; undefined before the first one. */
  readonly pass: number | undefined;
  /** Number of finished shards of this pass. */
  readonly done: number;
  readonly failed: boolean;
}

const nobody = { waiting: 0, inFlight: 0, redelivered: 0, requests: 0 };

/**
 * Returns the state of a task queue and of the trainings that have stored data there. Reads the names of all keys, but
 * no data.
 *
 * @throws (rejects with) TagstreamError `connection`, also for a missing queue
 */
export async function trainingStatus(
  connection: Connection,
  queue: string,
): Promise<TrainingStatus> {
  const { consumers } = await streamStatus(connection, queue);
  const { kv } = await bucketClient();
  const keys = await keepTrying(connection, `look at the trainings of ${queue}`, async () => {
    const bucket = await new kv.Kvm(connection.stream).open(queue, { allow_direct: false });
    const found: string[] = [];
    for await (const key of await bucket.keys()) found.push(key);
    return found;
  });
  return { queue, workers: consumers[0] ?? nobody, runs: trainingRuns(keys) };
}

/**
 * Returns, in alphabetical order, the trainings to which keys belong.
 *
 * @example
 * trainingRuns(['a1.sentences.0', 'a1.sentences.1', 'a1.weights.3', 'a1.result.3.1', 'lease.a1'])
 * // => [{ run: 'a1', shards: 2, pass: 3, done: 1, failed: false }]
 */
export function trainingRuns(keys: readonly string[]): TrainingRun[] {
  const ofRun = new Map<string, string[][]>();
  for (const key of keys) {
    const [run, ...rest] = key.split('.');
    if (run === 'lease') continue;
    ofRun.set(run!, [...(ofRun.get(run!) ?? []), rest]);
  }
  return [...ofRun].sort().map(([run, parts]) => {
    const of = (kind: string) => parts.filter(([first]) => first === kind);
    const passes = [...of('weights'), ...of('result')].map(([, pass]) => Number(pass));
    const pass = passes.length === 0 ? undefined : Math.max(...passes);
    const done = of('result').filter(part => Number(part[1]) === pass).length;
    const shards = of('sentences').length;
    return { run, shards, pass, done, failed: of('failure').length > 0 };
  });
}
