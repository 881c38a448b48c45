import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CharacterText } from '../../../../src/engine/text/characters/character-text.js';
import { characterLabels } from '../../../../src/engine/text/characters/labels.js';
import { RuleLabels, ruleTokenizers } from '../../../../src/engine/text/characters/rule-labels.js';

function labelsOf(text: string, locale: string): string[] {
  const labels = new RuleLabels(locale, new Set(ruleTokenizers));
  return labels
    .of(text, [0, text.length], new CharacterText(text, [0, text.length]))
    .map(each => Array.from(each, label => characterLabels[label]).join(''));
}

// Model files hold weights of what they say: they must say it of all that come.
describe('RuleLabels', () => {
  it('say the same whatever sentences are split by', () => {
    expect(labelsOf('Er isst z. B. Äpfel.', 'de')[0]).toBe('SIOTIIIOTTOSTOTIIIIT');
    expect(labelsOf('« Non. » Elle.', 'fr')[0]).toBe('SOTIITOSOTIIIT');
  });

  it('are those of the first models', () => {
    const text = `Am 3. Oktober kam Dr. Low (vgl. S. 5, d. h. Nr. 5). „Komm! “ sagte er. « Non. » Elle rit. J. Fox et M. Roy
      vivent à l'hôtel. See find.php?Q=x, a.b/c?Q=x and .NET! Roe v. Wade, the U.S. Army. On Jan. 5 it closed. So did I. Then 3,5 %.
      В г. Москве живёт проф. Иванов. Bu 2. Dünya Savaşı. dell'acqua, Ph.D. #tag www.a.org/b don't 1️⃣ 🇫🇷 …`;
    const all = ['en', 'de', 'fr', 'it', 'ru', 'tr'].map(locale => labelsOf(text, locale));
    expect(createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 16)).toBe(
      '36d7a94321f47e80',
    );
  });
});
