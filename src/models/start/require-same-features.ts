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
    ...templateDifferences(spec, start),
    ...difference('columns', start.columns.join(' '), spec.columns.join(' ')),
    ...difference('index', shown(start.index), shown(spec.index)),
    ...difference('structure', structureText(start), structureText(spec)),
    ...difference('scorer', start.scorer ?? 'linear', spec.scorer ?? 'linear'),
    ...difference('hidden states', `${start.hidden?.states ?? 1}`, `${spec.hidden?.states ?? 1}`),
    ...difference('codes', codeText(start), codeText(spec)),
    ...difference('layers', start.layers?.separator ?? 'one', spec.layers?.separator ?? 'one'),
  ];
  if (differences.length === 0) return;
  throw new TagstreamError(
    'config',
    `the model to start from has other features: ${differences.join('; ')}`,
    {
      place: { source },
      fix: 'use the templates, columns, index, scorer, hidden states, codes and layers of that model, or leave train.start out',
    },
  );
}

function templateDifferences(ours: ModelSpec, theirs: ModelSpec): string[] {
  const here = linesOf(ours);
  const there = linesOf(theirs);
  return [
    ...[...there].filter(line => !here.has(line)).map(line => `template ${line} -> absent`),
    ...[...here].filter(line => !there.has(line)).map(line => `template absent -> ${line}`),
  ];
}

function linesOf(spec: ModelSpec): Set<string> {
  const { templates, transitions } = parseTemplates(spec.templates, undefined, spec.functions);
  return new Set([...templates.map(({ source }) => source), ...(transitions ? ['B'] : [])]);
}

function difference(name: string, then: string, now: string): string[] {
  return then === now ? [] : [`${name}: ${then} -> ${now}`];
}

function structureText({ segments, graph }: ModelSpec): string {
  if (graph !== undefined) {
    const { potentials, sameWord, features = [] } = graph;
    const words = sameWord && `, between equal words: ${Object.values(sameWord).join(' ')}`;
    return `graph of ${potentials} links${words ?? ''}${features.map(each => `, ${each}`).join('')}`;
  }
  if (segments === undefined) return 'chain';
  return `segments of up to ${segments.maxLength} with ${segments.features.join(', ')}`;
}

/** The decoder is no matter of weights. */
function codeText({ codes }: ModelSpec): string {
  return codes === undefined ? 'none' : JSON.stringify({ ...codes, decoder: undefined });
}

function shown(index: IndexSpec): string {
  return index.mode === 'exact' ? 'exact' : `hashed, ${index.rows} and ${index.edgeRows} rows`;
}
