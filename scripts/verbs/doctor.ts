import { shellWord } from '../../contracts/terminal-text';
import { access, constants, mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { counted } from '../../contracts/counted';
import { connectTemporal } from '../../client';
import { findFfmpeg, ageWarning } from '../../media';
import { bookedTakesOfAll } from '../../client/records/booked-takes';
import { accessInWords, deniesAccess, foreignNames, viewStore } from '../../store';
import { refuseCopy } from '../../store/backup/copies';
import { isOpenToOthers } from '../../store/disk/modes';
import { type Config, keyWarning } from '../../workers/config/config';
import { otherKey } from '../../workers/store/other-key';
import { openOwnStore } from '../../workers/store/own-store';
import { readHolder } from '../../workers/embedded/lock';
import { otherUsers } from '../../workers/embedded/other-users';
import { setFiles } from '../../workers/embedded/set-files';
import { findTemporalCli, TEMPORAL_CLI_MISSING } from '../../workers/temporal-cli';
import { staleAtTemporal } from '../session/ask-temporal';
import { readConfig } from '../process/command-config';
import { EXIT, type ExitCode, exitCodeOf } from '../process/exit-codes';
import { type FirstContact } from '../first-contact/first-contact';
import { spend, type SpendOptions } from '../first-contact/spend';
import { contactInWords } from '../first-contact/wording';
import { packageFile } from '../../client/wording/package-file';
import { askGateway, DOUBT } from '../session/preflight';
import { table } from '../../client/wording/table';
import { print, printJson, tell } from '../process/streams';
import { surroundings } from '../process/surroundings';

/** The result of one check. `exitCode`: the command's exit code if this check is the first that fails. */
interface Finding {
  readonly what: string;
  readonly ok: boolean;
  /** Set if the check passes and its line is marked as a warning. Other warnings are part of `found`. */
  readonly warning?: true;
  readonly found: string;
  readonly exitCode: ExitCode;
}

export interface DoctorOptions extends SpendOptions {
  readonly json?: boolean;
  readonly spend?: boolean;
}

/** Checks everything that a render needs. Spends only with `spend`, and only if all checks pass. */
export async function doctor(options: DoctorOptions): Promise<ExitCode> {
  const config = readConfig();
  const findings = await examine(config);
  const isFit = findings.every(({ ok }) => ok);
  if (options.json !== true) {
    print(table(findings.flatMap(inWords)));
  }
  const contacts = isFit && options.spend === true ? await spend(config, options) : [];
  if (options.json === true) {
    printJson({ ok: isFit, findings, ...(options.spend === true ? { firstContact: contacts ?? [] } : {}) });
  } else {
    for (const contact of contacts ?? []) print(contactInWords(contact));
  }
  if (contacts === undefined) return EXIT.interrupted;
  return findings.find(({ ok }) => !ok)?.exitCode ?? exitCodeAfter(contacts);
}

/** A finding of several lines, for example with instructions to install, has a row for each line. */
function inWords({ what, ok, warning, found }: Finding): readonly (readonly [string, string])[] {
  const [first = '', ...others] = found.split('\n');
  const mark = ok ? (warning === true ? 'WARNING' : 'ok') : 'NOT OK';
  return [[what, `${mark}  ${first}`], ...others.map((line) => ['', line] as const)];
}

/**
 * The last task decides the exit code. There are two tasks only if the gateway refused the picture of the first, at no
 * cost. The second has no picture.
 */
function exitCodeAfter(contacts: readonly FirstContact[]): ExitCode {
  const last = contacts.at(-1);
  if (last?.resolve != null) tell(last.resolve);
  return last === undefined || last.state === 'completed' ? EXIT.completed : EXIT.incomplete;
}

function examine(config: Config): Promise<readonly Finding[]> {
  return Promise.all([
    look('dailies', version),
    look('node', () => Promise.resolve(process.version)),
    look('ffmpeg', () => ffmpeg(config)),
    look('store', () => store(config)),
    look('ledger', () => ledger(config)),
    temporal(config),
    gateway(config),
    notices(config),
  ]);
}

async function look(what: string, find: () => Promise<string>): Promise<Finding> {
  try {
    return { what, ok: true, found: await find(), exitCode: EXIT.completed };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    const code = exitCodeOf(error);
    return { what, ok: false, found, exitCode: code === EXIT.failed ? EXIT.refused : code };
  }
}

async function version(): Promise<string> {
  const text = await readFile(packageFile('package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

async function ffmpeg({ ffmpegPath }: Config): Promise<string> {
  const found = await findFfmpeg({ ffmpegPath });
  const crossfade = found.filters.has('xfade') ? 'xfade' : 'no xfade: crossfades use overlay';
  const text = found.filters.has('drawtext') ? '' : ', no drawtext: neither titles nor burnt captions';
  const warning = ageWarning(found);
  const age = warning === undefined ? '' : `; WARNING: ${warning}`;
  return `${found.version} at ${found.path} (${found.source}), ${found.filters.size} filters, ${crossfade}${text}${age}`;
}

async function store(config: Config): Promise<string> {
  const { storeFolder } = config;
  const { id } = await openOwnStore(config);
  await refuseCopy(storeFolder);
  const probe = await mkdtemp(join(storeFolder, 'probe-')).catch(async (error: unknown) => {
    throw deniesAccess(error) ? new Error(`this user may not write: ${await accessInWords(storeFolder)}`) : error;
  });
  await access(probe, constants.W_OK);
  await rm(probe, { recursive: true });
  const open = (await isOpenToOthers(storeFolder))
    ? `; open to every user of this machine; to prevent that: chmod -R o-rwx ${shellWord(storeFolder)}`
    : '';
  return `${storeFolder}, id ${id}, writable${open}`;
}

/**
 * Checks that all takes can be read, because a take that cannot be read blocks its shot. Checks that the ledger has the
 * latest take that a configured Temporal server knows. Names files in the store that Dailies did not make.
 */
async function ledger(config: Config): Promise<string> {
  const store = await viewStore(config.storeFolder);
  const { takes, broken } = await bookedTakesOfAll(store, await store.ledger.productions());
  if (broken.length > 0) {
    const shown = broken.slice(0, SHOWN).map(({ production, shot, take, reason }) => {
      return `take ${take} of ${production}/${shot} (${reason})`;
    });
    const more = broken.length > shown.length ? `, and ${broken.length - shown.length} more` : '';
    throw new Error(
      `the records of ${counted(broken.length, 'take')} cannot be read, so nothing is sent for their shots: ` +
        `${shown.join(', ')}${more}; restore them from a backup, and see \`dailies audit ID\``,
    );
  }
  // Ignore errors: another check reports that Temporal cannot be reached.
  const stale = await staleAtTemporal(config).catch(() => undefined);
  if (stale !== undefined) throw new Error(stale);
  const foreign = [...foreignNames()].map(([name, folder]) => `"${name}" in ${folder}`);
  const skipped = foreign.length === 0 ? '' : `; foreign files, skipped: ${foreign.join(', ')}`;
  return `${counted(takes.length, 'take')}, all readable${skipped}`;
}

/** Maximum number of takes or users that are named. */
const SHOWN = 5;

async function temporal(config: Config): Promise<Finding> {
  const finding = await look('temporal', () => server(config));
  const warning = config.temporalAddress === undefined ? risk() : undefined;
  if (!finding.ok || warning === undefined) return finding;
  return { ...finding, warning: true, found: `${finding.found}. ${warning}` };
}

async function server(config: Config): Promise<string> {
  if (config.temporalAddress !== undefined) {
    const connection = await connectTemporal({ env: surroundings().env });
    await connection.close();
    return `${config.temporalAddress}, namespace ${connection.namespace}, reachable`;
  }
  const cli = findTemporalCli(surroundings().env);
  if (cli === undefined) throw new Error(TEMPORAL_CLI_MISSING);
  const isUp = (await readHolder(setFiles(config.storeFolder).lock)) !== undefined;
  return `embedded, ${isUp ? 'running' : 'not running now'}; ${cli.path} (${cli.source})`;
}

/** A warning about other users who could control the embedded server; undefined if this user is alone. */
function risk(): string | undefined {
  const others = otherUsers();
  if (others === undefined) return `It is unknown who else uses this machine. ${EMBEDDED_RISK}`;
  const { atWork, mayLogIn } = others;
  const names = [
    ...(atWork.length === 0 ? [] : [`at work now: ${shortened(atWork)}`]),
    ...(mayLogIn.length === 0 ? [] : [`may log in: ${shortened(mayLogIn)}`]),
  ];
  return names.length === 0 ? undefined : `This machine has other users (${names.join('; ')}). ${EMBEDDED_RISK}`;
}

const EMBEDDED_RISK =
  'Every user of this machine can control the embedded server, and so spend credits; if you do not trust them all, ' +
  'set TEMPORAL_ADDRESS to a server with TLS.';

function shortened(names: readonly string[]): string {
  const more = names.length - SHOWN;
  return `${names.slice(0, SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A missing secret is not a failure: productions without `notify` do not need one. */
function notices({ notifySecrets, notifyHosts }: Config): Promise<Finding> {
  const hosts = notifyHosts.length === 0 ? 'to public addresses' : `to public addresses and ${notifyHosts.join(', ')}`;
  const keys = counted(notifySecrets.length, 'secret');
  return look('notices', () =>
    Promise.resolve(
      notifySecrets.length === 0
        ? 'cannot be signed here: DAILIES_NOTIFY_SECRET is not set'
        : `signed with ${keys}, ${hosts}`,
    ),
  );
}

async function gateway(config: Config): Promise<Finding> {
  const { gateway: configured, account } = config;
  const what = 'gateway';
  if (configured === null) {
    const found = 'none configured (DAILIES_GATEWAY_URL): the sandbox is used, and nothing costs real money';
    return { what, ok: true, found, exitCode: EXIT.completed };
  }
  const key = await viewStore(config.storeFolder)
    .then((store) => otherKey(config, store, { notesFirst: false }))
    .catch(() => undefined);
  const at = `${configured.url}, account ${account}${key === undefined ? '' : ', with another key than before'}`;
  const answer = await askGateway(configured);
  if (!answer.reachable) return { what, ok: false, found: `${at}: ${answer.reason}`, exitCode: EXIT.unreachable };
  const words = keyWarning(config);
  const warning = words === undefined ? '' : `; ${words}`;
  switch (answer.key) {
    case 'accepted':
      return { what, ok: true, found: `${at}, reachable, key accepted${warning}`, exitCode: EXIT.completed };
    case 'unknown': {
      const found = `${at}, reachable; whether it accepts the key is not known: ${answer.answer}${warning}`;
      return { what, ok: true, found, exitCode: EXIT.completed };
    }
    case 'doubted':
      return { what, ok: true, found: `${at}, reachable; ${DOUBT}${warning}`, exitCode: EXIT.completed };
    case 'refused':
      return { what, ok: false, found: `${at}: the key is refused (HTTP 401)`, exitCode: EXIT.refused };
  }
}
