// Writes the pages that are made from the code: `npm run docs`.
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { apiReference, apiReport } from './api-reference.mjs';
import { pipelineReference } from './pipeline-reference.mjs';

const root = resolve(import.meta.dirname, '../../..');
writeFileSync(resolve(root, 'src/entries/API.md'), apiReference(root));
writeFileSync(resolve(root, 'src/entries/api-report.md'), apiReport(root));
writeFileSync(resolve(root, 'pipelines/README.md'), await pipelineReference(resolve(root, 'dist')));
