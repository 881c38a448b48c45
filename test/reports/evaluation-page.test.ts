import { describe, expect, it } from 'vitest';
import { pairedBootstrap } from '../../src/engine/metrics/evaluation/paired-bootstrap.js';
import { evaluationPage } from '../../src/reports/evaluation/evaluation-page.js';
import { learningCurvePage } from '../../src/reports/evaluation/learning-curve.js';
import { attack, spanEvaluation, wordEvaluation } from './sample-evaluation.js';

const curve = {
  name: 'names',
  points: [10, 50, 100].map((records, i) => ({
    records,
    scores: { sentences: 9, tokens: 90, accuracy: 80 + 5 * i, f1: 60 + 10 * i },
  })),
};

/** Text between two marks. */
function between(text: string, from: string, to: string): string {
  const start = text.indexOf(from);
  expect(start, from).toBeGreaterThanOrEqual(0);
  return text.slice(start, text.indexOf(to, start + from.length));
}

describe('evaluationPage', () => {
  const evaluation = spanEvaluation();
  const other = spanEvaluation().counts.map(counts => ({ ...counts, equal: counts.equal - 1 }));
  const comparison = {
    against: 'old/other.model',
    scores: { sentences: 12, tokens: 84, accuracy: 50, f1: 50 },
    ...pairedBootstrap(evaluation.counts, other, { resamples: 200, spanScheme: true }),
  };
  const report = { ...evaluation.report(), comparison };
  const page = evaluationPage({
    model: 'dir/<m>.model',
    gold: 'g.ndjson',
    report,
    evaluation,
    curve,
  });

  it('has nothing of what came from outside as markup', () => {
    expect(page).not.toContain(attack);
    expect(page).not.toMatch(/<img|<m>/);
    expect(page).toContain('&lt;script&gt;document.title=&quot;taken&quot;&lt;/script&gt;');
    expect(page).toContain('<h1>Evaluation of &lt;m&gt;.model</h1>');
    // The only script is its own; nothing is fetched.
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toMatch(/https?:|src=|url\(|@import/);
  });

  it('links to all sections, which are there in order', () => {
    const linked = [...page.matchAll(/<a href="#(\w+)">/g)].map(match => match[1]);
    const sections = [...page.matchAll(/<section id="(\w+)"/g)].map(match => match[1]);
    expect(sections).toEqual(linked);
    expect(sections).toEqual([
      'summary',
      'comparison',
      'spans',
      'tags',
      'confusions',
      'calibration',
      'curve',
      'errors',
    ]);
    for (const id of page.matchAll(/aria-labelledby="([^"]+)"/g)) {
      expect(page).toContain(`id="${id[1]}"`);
    }
  });

  it('shows the figures of the report', () => {
    const { f1, accuracy, calibration, words } = report;
    const summary = between(page, '<section id="summary"', '</section>');
    for (const figure of [f1!, accuracy, words!.unseen.accuracy]) {
      expect(summary).toContain(`<dd>${figure!.toFixed(2)} %`);
    }
    for (const kind of ['tokens', 'spans'] as const) {
      expect(summary).toContain(`<dd>${calibration![kind]!.expectedError!.toFixed(4)}`);
    }
    const spans = between(page, '<section id="spans"', '</section>');
    expect(spans).toMatch(
      /<th scope="row">PER<small>gold 12, predicted 12, correct 3<\/small><\/th><td>12<\/td><td>12<\/td><td>3<\/td>/,
    );
    expect(spans).toMatch(/<th scope="row">all<.*?<td>36<\/td><td>39<\/td><td>15<\/td>/);
    const against = between(page, '<section id="comparison"', '</section>');
    expect(against).toMatch(/accuracy<\/th><td>\d+\.\d\d<\/td><td>50\.00<\/td>/);
    expect(against).toContain('>better<');
  });

  it('shows as many sentences with errors as were kept, and says how many there are', () => {
    const errors = between(page, '<section id="errors"', '</section>');
    expect(errors).toContain('The first 8 of 9 sentences with errors.');
    expect(errors.match(/<li /g)).toHaveLength(8);
    const first = between(errors, '<li ', '</li>');
    expect(first).toContain('missed');
    expect(first).toContain('title="LOC, probability 35.0 %"');
  });

  it('numbers labels and pairs so that each error is found by its own', () => {
    const errors = between(page, '<section id="errors"', '</section>');
    const pairs = [...errors.matchAll(/<option value="(\d+)">([^<]*) tagged ([^<]*) \(\d+\)/g)];
    const pair = pairs.find(([, , gold, tag]) => gold === 'I-LOC' && tag === 'B-LOC')![1]!;
    const found = [...errors.matchAll(/<li data-l="[\d ]*" data-p="([\d ]*)">/g)].map(match =>
      match[1]!.split(' ').includes(pair),
    );
    // Of the first eight with errors (0 1 2 4 5 6 8 9) those that 3 divides.
    expect(found).toEqual([true, false, false, false, false, true, false, true]);
  });

  it('is the same each time, and leaves out what there is not', () => {
    const words = wordEvaluation();
    const shown = { model: 'm', gold: 'g', report: words.report(), evaluation: words };
    const plain = evaluationPage(shown);
    expect(evaluationPage(shown)).toBe(plain);
    expect(plain).not.toMatch(/id="(spans|comparison|curve)"/);
    expect(plain).toContain('class="wrong"');
    expect(plain).not.toContain(attack);
    expect(plain).not.toMatch(/NaN|undefined|Infinity/);
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe('learningCurvePage', () => {
  it('draws scores by records, within the drawing', () => {
    const page = learningCurvePage(curve);
    const lines = [...page.matchAll(/<polyline class="curve( second)?" points="([^"]*)"/g)];
    expect(lines).toHaveLength(2);
    // Of 10, 50 and 100 records on an axis of 458 from 52; scores 60 to 90 by 5 on 246 from 30.
    expect(lines[0]![2]).toBe('97.8,112 281,71 510,30');
    expect(lines[1]![2]).toBe('97.8,276 281,194 510,112');
    expect(page).toContain('<th scope="row">100</th><td>90.00</td><td>80.00</td>');
  });

  it('bears a single point, and scores that are all the same', () => {
    const { points } = curve;
    for (const some of [
      points.slice(0, 1),
      points.map(p => ({ ...p, scores: points[0]!.scores })),
    ]) {
      expect(learningCurvePage({ name: 'a', points: some })).not.toMatch(/NaN|undefined|Infinity/);
    }
  });
});
