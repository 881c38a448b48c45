/** The page of all that the package exports, as Markdown. */
export function apiReference(root: string): string;

/** The page of its names and signatures alone. */
export function apiReport(root: string): string;
