import type { Sample } from '../run-history.js';

/** The format of a panel's figures. */
export type Unit = 'count' | 'percent' | 'bytes' | 'duration' | 'rate' | 'number' | 'load';

/** A chart of figures over time. */
export interface Panel {
  readonly title: string;
  readonly unit: Unit;
  /**
   * Displayed names by metric. A metric that ends in `{` matches all its labelled series, which are named by their
   * label values.
   */
  readonly series: Readonly<Record<string, string>>;
  /** Whether the chart shows growth per second instead of the figures themselves. */
  readonly perSecond?: boolean;
}

/** All panels, in order. A run shows those for which it has figures. */
export const panels: readonly Panel[] = [
  {
    title: 'Loss per token',
    unit: 'number',
    series: { tagstream_progressive_loss: 'mean of the pass' },
  },
  { title: 'Objective', unit: 'number', series: { tagstream_objective: 'objective' } },
  {
    title: 'Held-out scores',
    unit: 'percent',
    series: { tagstream_held_out_f1: 'F1', tagstream_held_out_accuracy: 'accuracy' },
  },
  {
    title: 'Progressive F1',
    unit: 'percent',
    series: {
      'tagstream_progressive_f1{recent}': 'recent',
      'tagstream_progressive_f1{all}': 'all',
    },
  },
  {
    title: 'Progressive accuracy',
    unit: 'percent',
    series: {
      'tagstream_progressive_accuracy{recent}': 'recent',
      'tagstream_progressive_accuracy{all}': 'all',
      tagstream_progressive_unseen_accuracy: 'unseen words',
      'tagstream_progressive_baseline_accuracy{word}': 'baseline: usual tag of the word',
    },
  },
  {
    title: 'Learners',
    unit: 'percent',
    series: { 'tagstream_learner_accuracy{': '' },
  },
  {
    title: 'Drift',
    unit: 'count',
    series: { 'tagstream_drift_signs_total{': '', 'tagstream_drift_answers_total{': '' },
  },
  {
    title: 'Throughput',
    unit: 'rate',
    perSecond: true,
    series: {
      tagstream_records_in_total: 'records read',
      tagstream_records_out_total: 'records written',
      tagstream_sentences_seen_total: 'sentences learned from',
      tagstream_serve_records_total: 'records answered',
      tagstream_serve_request_seconds_count: 'requests',
    },
  },
  {
    title: 'Progress',
    unit: 'count',
    series: {
      tagstream_passes_total: 'passes',
      tagstream_sentences_seen_total: 'sentences learned from',
      tagstream_records_out_total: 'records written',
    },
  },
  {
    title: 'Labelled records',
    unit: 'count',
    series: {
      tagstream_annotate_accepted_total: 'accepted',
      'tagstream_annotate_accepted_total{': '',
    },
  },
  {
    title: 'Score before each answer',
    unit: 'percent',
    series: { tagstream_annotate_score: 'score', 'tagstream_annotate_score{': '' },
  },
  {
    title: 'Corrections a record, of late',
    unit: 'number',
    series: {
      tagstream_annotate_corrections: 'corrections',
      'tagstream_annotate_corrections{': '',
    },
  },
  {
    title: 'Runs of the study',
    unit: 'count',
    series: { tagstream_study_runs_total: 'finished', tagstream_study_runs: 'all' },
  },
  {
    title: 'Tasks',
    unit: 'number',
    series: {
      tagstream_cluster_tasks_total: 'tasks done',
      tagstream_cluster_task_seconds_total: 'seconds for them',
    },
  },
  {
    title: 'Requests',
    unit: 'count',
    series: {
      'tagstream_serve_answers_total{': '',
      'tagstream_serve_waiting_requests{': 'waiting: ',
      tagstream_serve_streams: 'open streams',
    },
  },
  {
    title: 'Lag',
    unit: 'bytes',
    series: {
      tagstream_source_lag_bytes: 'input still to read',
      tagstream_in_flight_bytes: 'in memory',
      tagstream_serve_held_bytes: 'bodies without an answer',
    },
  },
  {
    title: 'Queues',
    unit: 'count',
    series: {
      tagstream_in_flight_items: 'records in memory',
      tagstream_source_waiting_messages: 'messages waiting',
      tagstream_records_waiting_for_labels: 'records waiting for labels',
    },
  },
  {
    title: 'Rejected records',
    unit: 'count',
    series: { 'tagstream_bad_records_total{': '' },
  },
  {
    title: 'Age of the last checkpoint',
    unit: 'duration',
    series: { tagstream_checkpoint_age_seconds: 'age' },
  },
  {
    title: 'Memory',
    unit: 'bytes',
    series: {
      process_resident_memory_bytes: 'resident',
      nodejs_heap_size_used_bytes: 'heap of the main thread',
    },
  },
  {
    title: 'Processor',
    unit: 'load',
    perSecond: true,
    series: { process_cpu_seconds_total: 'all threads' },
  },
];

/** A line of a chart. */
export interface SeriesValues {
  readonly name: string;
  /** Key of the metric. */
  readonly key: string;
  /** Value of each sample; null if it has none. */
  readonly values: readonly (number | null)[];
}

/**
 * Returns the lines of a panel that have figures in the samples.
 *
 * @example
 * const samples = [{ at: 0, figures: { a: 1 } }, { at: 2000, figures: { a: 5 } }];
 * seriesOf({ title: '', unit: 'rate', perSecond: true, series: { a: 'A', b: 'B' } }, samples)
 * // => [{ name: 'A', key: 'a', values: [null, 2] }]
 */
export function seriesOf(panel: Panel, samples: readonly Sample[]): SeriesValues[] {
  const known = new Set(samples.flatMap(({ figures }) => Object.keys(figures)));
  const found = Object.entries(panel.series).flatMap(([metric, name]) => {
    if (!metric.endsWith('{')) return known.has(metric) ? [[metric, name] as const] : [];
    const keys = [...known].filter(key => key.startsWith(metric)).sort();
    return keys.map(key => [key, name + key.slice(metric.length, -1)] as const);
  });
  return found.map(([key, name]) => ({
    name,
    key,
    values: samples.map(({ at, figures }, i) => {
      const value = figures[key] ?? null;
      if (panel.perSecond !== true || value === null) return value;
      const before = samples[i - 1];
      const then = before?.figures[key];
      return then === undefined ? null : ((value - then) * 1000) / (at - before!.at || 1);
    }),
  }));
}

/**
 * Formats a figure in a unit.
 *
 * @example
 * [shownFigure('percent', 0.93646), shownFigure('bytes', 3 << 20), shownFigure('duration', 75)]
 * // => ['93.65 %', '3.0 MiB', '1 min 15 s']
 */
export function shownFigure(unit: Unit, value: number | null | undefined): string {
  if (value === undefined || value === null || !Number.isFinite(value)) return '';
  switch (unit) {
    case 'percent':
      return `${(100 * value).toFixed(2)} %`;
    case 'load':
      return `${Math.round(100 * value)} %`;
    case 'count':
      return value.toLocaleString('en', { maximumFractionDigits: 0 });
    case 'rate':
      return `${value.toLocaleString('en', { maximumSignificantDigits: 3 })}/s`;
    case 'bytes': {
      const power = Math.min(3, Math.max(0, Math.floor(Math.log2(Math.max(1, value)) / 10)));
      return `${(value / 2 ** (10 * power)).toFixed(power === 0 ? 0 : 1)} ${['B', 'KiB', 'MiB', 'GiB'][power]}`;
    }
    case 'duration':
      return value < 60
        ? `${value.toFixed(0)} s`
        : value < 3600
          ? `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`
          : `${Math.floor(value / 3600)} h ${Math.round((value % 3600) / 60)} min`;
    default:
      return value.toLocaleString('en', { maximumSignificantDigits: 5 });
  }
}

/**
 * Formats a figure for an axis, without redundant digits.
 *
 * @example
 * [markText('percent', 0.9), markText('duration', 90)] // => ['90 %', '1:30']
 */
export function markText(unit: Unit, value: number): string {
  if (unit === 'percent') return `${+(100 * value).toFixed(2)} %`;
  if (unit !== 'duration') return shownFigure(unit, value);
  const [minutes, seconds] = [Math.floor(value / 60), Math.round(value % 60)];
  if (minutes < 60) return `${minutes}:${String(seconds).padStart(2, '0')}`;
  return `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}`;
}
