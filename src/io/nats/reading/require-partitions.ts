import { TagstreamError } from '../../../core/errors.js';
import { keepTrying } from '../connection/keep-trying.js';
import type { Connection } from '../connection/open-connection.js';
import type { TransportOptions } from '../transport-options.js';
import { subjectRead } from './partitions.js';

/** Subjects that an error names. */
const named = 3;

/**
 * Looks for messages that no partition would read.
 *
 * @throws (rejects with) TagstreamError `config` where the stream has some
 */
export async function requirePartitions(
  { manager, ...connection }: Connection,
  options: TransportOptions & { readonly stream: string },
): Promise<void> {
  const { stream, partitions } = options;
  const filter = subjectRead(options)!;
  const { state } = await keepTrying(connection, `look at the subjects of ${stream}`, () =>
    manager.streams.info(stream, { subjects_filter: filter.replace(/\*$/, '>') }),
  );
  const known = new Set(
    Array.from({ length: partitions }, (_, i) => filter.replace(/\*$/, String(i))),
  );
  const others = Object.keys(state.subjects ?? {}).filter(subject => !known.has(subject));
  if (others.length === 0) return;
  const list = others.slice(0, named).join(', ');
  throw new TagstreamError(
    'config',
    `${stream} has messages of ${others.length === 1 ? 'a subject' : `${others.length} subjects`} that no partition reads: ${list}`,
    {
      fix: `give the number of partitions that they were divided by (partitions is ${partitions}), or store them under ${filter.replace(/\*$/, '')}0 to ${filter.replace(/\*$/, '')}${partitions - 1}`,
    },
  );
}
