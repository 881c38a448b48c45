import { TagstreamError } from '../../core/errors.js';
import { eachStored } from '../../io/nats/reading/consumers.js';
import { writeFully } from '../../io/writing/atomic-write.js';
import { loadPipeline } from '../../pipeline/loading/load-pipeline.js';
import { natsOfPipeline, withConnection } from './nats-of-pipeline.js';

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
