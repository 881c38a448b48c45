import { type RuleSource, SpanRules } from '../../../annotation/learning/span-rules.js';
import type { AnnotationTask } from '../../../annotation/task/annotation-task.js';
import { TagstreamError } from '../../../engine/core/errors.js';
import { gazetteer } from '../../../engine/features/resources/gazetteer.js';
import {
  type Gazetteer,
  type Resources,
  requireEntries,
  resourceName,
} from '../../../engine/features/resources/resources.js';
import { regexTokenizer } from '../../../engine/text/tokenizers/regex-tokenizer.js';
import { readBytes } from '../../../formats/reading/read-bytes.js';

/** Name lists and regular expressions of a session. */
export interface AnnotationRules {
  readonly rules?: SpanRules;
  /** Name lists for model features. */
  readonly resources?: Resources;
}

/**
 * Returns the rules of `--gazetteer LABEL=FILE` and `--pattern LABEL=EXPRESSION`.
 *
 * @throws TagstreamError `usage` for invalid rules, and labels that the task does not have; `file`;
 * `wrong-shape` for a list without names
 */
export function rulesOf(
  given: {
    readonly gazetteer?: readonly string[] | undefined;
    readonly pattern?: readonly string[] | undefined;
  },
  task: AnnotationTask,
): AnnotationRules {
  const { gazetteer: lists = [], pattern = [] } = given;
  if (lists.length + pattern.length === 0) return {};
  if (task.kind === 'tags') {
    throw new TagstreamError('usage', '--gazetteer and --pattern need a task with spans', {
      fix: 'use them with --labels',
    });
  }
  const gazetteers = lists.map(text => {
    const [label, file] = parts('gazetteer', text, task);
    const { text: names } = requireEntries(
      gazetteer(read(file), { tokenizer: regexTokenizer() }),
      file,
    );
    return { label, text: names };
  });
  const patterns = pattern.map(text => {
    const [label, expression] = parts('pattern', text, task);
    return { label, pattern: expression };
  });
  const source: RuleSource = { gazetteers, patterns };
  return { rules: new SpanRules(source), ...resourcesOf(gazetteers) };
}

function resourcesOf(lists: RuleSource['gazetteers']): { readonly resources?: Resources } {
  const named: Record<string, Gazetteer> = {};
  for (const [i, { label, text }] of lists.entries()) {
    const name = resourceName.test(label) ? label : 'names';
    named[Object.hasOwn(named, name) ? `${name}-${i}` : name] = gazetteer(text);
  }
  return lists.length === 0 ? {} : { resources: { gazetteers: named } };
}

function parts(option: string, text: string, task: AnnotationTask): [string, string] {
  const at = text.indexOf('=');
  const label = text.slice(0, Math.max(0, at)).trim();
  if (at > 0 && task.names.includes(label) && at + 1 < text.length)
    return [label, text.slice(at + 1)];
  throw new TagstreamError('usage', `--${option} ${text} does not start with a label of the task`, {
    fix: `write LABEL=..., with one of ${task.names.join(', ')}`,
  });
}

function read(file: string): string {
  return new TextDecoder().decode(readBytes(file));
}
