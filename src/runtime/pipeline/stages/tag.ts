import type { DecodeOptions } from '../../../engine/models/decoding/decode-options.js';
import { requireRulesFor } from '../../../engine/models/decoding/tag-rules.js';
import {
  type DictionaryEntries,
  parseDictionary,
} from '../../../engine/models/labels/tag-dictionary.js';
import type { Model } from '../../../engine/models/model.js';
import type { PipelinePaths } from '../definition/run-context.js';
import { defineStage } from '../definition/stage-component.js';
import { readRules, tagOptions } from '../options/rule-options.js';
import type { TagPlan } from '../plan/plan.js';

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
});

/**
 * Returns how a plan decodes sentences, with the contents of its dictionary and rule files.
 *
 * @param model the decoding model, if known
 * @throws TagstreamError `file`, `config` for rules with tags that the model does not have
 */
export function readDecoding(
  { options }: TagPlan['decode'],
  paths: PipelinePaths,
  model?: Model,
): DecodeOptions {
  const { scores: _, modelVersion: __, dictionary: file, rules: choice, ...decoding } = options;
  const dictionary = readDictionary(file, paths);
  const rules = readRules(choice, paths);
  if (rules !== undefined && model !== undefined) requireRulesFor(model, rules);
  return { ...decoding, ...(dictionary === undefined ? {} : { dictionary }), rules };
}

/** Reads the entries of a dictionary file; returns an option of false or undefined unchanged. */
function readDictionary(
  dictionary: string | false | undefined,
  paths: PipelinePaths,
): DictionaryEntries | false | undefined {
  if (dictionary === false || dictionary === undefined) return dictionary;
  const text = new TextDecoder().decode(paths.read(dictionary));
  return parseDictionary(text, paths.resolve(dictionary));
}
