import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { root } from './root.mjs';

/**
 * Writes a copy of a shipped chunking pipeline that trains on another file of the same columns and
 * tests on nothing, so that all that is measured is training and one save.
 *
 * @param {string} name as `conll2000-chunking`
 * @param {{ folder: string, train: string, epochs?: number }} options
 * @returns {string} the path of the copy
 */
export function pipelineCopy(name, { folder, train, epochs }) {
  const shipped = parse(readFileSync(join(root, 'pipelines', `${name}.yaml`), 'utf8'));
  const { test: _, ...kept } = shipped;
  const templates = join(root, 'pipelines', templatesOf(shipped));
  const copy = {
    ...kept,
    source: { conll: { ...shipped.source.conll, files: [train] } },
    stages: shipped.stages.map(stage =>
      stage.featurize === undefined ? stage : { featurize: { ...stage.featurize, templates } },
    ),
    train: { ...shipped.train, ...(epochs === undefined ? {} : { epochs }) },
    model: join(folder, `${name}.model`),
  };
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, stringify(copy));
  return file;
}

function templatesOf(pipeline) {
  return pipeline.stages.find(({ featurize }) => featurize !== undefined).featurize.templates;
}
