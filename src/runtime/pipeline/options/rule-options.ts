import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { TagstreamError } from '../../../engine/core/errors.js';
import { onResume } from '../../../engine/core/schema/on-resume.js';
import { decodeForms } from '../../../engine/models/decoding/decode-options.js';
import { requireRule, type TagRule } from '../../../engine/models/decoding/tag-rules.js';
import { readBytes } from '../../../formats/reading/read-bytes.js';
import { readText } from '../../../formats/reading/read-text.js';
import { Checker } from '../file/check.js';
import { parseYaml } from '../file/yaml-document.js';

const label = z.string().min(1).optional();

const rule = z
  .strictObject({
    set: label.describe('label of the span that the match is'),
    forbid: label.describe('label that no token of the match may have'),
    suggest: label.describe('label with a higher score at the tokens of the match'),
    weight: z.number().optional().describe('score added by a suggestion, per token. Default: 2'),
    pattern: z.string().min(1).optional().describe('a regular expression with the flag u'),
    names: z.array(z.string().min(1)).min(1).optional().describe('names, tokenized like texts'),
    file: z.string().min(1).optional().describe('a file of names, one per line; may be gzip'),
    fold: z.boolean().optional().describe('ignore the case of names'),
  })
  .superRefine(({ file, ...given }, context) => {
    const names = file === undefined ? given.names : [...(given.names ?? []), file];
    try {
      requireRule({ ...given, names });
    } catch (thrown) {
      const { problem, fix } = thrown as TagstreamError;
      context.addIssue({ code: 'custom', message: `${problem} (${fix})` });
    }
  });

const rules = z.array(rule).min(1);

type GivenRule = z.output<typeof rule>;

/** The option `rules` of the stage `tag`. */
export const rulesOption = z
  .optional(z.union([z.string().min(1), rules]))
  .describe(
    'rules for names and patterns: a file of them, or the rules, as { set: LOC, names: [Oslo] }, { forbid: PER, pattern: "[0-9]+" } or { suggest: ORG, file: firms.txt, weight: 2 }',
  );

/** The chosen value of the option `rules`. */
export type RulesChoice = z.output<typeof rulesOption>;

/**
 * Returns the given rules as plain data, and reads lists of names.
 *
 * @param paths resolves the files named in the rules
 * @throws TagstreamError `file`; `config` with the line of a wrong rule in a file
 */
export function readRules(
  given: RulesChoice,
  paths: { resolve(file: string): string },
): readonly TagRule[] | undefined {
  if (given === undefined) return undefined;
  if (typeof given === 'string') return readRulesFile(paths.resolve(given));
  return given.map((each, i) => namesRead(each, `rule ${i + 1}`, name => paths.resolve(name)));
}

/**
 * Returns the rules of a file, a list in YAML. Paths of name files are relative to its folder.
 *
 * @throws TagstreamError `file`; `config` with line and column
 */
export function readRulesFile(file: string): readonly TagRule[] {
  const document = parseYaml(new TextDecoder().decode(readBytes(file)), file);
  const checker = new Checker(document);
  checker.requireContents('write a list of rules, as - { set: LOC, names: [Oslo] }');
  const given = checker.parse(rules, document.value);
  return given.map((each, i) =>
    namesRead(each, `${file}:${document.place([i]).line}`, name => resolve(dirname(file), name)),
  );
}

function namesRead(
  { file, ...given }: GivenRule,
  from: string,
  path: (file: string) => string,
): TagRule {
  if (file === undefined) return { ...given, from };
  return { ...given, names: [...(given.names ?? []), ...readText(path(file)).split('\n')], from };
}

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

/** Returns the schema of an option with the given values, the first of which is the default. */
function choice<const Value extends string>({ among, describe }: Form<Value>) {
  return z
    .enum(among)
    .default(among[0]! as never)
    .describe(describe);
}

interface Form<Value> {
  readonly among: readonly Value[];
  readonly describe: string;
}

const flag = (describe: string) => z.boolean().default(false).describe(describe);

const { nbest, marginals, pairThreshold, dictionary } = decodeForms;

/** The stage `tag`: how sentences are decoded, and which results are reported for each. */
export const tagOptions = onResume(
  'output',
  z.strictObject({
    decoding: choice(decodeForms.decoding),
    marginals: z
      .union([z.boolean(), z.enum([marginals.among[2], marginals.among[3]])])
      .default(false)
      .describe(marginals.describe),
    pairThreshold: z
      .number()
      .min(pairThreshold.least)
      .max(pairThreshold.most)
      .optional()
      .describe(pairThreshold.describe),
    scores: flag('add the score of each sentence'),
    modelVersion: flag('add the id of the model to each record, as _model'),
    probability: flag(decodeForms.probability.describe),
    nbest: z.int().min(nbest.least).max(nbest.most).optional().describe(nbest.describe),
    spanProbabilities: flag(decodeForms.spanProbabilities.describe),
    transitions: choice(decodeForms.transitions),
    dictionary: z
      .optional(z.union([z.string().min(1), z.literal(false)]))
      .describe(`${dictionary.describe}; false: none`),
    rules: rulesOption,
    sequence: z
      .optional(z.array(sequenceRule).min(1))
      .describe(
        'rules for the tags of a whole sentence, as { of: [B-PER], atMost: 1 } or { order: [[B-PER], [B-LOC]] }: the best sequence that meets them all',
      ),
  }),
  ({ kind }) => kind !== 'tag',
);

export type TagStageOptions = z.output<typeof tagOptions>;
