import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadStudy } from '../../src/studies/load-study.js';
import type { QuantityName } from '../../src/studies/measures/quantities.js';
import { type MeasuredRun, runStudy } from '../../src/studies/run-study.js';
import { shownStudyOf } from '../../src/studies/shown/shown-study-of.js';
import { workspace } from '../cli/commands/workspace.js';
import { corpora, corporaPresent } from '../house/corpora/corpora.js';
import { everyNth } from '../house/long-forms.js';

const root = resolve(import.meta.dirname, '../..');
const papers = join(root, 'pipelines/papers');
const folder = workspace();
const environment = { TAGSTREAM_CORPORA: corpora, TAGSTREAM_RECORDS: folder };
const isFull = process.env.TAGSTREAM_FULL === '1';

/** A comment above a table of a page, `<!-- study: {...} -->`: where its figures come from. */
interface Origin {
  readonly file: string;
  /** What all figures are; else each column of the table is a quantity. */
  readonly quantity?: string;
  /** Rows of the table by rows of the study, `row/column` where columns of the table are quantities; `none`: not of the study. */
  readonly rows?: Readonly<Record<string, string>>;
  /** Columns of the table by columns of the study, or quantities; others are not compared. Default: all, by their own name. */
  readonly columns?: Readonly<Record<string, string>>;
  /** Runs, as `row/column`, below 20 processor seconds together, where not all are. */
  readonly cheap?: readonly string[];
}

/** A figure of a page, and the run of a study that it has to come from. */
interface Figure {
  readonly place: string;
  readonly run: string;
  readonly quantity: string;
  readonly written: string;
}

interface StudyTable {
  readonly name: string;
  readonly origin: Origin;
  readonly figures: readonly Figure[];
}

/** Lines of tables, each with the comment above it. */
function tablesOf(page: string): { above: string; line: number; rows: string[][] }[] {
  const lines = readFileSync(join(papers, page), 'utf8').split('\n');
  const isRow = (line: string | undefined) => line?.startsWith('|') === true;
  const tables: { above: string; line: number; rows: string[][] }[] = [];
  for (const [at, line] of lines.entries()) {
    if (!isRow(line) || isRow(lines[at - 1])) continue;
    let end = at;
    while (isRow(lines[end])) end += 1;
    const rows = lines.slice(at, end).map(row =>
      row
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map(cell => cell.trim()),
    );
    tables.push({ above: lines[at - 2] ?? '', line: at + 1, rows });
  }
  return tables;
}

/** `75.91 (73.62)`: measured and published; `7.61 %`: with a unit. */
const figureOf = (cell: string) => cell.replace(/ \(.*\)$/, '').replace(/ %$/, '');

function studyTable(page: string, line: number, rows: string[][], origin: Origin): StudyTable {
  const [heads, , ...body] = rows;
  const figures = body.flatMap(([label, ...cells]) => {
    const row = origin.rows?.[label!] ?? label!;
    if (row === 'none') return [];
    return cells.flatMap((cell, c): Figure[] => {
      const head = heads![c + 1]!;
      const column = origin.columns === undefined ? head : origin.columns[head];
      if (column === undefined || cell === '') return [];
      const { quantity } = origin;
      const run = quantity === undefined ? row : `${row}/${column}`;
      const place = `${page}:${line}: ${label}, ${head}`;
      return [{ place, run, quantity: quantity ?? column, written: figureOf(cell) }];
    });
  });
  return { name: `${page}:${line} (${origin.file})`, origin, figures };
}

const pages = readdirSync(papers).filter(name => name.endsWith('.md') && name !== 'README.md');
const all = pages.flatMap(page => tablesOf(page).map(table => ({ page, ...table })));
const marker = /^<!-- study: (.*) -->$/;
const tables = all.flatMap(({ page, line, above, rows }) => {
  const [, text] = marker.exec(above) ?? [];
  return text === undefined ? [] : [studyTable(page, line, rows, parse(text) as Origin)];
});

/** Results by run, `row/column`, as a study shows them. */
function shownText(file: string, runs: readonly MeasuredRun[], run: string, quantity: string) {
  const study = loadStudy(join(papers, file), { environment });
  const asked = { title: quantity, quantity: quantity as QuantityName, source: '' };
  const shown = shownStudyOf({ ...study, options: { ...study.options, tables: [asked] } }, runs);
  const { heads, rows } = shown.tables[0]!;
  for (const { name, cells } of rows) {
    for (const [c, { measured }] of cells.entries()) {
      if (`${name}/${heads[c]!.name}` === run) return measured;
    }
  }
  return undefined;
}

describe('tables of the pages of papers', () => {
  it.each(all.map(each => [`${each.page}:${each.line}`, each.above]))(
    '%s say where their figures come from',
    (_, above) => {
      expect(above).toMatch(/^<!-- (?:study: \{.*\}|measured: \d{4}-\d\d-\d\d, [0-9a-f]{8}) -->$/);
    },
  );

  for (const { rows, tags } of everyNth(3, tables)) {
    it.each(rows)('$name: has figures of runs of its study', { tags }, ({ origin, figures }) => {
      const { runs } = loadStudy(join(papers, origin.file), { environment });
      const names = new Set(runs.map(({ row, column }) => `${row}/${column}`));
      expect(figures.length).toBeGreaterThan(3);
      const used = figures.map(({ run }) => run);
      expect(used.filter(run => !names.has(run))).toEqual([]);
      expect((origin.cheap ?? []).filter(run => !used.includes(run))).toEqual([]);
    });
  }
});

describe.runIf(corporaPresent('figures of the pages of papers'))('figures of studies', () => {
  beforeAll(() => {
    const env = { ...process.env, ...environment };
    execFileSync('node', [join(papers, 'linked-records.mjs'), 'studies'], { env });
  });

  it.each(tables)(
    '$name: are those that the study gives',
    { tags: 'slow' },
    async ({ name, origin, figures }) => {
      const { file, cheap } = origin;
      const made = figures.filter(({ run }) => isFull || cheap?.includes(run) !== false);
      const only = [...new Set(made.map(({ run }) => run))];
      const study = loadStudy(join(papers, file), { environment, only });
      const results = join(folder, `${file}.ndjson`);
      const runs = await runStudy(study, { results });
      const shown = made.map(({ place, run, quantity }) => [
        place,
        shownText(file, runs, run, quantity),
      ]);
      expect(shown, name).toEqual(made.map(({ place, written }) => [place, written]));
    },
  );
});
