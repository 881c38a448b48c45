import { TagstreamError } from '../../core/errors.js';
import { parseTemplates } from '../../features/template/parse-templates.js';
import type { IndexSpec, ModelSpec } from '../model-spec.js';

/**
 * Refuses a model to begin with whose features are made otherwise. The order of templates does not matter,
 * nor do the cutoff, the support and the input.
 *
 * @param source name of its file, for errors
 * @throws TagstreamError `config` that names each difference
 */
export function requireSameFeatures(spec: ModelSpec, start: ModelSpec, source = '<model>'): void {
  const differences = [
    ...templateDifferences(spec.templates, start.templates),
    ...difference('columns', start.columns.join(' '), spec.columns.join(' ')),
    ...difference('index', shown(start.index), shown(spec.index)),
  ];
  if (differences.length === 0) return;
  throw new TagstreamError(
    'config',
    `the model to start from has other features: ${differences.join('; ')}`,
    {
      place: { source },
      fix: 'use the templates, columns and index of that model, or leave train.start out',
    },
  );
}

function templateDifferences(ours: string, theirs: string): string[] {
  const here = linesOf(ours);
  const there = linesOf(theirs);
  return [
    ...[...there].filter(line => !here.has(line)).map(line => `template ${line} -> absent`),
    ...[...here].filter(line => !there.has(line)).map(line => `template absent -> ${line}`),
  ];
}

function linesOf(text: string): Set<string> {
  const { templates, transitions } = parseTemplates(text);
  return new Set([...templates.map(({ source }) => source), ...(transitions ? ['B'] : [])]);
}

function difference(name: string, then: string, now: string): string[] {
  return then === now ? [] : [`${name}: ${then} -> ${now}`];
}

function shown(index: IndexSpec): string {
  return index.mode === 'exact' ? 'exact' : `hashed, ${index.rows} and ${index.edgeRows} rows`;
}
