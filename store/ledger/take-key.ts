import { createHash } from 'node:crypto';
import { anchorLink, frameInWords, wholeLink } from '../../contracts/file/frame-links';
import { type FileSource, type FrameLink, type FrozenShot, withoutUnsentFields } from '../../contracts/render/frozen';
import { knownModel } from '../../contracts/gateway/models';

/** Part of every ask key. Increase it when the contents of the key change, so that old and new keys differ. */
const KEY_VERSION = 1;

/** A link to another shot, and the key of the take that it uses. */
export interface LinkOrigin {
  readonly shot: string;
  readonly frame: FrameLink['frame'];
  readonly takeKey: string;
}

/** A shot's request for a take. */
export interface Ask {
  /** The gateway account that pays; never the API key. */
  readonly account: string;
  readonly productionId: string;
  readonly shot: FrozenShot;
  readonly links: readonly LinkOrigin[];
  /** Index of the take among the shot's parallel takes, from 0. Default: 0. */
  readonly sibling?: number;
}

/**
 * Identifies an ask. Asks with the same key share their takes.
 *
 * The key contains: account; production; shot; model; parameters with the model's defaults; hashes or addresses of
 * given files; the take of each linked frame, and the take that the frame's color is corrected towards; the take of
 * each linked text; and the sum of variant and `sibling`, if it is not 0. A linked frame is identified by its take,
 * since another version of ffmpeg may cut other bytes. The key does not contain: a `returnLastFrame` that Dailies adds,
 * file names, `UnsentFields`, assembly.
 */
export function askKey({ account, productionId, shot, links, sibling = 0 }: Ask): string {
  const { texts } = shot;
  const variant = (shot.variant ?? 0) + sibling;
  return hashOf([
    KEY_VERSION,
    account,
    productionId,
    shot.id,
    shot.model.id,
    shot.model.workflow ?? null,
    askedParameters(shot.model.id, shot.parameters),
    mapValues(shot.files, (source) =>
      Array.isArray(source) ? source.map((one) => fileIdentity(one, links)) : fileIdentity(source, links),
    ),
    ...(texts === undefined ? [] : [mapValues(texts, (text) => originOf(wholeLink(text.shot), links).takeKey)]),
    ...(variant === 0 ? [] : [variant]),
  ]);
}

/**
 * Identifies a shot without its file names and `UnsentFields`. If a change of a shot does not change the digest, no new
 * take is needed.
 */
export function shotDigest(asked: FrozenShot): string {
  const { files, texts, ...shot } = withoutUnsentFields(asked);
  const identity = (source: FileSource): unknown =>
    source.kind === 'asset' ? { sha256: source.asset.sha256 } : source;
  return hashOf({
    ...shot,
    files: mapValues(files, (source) => (Array.isArray(source) ? source.map(identity) : identity(source))),
    ...(texts === undefined ? {} : { texts: mapValues(texts, (text) => text.shot) }),
  });
}

/** The parameters with the model's defaults. Unchanged if the model is unknown or refuses the parameters. */
export function askedParameters(
  modelId: string,
  parameters: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const parsed = knownModel(modelId)?.parameters.partial().safeParse(parameters);
  return parsed?.success === true ? parsed.data : parameters;
}

/** Identifies a take by its ask and the number of earlier takes with the same ask. */
export function takeKey(ask: string, count: number): string {
  return hashOf([ask, count]);
}

/** Number of counts that `countInAsk` tries. No ask has nearly as many takes. */
const MAX_TAKES_SEARCHED = 200;

/** Number of the ask's takes before the take with this key; undefined if the key belongs to another ask. */
export function countInAsk(ask: string, key: string): number | undefined {
  for (let count = 0; count < MAX_TAKES_SEARCHED; count += 1) {
    if (takeKey(ask, count) === key) return count;
  }
  return undefined;
}

/** Short name of a gateway account in queue names and paths. */
export function accountHash(account: string): string {
  return hashOf(['account', account]).slice(0, 10);
}

/** JSON with sorted keys: equal values give equal text. Undefined fields are left out. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const fields = Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`);
    return `{${fields.join(',')}}`;
  }
  return JSON.stringify(value);
}

/** SHA-256 of a value's canonical JSON. */
export function hashOf(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}

function mapValues<From>(values: Readonly<Record<string, From>>, convert: (value: From) => unknown): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, convert(value)]));
}

function fileIdentity(source: FileSource, links: readonly LinkOrigin[]): unknown {
  switch (source.kind) {
    case 'address':
      return { url: source.url };
    case 'asset':
      return { sha256: source.asset.sha256 };
    case 'link': {
      const { takeKey: from, frame } = originOf(source, links);
      if (source.anchor === undefined) return { takeKey: from, frame };
      return { takeKey: from, frame, anchor: originOf(anchorLink(source.anchor), links).takeKey };
    }
  }
}

function originOf(link: FrameLink, links: readonly LinkOrigin[]): LinkOrigin {
  const origin = links.find(({ shot, frame }) => shot === link.shot && frame === link.frame);
  if (origin === undefined) throw new RangeError(`the ${frameInWords(link)} is not known yet`);
  return origin;
}
