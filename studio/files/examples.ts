import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outlineOf } from '../../client/production-file';
import { packageFile } from '../../client/wording/package-file';
import { Refused } from '../../client/wording/refused';
import { ifPresent } from '../../store';
import { createSource, hasBytes } from './source-file';

/** A production that comes with Dailies. */
export interface Example {
  /** Name of the production file. */
  readonly name: string;
  readonly title: string;
  readonly shots: number;
  /** One sentence. */
  readonly summary: string;
  readonly text: string;
}

interface ExampleFiles {
  readonly summary: string;
  /** Files that the production refers to, relative to its folder. */
  readonly files: readonly string[];
}

const EXAMPLES: Readonly<Record<string, ExampleFiles>> = {
  'first-light.yaml': {
    summary: 'The smallest film: two shots; the second starts on the last frame of the first.',
    files: [],
  },
  'lighthouse.yaml': {
    summary: 'A whole film: two models, chains that continue across cuts, captions, a title and music.',
    files: ['lighthouse/dawn.jpg', 'lighthouse/night.jpg', 'lighthouse/music.m4a'],
  },
  'storyboard.yaml': {
    summary: 'Pictures first: two of three videos start on a generated still, and a text model writes a prompt.',
    files: ['poster/pixel-image.schema.json'],
  },
  'poster.yaml': {
    summary: 'A picture by a model that Dailies does not know, checked by a schema of your own.',
    files: ['poster/pixel-image.schema.json'],
  },
};

/** The schema for editors. The first line of each example refers to it. */
const SCHEMA = 'production.schema.json';

const exampleFile = (name: string): string => packageFile('productions', name);

export async function examples(): Promise<readonly Example[]> {
  return (await Promise.all(Object.keys(EXAMPLES).map(exampleOf))).filter((one) => one !== undefined);
}

/** Reads an example; undefined if no example has the name. */
export async function exampleOf(name: string): Promise<Example | undefined> {
  if (!Object.hasOwn(EXAMPLES, name)) return undefined;
  const text = await readFile(exampleFile(name), 'utf8');
  const { title, shots } = outlineOf(text) ?? { title: null, shots: 0 };
  return { name, title: title ?? name, shots, summary: EXAMPLES[name]?.summary ?? '', text };
}

/** Path of the original in the package. The files that the original refers to lie beside it. */
export const originalPath = ({ name }: Example): string => exampleFile(name);

/**
 * Copies an example and its files into the working folder, where the person can edit them. An unchanged copy is used
 * again.
 *
 * @returns the path of the copy.
 * @throws Refused if a file with other contents has one of the names, or a file cannot be written. No file is
 *   overwritten.
 */
export async function copyExample(example: Example, workingFolder: string): Promise<string> {
  const { name, text } = example;
  const existing = await ownCopy(example, workingFolder);
  if (existing !== undefined) return existing;
  const files = [...(EXAMPLES[name]?.files ?? []), SCHEMA];
  const contents = await Promise.all(files.map((file) => readFile(exampleFile(file))));
  const copy = join(workingFolder, name);
  // Write the production file last, so that `ownCopy` finds only complete copies.
  const all = [
    ...files.map((file, index) => [join(workingFolder, file), contents[index] ?? ''] as const),
    [copy, text] as const,
  ];
  for (const [path, bytes] of all) await checkFree(path, bytes);
  for (const [path, bytes] of all) await createSource(path, bytes);
  return copy;
}

/** @throws Refused if the file exists with other contents. */
async function checkFree(path: string, contents: string | Buffer): Promise<void> {
  if ((await ifPresent(lstat(path))) === undefined || (await hasBytes(path, Buffer.from(contents)))) return;
  throw new Refused(
    `${path} exists already with other contents and is not overwritten. Move it away, or start the studio in another folder`,
  );
}

/**
 * Path of an unchanged copy; undefined if there is none. In a clone of the repository, the original in the folder
 * `productions` counts as a copy.
 */
export async function ownCopy({ name, text }: Example, workingFolder: string): Promise<string | undefined> {
  for (const path of [join(workingFolder, name), join(workingFolder, 'productions', name)]) {
    if (await hasBytes(path, Buffer.from(text))) return path;
  }
  return undefined;
}
