import { TagstreamError } from '../../core/errors.js';
import type { TableRole } from '../../core/scorer.js';
import type { TemplateSet } from '../template/parse-templates.js';
import { isNumber, type Macro, numberText, type Template } from '../template/template.js';

/**
 * Returns the role of each token template in a hidden Markov model, in template order.
 *
 * p(x | y) is a product over columns, so a template must use one column of the token itself. In a
 * column's chain, each template must determine the later ones. No two templates may share a
 * feature.
 *
 * @param columns names of the columns by number; the first is the token
 * @throws TagstreamError `template` for a template that cannot form a table, with its line number
 * @example
 * const { set } = createModel({ templates: 'U\nU1:%x[0,0]\nU2:%suffix[0,0,2]\nB' }).extractor;
 * tableRoles(set).map(({ kind }) => kind)
 * // => ['constant', 'class', 'class']
 */
export function tableRoles(
  { templates }: TemplateSet,
  columns: readonly string[] = ['form'],
): TableRole[] {
  const roles: TableRole[] = [];
  const before: Template[] = [];
  for (const template of templates) {
    if (template.kind !== 'state') {
      throw refused(template, 'conditions transitions on the words', 'a bare B asks for p(y | y)');
    }
    const role = roleOf(template, columns);
    for (const [i, other] of before.entries()) requireApart(template, role, other, roles[i]!);
    roles.push(role);
    before.push(template);
  }
  requireAllPairs(templates, roles);
  return roles;
}

/** Requires covariances for all pairs of numeric columns, or for none. */
function requireAllPairs(templates: readonly Template[], roles: readonly TableRole[]): void {
  const first = roles.findIndex(({ kind }) => kind === 'product');
  if (first < 0) return;
  const numbers = new Set(
    roles.flatMap(role => (role.kind === 'value' || role.kind === 'square' ? role.column : [])),
  );
  const pairs = roles.filter(({ kind }) => kind === 'product').length;
  if (2 * pairs === numbers.size * (numbers.size - 1)) return;
  throw refused(
    templates[first]!,
    'adds the covariance of two columns, but other pairs have none',
    'use covariance: full, which adds all pairs, or remove the product',
  );
}

function roleOf(template: Template, columns: readonly string[]): TableRole {
  const macros = template.pieces.filter(piece => typeof piece !== 'string');
  const [macro] = macros;
  if (macro === undefined) return { kind: 'constant' };
  for (const { apply, offset, absolute } of macros) {
    if (apply === 'gazetteer') {
      throw refused(template, 'looks at several tokens', 'use %cluster, or remove the list');
    }
    if (apply === 'last') {
      const fix = 'remove it: a sentence may end with any label';
      throw refused(template, 'has no table in a hidden Markov model', fix);
    }
    if (apply === 'vector') {
      throw refused(template, 'has a vector of numbers', 'use %cluster, or remove the list');
    }
    if (offset !== 0 || absolute) {
      throw refused(
        template,
        'looks at another token',
        'a label emits only its own token: use offset 0',
      );
    }
  }
  const column = nameOf(macro, columns);
  const [one, two] = macros.map(each => nameOf(each, columns));
  if (macros.length === 2 && macros.every(({ apply }) => apply === 'real') && one !== two) {
    return { kind: 'product', column, other: two! };
  }
  if (macros.some(each => nameOf(each, columns) !== column)) {
    throw refused(
      template,
      'looks at two columns',
      'columns are independent given the label: use one template per column',
    );
  }
  const alone = macros.find(each => isNumber(each) || each.apply === 'first');
  if (alone === undefined) return { kind: 'class', column };
  if (macros.length > 1) {
    throw refused(
      template,
      `combines ${written(alone)} with other macros`,
      'give it a template of its own',
    );
  }
  if (alone.apply === 'first') return { kind: 'first' };
  return { kind: alone.apply === 'real' ? 'value' : 'square', column };
}

function nameOf({ column }: Macro, columns: readonly string[]): string {
  const name = typeof column === 'number' ? (columns[column] ?? String(column)) : column;
  return name === columns[0] ? 'form' : name;
}

function written(macro: Macro): string {
  return isNumber(macro) ? numberText(macro) : '%first';
}

/** Rejects two templates that would count the same value twice, and classes that are not nested. */
function requireApart(
  template: Template,
  role: TableRole,
  other: Template,
  otherRole: TableRole,
): void {
  if (textOf(template) === textOf(other)) {
    throw refused(
      template,
      `has the same literal text as "${other.source}", so their features would be the same`,
      'start each template with its own name: U1:, U2:, ...',
    );
  }
  if (!('column' in role)) {
    if (role.kind !== otherRole.kind) return;
    throw refused(template, `repeats "${other.source}"`, 'remove one of them');
  }
  if (!('column' in otherRole)) return;
  if (role.kind === 'product' || otherRole.kind === 'product') {
    if (!samePair(role, otherRole)) return;
    throw refused(template, `repeats "${other.source}"`, 'remove one of them');
  }
  if (role.column !== otherRole.column) return;
  if (role.kind === 'class' && otherRole.kind === 'class') {
    if (determines(other, template)) return;
    throw refused(
      template,
      `is not a function of "${other.source}", the template before it`,
      'order the templates of a column from most to least specific, each a class of the one before: add its macro there',
    );
  }
  const isPair =
    role.kind !== otherRole.kind && role.kind !== 'class' && otherRole.kind !== 'class';
  if (isPair) return;
  throw refused(template, `counts the same column as "${other.source}"`, 'remove one of them');
}

/** Returns whether both roles are products of the same columns. */
function samePair(one: TableRole, two: TableRole): boolean {
  if (one.kind !== 'product' || two.kind !== 'product') return false;
  const pairs = [one, two].map(({ column, other }) => [column, other].sort().join('\n'));
  return pairs[0] === pairs[1];
}

/** Returns the literal text of a template with a mark for each macro, which its features share. */
function textOf({ pieces }: Template): string {
  return JSON.stringify(
    pieces.map(piece => {
      if (typeof piece === 'string') return piece;
      return isNumber(piece) ? numberText(piece) : 0;
    }),
  );
}

function refused({ source, line }: Template, problem: string, fix: string): TagstreamError {
  return new TagstreamError(
    'template',
    `"${source}" does not work with the scorer hmm: it ${problem}`,
    {
      place: { line },
      fix,
    },
  );
}

/**
 * Returns whether the value of one template at a token determines that of another in the same
 * column, so that the classes of the second are unions of classes of the first. Decided
 * conservatively from the macros alone.
 *
 * @example
 * const { set } = createModel({ templates: 'U1:%type[0,0]%suffix[0,0,3]\nU2:%suffix[0,0,2]' }).extractor;
 * const [a, b] = set.templates;
 * [determines(a, b), determines(b, a)] // => [true, false]
 */
export function determines(finer: Template, coarser: Template): boolean {
  const given = macrosOf(finer);
  return macrosOf(coarser).every(macro => given.some(each => says(each, macro)));
}

function macrosOf({ pieces }: Template): Macro[] {
  return pieces.filter(piece => typeof piece !== 'string');
}

/** Returns whether the value of one macro follows from that of another. */
function says(given: Macro, wanted: Macro): boolean {
  const { apply } = given;
  if (apply === 'value' && !given.fold) return true;
  const folds = apply === 'lower' || apply === 'value';
  if (folds && (wanted.fold || wanted.apply === 'lower')) return true;
  if (apply !== wanted.apply || given.fold !== wanted.fold) return false;
  switch (apply) {
    case 'prefix':
    case 'suffix':
      return given.count >= wanted.count;
    case 'cluster': {
      const longer = given.count === 0 || (wanted.count !== 0 && given.count >= wanted.count);
      return given.resource === wanted.resource && longer;
    }
    case 'char':
      return given.count === wanted.count;
    case 'test':
    case 'match':
      return given.pattern?.source === wanted.pattern?.source;
    case 'custom':
      return (
        given.custom?.name === wanted.custom?.name &&
        given.custom?.argument === wanted.custom?.argument
      );
    default:
      return true;
  }
}

/** Requested form of the densities of numbers. */
interface DensityShape {
  readonly covariance?: 'full' | undefined;
  /** Number of components per label, if there is more than one. */
  readonly hidden?: { readonly states: number } | undefined;
}

/** @throws TagstreamError `config` if there are no numbers to model with densities */
export function requireNumbers(
  roles: readonly TableRole[],
  { covariance, hidden }: DensityShape,
): void {
  const columns = new Set(
    roles.flatMap(role => (role.kind === 'value' || role.kind === 'square' ? role.column : [])),
  );
  if (hidden !== undefined && columns.size === 0) {
    throw new TagstreamError(
      'config',
      'hidden: the scorer hmm uses them as mixture components of numbers, but no template has numbers',
      { fix: 'add a template such as U:%v[0,column], or remove hidden' },
    );
  }
  if (covariance === 'full' && columns.size < 2) {
    throw new TagstreamError('config', 'covariance: full needs the numbers of two columns', {
      fix: 'add templates such as U:%v[0,column], or remove covariance',
    });
  }
}
