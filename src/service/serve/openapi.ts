import * as z from 'zod';
import { problemStatuses } from '../../runtime/http/problem.js';
import { answerTypes } from './requests/accepted.js';
import type { OptionSchemas } from './requests/wish.js';
import {
  explainedSchema,
  modelsSchema,
  problemSchema,
  recordSchema,
  taggedSchema,
} from './schemas.js';
import { modelHeaders } from './tag-requests.js';

const plainText = { 'text/plain': { schema: { type: 'string' } } };

/** Returns the OpenAPI 3.1 description of a service, made from the schemas that check requests. */
export function openApi(
  schemas: OptionSchemas,
  { version, needsToken }: { readonly version: string; readonly needsToken: boolean },
): object {
  const problem = {
    description: 'the request failed',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
  const problems = Object.fromEntries(problemStatuses.map(status => [String(status), problem]));
  const one = { $ref: '#/components/schemas/Record' };
  const text = { type: 'string' };
  const tagged = { $ref: '#/components/schemas/TaggedRecord' };
  const explained = { $ref: '#/components/schemas/ExplainedRecord' };
  const parametersOf = (schema: OptionSchemas[keyof OptionSchemas]) =>
    Object.entries(schema.shape).map(([name, each]) => {
      const { description, ...rest } = jsonSchema(each) as { description?: string };
      return { name, in: 'query', required: false, description, schema: rest };
    });
  const requestBody = {
    required: true,
    content: {
      'application/json': {
        schema: {
          anyOf: [text, one, { type: 'array', items: text }, { type: 'array', items: one }],
        },
      },
      'text/plain': { schema: text },
      'application/x-ndjson': { schema: { type: 'string' } },
    },
  };
  const answers: Readonly<Record<string, object>> = {
    'application/json': { schema: { anyOf: [tagged, { type: 'array', items: tagged }] } },
  };
  const named = Object.values(modelHeaders).map(name => [name, { schema: { type: 'string' } }]);
  const ok = (content: object) => ({ description: 'the answer', content });
  return {
    openapi: '3.1.0',
    info: { title: 'tagstream serve', version },
    paths: {
      '/v1/tag': {
        post: {
          operationId: 'tag',
          summary: 'Tags a text, a record, an array of either, or a stream of records',
          parameters: parametersOf(schemas.tag),
          requestBody,
          responses: {
            200: {
              ...ok(
                Object.fromEntries(
                  Object.keys(answerTypes).map(type => [
                    type,
                    answers[type] ?? { schema: { type: 'string' } },
                  ]),
                ),
              ),
              headers: Object.fromEntries(named),
            },
            ...problems,
          },
        },
      },
      '/v1/explain': {
        post: {
          operationId: 'explain',
          summary: 'Explains the tags of a text, a record, or several',
          parameters: parametersOf(schemas.explain),
          requestBody,
          responses: {
            200: {
              ...ok({
                'application/json': {
                  schema: { anyOf: [explained, { type: 'array', items: explained }] },
                },
              }),
              headers: Object.fromEntries(named),
            },
            ...problems,
          },
        },
      },
      '/v1/models': {
        get: {
          operationId: 'models',
          summary: 'Lists the models and their current versions',
          responses: {
            200: ok({ 'application/json': { schema: jsonSchema(modelsSchema) } }),
            401: problem,
            403: problem,
          },
        },
      },
      ...Object.fromEntries(
        ['/livez', '/readyz', '/metrics'].map(path => [
          path,
          {
            get: {
              operationId: path.slice(1),
              responses: {
                200: ok(plainText),
                401: problem,
                403: problem,
                503: ok(plainText),
              },
            },
          },
        ]),
      ),
    },
    components: {
      schemas: {
        Record: jsonSchema(recordSchema),
        TaggedRecord: jsonSchema(taggedSchema),
        ExplainedRecord: jsonSchema(explainedSchema),
        Problem: jsonSchema(problemSchema),
      },
      ...(needsToken ? { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } : {}),
    },
    ...(needsToken ? { security: [{ bearer: [] }] } : {}),
  };
}

function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}
