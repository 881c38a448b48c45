import { TagstreamError } from '../../core/errors.js';
import type { TransportOptions } from '../../io/nats/transport-options.js';
import type { Pipeline } from '../../pipeline/definition/pipeline.js';

/** What a pipeline says about NATS. */
export interface NatsOfPipeline {
  readonly source: TransportOptions | undefined;
  readonly sink: TransportOptions | undefined;
}

/** @throws TagstreamError `config` for a pipeline that has neither source nor sink there */
export function natsOfPipeline({ source, sink, file }: Pipeline): NatsOfPipeline {
  const of = (chosen: unknown) =>
    (chosen as { readonly nats?: TransportOptions } | undefined)?.nats;
  const found = { source: of(source.options.from), sink: of(sink?.to) };
  if (found.source !== undefined || found.sink !== undefined) return found;
  throw new TagstreamError('config', 'the pipeline neither reads from NATS nor sends to it', {
    place: { source: file },
    fix: 'give a pipeline with source: { ndjson: { from: { nats: ... } } } or sink: { to: { nats: ... } }',
  });
}
