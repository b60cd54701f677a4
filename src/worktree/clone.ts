export const borrowedBy = async (_repository: string): Promise<readonly string[]> => []
