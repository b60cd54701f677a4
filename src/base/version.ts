export const version: string = AGENCY_VERSION
