// Makes NDJSON with links of a CoNLL-2002 file, for sutton-2004, and with tags of layers:
//   node pipelines/papers/linked-records.mjs articles FILE   articles, joined from their sentences
//   node pipelines/papers/linked-records.mjs mentions FILE   a record for each article, a token for each name in it: its
//     words are columns, its type is the tag; names that share a capitalised word are linked
//   node pipelines/papers/linked-records.mjs triples FILE    the same, and three names that have a word one after the
//     other are linked as three
//   node pipelines/papers/linked-records.mjs layers FILE     sentences of a CoNLL-U file, whose tags are UPOS|Case|Number
//   node pipelines/papers/linked-records.mjs studies         the files of the studies three-layers and three-names, from
//     TAGSTREAM_CORPORA into TAGSTREAM_RECORDS, by default models/papers
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Sentences of Spanish news begin an article where the name of the agency is among their first tokens. */
const beginsArticle = sentence => {
  const head = sentence.slice(0, 16).map(([form]) => form);
  return head.includes('EFE') && head.includes('(');
};

/** The records of a file, one a line. */
function linesOf(kind, file) {
  const records = kind === 'layers' ? layered(file) : ofArticles(kind, file);
  return records
    .filter(({ tokens }) => tokens.length > 0)
    .map(record => `${JSON.stringify(record)}\n`)
    .join('');
}

function layered(file) {
  return readFileSync(file, 'utf8').split(/\n\n+/).map(block => {
    const rows = block.split('\n').map(line => line.split('\t')).filter(row => /^\d+$/.test(row[0]));
    const featureOf = (row, name) => row[5].split('|').find(each => each.startsWith(`${name}=`))?.slice(name.length + 1);
    const tags = rows.map(row => [row[3], featureOf(row, 'Case') ?? '-', featureOf(row, 'Number') ?? '-'].join('|'));
    return { tokens: rows.map(row => row[1]), tags };
  });
}

function ofArticles(kind, file) {
  const sentences = readFileSync(file, 'utf8')
    .split(/\r?\n[ \t]*\r?\n/)
    .map(block => block.split(/\r?\n/).filter(Boolean).map(line => line.split(' ')))
    .filter(({ length }) => length > 0);
  const articles = [];
  for (const sentence of sentences) {
    if (articles.length === 0 || beginsArticle(sentence)) articles.push([]);
    articles.at(-1).push(sentence);
  }
  return articles.map((article, id) => {
    const rows = article.flat();
    return { id: String(id), ...(kind === 'articles' ? whole(rows) : mentionsOf(kind, rows)) };
  });
}

function whole(rows) {
  return {
    tokens: rows.map(([form]) => form),
    tags: rows.map(row => row.at(-1)),
    columns: { pos: rows.map(([, pos]) => pos) },
  };
}

function mentionsOf(kind, rows) {
  const mentions = [];
  for (const [t, row] of rows.entries()) {
    const tag = row.at(-1);
    if (tag === 'O') continue;
    const type = tag.slice(2);
    const before = rows[t - 1]?.at(-1);
    if (tag[0] === 'B' || before === undefined || before === 'O' || before.slice(2) !== type) {
      mentions.push({ type, words: [], before: rows[t - 1]?.[0] ?? '', after: '' });
    }
    const mention = mentions.at(-1);
    mention.words.push(row[0]);
    mention.after = rows[t + 1]?.[0] ?? '';
  }
  const links = [];
  const last = new Map();
  const beforeLast = new Map();
  for (const [i, { words }] of mentions.entries()) {
    const linked = new Set();
    for (const word of words.filter(each => /^\p{Lu}/u.test(each))) {
      const other = last.get(word);
      if (other !== undefined && other !== i && !linked.has(other)) {
        links.push([other, i, 'shares-a-word']);
        linked.add(other);
        const third = beforeLast.get(word);
        if (kind === 'triples' && third !== undefined) links.push([third, other, i, 'share-a-word']);
      }
      if (other !== i) beforeLast.set(word, other);
      last.set(word, i);
    }
  }
  return {
    tokens: mentions.map(({ words }) => words.join(' ')),
    tags: mentions.map(({ type }) => type),
    columns: {
      first: mentions.map(({ words }) => words[0]),
      last: mentions.map(({ words }) => words.at(-1)),
      before: mentions.map(({ before }) => before),
      after: mentions.map(({ after }) => after),
    },
    links,
  };
}

const [kind, file] = process.argv.slice(2);
if (kind === 'studies') {
  const corpora = process.env.TAGSTREAM_CORPORA ?? resolve(root, '../shared/corpora');
  const folder = process.env.TAGSTREAM_RECORDS ?? join(root, 'models/papers');
  mkdirSync(folder, { recursive: true });
  for (const [own, train, test] of [
    ['layers', 'ud/hungarian-szeged/train.conllu', 'ud/hungarian-szeged/dev.conllu'],
    ['mentions', 'conll2002-es/esp.train', 'conll2002-es/esp.testa'],
    ['triples', 'conll2002-es/esp.train', 'conll2002-es/esp.testa'],
  ]) {
    writeFileSync(join(folder, `${own}-train.ndjson`), linesOf(own, join(corpora, train)));
    writeFileSync(join(folder, `${own}-test.ndjson`), linesOf(own, join(corpora, test)));
  }
} else process.stdout.write(linesOf(kind, file));
