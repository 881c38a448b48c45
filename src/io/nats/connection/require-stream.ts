import type { StreamInfo } from '@nats-io/jetstream';
import { TagstreamError } from '../../../core/errors.js';
import { isMissing, keepTrying, natsFault } from './keep-trying.js';
import type { Connection } from './open-connection.js';

/** A stream that is wanted. */
export interface WantedStream {
  readonly name: string;
  /** Subjects of a stream that is created. */
  readonly subjects: readonly string[];
  readonly create: boolean;
  readonly replicas: number;
  /** Seconds within which it recognizes a message that is sent twice. */
  readonly window: number;
}

const nanoseconds = 1e9;

/**
 * The stream of a name, created where that is asked for and it is not there.
 *
 * @throws (rejects with) TagstreamError `config` if it is not there, `connection`
 */
export async function requireStream(
  connection: Connection,
  { name, subjects, create, replicas, window }: WantedStream,
): Promise<StreamInfo> {
  const { manager, client } = connection;
  const info = () => manager.streams.info(name);
  try {
    return await keepTrying(connection, `find the stream ${name}`, async () => {
      try {
        return await info();
      } catch (thrown) {
        if (!create || !isMissing(thrown, client, 'stream')) throw thrown;
        // Several runs may create it at a time, all of them alike.
        return await manager.streams.add({
          ...{ name, subjects: [...subjects], num_replicas: replicas },
          duplicate_window: window * nanoseconds,
        });
      }
    });
  } catch (thrown) {
    if (!isMissing((thrown as TagstreamError).cause, client, 'stream'))
      throw natsFault(thrown, `find the stream ${name}`);
    throw new TagstreamError('config', `there is no stream ${name}`, {
      fix: 'correct the name, create the stream, or let the run create it with create: true',
      cause: thrown,
    });
  }
}
