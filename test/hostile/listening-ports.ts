import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A';

/** The TCP ports of IPv4 that a process listens on. */
export function listeningPorts(pid: number): readonly number[] {
  return process.platform === 'linux' ? byProc(pid) : byLsof(pid);
}

/** Source: proc_net_tcp(5); a line has the local address, the state and the socket's inode in fields 2, 4 and 10. */
function byProc(pid: number): readonly number[] {
  const sockets = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTENING && sockets.has(`socket:[${fields[9]}]`))
    .map((fields) => Number.parseInt(fields[1]?.split(':')[1] ?? '', 16));
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed meanwhile.
    return '';
  }
}

function byLsof(pid: number): readonly number[] {
  const text = execFileSync('lsof', ['-nP', '-a', '-p', String(pid), '-iTCP', '-sTCP:LISTEN', '-Fn'], {
    encoding: 'utf8',
  });
  return [...text.matchAll(/^n.*:(\d+)$/gm)].map(([, port]) => Number(port));
}
