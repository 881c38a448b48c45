import { styleText } from 'node:util';
import { figureText } from '../../engine/core/figures.js';
import type { ScorerName } from '../../engine/core/scorer.js';
import { counted, grouped } from '../../engine/core/wording/numbers.js';
import type { GraphSpec } from '../../engine/features/links/link-feature.js';
import { scorerOf } from '../../engine/inference/scorers/scorers.js';
import type {
  LayerSummary,
  ModelSummary,
  ObservedTransition,
  TransitionSummary,
  TreeStep,
  TreesSummary,
  VectorsSummary,
} from '../../engine/models/inspection/model-summary.js';
import { visible } from '../../engine/text/visible.js';
import { wantsColour } from '../report/terminal.js';
import { aligned, type Cell } from './aligned.js';

/** Maximum number of labels for which transitions are shown as a matrix. */
const matrixLabels = 10;

/** Number of labels whose weights are shown for a requested feature. */
const shownLabels = 6;

/** Units of list sizes. */
const sizesOf = { gazetteer: 'entries', clusters: 'clusters', vectors: 'words' } as const;

/** Formats a model summary as lines of text; `top` limits the listed transitions. */
export function summaryText(summary: ModelSummary, top: number, paint: Paint): string {
  const sections = [
    section('Model', overview(summary), paint),
    section('Labels', labels(summary, paint), paint),
    section('Transitions', transitions(summary, top, paint), paint),
    ...(summary.observedTransitions === undefined
      ? []
      : [section('Observed transitions', observed(summary.observedTransitions, paint), paint)]),
    ...(summary.found === undefined
      ? summary.features.map(({ label, features }) =>
          section(`Features of ${visible(label)}`, strongest(features, paint), paint),
        )
      : [section('Features found', found(summary, paint), paint)]),
    ...(summary.trees === undefined
      ? []
      : [
          section('Trees', treesText(summary.trees, paint), paint),
          section('The first tree', treeText(summary.trees.first, paint), paint),
        ]),
    ...(summary.vectors === undefined
      ? []
      : [section('Support vectors', vectors(summary.vectors), paint)]),
    section('Templates', templates(summary, paint), paint),
    ...(summary.layers === undefined
      ? []
      : [section('Further columns', layersText(summary.layers, paint), paint)]),
    section('Training', history(summary, paint), paint),
  ];
  return `${sections.join('\n\n')}\n`;
}

function layersText(layers: readonly LayerSummary[], paint: Paint): string[] {
  const head = ['', 'labels', 'features', 'weights', 'bytes', 'values'].map(text => ({
    ...{ text, paint: paint.faint },
  }));
  const rows = layers.map(({ column, as, by, model: { sizes, labels: own } }) => [
    visible(column),
    grouped(own.length),
    grouped(sizes.stateFeatures + sizes.edgeFeatures),
    grouped(sizes.stateWeights + sizes.edgeWeights + sizes.transitionWeights),
    grouped(sizes.bytes),
    by === undefined ? as : `${as}, by ${visible(by)}`,
  ]);
  return aligned([head, ...rows], { right: [1, 2, 3, 4], indent: '  ' });
}

function vectors({ tokens, weights, similarity }: VectorsSummary): string[] {
  const kernel = Object.entries(similarity)
    .map(([name, options]) => `${name} ${JSON.stringify(options)}`)
    .join();
  return [
    `  ${counted(tokens, 'token')}, ${counted(weights, 'weight')}, kernel ${visible(kernel)}`,
  ];
}

function section(title: string, lines: readonly string[], paint: Paint): string {
  return [paint.strong(title), ...lines].join('\n');
}

function overview(summary: ModelSummary): string[] {
  const { sizes, zeros, scheme, labels: all, spec, lists, dictionary, voters } = summary;
  const { index } = spec;
  const features = sizes.stateFeatures + sizes.edgeFeatures;
  const rows =
    index.mode === 'hashed'
      ? `hashed to ${grouped(index.rows)} rows`
      : `exact${index.cutoff > 1 ? `, seen ${index.cutoff} times at least` : ''}`;
  const input = spec.input as { codec?: string; options?: { columns?: unknown } } | undefined;
  return aligned(
    [
      ['file', `${grouped(sizes.bytes)} bytes`],
      ['labels', `${all.length}, scheme ${scheme}`],
      ['features', `${grouped(features)} (${rows}), ${grouped(sizes.named)} with their names`],
      [
        'weights',
        `${grouped(sizes.stateWeights)} of features, ${grouped(sizes.transitionWeights)} of transitions` +
          (sizes.edgeWeights > 0 ? `, ${grouped(sizes.edgeWeights)} of both together` : ''),
      ],
      ['zeros', `${percent(zeros.features)} of the weights of these features`],
      [
        'trained on',
        `${sizes.trainingSentences === null ? '?' : grouped(sizes.trainingSentences)} sentences`,
      ],
      ...(spec.scorer === undefined ? [] : [['scorer', scorerText(spec.scorer)]]),
      ...(spec.segments === undefined
        ? []
        : [
            [
              'structure',
              `segments of up to ${counted(spec.segments.maxLength, 'token')}, by ${spec.segments.features.join(', ')}`,
            ],
          ]),
      ...(spec.graph === undefined ? [] : [['structure', graphText(spec.graph)]]),
      ...(voters === undefined ? [] : [['voters', votesOf(voters)]]),
      ...(summary.first === undefined
        ? []
        : [['first model', `${grouped(summary.first.bytes)} of these bytes`]]),
      ['columns', spec.columns.join(', ')],
      ['input', input === undefined ? 'any' : `${input.codec} ${JSON.stringify(input.options)}`],
      ...lists.map(({ name, kind, size }) => [
        kind,
        `${visible(name)}, ${grouped(size)} ${sizesOf[kind]}`,
      ]),
      ...(dictionary === undefined
        ? []
        : [
            [
              'dictionary',
              `${grouped(dictionary.words)} words seen ${dictionary.minCount} times at least`,
            ],
          ]),
      ['tokens', spec.tokenize === undefined ? 'by default' : JSON.stringify(spec.tokenize)],
    ],
    { indent: '  ' },
  );
}

function graphText({ sameWord, features, potentials, maxWidth, schedule }: GraphSpec): string {
  const words =
    sameWord === undefined
      ? 'that records name'
      : `that records name, and of ${sameWord.of === 'all' ? 'equal' : 'equal capitalised'} words`;
  const seen = features === undefined ? '' : `, with ${features.join(', ')}`;
  return `graph of ${potentials} links ${words}${seen}; exact up to width ${maxWidth}, then by ${schedule} messages`;
}

function scorerText(name: ScorerName): string {
  return `${name}: ${scorerOf(name).summary}`;
}

/** Describes the number of weights that vote, and the distribution of their votes. */
function votesOf(voters: readonly number[]): string {
  const sum = voters.reduce((all, votes) => all + votes, 0);
  const least = voters.reduce((one, other) => Math.min(one, other));
  const most = voters.reduce((one, other) => Math.max(one, other));
  return `${grouped(voters.length)} weights with ${grouped(sum)} votes, ${grouped(least)} to ${grouped(most)} each; what follows is of their average`;
}

function labels({ labels: all }: ModelSummary, paint: Paint): string[] {
  const head = ['', 'weights', 'transitions in', 'out'].map(text => ({ text, paint: paint.faint }));
  const rows = all.map(each => [
    each.label,
    grouped(each.weights),
    grouped(each.in),
    grouped(each.out),
  ]);
  return aligned([head, ...rows], { right: [1, 2, 3], indent: '  ' });
}

function transitions(summary: ModelSummary, top: number, paint: Paint): string[] {
  const { transitions: all, labels: labelled, hasTransitions, zeros } = summary;
  if (!hasTransitions) return ['  none: the templates have no B'];
  const lines = [`  ${percent(zeros.transitions)} of them are zero`];
  if (labelled.length > matrixLabels) {
    const rows = all
      .slice(0, top)
      .map(({ from, to, weight }) => [from, '->', to, number(weight, paint)]);
    return [...lines, ...aligned(rows, { right: [3], indent: '  ' })];
  }
  const names = labelled.map(({ label }) => label);
  const weights = new Map(all.map(each => [key(each), each.weight]));
  const head = ['from \\ to', ...names].map(text => ({ text, paint: paint.faint }));
  const rows = names.map(from => [
    from,
    ...names.map(to => number(weights.get(key({ from, to })) ?? 0, paint)),
  ]);
  return [
    ...lines,
    ...aligned([head, ...rows], { right: names.map((_, i) => i + 1), indent: '  ' }),
  ];
}

function observed(all: readonly ObservedTransition[], paint: Paint): string[] {
  if (all.length === 0) return ['  none'];
  const rows = all.map(({ from, to, weight, ...feature }) => [
    ...[number(weight, paint), from, '->', to],
    feature.name === undefined ? { text: named(feature), paint: paint.faint } : feature.name,
  ]);
  return aligned(rows, { right: [0], indent: '  ' });
}

function key({ from, to }: Pick<TransitionSummary, 'from' | 'to'>): string {
  return JSON.stringify([from, to]);
}

function strongest(features: ModelSummary['features'][number]['features'], paint: Paint): string[] {
  if (features.length === 0) return ['  none'];
  const rows = features.map(({ name, row, weight }) => [
    number(weight, paint),
    name === undefined ? { text: `feature ${row}, name not kept`, paint: paint.faint } : name,
  ]);
  return aligned(rows, { right: [0], indent: '  ' });
}

function found({ found: all = [], sizes }: ModelSummary, paint: Paint): string[] {
  const features = sizes.stateFeatures + sizes.edgeFeatures;
  const note =
    sizes.named < features
      ? [
          `  looked at ${grouped(sizes.named)} of ${grouped(features)} features: those whose names the model keeps.`,
          '  --data FILE names those of a file; `model: { file, names: true }` keeps all when it is trained',
        ]
      : [];
  const rows = all.map(({ name, weights }) => [
    name,
    weights
      .slice(0, shownLabels)
      .map(({ label, weight }) => `${visible(label)} ${signed(weight)}`)
      .join('  ') + (weights.length > shownLabels ? '  ...' : ''),
  ]);
  return [
    ...(rows.length === 0 ? ['  none'] : aligned(rows, { indent: '  ' })),
    ...note.map(paint.faint),
  ];
}

function templates({ templates: all }: ModelSummary, paint: Paint): string[] {
  if (all.every(({ kept }) => kept === undefined)) {
    return all.map(({ template }) => `  ${visible(template)}`);
  }
  const head = ['', 'features met', 'kept', 'weights', 'zeros'];
  const rows = all.map(({ template, kind, met = 0, kept = 0, weights = 0, zeros = 0 }) => [
    kind === 'edge' && template.startsWith('*') ? `${template} (transitions)` : template,
    ...[met, kept, weights].map(grouped),
    percent(zeros),
  ]);
  return aligned([head.map(text => ({ text, paint: paint.faint })), ...rows], {
    right: [1, 2, 3, 4],
    indent: '  ',
  });
}

function history({ history: all }: ModelSummary, paint: Paint): string[] {
  if (all.length === 0) return ['  no passes noted: trained on a stream, or before they were'];
  const scored = all.some(({ scores }) => scores !== undefined);
  const spans = all.some(({ scores }) => scores?.f1 !== undefined);
  const margins = all.some(({ margin }) => margin !== undefined);
  const head = [
    'pass',
    'loss per token',
    ...(margins ? ['mistakes', 'smallest margin'] : []),
    ...(scored ? ['accuracy'] : []),
    ...(spans ? ['F1'] : []),
  ];
  const rows = all.map(({ pass, loss, scores, margin }) => [
    String(pass),
    loss.toFixed(4),
    ...(margins ? [margin ? grouped(margin.mistakes) : '', margin?.smallest.toFixed(3) ?? ''] : []),
    ...(scored ? [scores === undefined ? '' : figureText(scores.accuracy)] : []),
    ...(spans ? [scores?.f1 === undefined ? '' : figureText(scores.f1)] : []),
  ]);
  return aligned([head.map(text => ({ text, paint: paint.faint })), ...rows], {
    right: [0, 1, 2, 3, 4, 5],
    indent: '  ',
  });
}

function number(value: number, paint: Paint): Cell {
  return { text: value === 0 ? '.' : signed(value), paint: text => paint.signed(text, value) };
}

function percent(value: number): string {
  return `${(100 * value).toFixed(1)} %`;
}

/** Maximum number of shown values of a leaf. */
const shownValues = 4;

/** Formats the sizes of a model's trees, and their most frequent splits, as lines. */
function treesText(trees: TreesSummary, paint: Paint): string[] {
  const sizes = `  ${grouped(trees.trees)} trees with ${grouped(trees.leaves)} leaves and ${grouped(trees.values)} values, splitting on ${grouped(trees.features)} features`;
  const head = ['gain', 'splits', 'feature'].map(text => ({ text, paint: paint.faint }));
  const rows = trees.splits.map(({ gain, splits, ...feature }) => [
    gain.toFixed(1),
    grouped(splits),
    named(feature),
  ]);
  return [
    sizes,
    ...(rows.length === 0 ? [] : aligned([head, ...rows], { right: [0, 1], indent: '  ' })),
  ];
}

/**
 * Formats a tree as lines; after a split, `no` is for tokens without its feature, `yes` for tokens
 * with it.
 */
function treeText(steps: readonly TreeStep[], paint: Paint): string[] {
  return steps.map(({ depth, has, feature, values = [] }) => {
    const branch = has === undefined ? '' : paint.faint(has ? 'yes  ' : 'no   ');
    const shown = values
      .slice(0, shownValues)
      .map(({ label, value }) => `${visible(label)} ${signed(value)}`)
      .join('  ');
    const more = values.length > shownValues ? '  ...' : '';
    const text = feature === undefined ? `${shown}${more}` : `${visible(named(feature))} ?`;
    return `${'  '.repeat(depth + 1)}${branch}${text === '' ? '0' : text}`;
  });
}

function named({ name, row }: { readonly name?: string; readonly row: number }): string {
  return name ?? `feature ${row}, name not kept`;
}

/** Formats a weight with its sign: `+0.123`. */
function signed(value: number): string {
  return `${value < 0 ? '-' : '+'}${Math.abs(value).toFixed(3)}`;
}

/** Colours of the output; plain text if it is not a terminal. */
export interface Paint {
  strong(text: string): string;
  faint(text: string): string;
  /** Colours by the sign of a number: green for, red against. */
  signed(text: string, value: number): string;
}

/**
 * Returns colours if `FORCE_COLOR` is set or the stream is a terminal without `NO_COLOR`, otherwise
 * none.
 *
 * @example
 * paintFor({ isTTY: false }, {}).strong('text') // => 'text'
 */
export function paintFor(
  stream: { readonly isTTY?: boolean },
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Paint {
  if (!wantsColour(environment, stream.isTTY === true)) {
    const plain = (text: string) => text;
    return { strong: plain, faint: plain, signed: plain };
  }
  const style = (format: 'bold' | 'dim' | 'green' | 'red') => (text: string) =>
    styleText(format, text, { validateStream: false });
  return {
    strong: style('bold'),
    faint: style('dim'),
    signed: (text, value) => (value === 0 ? text : style(value > 0 ? 'green' : 'red')(text)),
  };
}
