/** One word for `sh`, whatever is in it. */
export const inQuotes = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
