import * as z from 'zod';
import { pipelineSchema } from './pipeline-schema.js';

/** The JSON Schema of pipeline files, for editors; from the schema that checks them. */
export function jsonSchemaText(): string {
  const schema = z.toJSONSchema(pipelineSchema, {
    io: 'input',
    target: 'draft-7',
    reused: 'ref',
  });
  return `${JSON.stringify({ title: 'Tagstream pipeline', ...schema }, null, 2)}\n`;
}
