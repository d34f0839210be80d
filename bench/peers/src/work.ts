import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A piece of work for a contender, as it stands in the file whose path is the program's only argument. */
export interface Work {
  readonly gatewayUrl: string;
  readonly gatewayKey: string;
  /** Address of the service that this contender needs (Redis, PostgreSQL, Restate, Temporal); null for a plain script. */
  readonly service: string | null;
  /** Where the outputs and films go: see `outputPath` and `filmPath`. */
  readonly out: string;
  /** A folder of the contender's own, which stays over its restarts. */
  readonly folder: string;
  /** How often a contender asks for a task that goes on, where its manner does not say so itself. */
  readonly pollMs: number;
  /** All of them at once. */
  readonly jobs: readonly Job[];
}

/** Shots of which each may start on the frame that one before it ends on. */
export interface Job {
  readonly id: string;
  readonly shots: readonly Shot[];
  /** Whether the clips are joined to a film at the end. */
  readonly film: boolean;
}

export interface Shot {
  readonly id: string;
  readonly model: string;
  /** What the model makes. */
  readonly output: 'video' | 'image' | 'text';
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The shot of the same job, before this one, on whose last frame this one starts. */
  readonly startsOn: string | null;
}

export async function readWork(path: string): Promise<Work> {
  return JSON.parse(await readFile(path, 'utf8')) as Work;
}

/** Where the output of a shot goes: a clip, a picture or a text. */
export function outputPath({ out }: Work, job: Job, shot: Shot): string {
  return join(out, job.id, `${shot.id}.output`);
}

/** Where the frame goes on which the next shot starts. */
export function framePath({ out }: Work, job: Job, shotId: string): string {
  return join(out, job.id, `${shotId}.last.png`);
}

export function filmPath({ out }: Work, job: Job): string {
  return join(out, job.id, 'film.mp4');
}
