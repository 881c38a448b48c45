import { keepTrying } from '../connection/keep-trying.js';
import type { Connection } from '../connection/open-connection.js';

/** How far the work on a stream has come. */
export interface StreamStatus {
  readonly stream: string;
  readonly messages: number;
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
  /** The server that leads its replicas, and those that follow with what they lack; absent outside of a cluster. */
  readonly leader?: string | undefined;
  readonly lagging: readonly string[];
  readonly consumers: readonly ConsumerStatus[];
}

/** How far the taggers have come that share a consumer. */
export interface ConsumerStatus {
  readonly consumer: string;
  /** Messages that nobody has had yet. */
  readonly waiting: number;
  /** Messages that some run is working on. */
  readonly inFlight: number;
  /** Messages in flight that were delivered more than once. */
  readonly redelivered: number;
  /** The last message up to which all are acknowledged. */
  readonly acknowledged: number;
  /** Requests for messages that stand at the server: about one a run. */
  readonly requests: number;
}

/**
 * The state of a stream and of its consumers, as the servers have it.
 *
 * @throws (rejects with) TagstreamError `connection`, also for a stream that is not there
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
