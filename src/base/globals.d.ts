// Put in by the build: the git tag.
declare const AGENCY_VERSION: string
