export function buildSite(folder: string): Promise<string[]>;
