import type { Results } from '../../../engine/core/sentence/sentence.js';
import type { TaggedDocument } from '../../../engine/core/sentence/tagged-document.js';
import { JsonText, type MemberFate, spliceMembers } from './json-text.js';
import { type Member, memberSpans } from './member-spans.js';
import {
  columnsMember,
  divisionNames,
  modelMember,
  type OwnedName,
  ownedMembers,
  resultNames,
  wordsMember,
} from './owned-members.js';

/**
 * Splices results into the text of a record; everything else stays byte for byte, in order.
 *
 * The record's own gold tags are renamed to `gold` in place; an existing `gold` (the record was tagged before) is kept,
 * and `tags` are removed. Results of an earlier run are removed with their comma; in a record without tags, `score`,
 * `probability`, `logProbability`, `marginals` and `nbest` belong to the user and are kept, unless this run writes them.
 * Results of additional taggers go into `columns`, replacing columns with the same names. New members come before the
 * closing brace. If `tagsAreGold` is false (gold tags come from a column), the record's `tags` and `gold` are removed,
 * and `gold` is rewritten. Time is linear in the text.
 *
 * @param raw valid JSON text of an object
 * @param tokensMember name of the record's member with its tokens, which is kept
 * @throws TagstreamError `not-an-object`, `not-json` if `raw` is not
 * @example
 * const raw = '{"id": 1.0, "tokens": ["a"], "tags": ["N"], "x": 1e400}';
 * const tagged = { document: {}, tokens: ['a'], tags: ['V'] };
 * spliceRecord(raw, tagged) // => '{"id": 1.0, "tokens": ["a"], "gold": ["N"], "x": 1e400,"tags":["V"]}'
 */
export function spliceRecord(
  raw: string,
  tagged: TaggedDocument,
  tagsAreGold = true,
  tokensMember = 'tokens',
): string {
  const members = memberSpans(raw);
  const goldMember = tagsAreGold ? findGold(raw, members) : undefined;
  const { results } = tagged;
  const columns = results && findPresent(raw, members, columnsMember);
  const has = (name: OwnedName) =>
    name === 'gold'
      ? goldMember !== undefined
      : name === columnsMember
        ? columns !== undefined
        : name === wordsMember
          ? members.some(({ key }) => key === wordsMember)
          : isDivision(name) &&
            (findPresent(raw, members, name) !== undefined ||
              (name === 'tokens' &&
                tokensMember !== 'tokens' &&
                findPresent(raw, members, tokensMember) !== undefined));
  const wasTagged = members.some(({ key }) => ['tags', 'spans', 'gold'].includes(key));
  const added = ownedMembers(tagged, has);
  const fateOf = (member: Member): MemberFate => {
    if (member === goldMember) return `"gold"${raw.slice(member.keyEnd, member.valueEnd)}`;
    if (isDivision(member.key)) return has(member.key);
    if (member.key === columnsMember && results !== undefined) {
      return member === columns && withColumns(raw, member, results);
    }
    if (member.key === modelMember) return tagged.modelId === undefined;
    return !isResult(member.key) || (!wasTagged && isTheirs(member.key, tagged));
  };
  return spliceMembers(raw, members, fateOf, added);
}

/** Returns the member with the columns of a record; predicted columns replace its own. */
function withColumns(raw: string, member: Member, results: Results): string {
  const own = new JsonText(raw.slice(member.valueStart, member.valueEnd));
  const text = own.with(results).text;
  return raw.slice(member.keyStart, member.valueStart) + text;
}

/** Returns the last member `name` of the record, as in `JSON.parse`; null counts as absent. */
function findPresent(raw: string, members: readonly Member[], name: string): Member | undefined {
  const last = members.findLast(member => member.key === name);
  if (last === undefined || raw.slice(last.valueStart, last.valueEnd) === 'null') return undefined;
  return last;
}

function findGold(raw: string, members: readonly Member[]): Member | undefined {
  return findPresent(raw, members, 'gold') ?? findPresent(raw, members, 'tags');
}

function isDivision(name: string): name is (typeof divisionNames)[number] {
  return (divisionNames as readonly string[]).includes(name);
}

function isResult(name: string): name is (typeof resultNames)[number] {
  return (resultNames as readonly string[]).includes(name);
}

/** The results whose names a user's fields may have too. */
const sharedNames = {
  score: 'scores',
  probability: 'probabilities',
  logProbability: 'logProbabilities',
  marginals: 'marginals',
  nbest: 'nbest',
} as const satisfies Partial<Record<(typeof resultNames)[number], keyof TaggedDocument>>;

/** Whether a name shared by results and user fields is the user's here: true unless such a result is written. */
function isTheirs(name: string, tagged: TaggedDocument): boolean {
  if (!Object.hasOwn(sharedNames, name)) return false;
  return tagged[sharedNames[name as keyof typeof sharedNames]] === undefined;
}
