import { TagstreamError } from '../../core/errors.js';
import type { FeatureIndex } from '../../features/index/feature-index.js';
import { FingerprintInterner } from '../../features/index/fingerprint-interner.js';
import { canGrow } from '../../features/index/placed-index.js';
import { parseTemplates } from '../../features/template/parse-templates.js';
import { hammingDistance } from '../labels/code-columns.js';
import type { LabelSet } from '../labels/label-set.js';
import { outside } from '../labels/seen-transitions.js';
import type { Model } from '../model.js';
import type { IndexSpec, ModelSpec } from '../model-spec.js';
import { addWeights, observeWeights, type TakenWeights } from './add-weights.js';

/**
 * Copies another model's labels, features, transitions and weights to an empty model, which then
 * continues learning on a stream where the other stopped and can add new labels and features.
 *
 * @throws TagstreamError `config` if templates, columns or index differ; `too-large`
 */
export function growFrom(model: Model, start: Model): TakenWeights {
  requireSameFeatures(model.spec, start.spec);
  const { names, states } = start.labels;
  const numbers = names.map((name, y) => model.labels.intern(name) + (y % states));
  intern(model.stateIndex, start.stateIndex);
  intern(model.edgeIndex, start.edgeIndex);
  for (const [from, to] of transitionsOf(start)) {
    model.seen.add(from < 0 ? from : numbers[from]!, to < 0 ? to : numbers[to]!);
  }
  model.reserve();
  observeWeights(model, start);
  return takeWeights(model, start);
}

/**
 * Returns transitions that reproduce the rules of another model, because a model file contains the rules
 * but not the observed transitions.
 */
function transitionsOf({ seen, labels, transitionRules }: Model): (readonly [number, number])[] {
  if (seen.size > 0) return [...seen.pairs()];
  const { scheme, also } = transitionRules;
  if (scheme === 'none') return [];
  const starts = labels.names.flatMap((name, y) =>
    /^[BS]-/.test(name) ? [[outside, y] as const] : [],
  );
  return [...starts, ...also];
}

/**
 * Assigns rows of an empty index to all features of another exact index, regardless of its cutoff.
 */
function intern(index: FeatureIndex, other: FeatureIndex): void {
  if (!(canGrow(index) && canGrow(other))) return;
  const interner = new FingerprintInterner(index);
  const fingerprints = other.fingerprints();
  for (let times = 0; times < index.cutoff; times += 1) interner.rowsOf(fingerprints);
}

/**
 * Initialises training with the weights of another model: features are matched by fingerprint, labels by name. Weights
 * that the other model lacks are unchanged; weights without a place in this model are skipped.
 *
 * Call it once the model has its features and labels, before anything is learned. Cost: one lookup per feature of the
 * other model, plus O(its weights).
 *
 * @throws TagstreamError `config` if templates, columns or index differ, or labels have different code words
 */
export function takeWeights(model: Model, start: Model): TakenWeights {
  requireSameFeatures(model.spec, start.spec);
  requireSameWords(model.labels, start.labels);
  const { parameters } = model;
  if (parameters.scale !== 1 || parameters.version !== 0) throw tooLate();
  model.reserve();
  start.reserve();
  return addWeights(model, start, { replace: true });
}

/** Bit columns match only if the bits split the same labels in the same way. */
function requireSameWords(labels: LabelSet, start: LabelSet): void {
  if (labels.codes === undefined || start.codes === undefined) return;
  const { words } = start.codes.codes;
  const other = labels.names.find((name, y) => {
    const word = words[start.find(name)];
    return word === undefined || hammingDistance(word, labels.codes!.codes.words[y]!) > 0;
  });
  if (other === undefined && words.length === labels.size) return;
  const which =
    other === undefined
      ? 'some labels are not in the corpus'
      : `the label "${other}" has another code`;
  throw new TagstreamError('config', `in the model to start from, ${which}`, {
    fix: 'train on the same tags, first seen in the same order, or leave train.start out',
  });
}

function tooLate(): TagstreamError {
  return new TagstreamError('stage', 'the model is already trained', {
    fix: 'copy weights before the first update',
  });
}

/**
 * Rejects an initial model with different features. The order of templates does not matter, and neither do
 * cutoff, support and input.
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
    ...difference('parts', start.parts?.separator ?? 'one', spec.parts?.separator ?? 'one'),
    ...difference('layers', start.layers?.separator ?? 'one', spec.layers?.separator ?? 'one'),
  ];
  if (differences.length === 0) return;
  throw new TagstreamError(
    'config',
    `the model to start from has different features: ${differences.join('; ')}`,
    {
      place: { source },
      fix: 'use the templates, columns, index, scorer, hidden states, codes, parts and layers of that model, or leave train.start out',
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

/** The decoder and the order of a word table do not affect the weights. */
function codeText({ codes }: ModelSpec): string {
  if (codes === undefined) return 'none';
  if (codes.kind !== 'words') return JSON.stringify({ ...codes, decoder: undefined });
  return JSON.stringify(
    Object.entries(codes.words).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

function shown(index: IndexSpec): string {
  return index.mode === 'exact' ? 'exact' : `hashed, ${index.rows} and ${index.edgeRows} rows`;
}
