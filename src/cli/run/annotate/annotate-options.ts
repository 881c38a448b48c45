import type { LogArguments, ShutdownArguments } from '../../options/operation-options.js';
import {
  type ArgumentsOf,
  flag,
  number,
  port,
  text,
  texts,
  wholeNumber,
} from '../../options/option-kinds.js';

export const annotateOptions = {
  out: text('NDJSON file for the answers, which `train` reads; an existing file is continued'),
  labels: text('kinds of spans: PER,ORG,LOC'),
  tags: text('labels, one per token: NOUN,VERB'),
  model: text('model file to start from; its labels are the default'),
  preset: {
    choices: ['ner', 'chunk', 'pos'] as const,
    requiresArg: true,
    describe: 'features without a model to start from [default: ner for spans, pos for tags]',
  },
  gazetteer: texts('LABEL=FILE, one name per line: proposals at first, then features'),
  pattern: texts('LABEL=EXPRESSION, a regular expression: proposals at first'),
  strategy: {
    choices: [
      ...['sequential', 'random', 'least-confidence', 'margin', 'entropy'],
      ...['diversity', 'spans'],
    ],
    default: 'diversity',
    requiresArg: true,
    describe: 'how to choose the next record',
  },
  seed: text('seed of all random choices [default: 1]', { coerce: wholeNumber('seed', 0) }),
  annotators: text('number of annotators, or their names: anna,ben'),
  overlap: number('share of the records that all annotators get, from 0 to 1 [default: 0.2]', {
    implies: 'annotators',
  }),
  guidelines: text('Markdown file to show next to the text'),
  save: text(
    'where to save the model, at the end and on demand [default: the name of --out, with .model]',
  ),
  retrain: flag('train from scratch in the background [default: unless --model is given]'),
  port: text('port; 0: any free one [default: 8765]', { coerce: port('port') }),
  host: text('address to listen on; any but this machine needs --token [default: 127.0.0.1]'),
  token: text('secret in the address of the page, at least 8 characters'),
  origin: text(
    'public address of the page behind a proxy, such as https://label.example.com or https://example.com/label',
  ),
  simulate: text('simulate an annotator with this labelled file, and compare strategies', {
    conflicts: ['records', 'out'],
  }),
  strategies: text(
    'strategies for --simulate; the others are compared with the first [default: random,diversity,spans]',
  ),
  seeds: text('with --simulate: runs per strategy [default: 3]', {
    coerce: wholeNumber('seeds', 1),
  }),
  tokens: text('with --simulate: tokens that the annotator reads [default: 22000]', {
    coerce: wholeNumber('tokens', 1),
  }),
  reach: flag(
    'with --simulate: stop a run soon after it reaches the final score of the first strategy',
    { implies: 'simulate' },
  ),
  test: text('labelled file to score on [default: a fifth of that of --simulate]', {
    implies: 'simulate',
  }),
  format: text(
    'format of the records, or of the labelled files of --simulate [default: by extension, then by content]',
  ),
  html: text('write the curves of --simulate as a page to this file', {
    implies: 'simulate',
  }),
  svg: text('write the curves by tokens looked at as a picture to this file', {
    implies: 'simulate',
  }),
} as const;

/** Arguments of `annotate`. */
export interface AnnotateArguments
  extends Omit<ArgumentsOf<typeof annotateOptions>, 'strategy'>,
    LogArguments,
    ShutdownArguments {
  readonly records?: string | undefined;
  readonly strategy: string;
}
