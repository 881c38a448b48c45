// Makes NDJSON with links of a CoNLL-2002 file, for the study sutton-2004:
//   node pipelines/papers/linked-records.mjs articles FILE   articles, joined from their sentences
//   node pipelines/papers/linked-records.mjs mentions FILE   a record for each article, a token for each name in it: its
//     words are columns, its type is the tag; names that share a capitalised word are linked
//   node pipelines/papers/linked-records.mjs triples FILE    the same, and three names that have a word one after the
//     other are linked as three
//   node pipelines/papers/linked-records.mjs layers FILE     sentences of a CoNLL-U file, whose tags are UPOS|Case|Number
import { readFileSync } from 'node:fs';

const [kind, file] = process.argv.slice(2);

/** Sentences of Spanish news begin an article where the name of the agency is among their first tokens. */
const beginsArticle = sentence => {
  const head = sentence.slice(0, 16).map(([form]) => form);
  return head.includes('EFE') && head.includes('(');
};

const sentences = readFileSync(file, 'utf8')
  .split(/\r?\n[ \t]*\r?\n/)
  .map(block => block.split(/\r?\n/).filter(Boolean).map(line => line.split(' ')))
  .filter(({ length }) => length > 0);

if (kind === 'layers') {
  for (const block of readFileSync(file, 'utf8').split(/\n\n+/)) {
    const rows = block.split('\n').map(line => line.split('\t')).filter(row => /^\d+$/.test(row[0]));
    const featureOf = (row, name) => row[5].split('|').find(each => each.startsWith(`${name}=`))?.slice(name.length + 1);
    const tags = rows.map(row => [row[3], featureOf(row, 'Case') ?? '-', featureOf(row, 'Number') ?? '-'].join('|'));
    if (rows.length > 0) process.stdout.write(`${JSON.stringify({ tokens: rows.map(row => row[1]), tags })}\n`);
  }
  process.exit();
}

const articles = [];
for (const sentence of sentences) {
  if (articles.length === 0 || beginsArticle(sentence)) articles.push([]);
  articles.at(-1).push(sentence);
}

for (const [id, article] of articles.entries()) {
  const rows = article.flat();
  const record = kind === 'articles' ? whole(rows) : mentionsOf(rows);
  if (record.tokens.length > 0) process.stdout.write(`${JSON.stringify({ id: String(id), ...record })}\n`);
}

function whole(rows) {
  return {
    tokens: rows.map(([form]) => form),
    tags: rows.map(row => row.at(-1)),
    columns: { pos: rows.map(([, pos]) => pos) },
  };
}

function mentionsOf(rows) {
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
