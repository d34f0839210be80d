import { z } from 'zod';
import { parseBaseUrl } from '../../gateway/addresses';
import { STORE_ID } from '../../store';
import { ConfigError } from './config-error';

/**
 * The environment variables of the configuration, and the values that each may have.
 *
 * MAINTENANCE: a new variable also needs its text in scripts/reference/variables.ts; then run `npm run reference`.
 */

/** Enough for a 1080p PNG of film grain in base64. */
const DATA_URI_MAX_BYTES = 20 * 1024 * 1024;

const URL_RULE =
  'must be an http or https address without query and credentials, such as https://gateway.example.com/v2';
/** MAINTENANCE: keep in step with checkNotAcceptedStatuses in gateway/statuses.ts. */
const STATUS_LIST_RULE = 'must be HTTP statuses from 400 to 599 separated by commas, such as 500,502';
const NAME_RULE = 'must be letters, digits, dashes and underscores, at most 64, the first a letter or digit';
const SECRET_RULE =
  'must be whsec_ and the base64 of 24 to 64 random bytes, such as "whsec_$(openssl rand -base64 32)"';
const FLOOR_RULE = 'must be whole milliseconds, 100 or more';
const BYTES_RULE = 'must be a whole number of bytes, 1 or more';
const STORE_ID_RULE =
  'must be the id of a store as `dailies store` shows it: 12 characters, each a digit or a letter from a to f';
const BUILD_RULE = 'must be letters, digits, dots, dashes and underscores, at most 64, the first a letter or digit';

export const Environment = z.object({
  DAILIES_GATEWAY_URL: z.string().refine(isBaseUrl, URL_RULE).optional(),
  DAILIES_GATEWAY_KEY: z.string().min(1).optional(),
  DAILIES_GATEWAY_KEY_FILE: z.string().min(1).optional(),
  DAILIES_GATEWAY_ACCOUNT: z.string().min(1).optional(),
  DAILIES_GATEWAY_HTTP_HOSTS: z.string().default(''),
  DAILIES_STORE: z.string().min(1).optional(),
  DAILIES_STORE_ID: z.string().regex(STORE_ID, STORE_ID_RULE).optional(),
  DAILIES_POLL_FLOOR_MS: z.coerce.number(FLOOR_RULE).int(FLOOR_RULE).min(100, FLOOR_RULE).optional(),
  DAILIES_FILE_VALUES: z.enum(['auto', 'url', 'data'], 'must be auto, url or data').default('auto'),
  DAILIES_DATA_URI_MAX_BYTES: z.coerce
    .number(BYTES_RULE)
    .int(BYTES_RULE)
    .min(1, BYTES_RULE)
    .default(DATA_URI_MAX_BYTES),
  DAILIES_DOWNLOAD_HOSTS: z.string().default(''),
  DAILIES_NOTIFY_SECRET: z.string().refine(isSecretList, SECRET_RULE).optional(),
  DAILIES_NOTIFY_HOSTS: z.string().default(''),
  DAILIES_NOT_ACCEPTED_STATUSES: z
    .string()
    .regex(/^\s*([45]\d\d(\s*,\s*[45]\d\d)*)?\s*$/, STATUS_LIST_RULE)
    .default(''),
  DAILIES_DEPLOYMENT: z
    .string()
    .regex(/^[A-Za-z0-9][\w-]{0,63}$/, NAME_RULE)
    .optional(),
  DAILIES_BUILD_ID: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,63}$/, BUILD_RULE)
    .optional(),
  DAILIES_VERSIONING: z.enum(['auto-upgrade', 'pinned'], 'must be auto-upgrade or pinned').optional(),
  DAILIES_PRICES: z.string().min(1).optional(),
  DAILIES_SANDBOX_PICTURES: z.enum(['painted', 'plain'], 'must be painted or plain').default('painted'),
  FFMPEG_PATH: z.string().min(1).optional(),
  TEMPORAL_ADDRESS: z.string().min(1).optional(),
});

/** The variables that say how files are sent. */
export const FileValues = Environment.pick({ DAILIES_FILE_VALUES: true, DAILIES_DATA_URI_MAX_BYTES: true });

export type Variables = z.infer<typeof Environment>;

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

export const VARIABLES = Object.keys(Environment.shape);

/** Parses the environment. An empty variable counts as unset. @throws ConfigError that names each invalid variable. */
export function readVariables<T>(schema: z.ZodType<T>, env: EnvironmentVariables): T {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const read = schema.safeParse(set);
  if (read.success) return read.data;
  throw new ConfigError(
    read.error.issues
      .map(({ path: [name], message }) => `${String(name)} ${message}${foundIn(set, String(name))}`)
      .join('\n'),
  );
}

/** Shows the value that was found; empty for keys, secrets and URLs. A URL may contain a key by mistake. */
function foundIn(env: EnvironmentVariables, name: string): string {
  return /KEY|SECRET|URL/.test(name) ? '' : `; it is ${JSON.stringify(env[name])}`;
}

function isBaseUrl(text: string): boolean {
  try {
    parseBaseUrl(text);
    return true;
  } catch {
    return false;
  }
}

/** Splits secrets at white space. */
export function secretsOf(text = ''): string[] {
  return text.split(/\s+/).filter((one) => one !== '');
}

function isSecretList(text: string): boolean {
  const secrets = secretsOf(text);
  return secrets.length > 0 && secrets.every((one) => isSecret(one));
}

/** Source: Standard Webhooks, "Symmetric": a prefix, then 24 to 64 bytes in base64. */
function isSecret(text: string): boolean {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1] ?? '';
  const sizeBytes = Buffer.from(base64, 'base64').length;
  return base64.length % 4 === 0 && sizeBytes >= 24 && sizeBytes <= 64;
}

/** Splits at commas. */
export function list(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
