import { kinds, requireArgument } from '../../../core/schema/require-argument.js';
import type { ShownStudy } from '../../../reports/study/shown-study.js';
import type { MeasuredRun } from '../run-study.js';
import type { Study } from '../study.js';
import { StudyResults } from '../study-results.js';
import { checkExpectations } from './check-expectations.js';
import { studyPlots } from './study-plots.js';
import { studyTables } from './study-tables.js';

/** A study with the results of its runs, for display. */
export function shownStudyOf(study: Study, runs: readonly MeasuredRun[]): ShownStudy {
  requireArgument('shownStudyOf: the study', study, kinds.study);
  requireArgument('shownStudyOf: the runs', runs, kinds.list);
  const results = new StudyResults(runs);
  const { name, title, reference, about, notes } = study.options;
  return {
    ...{ name, title, runs: runsText(study, runs.length) },
    ...(reference === undefined ? {} : { reference: reference.trim() }),
    ...(about === undefined ? {} : { about: about.trim() }),
    tables: studyTables(study, results),
    plots: studyPlots(study, results),
    expectations: checkExpectations(study, results),
    notes: study.small ? [] : (notes ?? []).map(note => note.trim()),
  };
}

function runsText({ runs, small, partial }: Study, finished: number): string {
  const count = runs.length === 1 ? '1 run' : `${runs.length} runs`;
  const left = finished < runs.length ? `, ${finished} of them finished` : '';
  const part = partial ? ' of those asked for' : '';
  const size = small ? '; small, so that nothing compares with published values' : '';
  return `${count}${part}${left}${size}`;
}
