// Write, Edit and Read, in the words of the CLI: cases compare what the model is told.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import type { Outcome, Place } from './place.ts'

type Json = Record<string, unknown>
const failed = (content: string): Outcome => ({ ok: false, content })

const locate = (input: Json, place: Place): string => {
  const path = String(input.file_path)
  return isAbsolute(path) ? path : resolve(place.cwd, path)
}

export const write = (input: Json, place: Place): Outcome => {
  const path = locate(input, place)
  const content = String(input.content)
  const before = existsSync(path) ? readFileSync(path, 'utf8') : null
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  const type = before === null ? 'create' : 'update'
  return {
    ok: true,
    content:
      type === 'create'
        ? `File created successfully at: ${path}`
        : `The file ${path} has been updated successfully.`,
    response: { type, filePath: path, content, structuredPatch: [], originalFile: before },
  }
}

export const edit = (input: Json, place: Place): Outcome => {
  const path = locate(input, place)
  const old = String(input.old_string)
  const fresh = String(input.new_string)
  const before = readFileSync(path, 'utf8')
  const count = before.split(old).length - 1
  if (count === 0) return failed(`String to replace not found in file.\nString: ${old}`)
  if (count > 1 && input.replace_all !== true)
    return failed(`Found ${count} matches of the string to replace, but replace_all is false.`)
  writeFileSync(path, before.split(old).join(fresh))
  return {
    ok: true,
    content: `The file ${path} has been updated successfully.`,
    response: {
      filePath: path,
      oldString: old,
      newString: fresh,
      originalFile: before,
      structuredPatch: [],
      userModified: false,
      replaceAll: input.replace_all === true,
    },
  }
}

export const readFile = (input: Json, place: Place): Outcome => {
  const path = locate(input, place)
  const lines = readFileSync(path, 'utf8').split('\n')
  const start = typeof input.offset === 'number' ? input.offset : 1
  const part = lines.slice(start - 1, start - 1 + (typeof input.limit === 'number' ? input.limit : 2000))
  return {
    ok: true,
    content: part.map((line, i) => `${start + i}\t${line}`).join('\n'),
    response: {
      type: 'text',
      file: {
        filePath: path,
        content: part.join('\n'),
        numLines: part.length,
        startLine: start,
        totalLines: lines.length,
      },
    },
  }
}

/** Refused before any hook or permission is asked. */
export const refuseFile = (tool: string, input: Json, place: Place): string | undefined => {
  const path = locate(input, place)
  if (tool === 'Read') {
    if (!existsSync(path)) return `File does not exist. Note: your current working directory is ${place.cwd}.`
    return statSync(path).isDirectory()
      ? `EISDIR: illegal operation on a directory, read '${path}'`
      : undefined
  }
  return tool === 'Edit' && !existsSync(path) ? 'File does not exist.' : undefined
}
