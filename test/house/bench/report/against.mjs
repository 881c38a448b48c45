/**
 * Rows with their ratios: the wall time of each divided by that of the rows that it is measured against.
 * A row that failed, or was not measured, has none.
 *
 * @param {readonly { what: string, seconds?: number }[]} rows
 * @param {Readonly<Record<string, readonly { what: string }[]>>} bases name of a row, and the rows that
 *   are measured against it
 */
export function against(rows, bases) {
  return rows.map(row => {
    const ratios = {};
    for (const [name, measured] of Object.entries(bases)) {
      const base = rows.find(({ what }) => what === name)?.seconds;
      if (row.seconds === undefined || base === undefined) continue;
      if (row.what !== name && measured.includes(row)) ratios[name] = row.seconds / base;
    }
    return { ...row, ratios };
  });
}
