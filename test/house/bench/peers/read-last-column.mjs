/**
 * The tags of each sentence where they are the last column of a line a token, blank lines between
 * sentences: what CRFsuite (the tag alone), Wapiti and CRF++ (the tag after a tab) print.
 *
 * @param {string} text
 * @returns {string[][]}
 */
export function readLastColumn(text) {
  const sentences = [];
  let tags = [];
  for (const line of text.split('\n')) {
    const row = line.trimEnd();
    if (row !== '') tags.push(row.slice(Math.max(row.lastIndexOf('\t'), row.lastIndexOf(' ')) + 1));
    else if (tags.length > 0) {
      sentences.push(tags);
      tags = [];
    }
  }
  if (tags.length > 0) sentences.push(tags);
  return sentences;
}
