import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { root } from './root.mjs';

/** Of those that look at words alone, whatever they were made for: they learn chunks here. */
const wordsAlone = { columns: ['form', '_', 'tag'] };

/**
 * Writes a copy of a shipped pipeline that trains on another file, of chunks, and tests on nothing, so that all that
 * is measured is training and one save.
 *
 * @param {string} name as `conll2000-chunking`
 * @param {{ folder: string, train: string, epochs?: number }} options
 * @returns {string} the path of the copy
 */
export function pipelineCopy(name, { folder, train, epochs }) {
  const shipped = parse(readFileSync(join(root, 'pipelines', `${name}.yaml`), 'utf8'));
  const { test: _, ...kept } = shipped;
  // The mean of several seeds tags as fast as one.
  const { seeds: __, ...once } = shipped.train;
  const copy = {
    ...kept,
    source: { conll: { ...(shipped.source.conll ?? wordsAlone), files: [train] } },
    stages: shipped.stages.map(withTemplates),
    train: { ...once, ...(epochs === undefined ? {} : { epochs }) },
    model: { file: join(folder, `${name}.model`) },
  };
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, stringify(copy));
  return file;
}

/** A stage whose file of templates, if it has one, is named from anywhere; of a preset, that alone. */
function withTemplates(stage) {
  const { preset, templates } = stage.featurize ?? {};
  if (preset !== undefined) return { featurize: { preset } };
  if (templates === undefined) return stage;
  return { featurize: { ...stage.featurize, templates: join(root, 'pipelines', templates) } };
}
