import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toyPipeline, toyRecords } from '../cli/commands/workspace.js';

/** Writes a pipeline with test data, and a study of it; returns the study's path. */
export function toyStudy(folder: string, more = '', name = 'toy-study'): string {
  writeFileSync(join(folder, 'test.ndjson'), `${toyRecords(90).slice(60).join('\n')}\n`);
  toyPipeline(folder, 60, 'test: { ndjson: { files: [test.ndjson] } }\n');
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, toyText(more, name));
  return file;
}

/** A study of two optimizers by two sizes, with tables of its own or the one that there is without. */
export function toyText(more = '', name = 'toy-study'): string {
  return `version: 1
name: ${name}
title: Toys & more
pipeline: toy.yaml
set: { train.epochs: 3 }
rows:
  - name: sgd
  - name: sparse
    set: { stages.optimize: { sgd-l1: { l1: 0.5 } } }
columns:
  - name: few
    set: { source.ndjson.limit: 10 }
  - name: all
measure: [accuracy, error, active, objective, passes, sentences, seconds]
small: { set: { train.epochs: 1 }, rows: [sgd], columns: [few] }
${more}`;
}
