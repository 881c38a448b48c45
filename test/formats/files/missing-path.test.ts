import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { missingPathFix } from '../../../src/formats/files/file-error.js';
import { workspace } from '../../cli/commands/workspace.js';

const folder = workspace();
for (const name of ['people-ner.model', 'train.ndjson']) writeFileSync(join(folder, name), '');

it.each([
  ['train.njson', 'did you mean train.ndjson?'],
  ['train', 'did you mean train.ndjson?'],
  ['pipeline.model', 'check the path; models in that folder: people-ner.model'],
  ['tra', 'check the path'],
  ['other', 'check the path'],
  ['train.ndjson', 'check the path'],
  ['no/x', `the folder ${join(folder, 'no')} does not exist: create it, or correct the path`],
])('what to do about a path that leads nowhere: %s', (name, fix) => {
  expect(missingPathFix(join(folder, name))).toBe(fix);
});
