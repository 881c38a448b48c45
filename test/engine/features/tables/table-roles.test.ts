import { describe, expect, it } from 'vitest';
import { determines, tableRoles } from '../../../../src/engine/features/tables/table-roles.js';
import { withTableTemplates } from '../../../../src/engine/features/tables/with-table-templates.js';
import { parseTemplates } from '../../../../src/engine/features/template/parse-templates.js';

describe('tableRoles', () => {
  it('gives each template its role, and each column one name', () => {
    const text = 'U\nU1:%x[0,0]\nU2:%suffix[0,form,2]\nU3:%v[0,1]\nU4:%vv[0,n]\nU5:%first[0,0]\nB';
    expect(tableRoles(parseTemplates(text), ['form', 'n'])).toEqual([
      { kind: 'constant' },
      { kind: 'class', column: 'form' },
      { kind: 'class', column: 'form' },
      { kind: 'value', column: 'n' },
      { kind: 'square', column: 'n' },
      { kind: 'first' },
    ]);
  });

  it.each([
    ['U1:%x[-1,0]', 1, 'looks at another token', 'offset 0'],
    ['U1:%x[@0,0]', 1, 'looks at another token', 'offset 0'],
    ['U1:%x[0,0]/%x[0,1]', 1, 'looks at two columns', 'one template per column'],
    ['U1:%x[0,0]\nB1:%x[0,0]', 2, 'conditions transitions', 'a bare B'],
    ['*1:%x[0,0]', 1, 'conditions transitions', 'a bare B'],
    ['U1:%gazetteer[0,0,towns]', 1, 'looks at several tokens', '%cluster'],
    ['U1:%v[0,1]/%x[0,1]', 1, 'combines %v[0,1] with other macros', 'a template of its own'],
    ['U1:%first[0,0]%x[0,0]', 1, 'combines %first with other macros', 'a template of its own'],
    ['U1:%last[0,0]', 1, 'has no table in a hidden Markov model', 'end with any label'],
    ['U:%x[0,0]\nU:%suffix[0,0,2]', 2, 'has the same literal text as "U:%x[0,0]"', 'U1:, U2:'],
    ['U1\nU2', 2, 'repeats "U1"', 'remove one'],
    ['U1:%first[0,0]\nU2:%first[0,1]', 2, 'repeats "U1:%first[0,0]"', 'remove one'],
    ['U1:%x[0,1]\nU2:%v[0,1]', 2, 'counts the same column as "U1:%x[0,1]"', 'remove one'],
    ['U1:%v[0,1]\nU2:%v[0,n]', 2, 'counts the same column as "U1:%v[0,1]"', 'remove one'],
    ['U1:%suffix[0,0,2]\nU2:%x[0,0]', 2, 'is not a function of', 'most to least specific'],
    ['U1:%suffix[0,0,2]\nU2:%type[0,0]', 2, 'is not a function of', 'add its macro there'],
  ])('refuses %j', (text, line, problem, fix) => {
    expect(() => tableRoles(parseTemplates(text), ['form', 'n'])).toThrow(
      expect.objectContaining({
        code: 'template',
        ...{ place: { line }, problem: expect.stringContaining(problem) },
        fix: expect.stringContaining(fix),
      }),
    );
  });
});

describe('determines', () => {
  it.each([
    ['%x[0,0]', '%suffix[0,0,3]', true],
    ['%x[0,0]', '%lower[0,0]', true],
    ['%X[0,0]', '%x[0,0]', false],
    ['%X[0,0]', '%lower[0,0]', true],
    ['%lower[0,0]', '%Suffix[0,0,2]', true],
    ['%lower[0,0]', '%suffix[0,0,2]', false],
    ['%lower[0,0]', '%type[0,0]', false],
    ['%suffix[0,0,3]', '%suffix[0,0,2]', true],
    ['%suffix[0,0,2]', '%suffix[0,0,3]', false],
    ['%suffix[0,0,3]', '%prefix[0,0,2]', false],
    ['%Prefix[0,0,3]', '%prefix[0,0,2]', false],
    ['%prefix[0,0,3]', '%prefix[0,0,3]', true],
    ['%type[0,0]%shape[0,0]', '%shape[0,0]', true],
    ['%shape[0,0]', '%shape[0,0]%type[0,0]', false],
    ['%cluster[0,0,c]', '%cluster[0,0,c,4]', true],
    ['%cluster[0,0,c,6]', '%cluster[0,0,c,4]', true],
    ['%cluster[0,0,c,4]', '%cluster[0,0,c]', false],
    ['%cluster[0,0,c,6]', '%cluster[0,0,d,4]', false],
    ['%m[0,0,"a+"]', '%m[0,0,"a+"]', true],
    ['%m[0,0,"a+"]', '%m[0,0,"a"]', false],
    ['%char[0,0,1]', '%char[0,0,1]', true],
    ['%char[0,0,1]', '%char[0,0,2]', false],
  ])('%s says what %s finds: %s', (finer, coarser, expected) => {
    const [a, b] = parseTemplates(`U1:${finer}\nU2:${coarser}`).templates;
    expect(determines(a!, b!)).toBe(expected);
  });
});

describe('withTableTemplates', () => {
  it.each([
    ['U1:%x[0,0]', ['U', 'U:first:%first[0,0]', 'B']],
    ['*\nU1:%x[0,0]', ['U:first:%first[0,0]']],
    ['U0\nU1:%first[0,0]\nU2:%v[0,n]\nB', ['U:%vv[0,n]']],
    ['U0\nU1:%first[0,0]\nU2:%vv[0,1]\nU3:%v[0,n]\nB', ['U:%v[0,1]', 'U:%vv[0,n]']],
    ['U0\nU1:%first[0,0]\nU2:%vv[0,1]\nU3:%v[0,1]\nB', []],
  ])('adds what %j lacks', (text, more) => {
    expect(withTableTemplates(text).split('\n')).toEqual([...text.split('\n'), ...more]);
    expect(withTableTemplates(withTableTemplates(text))).toBe(withTableTemplates(text));
  });
});
