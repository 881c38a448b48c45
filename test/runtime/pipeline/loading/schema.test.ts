import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonSchemaText } from '../../../../src/runtime/pipeline/loading/pipeline-schema.js';

describe('config/pipeline.schema.json', () => {
  it('is what the code says; `npm run schema` writes it anew', () => {
    const file = resolve(import.meta.dirname, '../../../../config/pipeline.schema.json');
    expect(readFileSync(file, 'utf8')).toBe(jsonSchemaText());
  });
});
