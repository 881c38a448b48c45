import { describe, expect, it } from 'vitest';
import { languageLists } from '../../../../src/engine/text/sentences/abbreviation-lists.js';
import {
  abbreviationProblem,
  parseAbbreviations,
} from '../../../../src/engine/text/sentences/abbreviations.js';
import { splitSentences } from '../../../../src/engine/text/sentences/sentence-splitter.js';
import { regexTokenizer } from '../../../../src/engine/text/tokenizers/regex-tokenizer.js';
import { unicodeTokenizer } from '../../../../src/engine/text/tokenizers/unicode-tokenizer.js';
import { whitespaceTokenizer } from '../../../../src/engine/text/tokenizers/whitespace-tokenizer.js';

/** Sentences by language, to be found again in the text that they make with spaces between them. */
const texts: readonly (readonly [locale: string, ...sentences: string[]])[] = [
  ['de', 'Am 3. Oktober kam Frau Prof. Dr. Klein.', 'Sie blieb bis zum 5. 10. 1999 hier.', 'Gut.'],
  ['de', 'Es gibt Obst, z. B. Äpfel, d. h. Obst.', 'Man isst es, z.B. Birnen bzw. Kirschen.'],
  [
    'de',
    'Ludwig XIV. König von Frankreich.',
    'Das war im 19. Jahrhundert.',
    'Er wurde 30.',
    'Dann ging er.',
  ],
  [
    'de',
    'Er lebte 500 v. Chr. in Rom.',
    'Es war 500 v. Chr.',
    'Danach kam Nr. 5, vgl. Abb. 3 und S. 4.',
  ],
  ['de', '„Komm!“ sagte er.', '„Nein.“ Sie ging.'.slice(0, 7), 'Sie ging.'],
  ['de-AT', 'Am 3. Jänner schneit es.', 'Mag. Huber bleibt.'],
  [
    'es',
    'La Sra. Ruiz y el Dr. Gil viven en los EE. UU. desde 1990.',
    'Dijo que no.',
    '3 Amigos volvieron.',
  ],
  [
    'es',
    'Hay fruta, p. ej. Manzanas.',
    'Véase la pág. 3 y el núm. 7.',
    'Murió en el s. II a. C.',
    'Después nada.',
  ],
  [
    'fr',
    'M. Dupont et Mme. Roy vivent en 50 av. J.-C. environ.',
    'Il est né en 50 av. J.-C.',
    'Elle est partie.',
  ],
  ['fr', 'Voir art. 3, p. ex. Marie.', '« Non. »', 'Elle rit.'],
  [
    'it',
    'Il Sig. Rossi e la Sig.ra Bianchi, ad es. Anna, arrivano.',
    'Vedi pag. 3 e art. 5.',
    'Nel sec. XIX nacque.',
  ],
  [
    'pt',
    'O Sr. Silva e a Dra. Costa, p. ex. Ana, chegaram.',
    'Veja a pág. 3.',
    'No séc. XIX nasceu.',
  ],
  [
    'nl',
    'Dhr. Jansen, d.w.z. Piet, komt.',
    'Zie blz. 3 en nr. 5.',
    'Hij at fruit, bijv. Appels.',
    'Klaar.',
  ],
  [
    'cs',
    'Přišel tzv. Novák, tj. Ing. Dvořák.',
    'Bylo to 3. 10. 1999 v Praze.',
    'Bylo jich 15.',
    'Pak odešli.',
  ],
  [
    'pl',
    'Ul. Długa i św. Anna, np. Maria.',
    'Zob. str. 3 i art. 5.',
    'To było w 50 r. p.n.e.',
    'Potem nic.',
  ],
  [
    'ru',
    'В г. Москве живёт проф. Иванов, т. е. Пётр.',
    'Это было в 1990 г.',
    'Потом он уехал и т. д.',
    'Вот рис. 3.',
  ],
  ['tr', 'Doç. Dr. Ayşe geldi.', 'II. Mehmet 2. Dünya Savaşı değil.', 'Bkz. s. 5.', 'Sonra gitti.'],
  ['sv', 'Frukt, t.ex. Äpplen, dvs. Gott.', 'Se s. 3 och kap. 5.', 'Bra.'],
  ['da', 'Frugt, f.eks. Æbler, bl.a. Gode.', 'Se s. 3 og nr. 5.', 'Det var 3. 10. 1999.', 'Godt.'],
  ['nb', 'Frukt, f.eks. Epler, bl.a. Gode.', 'Se s. 3 og nr. 5.', 'Bra.'],
  ['fi', 'Hedelmiä, esim. Omenia.', 'Ks. s. 3.', 'Se oli 3. 10. 1999.', 'Hyvä.'],
  ['is', 'Ávextir, t.d. Epli, þ.e. Gott.', 'Sjá bls. 3.', 'Gott.'],
  ['hu', 'Gyümölcs, pl. Alma és dr. Kis.', 'Kr. e. 50 körül.', 'Jó.'],
  ['el', 'Φρούτα, π.χ. Μήλα, δηλ. Καλά.', 'Βλ. σελ. 3.', 'Ναι.'],
];

const tokenizers = [regexTokenizer(), whitespaceTokenizer(), unicodeTokenizer()];

function sentencesIn(
  text: string,
  options: Parameters<typeof splitSentences>[2],
  tokenize = regexTokenizer(),
): string[] {
  const tokens = tokenize(text);
  return splitSentences(text, tokens, options).map(([first, end]) =>
    text.slice(tokens[first]![0], tokens[end - 1]![1]),
  );
}

describe('splitSentences by language', () => {
  it.each(texts)('%s: %s', (locale, ...sentences) => {
    for (const tokenize of tokenizers)
      expect(sentencesIn(sentences.join(' '), { locale }, tokenize)).toEqual(sentences);
  });

  it('has texts of all lists', () => {
    const tried = new Set(texts.map(([locale]) => locale.split('-')[0]));
    expect(Object.keys(languageLists).filter(each => !tried.has(each))).toEqual(['nn', 'no']);
  });

  it('splits as in English where there is no list', () => {
    for (const [, ...sentences] of texts) {
      const text = sentences.join(' ');
      expect(sentencesIn(text, { locale: 'eu' })).toEqual(sentencesIn(text, {}));
    }
  });

  it.each([
    ['Il dit : « Non. » Puis il part.', ['Il dit : « Non. »', 'Puis il part.']],
    ['He left (at last! ) Then he ran.', ['He left (at last! )', 'Then he ran.']],
    ['„Nein. ” Dann ging er.', ['„Nein. ”', 'Dann ging er.']],
    ['Er ging. »Nein!« sagt sie.', ['Er ging.', '»Nein!«', 'sagt sie.']],
    ['See find.php?Q=x now. Go.', ['See find.php?Q=x now.', 'Go.']],
  ])('%s', (text, sentences) => {
    expect(sentencesIn(text, {})).toEqual(sentences);
  });
});

describe('own abbreviations', () => {
  const text = 'Die Ges. m. b. H. Alpha, lt. Ziff. 3. Das Kap. Eins.';
  it('go on, in any language', () => {
    const abbreviations = ['Ges. m. b. H.', 'lt.', 'Kap', 'Ziff #NUMERIC_ONLY#'];
    for (const locale of ['en', 'eu', 'de']) {
      expect(sentencesIn(text, { locale, abbreviations })).toEqual([
        'Die Ges. m. b. H. Alpha, lt. Ziff. 3.',
        'Das Kap. Eins.',
      ]);
    }
    expect(sentencesIn(text, {}).length).toBeGreaterThan(3);
  });

  it('are letters with full stops between', () => {
    expect(abbreviationProblem('z. B.')).toBeUndefined();
    for (const wrong of ['', '3rd', '.', 'a b', 'x'.repeat(25), 'a\tb'])
      expect(abbreviationProblem(wrong), wrong).toContain('is not an abbreviation');
    expect(() => splitSentences('a', [[0, 1]], { abbreviations: ['3'] })).toThrow(
      '"3" is not an abbreviation',
    );
  });

  it('are read from a file', () => {
    expect(parseAbbreviations('\n# own\nz. B.\r\nArt #NUMERIC_ONLY#')).toEqual([
      'z. B.',
      'Art #NUMERIC_ONLY#',
    ]);
    expect(() => parseAbbreviations('a\n3', 'own.txt')).toThrow(
      expect.objectContaining({ code: 'wrong-shape', place: { source: 'own.txt', line: 2 } }),
    );
  });
});
