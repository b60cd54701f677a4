// Server-sent events: blocks of `name: value` lines, an empty line between them.

export type Block = { readonly id?: string; readonly data: string }

const parse = (block: string): Block | undefined => {
  const lines = block.split('\n').map((line) => /^(\w+): ?(.*)$/s.exec(line))
  const of = (name: string): string[] => lines.flatMap((line) => (line?.[1] === name ? [line[2] ?? ''] : []))
  const [data, id] = [of('data'), of('id').at(-1)]
  // A block without data is only a sign of life.
  return data.length === 0 ? undefined : { data: data.join('\n'), ...(id !== undefined && { id }) }
}

export async function* blocks(stream: AsyncIterable<Buffer | string>): AsyncGenerator<Block> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of stream) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    const whole = rest.split('\n\n')
    rest = whole.pop() ?? ''
    for (const block of whole) {
      const parsed = parse(block)
      if (parsed) yield parsed
    }
  }
}
