import * as z from 'zod';
import { builtIn, type Catalogue } from './catalogue.js';
import { pipelineSchemaOf } from './pipeline-schema.js';

/** Returns the JSON Schema of pipeline files, for editors, from the schema that checks them. */
export function jsonSchemaText(catalogue: Catalogue = builtIn): string {
  const schema = z.toJSONSchema(pipelineSchemaOf(catalogue), {
    io: 'input',
    target: 'draft-7',
    reused: 'ref',
  });
  return `${JSON.stringify({ title: 'Tagstream pipeline', ...schema }, null, 2)}\n`;
}
