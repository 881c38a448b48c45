import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionOptions } from '../../src/annotation/session/annotator.js';
import { AnnotationSession } from '../../src/annotation/session/session.js';
import { strategyOf } from '../../src/annotation/strategies/strategies.js';
import { spansTask } from '../../src/annotation/task/annotation-task.js';
import type { ShownRecord } from '../../src/annotation/task/shown-record.js';

const people = ['Anna', 'Ben', 'Clara', 'Dora', 'Emil'];
const places = ['Oslo', 'Bath', 'Rome', 'Kyoto'];
const firms = ['Acme', 'Initech', 'Globex'];

/** Sentences of people, places and firms: the same for the same number. */
export function sampleText(i: number): string {
  const person = people[i % 5]!;
  const place = places[i % 4]!;
  const firm = firms[i % 3]!;
  const shapes = [
    `${person} flew to ${place} .`,
    `${firm} pays ${person} .`,
    `In ${place} it rains .`,
    `${person} Berg works for ${firm} in ${place} .`,
  ];
  return shapes[Math.floor(i / 2) % 4]!;
}

/** What is right for tokens of the sample. */
export function goldTags(tokens: readonly string[]): string[] {
  return tokens.map(token => {
    if (token === 'Berg') return 'I-PER';
    if (people.includes(token)) return 'B-PER';
    if (places.includes(token)) return 'B-LOC';
    return firms.includes(token) ? 'B-ORG' : 'O';
  });
}

/** Writes a queue of sample texts; returns its path. */
export function sampleQueue(folder: string, records: number, name = 'queue.ndjson'): string {
  const lines = Array.from({ length: records }, (_, i) =>
    JSON.stringify({ id: `r${i}`, text: sampleText(i), size: 1.5 }),
  );
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** Opens a session on a queue, without retraining unless it is asked for. */
export function openSample(
  queue: string,
  out: string,
  more: Partial<SessionOptions> = {},
): Promise<AnnotationSession> {
  return AnnotationSession.open({
    ...{ queue, out, task: spansTask(['PER', 'ORG', 'LOC']), retrain: false },
    strategy: strategyOf('least-confidence'),
    ...more,
  });
}

/** Accepts a record with its right tags. */
export function acceptGold(session: AnnotationSession, shown: ShownRecord, key?: string): boolean {
  const tags = goldTags(shown.tokens);
  const corrections = tags.filter((tag, t) => tag !== shown.tags[t]).length;
  const given = { record: shown.record, answer: 'accept', tags, corrections, key } as const;
  return session.answer(session.annotators[0]!, given);
}
