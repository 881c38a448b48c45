import { dirname, resolve } from 'node:path';
import * as z from 'zod';
import type { TagstreamError } from '../../core/errors.js';
import { readBytes } from '../../io/reading/read-bytes.js';
import { readText } from '../../io/reading/read-text.js';
import { requireRule, type TagRule } from '../../models/decoding/tag-rules.js';
import { Checker } from '../file/check.js';
import { parseYaml } from '../file/yaml-document.js';

const label = z.string().min(1).optional();

const rule = z
  .strictObject({
    set: label.describe('the label of the span that the tokens found are'),
    forbid: label.describe('a label that none of the tokens found has'),
    suggest: label.describe('a label that has more score at the tokens found'),
    weight: z.number().optional().describe('of a suggestion, for each token. Default: 2'),
    pattern: z.string().min(1).optional().describe('a regular expression with the flag u'),
    names: z.array(z.string().min(1)).min(1).optional().describe('names, tokenized as texts are'),
    file: z.string().min(1).optional().describe('a file of names, one a line; may be gzip'),
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
  .union([z.string().min(1), rules])
  .optional()
  .describe(
    'rules for names and patterns: a file of them, or the rules, as { set: LOC, names: [Oslo] }, { forbid: PER, pattern: "[0-9]+" } or { suggest: ORG, file: firms.txt, weight: 2 }',
  );

/** What is given for it. */
export type RulesChoice = z.output<typeof rulesOption>;

/**
 * The rules that are given, as plain data; lists of names are read.
 *
 * @param paths knows where files are that are named there
 * @throws TagstreamError `file`; `config` with the line of a rule in a file that is wrong
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
 * The rules of a file: a list in YAML. Files of names are found from its folder.
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
