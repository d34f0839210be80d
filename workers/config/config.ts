import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isIP } from 'node:net';
import { z } from 'zod';
import { type FileValuePolicy } from '../../contracts/file/file-values';
import { PriceTable } from '../../contracts/money/price-table';
import { isPublic, isReadableByOthers } from '../../gateway/address-guard';
import { isShortKey, KEY_MIN_LENGTH } from '../../gateway/redaction';
import { canDrawText } from '../../media/text/drawn-text';
import { SANDBOX_PRICES } from '../../sandbox/price-table';
import { findStore, ForeignStore, type StorePlace, type StoreQuestion } from '../../store/backup/find-store';
import { ConfigError } from './config-error';
import {
  Environment,
  type EnvironmentVariables,
  FileValues,
  list,
  readVariables,
  secretsOf,
  type Variables,
} from './environment';
import { readKeyFile } from './key-file';
import { type Secret, secret } from './secret';

/** Account of the embedded sandbox's takes, whatever its port. No gateway on the internet may have this account. */
export const SANDBOX_ACCOUNT = 'sandbox';

/** Runway asks clients to read a task at most once in five seconds. We keep to that at a gateway that costs money. */
const POLL_FLOOR_MS = 5_000;
const SANDBOX_POLL_FLOOR_MS = 500;

export interface Config {
  /** Null if no gateway is configured. The sandbox is used then. */
  readonly gateway: {
    readonly url: string;
    readonly key: Secret;
    /** Hosts, besides this machine, to which the key may be sent over plain http. */
    readonly plainHttpHosts: readonly string[];
  } | null;
  /** The account that pays. Part of every take key and queue name; never the API key. */
  readonly account: string;
  /** True if DAILIES_GATEWAY_ACCOUNT names the account. Otherwise it is the gateway's origin or `SANDBOX_ACCOUNT`. */
  readonly accountIsNamed: boolean;
  /** Absolute. */
  readonly storeFolder: string;
  /** The id that the store must have. Absent if the environment names no id. */
  readonly storeId?: string;
  /** How the store's folder was found. */
  readonly storePlace: StorePlace;
  readonly pollFloorMs: number;
  readonly fileValues: 'auto' | 'url' | 'data';
  /** Limit for a file's data URI, which is longer than the file. */
  readonly dataUriMaxBytes: number;
  /** Hosts in private ranges, besides the gateway, that assets may come from. */
  readonly downloadHosts: readonly string[];
  /** Keys for signing notices: several while a key is replaced; empty if not configured. */
  readonly notifySecrets: readonly Secret[];
  /**
   * True if the workers may be able to sign notices: this environment has a secret, or a Temporal server is configured,
   * whose workers may have one.
   */
  readonly signsNotices: boolean;
  /** Tells whether ffmpeg can draw text into films. Absent if the workers may run on another machine. */
  readonly drawsText?: () => Promise<boolean>;
  /** Hosts in private ranges that notices may go to. */
  readonly notifyHosts: readonly string[];
  readonly notAcceptedStatuses: readonly number[];
  /** Null if workers have no versions. Each worker then takes all work. */
  readonly deployment: {
    readonly name: string;
    /** Default: a hash of the build's workflows. */
    readonly buildId?: string;
    readonly versioning: 'auto-upgrade' | 'pinned';
  } | null;
  /**
   * Prices for kinds of task without a charge in the ledger: the table of DAILIES_PRICES and, for the sandbox's
   * account, the sandbox's prices.
   */
  readonly prices: PriceTable;
  readonly sandboxPictures: 'painted' | 'plain';
  readonly ffmpegPath?: string;
  /** Present if a Temporal server is configured. Otherwise the embedded server is used. */
  readonly temporalAddress?: string;
}

/**
 * Reads the configuration. Relative paths start from `folder`, except FFMPEG_PATH.
 *
 * @param file the command's production file or batch file. The search for the store starts there.
 * @throws ConfigError
 */
export function readConfig(
  env: EnvironmentVariables = process.env,
  folder: string = process.cwd(),
  file?: string,
): Config {
  const variables = readVariables(Environment, env);
  const storePlace = readStorePlace({ setting: variables.DAILIES_STORE, cwd: folder, file });
  const gateway = readGateway(variables, folder);
  const account = accountOf(gateway, variables.DAILIES_GATEWAY_ACCOUNT);
  return {
    gateway,
    account,
    accountIsNamed: gateway !== null && variables.DAILIES_GATEWAY_ACCOUNT !== undefined,
    storeFolder: storePlace.folder,
    storePlace,
    ...(variables.DAILIES_STORE_ID === undefined ? {} : { storeId: variables.DAILIES_STORE_ID }),
    pollFloorMs:
      variables.DAILIES_POLL_FLOOR_MS ?? (account === SANDBOX_ACCOUNT ? SANDBOX_POLL_FLOOR_MS : POLL_FLOOR_MS),
    fileValues: variables.DAILIES_FILE_VALUES,
    dataUriMaxBytes: variables.DAILIES_DATA_URI_MAX_BYTES,
    downloadHosts: list(variables.DAILIES_DOWNLOAD_HOSTS),
    notifySecrets: secretsOf(variables.DAILIES_NOTIFY_SECRET).map(secret),
    signsNotices: variables.DAILIES_NOTIFY_SECRET !== undefined || variables.TEMPORAL_ADDRESS !== undefined,
    notifyHosts: list(variables.DAILIES_NOTIFY_HOSTS),
    notAcceptedStatuses: list(variables.DAILIES_NOT_ACCEPTED_STATUSES).map(Number),
    deployment: readDeployment(variables),
    prices: pricesOf(account, variables.DAILIES_PRICES, folder),
    sandboxPictures: variables.DAILIES_SANDBOX_PICTURES,
    ...(variables.FFMPEG_PATH === undefined ? {} : { ffmpegPath: variables.FFMPEG_PATH }),
    ...(variables.TEMPORAL_ADDRESS === undefined
      ? { drawsText: () => canDrawText(variables.FFMPEG_PATH) }
      : { temporalAddress: variables.TEMPORAL_ADDRESS }),
  };
}

/** The environment variables for Temporal's client and the embedded workers. Default: those of this process. */
export function environment(env: EnvironmentVariables = process.env): EnvironmentVariables {
  return env;
}

/** Reads only the variables that say how files are sent. `dailies validate` needs no others. @throws ConfigError */
export function readFileValuePolicy(env: EnvironmentVariables = process.env): FileValuePolicy {
  const { DAILIES_FILE_VALUES: fileValues, DAILIES_DATA_URI_MAX_BYTES: dataUriMaxBytes } = readVariables(
    FileValues,
    env,
  );
  return { fileValues, dataUriMaxBytes };
}

function readGateway(variables: Variables, folder: string): Config['gateway'] {
  const { DAILIES_GATEWAY_URL: url, DAILIES_GATEWAY_KEY: key, DAILIES_GATEWAY_KEY_FILE: keyFile } = variables;
  if (url === undefined) return null;
  if (key !== undefined && keyFile !== undefined) {
    throw new ConfigError('DAILIES_GATEWAY_KEY and DAILIES_GATEWAY_KEY_FILE are both set; set one of them');
  }
  const plainHttpHosts = list(variables.DAILIES_GATEWAY_HTTP_HOSTS);
  if (isReadableByOthers(url, plainHttpHosts)) {
    const { origin, host } = new URL(url);
    throw new ConfigError(
      `DAILIES_GATEWAY_URL is ${origin}: over plain http others on the network could read the key. Use https. ` +
        `If everybody on that network may read the key, list the host: DAILIES_GATEWAY_HTTP_HOSTS=${host}`,
    );
  }
  if (key !== undefined) return { url, key: secret(key), plainHttpHosts };
  if (keyFile !== undefined) return { url, key: secret(readKeyFile(keyFile, folder)), plainHttpHosts };
  throw new ConfigError(
    'DAILIES_GATEWAY_URL is set, but no key is set; set DAILIES_GATEWAY_KEY or DAILIES_GATEWAY_KEY_FILE',
  );
}

/** @throws ConfigError if the store that was found belongs to another user. */
function readStorePlace(question: StoreQuestion): StorePlace {
  try {
    return findStore(question);
  } catch (error) {
    if (error instanceof ForeignStore) throw new ConfigError(error.message);
    throw error;
  }
}

/** @throws ConfigError if a build id or versioning is configured without a deployment. */
function readDeployment(variables: Variables): Config['deployment'] {
  const { DAILIES_DEPLOYMENT: name, DAILIES_BUILD_ID: buildId, DAILIES_VERSIONING: versioning } = variables;
  if (name !== undefined) {
    return { name, ...(buildId === undefined ? {} : { buildId }), versioning: versioning ?? 'auto-upgrade' };
  }
  if (buildId === undefined && versioning === undefined) return null;
  const variable = buildId === undefined ? 'DAILIES_VERSIONING' : 'DAILIES_BUILD_ID';
  throw new ConfigError(`${variable} is set and DAILIES_DEPLOYMENT is not; set it to the deployment's name`);
}

/**
 * The account that takes belong to. The sandbox's pictures must never pass for a model's clips. So the embedded sandbox
 * has its own account, and a gateway on the internet cannot have that account.
 *
 * @throws ConfigError if the sandbox's account is configured for a gateway on the internet.
 */
function accountOf(gateway: Config['gateway'], named: string | undefined): string {
  if (gateway === null) return SANDBOX_ACCOUNT;
  const { origin, hostname } = new URL(gateway.url);
  if (named === SANDBOX_ACCOUNT && !isPrivateHost(hostname)) {
    throw new ConfigError(
      `DAILIES_GATEWAY_ACCOUNT is ${SANDBOX_ACCOUNT}, which is the sandbox's own account, and ${hostname} is no host ` +
        'in a private network; give the account another name',
    );
  }
  return named ?? origin;
}

/** True for an address outside the public ranges, or a name without a dot, such as localhost or a container's name. */
function isPrivateHost(hostname: string): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 ? !hostname.includes('.') : !isPublic(address);
}

/**
 * A warning about a short key of the gateway; undefined if the key is long enough, or for the sandbox's account.
 */
export function keyWarning({ gateway, account }: Pick<Config, 'gateway' | 'account'>): string | undefined {
  if (gateway === null || account === SANDBOX_ACCOUNT || !isShortKey(gateway.key.reveal())) return undefined;
  return (
    `The gateway's key has fewer than ${KEY_MIN_LENGTH} characters. It may be guessed, and it is not removed from ` +
    "the gateway's results, since it may be an ordinary word. Use a longer key."
  );
}

/** Puts DAILIES_PRICES before the sandbox's prices: a model's price is the first entry under any of its names. */
function pricesOf(account: string, path: string | undefined, folder: string): PriceTable {
  const named = path === undefined ? {} : readPrices(path, folder);
  return account === SANDBOX_ACCOUNT ? { ...named, ...SANDBOX_PRICES, ...named } : named;
}

function readPrices(path: string, folder: string): PriceTable {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(resolve(folder, path), 'utf8'));
  } catch (error) {
    throw new ConfigError(`DAILIES_PRICES cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const parsed = PriceTable.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    `DAILIES_PRICES names ${path}, which is not a price table such as {"alpha-video": {"perSecond": {"720p": 8}}}:\n` +
      z.prettifyError(parsed.error),
  );
}
