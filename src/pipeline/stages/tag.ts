import type { Observable } from 'rxjs';
import * as z from 'zod';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import { confidenceIn, mostAlternatives } from '../../models/decoding/decode-options.js';
import { requirePossible } from '../../models/decoding/require-possible.js';
import { requireRulesFor } from '../../models/decoding/tag-rules.js';
import { parseDictionary } from '../../models/labels/parse-dictionary.js';
import type { DictionaryEntries } from '../../models/labels/tag-dictionary.js';
import { tag } from '../../operators/tag.js';
import type { RunSetup } from '../definition/run-setup.js';
import { defineStage } from '../definition/stage-component.js';
import { readRules, rulesOption } from '../options/rule-options.js';

const names = z.array(z.string().min(1)).min(1);
const bound = z.int().min(0).max(1000).optional();
const sequenceRule = z.union([
  z
    .strictObject({ of: names, atLeast: bound, atMost: bound })
    .refine(({ atLeast = 0, atMost }) => atLeast > 0 || atMost !== undefined, {
      message: 'atLeast, atMost or both are needed',
    }),
  z.strictObject({ order: z.array(names).min(2) }),
]);

const options = z.strictObject({
  decoding: z
    .enum(['viterbi', 'posterior', 'minimum-risk', 'loopy'])
    .default('viterbi')
    .describe(
      'viterbi: the best tag sequence; posterior: the best tag of each token; minimum-risk: minimum Bayes risk decoding, the allowed sequence with the fewest expected errors; loopy: posterior from approximate sums, for models of two layers',
    ),
  marginals: z
    .union([z.boolean(), z.literal('all')])
    .default(false)
    .describe('add the probability of each tag; all: those of all tags at each token'),
  scores: z.boolean().default(false).describe('add the score of each sentence'),
  modelVersion: z
    .boolean()
    .default(false)
    .describe('add the id of the model to each record, as _model'),
  probability: z.boolean().default(false).describe('add the probability of each tag sequence'),
  nbest: z
    .int()
    .min(1)
    .max(mostAlternatives)
    .optional()
    .describe('add the N best tag sequences, with score and probability'),
  spanProbabilities: z.boolean().default(false).describe('add the probability of each span'),
  transitions: z
    .enum(['scheme', 'any'])
    .default('scheme')
    .describe('scheme: only sequences that the tag scheme allows; any: all sequences'),
  dictionary: z
    .union([z.string().min(1), z.literal(false)])
    .optional()
    .describe(
      "a dictionary file of words and their allowed tags, instead of the model's own; false: none",
    ),
  rules: rulesOption,
  sequence: z
    .array(sequenceRule)
    .min(1)
    .optional()
    .describe(
      'rules for the tags of a whole sentence, as { of: [B-PER], atMost: 1 } or { order: [[B-PER], [B-LOC]] }: the best sequence that meets them all',
    ),
});

export type TagStageOptions = z.output<typeof options>;

export const tagStage = defineStage({
  name: 'tag',
  summary: 'tags sentences; after optimize, with the tags predicted before learning',
  example: 'tag: { marginals: true }',
  takes: ['minibatch', 'training step'],
  gives: 'tagged sentence',
  options,
  files: ({ dictionary, rules }) => [
    ...(typeof dictionary === 'string'
      ? [{ file: dictionary, at: 'dictionary', what: 'the dictionary', whole: true }]
      : []),
    ...(typeof rules === 'string'
      ? [{ file: rules, at: 'rules', what: 'the rules', whole: true }]
      : []),
    ...(Array.isArray(rules) ? rules : []).flatMap(({ file }) =>
      file === undefined ? [] : [{ file, at: 'rules', what: 'a list of names', whole: true }],
    ),
  ],
  create(chosen, setup) {
    setup.predict = true;
    setup.confidence = confidenceIn(chosen).asked;
    setup.scores = chosen.scores;
    setup.addsModelId = chosen.modelVersion;
    const { scores: _, modelVersion: __, dictionary, rules: choice, ...options } = chosen;
    const entries = dictionaryOf(dictionary, setup);
    const rules = readRules(choice, setup);
    const given = { ...(entries === undefined ? {} : { dictionary: entries }), rules };
    if (rules !== undefined) requireRulesFor(setup.model, rules);
    if (setup.train === undefined) {
      setup.checkSentence = sentence => requirePossible(setup.model, sentence, options);
    }
    return (source: Observable<Minibatch | TrainingStep>) =>
      source.pipe(tag(setup.model, { ...options, ...given }));
  },
});

/** The entries of a dictionary file, or false or undefined as the option says. */
export function dictionaryOf(
  dictionary: string | false | undefined,
  setup: RunSetup,
): DictionaryEntries | false | undefined {
  if (dictionary === false || dictionary === undefined) return dictionary;
  const text = new TextDecoder().decode(setup.readBytes(dictionary));
  return parseDictionary(text, setup.path(dictionary));
}
