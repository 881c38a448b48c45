import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TrainingReport, timeLeftText } from '../../../src/cli/report/training-report.js';
import { ReadingReport } from '../../../src/cli/run/run-from-file.js';
import type { Log } from '../../../src/engine/core/log.js';
import type { TrainingStep } from '../../../src/engine/core/training/training-step.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function linesOf(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const info = (line: string) => void lines.push(line);
  return { log: { info, warn: info, error: info }, lines };
}

describe('progress of training without a terminal', () => {
  const stepAt = (sentencesSeen: number, passEnd?: number) =>
    ({
      ...{ sentencesSeen, step: sentencesSeen, meanLoss: 0.5 },
      contribution: { sentenceCount: 1 },
      ...(passEnd === undefined ? {} : { passEnd }),
    }) as TrainingStep;

  it('is a line every five seconds within a pass, and one at its end', () => {
    const { log, lines } = linesOf();
    const report = new TrainingReport({ epochs: 2, corpusSize: () => 200, plain: true, log });
    for (let seen = 1; seen <= 300; seen += 1) {
      vi.advanceTimersByTime(60);
      report.events.onStep?.(stepAt(seen, seen === 200 ? 1 : undefined));
    }
    expect(lines.map(line => line.split('  ').slice(0, 2))).toEqual([
      ['pass 1/2', '42 %'],
      ['pass 1/2', '84 %'],
      ['pass 1/2', 'loss 0.5000 per token'],
      ['pass 2/2', '42 %'],
    ]);
    expect(lines[0]).toMatch(/ {2}loss 0\.5000 per token {2}\d+ sentences\/s {2}\d+ s left$/);
  });

  it('names the seed, and counts its passes', () => {
    const { log, lines } = linesOf();
    const report = new TrainingReport({
      ...{ epochs: 2, seeds: 2, corpusSize: () => 10, plain: true, log },
    });
    for (let pass = 1; pass <= 4; pass += 1) {
      vi.advanceTimersByTime(3000);
      report.events.onStep?.({
        ...stepAt(10 * pass, pass),
        contribution: { sentenceCount: 10 } as TrainingStep['contribution'],
      });
    }
    expect(lines.map(line => line.split('  ').slice(0, 2).join(', '))).toEqual([
      'seed 1/2, pass 1/2',
      'seed 1/2, pass 2/2',
      'seed 2/2, pass 1/2',
      'seed 2/2, pass 2/2',
    ]);
    // After 10 of 40 sentences in 3 seconds.
    expect(lines[0]).toMatch(/ 9 s left$/);
  });

  it('says how long the rest takes once it can tell, in the largest unit', () => {
    const { log, lines } = linesOf();
    const report = new TrainingReport({ epochs: 20, corpusSize: () => 1000, plain: true, log });
    report.events.onStep?.(stepAt(1));
    vi.advanceTimersByTime(5001);
    // One of 20,000 sentences in five seconds says nothing about the others.
    report.events.onStep?.(stepAt(2));
    vi.advanceTimersByTime(5001);
    report.events.onStep?.(stepAt(500));
    expect(lines[0]).toMatch(/sentences\/s$/);
    expect(lines[1]).toMatch(/sentences\/s {2}7 min left$/);
    expect([0.2, 99, 99.5, 5940, 6000].map(timeLeftText)).toEqual([
      '1 s',
      '99 s',
      '2 min',
      '99 min',
      '1.7 h',
    ]);
  });

  it('says how many sentences were wrong, and by how much, where the loss has margins', () => {
    const { log, lines } = linesOf();
    const info = vi.spyOn(log, 'info');
    const report = new TrainingReport({ epochs: 1, corpusSize: () => 10, plain: true, log });
    const margin = { mistakes: 1234, smallest: -2.5 };
    report.events.onStep?.({ ...stepAt(10, 1), margin });
    expect(lines[0]).toMatch(
      /^pass 1\/1 {2}loss 0\.5000 per token {2}1234 mistakes, smallest margin -2\.500 {2}/,
    );
    expect(info.mock.calls[0]![1]).toMatchObject({ pass: 1, margin });
  });

  it('has no lines within short passes', () => {
    const { log, lines } = linesOf();
    const report = new TrainingReport({ epochs: 9, corpusSize: () => 2, plain: true, log });
    for (let pass = 1; pass <= 9; pass += 1) {
      vi.advanceTimersByTime(100);
      report.events.onStep?.(stepAt(2 * pass - 1));
      report.events.onStep?.(stepAt(2 * pass, pass));
    }
    expect(lines.every(line => line.includes('loss') && !line.includes('%'))).toBe(true);
    expect(lines.length).toBeLessThanOrEqual(3);
  });
});

describe('progress of reading', () => {
  it('is a line every five seconds until it is ended', () => {
    const { log, lines } = linesOf();
    let records = 0;
    const report = new ReadingReport(log, () => records);
    records = 4321;
    vi.advanceTimersByTime(5000);
    records = 9000;
    vi.advanceTimersByTime(5500);
    report.end();
    vi.advanceTimersByTime(20_000);
    expect(lines).toEqual(['reading: 4,321 records so far', 'reading: 9,000 records so far']);
  });
});
