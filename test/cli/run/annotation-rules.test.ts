import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AnnotationTask } from '../../../src/annotation/task/annotation-task.js';
import { rulesOf } from '../../../src/cli/run/annotate/rules-of.js';
import { workspace } from '../commands/workspace.js';

const folder = workspace();
const task = { kind: 'spans', names: ['LOC'] } as unknown as AnnotationTask;

it('lists of names become rules and features, and are refused where they are empty', () => {
  const file = join(folder, 'towns.txt');
  writeFileSync(file, 'York\nBath\n');
  const { resources } = rulesOf({ gazetteer: [`LOC=${file}`] }, task);
  expect(resources).toEqual({ gazetteers: { LOC: { text: 'Bath\nYork', fold: false } } });
  writeFileSync(file, '\n');
  expect(() => rulesOf({ gazetteer: [`LOC=${file}`] }, task)).toThrow(
    `${file}: the gazetteer has no entries`,
  );
});

it('names are divided as the texts are', () => {
  const file = join(folder, 'saints.txt');
  writeFileSync(file, "St. John's\r\n");
  const { rules } = rulesOf({ gazetteer: [`LOC=${file}`] }, task);
  const find = (tokens: string[]) =>
    rules!.find({ tokens, columns: {}, document: {}, part: { index: 0, count: 1, start: 0 } });
  expect(find(['in', 'St.', 'John', "'s"])).toEqual([{ label: 'LOC', start: 1, end: 4 }]);
  expect(find(['in', 'St.', "John's"])).toEqual([{ label: 'LOC', start: 1, end: 3 }]);
});
