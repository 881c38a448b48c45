import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client';
import { type Figure, isDefined } from '../../engine/core/figures.js';
import type {
  AnnotatorCounts,
  Durations,
  RunStatus,
  SampleEstimate,
} from '../../engine/core/run-status.js';
import type { DetailedScores } from '../../engine/core/training/detailed-scores.js';

/** Reads a metric from a run; undefined if the run has none. */
type Reading = (status: RunStatus) => number | undefined;

type Readings = Readonly<Record<string, readonly [help: string, read: Reading]>>;

/** Counters whose values checkpoints hold. */
const totals: Readings = {
  sentences_seen_total: ['Labelled sentences learned from.', status => status.sentencesSeen],
  passes_total: ['Passes over the corpus that have ended.', status => status.passes],
  labels_joined_total: [
    'Labels that came later and were joined with their records.',
    status => status.labels?.().joined,
  ],
  labels_doubled_total: [
    'Labels that said nothing new of their record.',
    status => status.labels?.().doubled,
  ],
  labels_contradicted_total: [
    'Labels that gave a token another tag than an earlier label.',
    status => status.labels?.().contradicted,
  ],
  labels_unmatched_total: [
    'Labels that no record waited for.',
    status => status.labels?.().unmatched,
  ],
  records_expired_total: [
    'Records that stopped to wait before a label came.',
    status => status.labels?.().expired,
  ],
  tokens_asked_total: ['Tokens whose labels were asked for.', status => status.questions?.().asked],
  sampled_records_total: [
    'Records that were drawn at random to be asked for.',
    status => status.questions?.().sampled,
  ],
  sampled_records_answered_total: [
    'Records drawn at random whose labels have all come.',
    status => status.questions?.().answered,
  ],
  champion_switches_total: [
    'How often another learner of the stream has become the champion.',
    status => status.contest?.().switches,
  ],
};

/** Counters of the process. */
const counters: Readings = {
  records_in_total: ['Records read, bad ones among them.', status => status.recordsIn],
  records_out_total: ['Records that the output has taken.', status => status.recordsOut],
  dead_letters_total: ['Bad records kept as dead letters.', status => status.badRecords?.kept],
  gate_wait_seconds_total: [
    'Time that reading has waited for records to leave memory.',
    ({ gate }) => gate && gate.waitedMilliseconds / 1000,
  ],
  source_redelivered_messages_total: [
    'Messages received that had been delivered before.',
    status => status.sourceMessages?.()?.redelivered,
  ],
  deployments_total: [
    'Models that were pushed to the registry and promoted.',
    status => status.deployment?.().deployed,
  ],
  deployment_failures_total: [
    'Attempts to push and promote a model that have failed.',
    status => status.deployment?.().failures,
  ],
  cluster_tasks_total: ['Tasks of trainings done.', status => status.tasks?.done],
  cluster_task_seconds_total: ['Time that they took.', status => status.tasks?.seconds],
  study_runs_total: ['Finished runs of the study.', status => status.studyRuns?.done],
  checkpoints_total: [
    'Checkpoints written.',
    status => (status.checkpointedAt === undefined ? undefined : status.checkpoints),
  ],
  checkpoint_failures_total: [
    'Checkpoints that could not be written.',
    status => (status.checkpointedAt === undefined ? undefined : status.checkpointFailures),
  ],
};

const gauges: Readings = {
  in_flight_items: ['Records read that have not left memory.', ({ gate }) => gate?.items],
  in_flight_bytes: ['Bytes of the records that have not left memory.', ({ gate }) => gate?.bytes],
  source_lag_bytes: [
    'Bytes of the input files still to be read; absent for pipes.',
    status => status.sourceLag?.(),
  ],
  source_waiting_messages: [
    'Messages of the stream that have not been delivered yet.',
    status => status.sourceMessages?.()?.waiting,
  ],
  source_in_flight_messages: [
    'Messages received that are not acknowledged.',
    status => status.sourceMessages?.()?.inFlight,
  ],
  records_waiting_for_labels: [
    'Records that wait for their labels.',
    status => status.labels?.().waiting,
  ],
  study_runs: ['Runs that the study has.', status => status.studyRuns?.total],
  checkpoint_age_seconds: [
    'Time since the last checkpoint was written, or since the start if there is none yet.',
    ({ checkpointedAt }) =>
      checkpointedAt === undefined ? undefined : (Date.now() - checkpointedAt) / 1000,
  ],
  progressive_loss: [
    'Mean loss per token of the stream so far, or of the current pass.',
    status => status.meanLoss,
  ],
  objective: [
    'What a batch optimizer minimizes, after its last iteration.',
    status => status.objective,
  ],
  held_out_accuracy: [
    'Part of the tokens of held-out data whose tag is predicted rightly, 0 to 1.',
    ({ heldOut }) => shareOf(heldOut?.accuracy),
  ],
  held_out_f1: [
    'Balanced F-score of the spans of held-out data, 0 to 1.',
    ({ heldOut }) => shareOf(heldOut?.f1),
  ],
  stalled: [
    '1 while the run reports that it is stalled, else 0.',
    ({ stall }) => (stall === undefined ? 0 : 1),
  ],
};

/** Scores of the progressive evaluation: percentages, shown as ratios. */
const scores = {
  progressive_accuracy: 'Part of the tokens whose tag was predicted rightly, 0 to 1',
  progressive_f1: 'Balanced F-score of the predicted spans, 0 to 1',
} as const;

/** Scores estimated from the questions of a stream. */
const sampled = {
  accuracy: 'Part of the tokens of unlabelled records whose tag is right, 0 to 1',
  f1: 'Balanced F-score of the spans of unlabelled records, 0 to 1',
} as const;

type Detail = readonly [value: string, percent: Figure];

/** Returns a percentage as a ratio; undefined if the figure is, which leaves the metric out. */
function shareOf(percent: Figure | undefined): number | undefined {
  return isDefined(percent) ? percent / 100 : undefined;
}

/** Metrics of the people who label records. */
const ofAnnotators = {
  accepted_total: {
    ...{ Kind: Counter, help: 'Records that a person has accepted.' },
    read: ({ accepted }: AnnotatorCounts): number | undefined => accepted,
  },
  corrections: {
    ...{ Kind: Gauge, help: 'Corrections per record, over the last ones.' },
    read: ({ corrections }: AnnotatorCounts): number | undefined => corrections,
  },
  score: {
    ...{ Kind: Gauge, help: 'Score of what the model proposed before each answer, 0 to 1.' },
    read: ({ score }: AnnotatorCounts) => shareOf(score),
  },
} as const;

/** Maximum number of labels whose scores are shown: the most frequent recent ones. */
const shownLabels = 50;

/** Details of the progressive scores; percentages, shown as ratios. */
const details: Readonly<
  Record<
    string,
    { readonly help: string; readonly label?: string; read(of: DetailedScores): readonly Detail[] }
  >
> = {
  progressive_accuracy_interval: {
    help: 'Ends of the interval that has the accuracy of late with a probability of 95 %, 0 to 1.',
    label: 'end',
    read: ({ accuracy: [low, high] }) => [
      ['low', low],
      ['high', high],
    ],
  },
  progressive_unseen_accuracy: {
    help: 'Part of the tokens of words that were not there before whose tag was predicted rightly of late, 0 to 1.',
    read: ({ unseen }) => [['', unseen.accuracy]],
  },
  progressive_baseline_accuracy: {
    help: 'Part of the tokens that a baseline tags rightly of late, 0 to 1: the majority tag, the tag before, the usual tag of the word.',
    label: 'baseline',
    read: ({ baselines }) => Object.entries(baselines),
  },
  progressive_label_f1: {
    help: 'Balanced F-score of a label of late, 0 to 1; of the 50 most frequent labels.',
    label: 'label',
    read: ({ labels }) => labels.slice(0, shownLabels).map(({ label, f1 }): Detail => [label, f1]),
  },
};

/**
 * Returns the metrics of a run and of the process, for prom-client. They read `status` on demand, and cost nothing
 * before.
 */
export function runMetrics(status: RunStatus): Registry {
  const registry = new Registry();
  const registers = [registry];
  const saved = Object.entries(totals).map(
    ([name, [help, read]]) => [name, `${help} In total, also before a resume.`, read] as const,
  );
  const own = Object.entries(counters).map(
    ([name, [help, read]]) => [name, `${help} Since the start or the resume.`, read] as const,
  );
  for (const [name, help, read] of [...saved, ...own]) {
    new Counter({
      ...{ name: `tagstream_${name}`, help, registers },
      collect() {
        this.remove();
        const value = read(status);
        if (value !== undefined) this.inc(value);
      },
    });
  }
  for (const [name, [help, read]] of Object.entries(gauges)) {
    new Gauge({
      ...{ name: `tagstream_${name}`, help, registers },
      collect() {
        const value = read(status);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  }
  addLabelled(status, registers);
  registry.registerMetric(
    durationsMetric('tagstream_batch_duration_seconds', {
      help: 'Time that a minibatch takes through all stages after batch.',
      durations: status.batches,
    }),
  );
  collectDefaultMetrics({ register: registry });
  return registry;
}

function addLabelled(status: RunStatus, registers: Registry[]): void {
  new Counter({
    name: 'tagstream_bad_records_total',
    help: 'Records that could not be read or processed, by what is wrong with them. Since the start or the resume.',
    labelNames: ['code'],
    registers,
    collect() {
      this.reset();
      for (const [code, count] of Object.entries(status.badRecords?.counts ?? {})) {
        this.inc({ code }, count);
      }
    },
  });
  for (const [name, help] of Object.entries(scores)) {
    new Gauge({
      name: `tagstream_${name}`,
      help: `${help}; over the last sentences (recent) or all of them.`,
      labelNames: ['over'],
      registers,
      collect() {
        this.reset();
        for (const [over, found] of Object.entries(status.progress?.() ?? {})) {
          const share = shareOf(name === 'progressive_f1' ? found.f1 : found.accuracy);
          if (share !== undefined) this.set({ over }, share);
        }
      },
    });
  }
  new Counter({
    name: 'tagstream_drift_signs_total',
    help: 'Signs of drift in the stream, by what has changed.',
    labelNames: ['code'],
    registers,
    collect() {
      this.reset();
      for (const [code, count] of Object.entries(status.drift?.().signs ?? {})) {
        this.inc({ code }, count);
      }
    },
  });
  new Counter({
    name: 'tagstream_drift_answers_total',
    help: 'What was done about drift: the learner began again, a shadow began, a shadow took over.',
    labelNames: ['answer'],
    registers,
    collect() {
      this.reset();
      const counts = status.drift?.();
      if (counts === undefined) return;
      this.inc({ answer: 'restart' }, counts.restarts);
      this.inc({ answer: 'shadow' }, counts.shadows);
      this.inc({ answer: 'takeover' }, counts.takeovers);
    },
  });
  for (const [name, { help, label, read }] of Object.entries(details)) {
    new Gauge({
      name: `tagstream_${name}`,
      help,
      labelNames: label === undefined ? [] : [label],
      registers,
      collect() {
        this.reset();
        const found = status.details?.();
        if (label === undefined) this.remove();
        for (const [value, percent] of found === undefined ? [] : read(found)) {
          const share = shareOf(percent);
          if (share !== undefined) this.set(label === undefined ? {} : { [label]: value }, share);
        }
      },
    });
  }
  for (const name of Object.keys(sampled) as (keyof typeof sampled)[]) {
    new Gauge({
      name: `tagstream_sampled_${name}`,
      help: `${sampled[name]}, estimated from the answered records of those drawn at random; over the last ones (recent) or all of them; with the ends of the interval that has it with a probability of 95 %.`,
      labelNames: ['over', 'value'],
      registers,
      collect() {
        this.reset();
        for (const [over, found] of Object.entries(status.questions?.().estimates ?? {}) as [
          string,
          SampleEstimate,
        ][]) {
          for (const [value, percent] of Object.entries(found[name] ?? {})) {
            const share = shareOf(percent);
            if (share !== undefined) this.set({ over, value }, share);
          }
        }
      },
    });
  }
  new Gauge({
    name: 'tagstream_learner_accuracy',
    help: 'Part of the tokens that a learner of the stream tagged rightly of late, before it learned from them, 0 to 1.',
    labelNames: ['learner', 'champion'],
    registers,
    collect() {
      this.reset();
      for (const { name: learner, isChampion, recent } of status.contest?.().standings ?? []) {
        const share = shareOf(recent);
        if (share !== undefined) this.set({ learner, champion: String(isChampion) }, share);
      }
    },
  });
  for (const [name, { Kind, help, read }] of Object.entries(ofAnnotators)) {
    new Kind({
      name: `tagstream_annotate_${name}`,
      help,
      labelNames: ['annotator'],
      registers,
      collect() {
        this.reset();
        for (const each of status.annotators?.() ?? []) {
          const value = read(each);
          if (value !== undefined)
            this.inc(each.name === undefined ? {} : { annotator: each.name }, value);
        }
      },
    });
  }
  new Gauge({
    name: 'tagstream_model_info',
    help: 'The model file that tags, or that was written.',
    labelNames: ['digest'],
    registers,
    collect() {
      this.reset();
      if (status.modelDigest !== undefined) this.set({ digest: status.modelDigest }, 1);
    },
  });
}

/**
 * Returns a histogram whose counts are kept elsewhere: prom-client's own can only be filled one observation at
 * a time. Cumulative, as in Prometheus.
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
  // A registry needs only these members of a metric; prom-client's classes have more, for writing.
  const metric = { name, help, type: 'histogram', aggregator: 'sum' };
  return { ...metric, get: async () => ({ ...metric, values: values() }) } as unknown as Metric;
}
