import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** An empty folder for the tests of one file, removed afterwards. */
export function workspace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tagstream-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const words = ['the', 'a', 'dog', 'cat', 'house', 'runs', 'sees', 'likes', 'quick', 'old'];
const tags = ['DET', 'DET', 'NOUN', 'NOUN', 'NOUN', 'VERB', 'VERB', 'VERB', 'ADJ', 'ADJ'];

/** Labelled records that a tagger can learn: each word has one tag. */
export function toyRecords(count: number, labelled = true): string[] {
  return Array.from({ length: count }, (_, i) => {
    const picks = Array.from({ length: 3 + (i % 4) }, (_, t) => (i * 7 + t * (3 + (i % 3))) % 10);
    const record = { id: String(i), tokens: picks.map(pick => words[pick]) };
    const gold = { tags: picks.map(pick => tags[pick]) };
    return JSON.stringify(labelled ? { ...record, ...gold } : record);
  });
}

/** Writes a pipeline that trains on a file of toy records, and the file; returns the pipeline's path. */
export function toyPipeline(folder: string, count = 60, more = ''): string {
  writeFileSync(join(folder, 'train.ndjson'), `${toyRecords(count).join('\n')}\n`);
  const file = join(folder, 'toy.yaml');
  writeFileSync(
    file,
    `version: 1
name: toy
source: { ndjson: { files: [train.ndjson] } }
stages:
  - tokenize: {}
  - featurize: { templates: ["U00:%x[0,0]", "U01:%x[-1,0]", "B"] }
  - batch: { sentences: 4 }
  - contribute: { loss: log }
  - optimize: { sgd: { eta0: 0.2, l2: 0.1 } }
${more}train: { epochs: 6, seed: 7 }
model: toy.model
`,
  );
  return file;
}
