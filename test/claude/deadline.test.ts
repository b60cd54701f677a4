import { deadlineCases } from '../agent/deadline.ts'
import { twin } from '../twin/twin.ts'

for (const [name, run] of Object.entries(deadlineCases)) twin(name, run)
