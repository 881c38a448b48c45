import { resolve } from 'node:path';
import { type Connection, openConnection } from '../../io/nats/connection/open-connection.js';
import type { ServerOptions } from '../../io/nats/connection/server-options.js';
import type { Pipeline } from '../../pipeline/definition/pipeline.js';

/** Does something over a connection of its own, with paths from the folder of a pipeline file. */
export async function withConnection<Result>(
  options: ServerOptions,
  { baseDirectory }: Pick<Pipeline, 'baseDirectory'>,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await openConnection(options, file => resolve(baseDirectory, file));
  try {
    return await work(connection);
  } finally {
    await connection.core.close();
  }
}
