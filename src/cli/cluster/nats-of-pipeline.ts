import { resolve } from 'node:path';
import { TagstreamError } from '../../engine/core/errors.js';
import type { ClusterOptions } from '../../engine/interfaces/cluster-options.js';
import type { ServerOptions } from '../../engine/interfaces/server-options.js';
import { type Connection, openConnection } from '../../nats/connection/open-connection.js';
import type { TransportOptions } from '../../nats/transport-options.js';
import type { Pipeline } from '../../runtime/pipeline/definition/pipeline.js';

/** NATS settings of a pipeline. */
export interface NatsOfPipeline {
  readonly source: TransportOptions | undefined;
  readonly sink: TransportOptions | undefined;
  readonly training: ClusterOptions | undefined;
}

/** @throws TagstreamError `config` for a pipeline without NATS */
export function natsOfPipeline({ source, sink, train, file }: Pipeline): NatsOfPipeline {
  const of = (chosen: unknown) =>
    (chosen as { readonly nats?: TransportOptions } | undefined)?.nats;
  const found = { source: of(source.options.from), sink: of(sink?.to), training: train?.cluster };
  if (Object.values(found).some(options => options !== undefined)) return found;
  throw new TagstreamError(
    'config',
    'the pipeline does not use NATS for its source, sink or training',
    {
      place: { source: file },
      fix: 'give a pipeline with source: { ndjson: { from: { nats: ... } } } sink: { to: { nats: ... } } or train: { cluster: ... }',
    },
  );
}

/** Runs a function with its own connection, with paths relative to the folder of a pipeline file. */
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
