import { describe, expect, it } from 'vitest';
import { RunStatus } from '../../../src/engine/core/run-status.js';
import { runMetrics } from '../../../src/service/telemetry/run-metrics.js';

/** The samples of a run in the text for Prometheus, by name and labels. */
async function samples(status: RunStatus): Promise<Record<string, string>> {
  const text = await runMetrics(status).metrics();
  const lines = text.split('\n').filter(line => line.startsWith('tagstream_'));
  return Object.fromEntries(
    lines.map(line => [line.slice(0, line.lastIndexOf(' ')), line.split(' ').at(-1)!]),
  );
}

describe('the metrics of a run', () => {
  it('are its counts, in the units of Prometheus', async () => {
    const status = new RunStatus();
    Object.assign(status, {
      ...{ recordsIn: 5, recordsOut: 4, sentencesSeen: 7, meanLoss: 0.25, checkpoints: 2 },
      badRecords: { counts: { 'not-json': 2, 'too-long': 1 }, kept: 3 },
      gate: { items: 12, bytes: 3400, waitedMilliseconds: 1500 },
      ...{ checkpointFailures: 1, checkpointedAt: Date.now(), modelDigest: 'sha256:0a' },
      sourceLag: () => 99,
      progress: () => ({
        all: { sentences: 7, tokens: 20, accuracy: 75, f1: 50 },
        recent: { sentences: 2, tokens: 4, accuracy: 25, f1: 12.5 },
      }),
      details: () => ({
        ...{ accuracy: [20, 30], unseen: { tokens: 3, accuracy: 40 } },
        baselines: { majority: 10, last: 15, word: 50 },
        labels: [{ label: 'NP', f1: 62.5 }],
      }),
      contest: () => ({
        switches: 2,
        standings: [{ name: 'pipeline', isChampion: true, accuracy: 75, recent: 80 }],
      }),
      stall: 'batch waits for what the gate holds back',
    });
    for (const seconds of [0.00005, 0.002, 0.002, 60]) status.batches.add(seconds);
    const { tagstream_checkpoint_age_seconds: age, ...rest } = await samples(status);
    expect(Number(age)).toBeGreaterThanOrEqual(0);
    const bucket = (le: string) => `tagstream_batch_duration_seconds_bucket{le="${le}"}`;
    expect(rest).toEqual({
      tagstream_records_in_total: '5',
      tagstream_records_out_total: '4',
      'tagstream_bad_records_total{code="not-json"}': '2',
      'tagstream_bad_records_total{code="too-long"}': '1',
      tagstream_dead_letters_total: '3',
      tagstream_in_flight_items: '12',
      tagstream_in_flight_bytes: '3400',
      tagstream_gate_wait_seconds_total: '1.5',
      tagstream_checkpoints_total: '2',
      tagstream_checkpoint_failures_total: '1',
      tagstream_source_lag_bytes: '99',
      tagstream_sentences_seen_total: '7',
      tagstream_progressive_loss: '0.25',
      'tagstream_progressive_accuracy{over="all"}': '0.75',
      'tagstream_progressive_accuracy{over="recent"}': '0.25',
      'tagstream_progressive_f1{over="all"}': '0.5',
      'tagstream_progressive_f1{over="recent"}': '0.125',
      'tagstream_progressive_accuracy_interval{end="low"}': '0.2',
      'tagstream_progressive_accuracy_interval{end="high"}': '0.3',
      tagstream_progressive_unseen_accuracy: '0.4',
      'tagstream_progressive_baseline_accuracy{baseline="majority"}': '0.1',
      'tagstream_progressive_baseline_accuracy{baseline="last"}': '0.15',
      'tagstream_progressive_baseline_accuracy{baseline="word"}': '0.5',
      'tagstream_progressive_label_f1{label="NP"}': '0.625',
      tagstream_champion_switches_total: '2',
      'tagstream_learner_accuracy{learner="pipeline",champion="true"}': '0.8',
      'tagstream_model_info{digest="sha256:0a"}': '1',
      tagstream_stalled: '1',
      [bucket('0.0001')]: '1',
      [bucket('0.00025')]: '1',
      [bucket('0.001')]: '1',
      ...Object.fromEntries(
        ['0.0025', '0.01', '0.025', '0.1', '0.25', '1', '2.5', '10'].map(le => [bucket(le), '3']),
      ),
      [bucket('+Inf')]: '4',
      tagstream_batch_duration_seconds_sum: '60.00405',
      tagstream_batch_duration_seconds_count: '4',
    });
  });

  it('are read anew each time; what a run does not have is absent', async () => {
    const status = new RunStatus();
    const registry = runMetrics(status);
    const before = await registry.metrics();
    expect(before).toContain('\ntagstream_records_in_total 0\n');
    expect(before).toContain('\ntagstream_stalled 0\n');
    for (const name of [
      ...['in_flight_items', 'in_flight_bytes', 'gate_wait_seconds_total', 'source_lag_bytes'],
      ...['checkpoints_total', 'checkpoint_failures_total', 'checkpoint_age_seconds'],
      ...['sentences_seen_total', 'progressive_loss', 'progressive_f1', 'model_info'],
    ]) {
      expect(before).toContain(`# TYPE tagstream_${name} `);
      expect(before).not.toMatch(new RegExp(`^tagstream_${name}[ {]`, 'm'));
    }
    status.recordsIn = 3;
    status.sourceLag = () => 10;
    expect(await registry.metrics()).toContain('\ntagstream_records_in_total 3\n');
    status.recordsIn = 4;
    const after = await registry.metrics();
    expect(after).toContain('\ntagstream_records_in_total 4\n');
    expect(after).toContain('\ntagstream_source_lag_bytes 10\n');
    status.sourceLag = () => undefined;
    expect(await registry.metrics()).not.toMatch(/^tagstream_source_lag_bytes /m);
  });

  it('escapes what stands in labels', async () => {
    const status = new RunStatus();
    status.modelDigest = 'a"b\\c\nd';
    expect(await samples(status)).toHaveProperty(
      [String.raw`tagstream_model_info{digest="a\"b\\c\nd"}`],
      '1',
    );
  });

  it('come with those of the process', async () => {
    const text = await runMetrics(new RunStatus()).metrics();
    const resident = /^process_resident_memory_bytes (\d+)$/m.exec(text);
    expect(Number(resident![1])).toBeGreaterThan(1e6);
    expect(text).toMatch(/^process_cpu_seconds_total /m);
    expect(text).toMatch(/^nodejs_eventloop_lag_seconds /m);
  });
});
