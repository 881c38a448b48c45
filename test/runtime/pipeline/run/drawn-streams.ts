import type { Random } from '../../../../src/engine/core/random.js';

/** A label as a stream writes it: whole, partial, or by token number. */
type Said = readonly (string | readonly string[] | null)[] | Readonly<Record<string, string>>;

/** A line of a stream: a record, or a label that comes before or after its record. */
export interface Line {
  readonly id?: string;
  readonly tokens?: readonly string[];
  readonly text?: string;
  readonly sentences?: readonly (readonly [number, number])[];
  readonly columns?: Readonly<Record<string, readonly string[]>>;
  readonly tags?: Said;
}

/** A stream with its records and, if they come from elsewhere, its labels. */
export interface DrawnStream {
  readonly records: readonly Line[];
  /** Labels in a file of their own; otherwise they are among the records. */
  readonly labels: readonly Line[] | undefined;
}

const words = ['Anna', 'Ben', 'saw', 'sings', 'Oslo', 'the', 'old', 'in'];
const tagSets = [
  ['B-PER', 'O'],
  ['B-PER', 'I-PER', 'O', 'B-LOC'],
  ['N', 'V', 'D'],
];
/** Labels that occur late and seldom. */
const rare = ['B-NEW', 'I-NEW', 'X'];

/** Draws one of some items. */
export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]!;
}

/**
 * Draws a stream of records that are labelled, labelled in part, unlabelled, empty or wrong, and labels that come early,
 * late, twice, contradict each other, or belong to no record, in any order.
 *
 * @param joins whether labels may come apart from their records
 * @param hasFile whether these labels have a file of their own
 */
export function drawStream(random: Random, joins: boolean, hasFile: boolean): DrawnStream {
  const count = 1 + random.below(14);
  const tags = pick(random, tagSets);
  const cold = random.below(3) === 0 ? count : random.below(count + 1);
  const labelledToo = random.below(3) > 0;
  const places: { at: number; line: Line }[] = [];
  const labels: { at: number; line: Line }[] = [];
  const tagOf = () => (random.below(25) === 0 ? pick(random, rare) : pick(random, tags));
  const known = (length: number) => Array.from({ length }, tagOf);
  const partial = (length: number): Said =>
    known(length).map(tag => {
      if (random.below(6) === 0) return random.below(2) === 0 ? [tag] : [tag, pick(random, tags)];
      return random.below(2) === 0 ? null : tag;
    });
  const single = (length: number): Said =>
    Object.fromEntries(
      known(length).flatMap((tag, t) => (random.below(2) === 0 ? [] : [[t, tag]])),
    );
  for (let i = 0; i < count; i += 1) {
    const length = random.below(10) === 0 ? 0 : 1 + random.below(5);
    const tokens = Array.from({ length }, () => pick(random, words));
    const id = `r${i}`;
    const columns = { pos: tokens.map(token => token[0]!) };
    const cut = 1 + random.below(Math.max(1, length - 1));
    const isText = length > 0 && random.below(8) === 0;
    const sentences = [
      [0, cut],
      [cut, length],
    ] as const;
    const isTwo = !isText && length > 1 && random.below(4) === 0;
    const base: Line = isText
      ? { id, text: tokens.join(' ') }
      : { id, tokens, columns, ...(isTwo ? { sentences } : {}) };
    const kind = i >= cold && labelledToo ? random.below(6) : 3 + random.below(3);
    let own: Said | undefined;
    if (kind < 2 && !isText) own = known(length);
    else if (kind === 2 && !isText) own = partial(length);
    else if (kind === 3 && random.below(4) === 0 && !isText) own = tokens.map(() => null);
    if (random.below(40) === 0 && !isText) own = known(length + 1);
    const line = own === undefined ? base : { ...base, tags: own };
    places.push({ at: i, line: !joins && random.below(4) === 0 ? withoutId(line) : line });
    if (!joins) continue;
    const answers = random.below(4);
    for (let k = 0; k < answers; k += 1) {
      const at = random.below(3) === 0 ? random.below(count) : i + random.below(5);
      const wrong = random.below(30) === 0 ? 1 : 0;
      const forms = [known, known, partial, single];
      labels.push({ at, line: { id, tags: pick(random, forms)(length + wrong) } });
    }
    if (random.below(12) === 0) labels.push({ at: i, line: { id: `none${i}`, tags: known(2) } });
  }
  const inOrder = (list: readonly { at: number; line: Line }[]) =>
    [...list].sort((a, b) => a.at - b.at).map(({ line }) => line);
  if (hasFile) return { records: inOrder(places), labels: inOrder(labels) };
  return { records: inOrder([...places, ...labels]), labels: undefined };
}

function withoutId({ id: _, ...line }: Line): Line {
  return line;
}

const losses = ['log', 'softmax-margin', 'perceptron', 'hinge'];
const optimizers = [
  { sgd: { eta0: 0.1, l2: 0.1 } },
  { sgd: { eta0: 0.1, average: { window: 5 } } },
  { adagrad: { eta0: 0.1, l2: 0.05 } },
  { 'sgd-l1': { eta0: 0.1, l1: 0.1 } },
];
const margins = [
  ['perceptron', { perceptron: {} }],
  ['perceptron', { perceptron: { average: { window: 5 } } }],
  ['hinge', { 'passive-aggressive': {} }],
  ['log', { arow: {} }],
] as const;
const detectors = ['adwin', 'page-hinkley', { ddm: { least: 2 } }];
const answers = ['warn', 'restart-steps', 'reset', 'shadow'];

/** Draws a pipeline that learns from a stream: its stages and their options. The runner adds its places. */
export function drawPipeline(random: Random): Record<string, unknown> {
  const chance = (n: number) => random.below(n) === 0;
  const joins = !chance(4);
  const [loss, optimize] = chance(4)
    ? pick(random, margins)
    : [pick(random, losses), pick(random, optimizers)];
  const averages = JSON.stringify(optimize).includes('window');
  const challenges = chance(5);
  const on = pick(random, ['errors', 'labels', 'confidence', 'words']);
  const asks = chance(3);
  const results = chance(3)
    ? { marginals: pick(random, [true, 'all', 'pairs']), probability: chance(2) }
    : {};
  const hasConfidence = 'marginals' in results || asks;
  const drift = {
    ...(chance(2)
      ? {}
      : {
          detector: pick(random, detectors),
          on: on === 'confidence' && !hasConfidence ? 'words' : on,
        }),
    answer: challenges || averages ? pick(random, ['warn', 'shadow']) : pick(random, answers),
  };
  const stages = [
    ...(joins ? [{ join: chance(2) ? { labels: {} } : {} }] : []),
    {
      featurize: {
        templates: ['U0:%x[0,0]', 'U1:%x[-1,0]', ...(chance(2) ? ['B'] : [])],
        ...(chance(8) ? { hashed: { rows: 64 } } : {}),
      },
    },
    { batch: { sentences: pick(random, [1, 1, 1, 2, 3]) } },
    ...(!challenges && chance(3)
      ? [
          {
            replay: {
              keep: 1 + random.below(5),
              each: 1 + random.below(3),
              from: pick(random, ['reservoir', 'recent', 'in-doubt']),
            },
          },
        ]
      : []),
    { contribute: { loss } },
    { optimize },
    { evaluate: { progressive: true, window: 5, report: 2, drift } },
    ...(asks
      ? [
          {
            ask: {
              share: pick(random, [0.05, 0.5, 1]),
              of: pick(random, ['tokens', 'spans', 'records']),
            },
          },
        ]
      : []),
    ...(chance(2) ? [{ checkpoint: { sentences: 1 + random.below(4), model: chance(2) } }] : []),
    { tag: results },
  ];
  const learners = {
    quick: { 'stages.optimize': { adagrad: { eta0: 0.5 } } },
    wide: { 'stages.featurize.templates': ['U0:%x[0,0]', 'U1:%pos[0,0]'].slice(0, 1) },
  };
  return {
    stages,
    train: { corpusSize: 10 },
    ...(challenges ? { challenge: { alpha: 0.9, learners } } : {}),
  };
}
