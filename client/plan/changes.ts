import { frameInWords, wholeLink } from '../../contracts/file/frame-links';
import { type FileSource, type FrameLink, type FrozenModel, type FrozenShot } from '../../contracts/render/frozen';
import { type Change } from '../../contracts/render/render-plan';
import { askedParameters, canonicalJson, type TakeHistory } from '../../store';

export interface TaskRequest {
  readonly model: FrozenModel;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Finds the shot that a parameter's value comes from. The value is `sha256:<hash>` of a picture, or a text. */
export interface FrameIndex {
  /** True if the value is the linked frame, picture or text of any take of the linked shot. */
  isFrame(value: unknown, link: FrameLink): boolean;
  /** A name such as `last frame of dawn`; undefined if the value comes from no shot. */
  nameOf(value: unknown): string | undefined;
}

export function indexFrames(takes: ReadonlyMap<string, readonly TakeHistory[]>): FrameIndex {
  const names = new Map<unknown, Set<string>>();
  const addValue = (value: string, link: FrameLink): void => {
    names.set(value, (names.get(value) ?? new Set()).add(frameInWords(link)));
  };
  const add = (sha256: string | undefined, link: FrameLink): void => {
    if (sha256 !== undefined) addValue(hashInWords(sha256), link);
  };
  for (const [shot, histories] of takes) {
    for (const { output, settled } of histories) {
      add(output?.firstFrame?.sha256, { kind: 'link', shot, frame: 'first' });
      add(output?.lastFrame?.asset.sha256, { kind: 'link', shot, frame: 'last' });
      add(output?.asset.sha256, wholeLink(shot));
      // Texts are trimmed before they are sent.
      if (settled?.text != null) addValue(settled.text.trim(), wholeLink(shot));
    }
  }
  return {
    isFrame: (value, link) => names.get(value)?.has(frameInWords(link)) === true,
    nameOf: (value) => names.get(value)?.values().next().value,
  };
}

/**
 * The changes of a shot since one of its takes: model, workflow, then parameters by name.
 *
 * Local files are compared by hash, and files on the web by address. Links are compared by the shot and the frame that
 * they name, so a new take of the linked shot is no change of this shot.
 */
export function changesSince({ intent }: TakeHistory, shot: FrozenShot, frames: FrameIndex): readonly Change[] {
  const isSameModel = intent.model.id === shot.model.id;
  // Defaults of one model do not apply to another.
  const withDefaults = isSameModel ? askedParameters : (_model: string, given: typeof intent.parameters) => given;
  const before = withDefaults(intent.model.id, intent.parameters);
  const after = withDefaults(shot.model.id, shot.parameters);
  const names = new Set([
    ...Object.keys(before),
    ...Object.keys(after),
    ...Object.keys({ ...shot.files, ...shot.texts }),
  ]);
  return [
    ...change('model', intent.model.id, shot.model.id),
    ...change('workflow', intent.model.workflow, shot.model.workflow),
    ...[...names]
      .filter((name) => !isAdded(name, shot))
      .toSorted()
      .flatMap((name) => {
        const was = before[name];
        const text = shot.texts?.[name];
        if (text !== undefined) {
          return frames.isFrame(was, wholeLink(text.shot))
            ? []
            : change(name, named(was, undefined, frames), text.shot);
        }
        const source = shot.files[name];
        if (source === undefined) return change(name, named(was, undefined, frames), after[name]);
        const cut = intent.carried?.[name];
        if (isSameSource(was, source, cut, frames)) return [];
        return change(name, named(was, cut, frames), isList(source) ? source.map(fileInWords) : fileInWords(source));
      }),
  ];
}

/** The differences between a shot as written in the production file and the same shot with its overrides. */
export function changesBetween(written: FrozenShot, shot: FrozenShot): readonly Change[] {
  const inWords = ({ files, texts = {} }: FrozenShot): Record<string, unknown> => ({
    ...Object.fromEntries(
      Object.entries(files).map(([name, source]) => [
        name,
        isList(source) ? source.map(fileInWords) : fileInWords(source),
      ]),
    ),
    ...Object.fromEntries(Object.entries(texts).map(([name, { shot: writer }]) => [name, writer])),
  });
  return changesOf(
    { model: written.model, parameters: { ...written.parameters, ...inWords(written) } },
    { model: shot.model, parameters: { ...shot.parameters, ...inWords(shot) } },
  );
}

/** The changes between two requests. If both name the same model, its defaults fill in absent parameters. */
export function changesOf(before: TaskRequest, after: TaskRequest): readonly Change[] {
  const isSameModel = before.model.id === after.model.id;
  // Defaults of one model do not apply to another.
  const withDefaults = isSameModel ? askedParameters : (_model: string, given: TaskRequest['parameters']) => given;
  const was = withDefaults(before.model.id, before.parameters);
  const is = withDefaults(after.model.id, after.parameters);
  const names = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [
    ...change('model', before.model.id, after.model.id),
    ...change('workflow', before.model.workflow, after.model.workflow),
    ...[...names].toSorted().flatMap((name) => change(name, was[name], is[name])),
  ];
}

/** The form of a frame or a file in the ledger's parameters. */
export function hashInWords(sha256: string): string {
  return `sha256:${sha256}`;
}

/** True for `returnLastFrame` if the shot does not set it: Dailies may have added it to the take's request. */
function isAdded(name: string, { parameters }: FrozenShot): boolean {
  return name === 'returnLastFrame' && parameters[name] === undefined;
}

function change(parameter: string, from: unknown, to: unknown): readonly Change[] {
  if (canonicalJson(from ?? null) === canonicalJson(to ?? null)) return [];
  // Values in the ledger and in frozen productions are JSON.
  return [{ parameter, from: (from ?? null) as Change['from'], to: (to ?? null) as Change['to'] }];
}

/** @param cut hash of the frame before its colour was corrected; undefined if the frame was not corrected. */
function isSameSource(
  was: unknown,
  source: FileSource | readonly FileSource[],
  cut: string | undefined,
  frames: FrameIndex,
): boolean {
  if (isList(source)) {
    return (
      Array.isArray(was) &&
      was.length === source.length &&
      source.every((one, index) => isSameSource(was[index], one, undefined, frames))
    );
  }
  if (source.kind !== 'link') return was === fileInWords(source);
  if ((source.anchor === undefined) !== (cut === undefined)) return false;
  return frames.isFrame(cut === undefined ? was : hashInWords(cut), source);
}

function fileInWords(source: FileSource): string {
  switch (source.kind) {
    case 'address':
      return source.url;
    case 'asset':
      return hashInWords(source.asset.sha256);
    case 'link':
      return `${frameInWords(source)}${source.anchor === undefined ? '' : ANCHORED}`;
  }
}

/** The mark of a frame whose colour is corrected towards the chain's first clip. */
const ANCHORED = ', anchored';

/** Replaces a value, or each entry of a list, by the name of the frame, picture or text that the value comes from. */
function named(value: unknown, cut: string | undefined, frames: FrameIndex): unknown {
  if (cut !== undefined) return `${frames.nameOf(hashInWords(cut)) ?? hashInWords(cut)}${ANCHORED}`;
  return Array.isArray(value)
    ? value.map((one: unknown) => frames.nameOf(one) ?? one)
    : (frames.nameOf(value) ?? value);
}

function isList(source: FileSource | readonly FileSource[]): source is readonly FileSource[] {
  return Array.isArray(source);
}
