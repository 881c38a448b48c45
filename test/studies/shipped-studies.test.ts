import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { studyPage } from '../../src/reports/study/study-page.js';
import { studyText } from '../../src/reports/study/study-text.js';
import { loadStudy } from '../../src/studies/load-study.js';
import { runStudy } from '../../src/studies/run-study.js';
import { shownStudyOf } from '../../src/studies/shown/shown-study-of.js';
import { studyJsonSchemaText } from '../../src/studies/study-schema.js';
import { workspace } from '../cli/commands/workspace.js';
import { corpora, corporaPresent } from '../house/corpora/corpora.js';

const root = resolve(import.meta.dirname, '../..');
const folder = workspace();
const environment = { TAGSTREAM_CORPORA: corpora, TAGSTREAM_RECORDS: folder };
const shipped = ['papers', 'studies'].flatMap(kind =>
  readdirSync(join(root, 'pipelines', kind))
    .filter(name => name.endsWith('.yaml'))
    .map(name => ({ kind, name })),
);
const runnable = corporaPresent('the studies of papers')
  ? shipped
  : shipped.filter(({ kind }) => kind === 'studies');

describe('the shipped studies', () => {
  beforeAll(() => {
    if (runnable.length < shipped.length) return;
    const env = { ...process.env, ...environment };
    const script = join(root, 'pipelines/papers/linked-records.mjs');
    execFileSync('node', [script, 'studies'], { env });
  });

  it.each(shipped)(
    '$kind/$name is valid, and named after its file',
    { tags: 'slow' },
    ({ kind, name }) => {
      const study = loadStudy(join(root, 'pipelines', kind, name), { environment });
      expect(study.options.name).toBe(name.replace('.yaml', ''));
      expect(study.options.small).toBeDefined();
      const runs = study.runs.map(({ row, column, seed }) => `${row} ${column} ${seed}`);
      expect(new Set(runs).size).toBe(runs.length);
    },
  );

  it.each(runnable)(
    '$kind/$name has results in its small form',
    { tags: 'slow' },
    async ({ kind, name }) => {
      const path = join(root, 'pipelines', kind, name);
      const study = loadStudy(path, { environment, small: true });
      const runs = await runStudy(study, { results: join(folder, `${kind}-${name}.ndjson`) });
      expect(runs).toHaveLength(study.runs.length);
      const shown = shownStudyOf(study, runs);
      const cells = shown.tables.flatMap(({ rows }) => rows.flatMap(row => row.cells));
      expect(cells.filter(({ measured }) => measured !== '').length).toBeGreaterThan(0);
      for (const { title, rows } of shown.tables)
        expect([title, rows.length > 0]).toEqual([title, true]);
      const text = studyText(shown);
      for (const { title } of shown.tables) expect(text).toContain(`${title}\n`);
      const page = studyPage(shown);
      const drawings = shown.plots.length + (shown.boxes ?? []).length;
      expect(page.match(/<figure class="plot">/g) ?? []).toHaveLength(drawings);
    },
  );

  it('have a schema that is what the code says; `npm run schema` writes it anew', {
    tags: 'slow',
  }, () => {
    const schema = readFileSync(join(root, 'config/study.schema.json'), 'utf8');
    expect(schema).toBe(studyJsonSchemaText());
  });
});
