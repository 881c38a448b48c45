import type { Observable } from 'rxjs';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { TrainingStep } from '../../core/training/training-step.js';
import { confidenceIn } from '../../models/decoding/decode-options.js';
import { requirePossible } from '../../models/decoding/require-possible.js';
import { requireRulesFor } from '../../models/decoding/tag-rules.js';
import { parseDictionary } from '../../models/labels/parse-dictionary.js';
import type { DictionaryEntries } from '../../models/labels/tag-dictionary.js';
import { tag } from '../../operators/tag.js';
import type { RunSetup } from '../definition/run-setup.js';
import { defineStage } from '../definition/stage-component.js';
import { readRules } from '../options/rule-options.js';
import { tagOptions } from '../options/tag-options.js';

export const tagStage = defineStage({
  name: 'tag',
  summary: 'tags sentences; after optimize, with the tags predicted before learning',
  example: 'tag: { marginals: true }',
  takes: ['minibatch', 'training step'],
  gives: 'tagged sentence',
  options: tagOptions,
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
