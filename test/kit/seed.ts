// Property tests draw the same cases in every run: what fails here fails there. Another seed, for a longer look:
// AGENCY_SEED=42 npm test
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.AGENCY_SEED ?? 20261115) })
