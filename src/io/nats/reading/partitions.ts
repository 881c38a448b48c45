import { fnv1a } from '../../../text/fnv1a.js';
import type { TransportOptions } from '../transport-options.js';

/** What says which messages of a stream are read, and how. */
type Choice = Pick<TransportOptions, 'subject' | 'partition' | 'partitions'> & {
  readonly stream: string;
};

/** A part of a stream with a consumer of its own. */
export interface Partition {
  readonly consumer: string;
  /** All of the stream if undefined. */
  readonly subject: string | undefined;
}

/**
 * The number of the partition that a key belongs to: FNV-1a (32 bits) of its UTF-8 bytes, modulo the partitions. It is
 * that of `{{partition(N,1)}}` in the mappings of nats-server.
 *
 * @example
 * partitionOf('order 17', 16) // => 1
 */
export function partitionOf(key: string, partitions: number): number {
  return fnv1a(key) % partitions;
}

/** The subject of the messages of a partition. */
export function partitionSubject({ stream, subject = stream }: Choice, partition: number): string {
  return `${subject}.${partition}`;
}

/** The subject of all messages that are read, with `*` for the number of a partition; undefined for all of the stream. */
export function subjectRead({ stream, subject, partition }: Choice): string | undefined {
  return partition === undefined ? subject : `${subject ?? stream}.*`;
}

/** The partitions of a consumer, as consumers of their own; it alone where there are none. */
export function partitionsOf(
  options: Choice & { readonly consumer: string },
): readonly Partition[] {
  const { consumer, subject, partition, partitions } = options;
  if (partition === undefined) return [{ consumer, subject }];
  return Array.from({ length: partitions }, (_, i) => ({
    consumer: `${consumer}-${i}`,
    subject: partitionSubject(options, i),
  }));
}
