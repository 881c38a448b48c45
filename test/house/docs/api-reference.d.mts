/** The page of everything that the package exports. */
export function apiReference(source: string, dist: string): string;
