import { createHash } from 'node:crypto';
import { anchorLink, frameInWords, wholeLink } from '../contracts/frame-links';
import { type FileSource, type FrameLink, type FrozenShot, withoutUnsentFields } from '../contracts/frozen';
import { knownModel } from '../contracts/models';

/** Part of every key: a change of what goes into a key must make other keys, and so must change this. */
const KEY_VERSION = 1;

/** What a shot uses of another one, named by the take that it is of. */
export interface LinkOrigin {
  readonly shot: string;
  readonly frame: FrameLink['frame'];
  readonly takeKey: string;
}

export interface Ask {
  /** The gateway account that pays; never the key. */
  readonly account: string;
  readonly productionId: string;
  readonly shot: FrozenShot;
  readonly links: readonly LinkOrigin[];
  /** Which of the takes side by side, from 0. Default: 0. */
  readonly sibling?: number;
}

/**
 * Names what a shot asks for: two asks with the same key are the same wish, and are paid once.
 *
 * In it: account, production, shot, model, parameters with the model's defaults filled in, the hashes of given files,
 * for a linked frame the take that it comes from rather than its bytes, since another ffmpeg cuts another picture, with
 * the take that its colour is corrected towards where it is, for a written text the take that wrote it, and the variant
 * where it is not the first.
 * Not in it: what Dailies adds by itself, file names, captions, assembly.
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
 * Names a shot by all that is asked for in it. What is never sent, as its caption, and the names of its files are left
 * out: an equal digest needs no other take.
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

/** Parameters with the defaults filled in of a model that is known whole: as the gateway takes them. */
export function askedParameters(
  modelId: string,
  parameters: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const parsed = knownModel(modelId)?.parameters.partial().safeParse(parameters);
  return parsed?.success === true ? parsed.data : parameters;
}

/** Names one take: the ask, and how many takes before it asked for the same. */
export function takeKey(ask: string, count: number): string {
  return hashOf([ask, count]);
}

/** More takes of one ask than anybody has made. */
const MOST_TAKES = 200;

/** How many takes of the ask came before the one with this key; undefined where the key is of another ask. */
export function countInAsk(ask: string, key: string): number | undefined {
  for (let count = 0; count < MOST_TAKES; count += 1) {
    if (takeKey(ask, count) === key) return count;
  }
  return undefined;
}

/** Short name of a gateway account for queue names and paths. */
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

function mapValues<From>(values: Readonly<Record<string, From>>, turn: (value: From) => unknown): object {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, turn(value)]));
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
