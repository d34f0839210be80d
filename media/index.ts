export { assemble, FilmError, type AssembleOptions } from './assemble';
export type { FilmClip, FilmSpec } from './film';
export { correctColor, measureColor } from './color';
export { findFfmpeg, FfmpegMissingError, type Ffmpeg } from './find-ffmpeg';
export { firstFrame, lastFrame, NoFrameError } from './frames';
export { NotMediaError, probe, type MediaInfo } from './probe';
export { FfmpegError, runFfmpeg, type RunOptions } from './run-ffmpeg';
