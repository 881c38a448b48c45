import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agreedTags,
  agreementOf,
  cohenKappa,
  fleissKappa,
} from '../../src/annotation/agreement/agreement.js';
import { retrain } from '../../src/annotation/learning/retrain-task.js';
import { AnnotationServer } from '../../src/annotation/server/annotation-server.js';
import { shares } from '../../src/annotation/session/annotator.js';
import type { AnnotationSession } from '../../src/annotation/session/session.js';
import { spansTask } from '../../src/annotation/task/annotation-task.js';
import { readModel } from '../../src/engine/models/files/model-file.js';
import { workspace } from '../cli/commands/workspace.js';
import { chromiumFile, startChromium } from '../reports/chromium.js';
import { goldTags, openSample, sampleQueue } from './sample-session.js';

const folder = workspace();
const queue = sampleQueue(folder, 80);
const people = { annotators: ['anna', 'ben'], overlap: 0.3 };

/** Answers all records of two people; the second never marks a firm. */
function answerAll(session: AnnotationSession): void {
  for (const annotator of session.annotators) {
    for (;;) {
      const shown = session.next(annotator);
      if (shown === undefined) break;
      const tags = goldTags(shown.tokens).map(tag =>
        annotator.name === 'ben' && tag === 'B-ORG' ? 'O' : tag,
      );
      session.answer(annotator, { record: shown.record, answer: 'accept', tags, corrections: 0 });
    }
  }
}

describe('several people', () => {
  it("share the queue: each record is one person's, or everybody's", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 5 }), fc.nat(1000), (count, seed) => {
        const mine = shares({ people: count, overlap: 0.2, seed });
        const owners = Array.from(
          { length: 400 },
          (_, record) =>
            Array.from({ length: count }, (_, person) => mine(record, person)).filter(Boolean)
              .length,
        );
        expect(owners.every(number => number === 1 || number === count)).toBe(true);
        const overlap = owners.filter(number => number === count).length / 400;
        expect(Math.abs(overlap - 0.2)).toBeLessThan(0.12);
      }),
      { numRuns: 30 },
    );
  });

  it('agree as far as kappa says', () => {
    // Four items and two people, counted by hand: they agree on 3 of 4.
    expect(cohenKappa(['A', 'A', 'B', 'B'], ['A', 'B', 'B', 'B'])).toBeCloseTo(0.5, 12);
    expect(cohenKappa(['A', 'A'], ['A', 'A'])).toBeNull();
    expect(cohenKappa(['A', 'B'], ['B', 'A'])).toBe(-1);
    // (4, 0), (1, 3), (2, 2): the mean of 1, 1/2, 1/3 against (7/12)^2 + (5/12)^2.
    const chance = (49 + 25) / 144;
    const items = ['AAAA', 'ABBB', 'AABB'].map(labels => labels.split(''));
    expect(fleissKappa(items)).toBeCloseTo((11 / 18 - chance) / (1 - chance), 12);
    const versions = (a: string[], b: string[]) => [
      { annotator: 'a', tags: a },
      { annotator: 'b', tags: b },
    ];
    const task = spansTask(['X', 'Y']);
    const found = agreementOf(
      [{ record: 0, versions: versions(['B-X', 'O', 'B-Y'], ['B-X', 'O', 'O']) }],
      task,
      2,
    );
    expect(found).toMatchObject({ records: 1, agreed: 0, tokens: 3 });
    expect(found!.f1).toBeCloseTo(200 / 3, 10);
    expect(found!.byLabel[0]).toEqual({ label: 'X', f1: 100, cohen: 1 });
    expect(found!.byLabel[1]!.cohen).toBe(0);
    expect(agreementOf([], task, 2)).toBeUndefined();
  });

  it('agree on whole spans: what they cut differently is open from end to end', () => {
    const task = spansTask(['X', 'Y']);
    const tags = fc.array(fc.constantFrom('O', 'B-X', 'I-X', 'B-Y', 'I-Y'), {
      ...{ minLength: 7, maxLength: 7 },
    });
    const valid = tags.map(each =>
      each.map((tag, t) =>
        tag.startsWith('I-') && each[t - 1]?.slice(2) !== tag.slice(2) ? `B-${tag.slice(2)}` : tag,
      ),
    );
    fc.assert(
      fc.property(fc.array(valid, { minLength: 2, maxLength: 3 }), versions => {
        const agreed = agreedTags(versions, task.kind);
        // By definition: the stretches of each version, as text, that all have in the same place.
        const stretches = versions.map(each => {
          const found: string[] = [];
          for (const [t, tag] of each.entries()) {
            const isInside = tag.startsWith('I-');
            if (isInside) found.push(found[t - 1]!);
            else found.push(tag === 'O' ? 'O' : `${tag}@${t}`);
          }
          const count = (name: string) => found.filter(other => other === name).length;
          return found.map(name => (name === 'O' ? name : `${name}x${count(name)}`));
        });
        for (const [t, tag] of agreed.entries()) {
          const isSame = new Set(stretches.map(each => each[t])).size === 1;
          expect(tag).toBe(isSame ? versions[0]![t] : null);
        }
      }),
    );
  });

  it('are asked shared records first, of these those that others have answered', async () => {
    const session = await openSample(queue, join(folder, 'shared.ndjson'), people);
    const [anna, ben] = session.annotators;
    const isShared = (record: number) => anna!.has(record) && ben!.has(record);
    const shared = Array.from({ length: 80 }, (_, i) => i).filter(isShared);
    const orders = [anna!, ben!].map(annotator => {
      const order: number[] = [];
      for (const _ of shared) {
        const shown = session.next(annotator)!;
        order.push(shown.record);
        const tags = goldTags(shown.tokens);
        session.answer(annotator, { record: shown.record, answer: 'accept', tags, corrections: 0 });
        // Half of them, before the other begins.
        if (annotator === anna && 2 * order.length >= shared.length) break;
      }
      return order;
    });
    expect(orders.flat().every(isShared)).toBe(true);
    expect(new Set(orders[1]).size).toBe(shared.length);
    // But for one in eight, which is drawn at random.
    const early = orders[1]!.slice(0, orders[0]!.length);
    const followed = early.filter(record => orders[0]!.includes(record)).length;
    expect(followed).toBeGreaterThanOrEqual(Math.floor((early.length * 7) / 8));
    const { record } = session.next(ben!)!;
    expect(isShared(record)).toBe(false);
    await session.close();
  });

  it('are asked their own records, and one decides where they do not agree', {
    tags: 'slow',
  }, async () => {
    const out = join(folder, 'two.ndjson');
    const session = await openSample(queue, out, people);
    answerAll(session);
    const [anna, ben] = session.annotators.map(({ answers }) => new Set(answers.records));
    expect(new Set([...anna!, ...ben!]).size).toBe(80);
    const both = [...anna!].filter(record => ben!.has(record));
    expect(both.length).toBeGreaterThan(5);
    const { of, by } = session.review!;
    const { agreed, records, f1, byLabel } = of.agreement()!;
    expect(records).toBe(both.length);
    expect(f1).toBeLessThan(100);
    expect(byLabel.map(({ f1 }) => f1)).toEqual([100, 0, 100]);
    const before = of.merged(by);
    expect(before.undecided).toBe(records - agreed);
    expect(before.lines).toHaveLength(80 - before.undecided);
    for (;;) {
      const shown = session.next(by);
      if (shown === undefined) break;
      expect(shown.versions!.map(({ annotator }) => annotator)).toEqual(['anna', 'ben']);
      const tags = goldTags(shown.tokens);
      // Firms are all that is in dispute; what the model thinks of the rest does not matter.
      const agreed = tags.map(tag => (tag === 'B-ORG' ? null : tag));
      expect(shown.decided).toEqual(agreed);
      expect(shown.tags.map((tag, t) => (agreed[t] === null ? null : tag))).toEqual(agreed);
      session.answer(by, { record: shown.record, answer: 'accept', tags, corrections: 0 });
    }
    expect(session.progress(by).answered).toBe(before.undecided);
    const [again] = by.answers.records;
    const decided = session.show(by, again!);
    expect(decided.decided).toEqual(goldTags(decided.tokens));
    const after = of.merged(by);
    expect([after.undecided, after.lines.length]).toEqual([0, 80]);
    const wrong = after.lines
      .map(line => JSON.parse(line))
      .filter(({ tokens, tags }) => goldTags(tokens).join() !== tags.join());
    // Those of the second person alone, which nobody has looked at.
    expect(wrong.every(({ _annotation }) => _annotation.annotator === 'ben')).toBe(true);
    await session.close();
    const reopened = await openSample(queue, out, people);
    expect(reopened.review!.of.merged(reopened.review!.by).lines).toEqual(after.lines);
    expect(() => reopened.annotator(undefined)).toThrow(/one of anna, ben, review/);
    await reopened.close();
  });

  it('teach the model nothing that they dispute, and what is decided', {
    tags: 'slow',
  }, async () => {
    const out = join(folder, 'disputed.ndjson');
    const first = await openSample(queue, out, { ...people, overlap: 1 });
    answerAll(first);
    first.review!.of.refresh();
    const disputed = [...first.review!.of.disputed];
    const decided = disputed[0]!;
    const { tokens } = first.show(first.review!.by, decided);
    const tags = goldTags(tokens);
    const { by } = first.review!;
    first.answer(by, { record: decided, answer: 'accept', tags, corrections: 0 });
    const agreed = first.annotators.flatMap(({ answers }) =>
      [...answers.linesByRecord()].filter(([record]) => !disputed.includes(record)),
    );
    const lines = (answers: Iterable<readonly [number, string]>) =>
      Array.from(answers, ([, line]) => line);
    const firms = await retrain({
      lines: lines([...agreed, ...by.answers.linesByRecord()]),
      ...{ preset: 'ner', seed: 1 },
    });
    // All firms are in dispute: the one that was decided is all that the model knows of them.
    const { labels } = readModel(firms!);
    expect(labels.names).toContain('B-ORG');
    const none = await retrain({
      ...{ lines: lines(agreed), preset: 'ner', seed: 1 },
    });
    await first.close();
    expect(readModel(none!).labels.names).not.toContain('B-ORG');
  });

  it('do not replace what somebody else has labelled', { tags: 'slow' }, async () => {
    const out = join(folder, 'alone.ndjson');
    const alone = await openSample(queue, out, {});
    answerAll(alone);
    await alone.close();
    const before = readFileSync(out, 'utf8');
    await expect(openSample(queue, out, people)).rejects.toThrow(
      'alone.ndjson:1: the answer belongs to a single annotator and would be lost',
    );
    expect(readFileSync(out, 'utf8')).toBe(before);
    const merged = join(folder, 'both.ndjson');
    const session = await openSample(queue, merged, people);
    answerAll(session);
    const { lines } = session.review!.of.merged(session.review!.by);
    writeFileSync(merged, `${lines.join('\n')}\n`);
    await session.close();
    await (await openSample(queue, merged, people)).close();
    writeFileSync(merged, '{"tokens": ["a"]}\n');
    await expect(openSample(queue, merged, people)).rejects.toThrow('both.ndjson:1: ');
  });

  it.skipIf(chromiumFile === undefined)(
    'are decided between by keyboard',
    { tags: 'slow' },
    async () => {
      const session = await openSample(queue, join(folder, 'page.ndjson'), people);
      answerAll(session);
      const server = await AnnotationServer.start(session, { port: 0, saveModel: () => 'a.model' });
      const browser = await startChromium();
      const page = await browser.context.newPage();
      await page.goto(`${server.url}?annotator=review`);
      await page.locator('.token').first().waitFor();
      const { by, of } = session.review!;
      const total = of.disputed.size;
      await page.keyboard.press('a');
      await page
        .getByRole('dialog')
        .getByText(`of ${of.agreement()!.records} records are the same`)
        .waitFor();
      await page.keyboard.press('Escape');
      // What is in dispute is marked, and has to be decided.
      const marked = await page.locator('.token.undecided').allTextContents();
      expect(marked.length).toBeGreaterThan(0);
      await page.keyboard.press('Enter');
      await page.getByRole('alert').getByText('still to be decided').waitFor();
      expect(by.answers.size).toBe(0);
      expect(await page.locator('.token.cursor').textContent()).toBe(marked[0]);
      // From the tokens to the first of the versions, that of anna.
      await page.locator('.tokens').focus();
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.locator('.token.fixed').first().waitFor();
      await page.keyboard.press('Enter');
      await page.locator('header [role=status]', { hasText: `1 of ${total}` }).waitFor();
      const [answer] = [...by.answers.answers()];
      expect(answer!.tags).toEqual(goldTags(answer!.tokens));
      await browser.close();
      await server.close();
      await session.close();
    },
  );
});
