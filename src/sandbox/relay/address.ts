// Which addresses are nobody's on the open network: what listens there trusts whoever can reach it.
import type { LookupAddress } from 'node:dns'
import { BlockList } from 'node:net'
import type { Target } from './rules.ts'

const four = `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.168.0.0/16 198.18.0.0/15 224.0.0.0/4 240.0.0.0/4`
/** Also those that carry an address of the other kind inside. */
const six = '::/96 ::1/128 ::ffff:0:0/96 64:ff9b::/96 100::/64 2002::/16 fc00::/7 fe80::/10 ff00::/8'

/** One list for each kind: in a common one every IPv4 address is within ::ffff:0:0/96. */
const listOf = (subnets: string, kind: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList()
  for (const subnet of subnets.split(/\s+/)) {
    const [address = '', bits = ''] = subnet.split('/')
    list.addSubnet(address, Number(bits), kind)
  }
  return list
}
const near = { ipv4: listOf(four, 'ipv4'), ipv6: listOf(six, 'ipv6') }

export const isNear = (address: string): boolean => {
  const kind = address.includes(':') ? 'ipv6' : 'ipv4'
  return near[kind].check(address, kind)
}

/** One that may be connected to; undefined = a single bad one spoils all, since the next answer may be it. */
export const reachable = (found: readonly LookupAddress[], { named }: Target): string | undefined =>
  named || !found.some(({ address }) => isNear(address)) ? found[0]?.address : undefined
