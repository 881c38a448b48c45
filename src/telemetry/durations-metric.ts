import type { Metric } from 'prom-client';
import type { Durations } from '../core/durations.js';

/**
 * A histogram whose counts are kept elsewhere: prom-client's own can only be filled one observation at
 * a time. Cumulative, as Prometheus has it.
 *
 * @example
 * const durations = { bounds: [0.1], counts: [2, 1], count: 3, sum: 1.5 };
 * const { values } = await durationsMetric('time_seconds', { help: 'Time.', durations }).get();
 * values.map(({ value }) => value) // => [2, 3, 1.5, 3]
 */
export function durationsMetric(
  name: string,
  { help, durations }: { readonly help: string; readonly durations: Omit<Durations, 'add'> },
): Metric {
  const values = () => {
    let below = 0;
    const buckets = durations.counts.map((count, i) => {
      below += count;
      const labels = { le: durations.bounds[i] ?? '+Inf' };
      return { metricName: `${name}_bucket`, labels, value: below };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: {}, value: durations.sum },
      { metricName: `${name}_count`, labels: {}, value: durations.count },
    ];
  };
  // What a registry asks of a metric; the classes of prom-client have more, for writing.
  const metric = { name, help, type: 'histogram', aggregator: 'sum' };
  return { ...metric, get: async () => ({ ...metric, values: values() }) } as unknown as Metric;
}
