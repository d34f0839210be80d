import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';

/**
 * The other people on this machine. They can connect to the embedded Temporal server, because it has neither keys nor
 * TLS. They can then do everything that a command can do with workflows. See docs/decisions/0045-local-servers.md.
 */

/** Range of people's user ids. Services have lower ids; containers and "nobody" have higher ids. */
const PEOPLE = process.platform === 'darwin' ? { from: 501, to: 60_000 } : { from: 1_000, to: 60_000 };
const NO_LOGIN = /\/(nologin|false|sync|halt|shutdown)$/;

export interface OtherUsers {
  /** Names of other people who have a process on this machine. If a name is unknown: `user` and the id. */
  readonly atWork: readonly string[];
  /** Names of other people who have no process and may log in. */
  readonly mayLogIn: readonly string[];
}

export interface UserSources {
  readonly ownUid: number;
  /** The accounts of /etc/passwd, in the form of passwd(5). Accounts of a directory service are missing. */
  readonly accounts: string;
  readonly processUids: Iterable<number>;
}

/** Finds the other people of this machine; undefined if the system has no user ids. */
export function otherUsers(sources: UserSources | undefined = systemSources()): OtherUsers | undefined {
  if (sources === undefined) return undefined;
  const isOther = (uid: number) => uid !== sources.ownUid && uid >= PEOPLE.from && uid < PEOPLE.to;
  const accounts = sources.accounts
    .split('\n')
    .map((line) => line.split(':'))
    .filter((fields) => fields.length >= 7)
    .map(([name = '', , uid, , , , shell = '']) => ({ name, uid: Number(uid), shell }));
  const running = new Set([...sources.processUids].filter(isOther));
  return {
    atWork: [...running].map((uid) => accounts.find((account) => account.uid === uid)?.name ?? `user ${uid}`),
    mayLogIn: accounts
      .filter(({ uid, shell }) => isOther(uid) && !running.has(uid) && !NO_LOGIN.test(shell))
      .map(({ name }) => name),
  };
}

function systemSources(): UserSources | undefined {
  const ownUid = process.getuid?.();
  if (ownUid === undefined) return undefined;
  const processUids = process.platform === 'linux' ? uidsByProc() : uidsByPs();
  return { ownUid, accounts: attempt(() => readFileSync('/etc/passwd', 'utf8')) ?? '', processUids };
}

function uidsByProc(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => attempt(() => statSync(`/proc/${pid}`).uid) ?? []);
}

function uidsByPs(): readonly number[] {
  const text = attempt(() => execFileSync('ps', ['-axo', 'uid='], { encoding: 'utf8' })) ?? '';
  return text.trim().split(/\s+/).map(Number);
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
