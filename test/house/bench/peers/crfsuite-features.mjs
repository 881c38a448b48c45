/**
 * What CRFsuite reads: a line a token, the label and its attributes between tabs, a blank line after
 * each sentence. Attributes are `name=values`, of the state templates alone: CRFsuite has transitions
 * by itself.
 *
 * @param {readonly { tokens: readonly string[], tags: readonly string[], columns: Readonly<Record<string, readonly string[]>> }[]} sentences
 * @param {string} templates as CRF++ has them, with `%x` alone; column 1 is the part of speech
 * @returns {string}
 * @throws Error for a template with another macro
 */
export function crfsuiteFeatures(sentences, templates) {
  const parsed = stateTemplates(templates);
  return sentences.map(sentence => `${lines(sentence, parsed)}\n`).join('');
}

/** Backslashes and colons have a meaning in CRFsuite's format. */
function escaped(text) {
  return text.replaceAll('\\', '\\\\').replaceAll(':', '\\:');
}

function stateTemplates(text) {
  const lines = text.split('\n').filter(line => line.startsWith('U'));
  return lines.map(line => {
    const [, name, macros] = /^(\w+):(.*)$/.exec(line);
    const places = macros.split('/').map(macro => {
      const match = /^%x\[(-?\d+),([01])\]$/.exec(macro.trim());
      if (match !== null) return { offset: Number(match[1]), column: Number(match[2]) };
      throw new Error(`template ${line}: expected macros %x[offset,0] or %x[offset,1] between /`);
    });
    return { name, places };
  });
}

function lines({ tokens, tags, columns }, templates) {
  const table = [tokens, columns.pos];
  return tokens
    .map((_, t) => {
      const attributes = templates.map(({ name, places }) => {
        const values = places.map(({ offset, column }) => valueAt(table[column], t + offset));
        return escaped(`${name}=${values.join('/')}`);
      });
      return `${[escaped(tags[t]), ...attributes].join('\t')}\n`;
    })
    .join('');
}

/** Outside of the sentence, the values that CRF++ has there. */
function valueAt(column, t) {
  if (t < 0) return `_B${t}`;
  return t < column.length ? column[t] : `_B+${t - column.length + 1}`;
}
