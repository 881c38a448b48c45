import * as z from 'zod';
import { studySchema } from './study-schema.js';

/** The JSON Schema of study files, for editors; from the schema that checks them. */
export function studyJsonSchemaText(): string {
  const schema = z.toJSONSchema(studySchema, { io: 'input', target: 'draft-7', reused: 'ref' });
  return `${JSON.stringify({ title: 'Tagstream study', ...schema }, null, 2)}\n`;
}
